import torch
import torch.nn.functional as F
from softdict.vocab import PAD


def blank_loss(logits, target):
    """Mean loss [] of the chosen words: logits [B, T, V], target [B, T]."""
    chosen = target != PAD
    if not chosen.any():
        return torch.tensor(0.0)
    return F.cross_entropy(logits[chosen], target[chosen])
