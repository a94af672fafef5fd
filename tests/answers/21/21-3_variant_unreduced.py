import torch
import torch.nn.functional as F
from softdict.vocab import PAD


def blank_loss(logits, target):
    B, T, V = logits.shape
    losses = F.cross_entropy(logits.reshape(B * T, V), target.reshape(-1),
                             reduction="none").view(B, T)    # [B, T]
    chosen = (target != PAD).to(losses.dtype)                # [B, T]
    return (losses * chosen).sum() / torch.clamp(chosen.sum(), min=1)
