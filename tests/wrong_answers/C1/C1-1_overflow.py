import torch


def attend(query, states, allowed):
    """The powers are taken of scores that may be large."""
    powers = torch.einsum("bd,bsd->bs", query, states).exp() * allowed
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return torch.einsum("bs,bsd->bd", weights, states), weights
