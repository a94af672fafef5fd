import torch


def join(final):
    """Returns the final states of both directions side by side, [B, 2*K]."""
    return torch.cat([final[0], final[1]], dim=-1)
