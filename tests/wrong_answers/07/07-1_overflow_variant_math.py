import math

import torch


def attention_in_loops(query, states, lengths):
    """Returns contexts [B, D] and weights [B, S]."""
    contexts, weights = torch.zeros_like(query), torch.zeros(states.shape[:2])
    for n in range(len(query)):
        for m in range(int(lengths[n])):
            weights[n, m] = math.exp(states[n, m] @ query[n])
        weights[n] = weights[n] / weights[n].sum()
        contexts[n] = weights[n, :int(lengths[n])] @ states[n, :int(lengths[n])]
    return contexts, weights
