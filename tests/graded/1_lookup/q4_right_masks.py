"""Whole tensors; what is hidden weighs nothing."""

import torch


def local_attention(query, states, lengths, centres, reach):
    places = torch.arange(states.shape[1])
    near = (places - torch.tensor(centres)[:, None]).abs() <= reach
    near = near & (places < torch.tensor(lengths)[:, None])
    scores = torch.einsum("bd,bsd->bs", query, states)
    scores = scores.masked_fill(~near, float("-inf"))
    weights = scores.softmax(dim=-1).masked_fill(~near, 0.0)
    return torch.einsum("bs,bsd->bd", weights, states), weights
