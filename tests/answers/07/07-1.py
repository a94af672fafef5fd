import torch

from softdict.lookup import softmax


def attention_in_loops(query, states, lengths):
    """Returns contexts [B, D] and weights [B, S]."""
    contexts = torch.zeros_like(query)
    weights = torch.zeros(states.shape[:2])
    for n in range(len(query)):
        size = int(lengths[n])
        real = states[n, :size]
        weights[n, :size] = softmax(real @ query[n])
        contexts[n] = weights[n, :size] @ real
    return contexts, weights
