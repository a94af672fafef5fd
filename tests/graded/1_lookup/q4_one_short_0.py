"""Less than `reach`, where at most `reach` is meant."""

import torch


def local_attention(query, states, lengths, centres, reach):
    B, S, D = states.shape
    context, weights = torch.zeros(B, D), torch.zeros(B, S)
    for b in range(B):
        near = [s for s in range(S) if s < lengths[b] and abs(centres[b] - s) < reach]
        if near:
            weights[b, near] = torch.softmax(states[b, near] @ query[b], dim=0)
            context[b] = weights[b] @ states[b]
    return context, weights
