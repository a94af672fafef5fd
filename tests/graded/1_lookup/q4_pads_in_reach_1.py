"""The window knows no end of the sentence."""

import torch


def local_attention(query, states, lengths, centres, reach):
    places = torch.arange(states.shape[1])
    near = (places - torch.tensor(centres)[:, None]).abs() <= reach
    scores = (states @ query[:, :, None])[..., 0].masked_fill(~near, float("-inf"))
    weights = scores.softmax(dim=-1)
    return (weights[:, None] @ states)[:, 0], weights
