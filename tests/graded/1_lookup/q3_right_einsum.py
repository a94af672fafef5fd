"""Einsum, the second source in front, and a list as the result."""

import torch


def two_sources(query, first, second, first_allowed, second_allowed):
    states = torch.cat([second, first], dim=1)
    allowed = torch.cat([second_allowed, first_allowed], dim=1)
    scores = torch.einsum("bd,bsd->bs", query, states)
    scores = torch.where(allowed, scores, torch.tensor(float("-inf")))
    weights = torch.softmax(scores, dim=-1)
    context = torch.einsum("bs,bsd->bd", weights, states)
    R = second.shape[1]
    return [context, weights[:, R:], weights[:, :R]]
