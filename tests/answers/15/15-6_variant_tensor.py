import torch


def rates(updates, warmup, peak):
    """The learning rates of updates 1, 2, ..., in a list."""
    n = torch.arange(1, updates + 1, dtype=torch.float64)
    return peak * torch.minimum(n / warmup, (warmup / n).sqrt())
