import torch


def text_perplexity(losses, target, ends=True):
    """The perplexity of a text; losses [B, T] of the words target [B, T]."""
    real = target != 0
    if not ends:
        real = real & (target != 3)
    rows = torch.where(real, losses, 0.0).sum(1) / real.sum(1).clamp(min=1)
    return rows.mean().exp().item()
