"""A slice that may begin in front of the sentence."""

import torch


def local_attention(query, states, lengths, centres, reach):
    weights = torch.zeros(states.shape[:2])
    for b, (length, centre) in enumerate(zip(lengths, centres)):
        window = states[b, :length][centre - reach:centre + reach + 1]
        if len(window):
            found = torch.softmax(window @ query[b], dim=0)
            weights[b, centre - reach:centre - reach + len(window)] = found
    return torch.einsum("bs,bsd->bd", weights, states), weights
