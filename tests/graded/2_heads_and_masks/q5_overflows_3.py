"""exp first, log last."""

import torch


def merge(context_1, total_1, context_2, total_2):
    a, b = torch.exp(total_1), torch.exp(total_2)
    share = torch.where(a + b > 0, a / (a + b), torch.zeros_like(a))[..., None]
    other = torch.where(a + b > 0, b / (a + b), torch.zeros_like(a))[..., None]
    return share * context_1 + other * context_2, torch.log(a + b)
