"""A hidden score becomes 0."""

import torch


def two_sources(query, first, second, first_allowed, second_allowed):
    states = torch.cat([first, second], dim=1)
    allowed = torch.cat([first_allowed, second_allowed], dim=1)
    scores = torch.bmm(states, query[:, :, None])[..., 0]
    weights = scores.masked_fill(~allowed, 0.0).softmax(dim=1)
    context = torch.bmm(weights[:, None], states)[:, 0]
    return context, *weights.split([first.shape[1], second.shape[1]], dim=1)
