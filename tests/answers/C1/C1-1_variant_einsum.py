import torch


def attend(query, states, allowed):
    """Returns the context [B, D] and the weights [B, S]."""
    scores = torch.einsum("bd,bsd->bs", query, states)
    weights = torch.where(allowed, scores, -torch.inf).softmax(dim=1)
    return torch.einsum("bs,bsd->bd", weights, states), weights
