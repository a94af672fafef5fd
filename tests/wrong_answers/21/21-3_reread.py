import torch.nn.functional as F
from softdict.vocab import PAD


def blank_loss(logits, target):
    B, T, V = logits.shape
    losses = F.cross_entropy(logits.reshape(B, V, T), target, ignore_index=PAD,
                             reduction="sum")
    return losses / (target != PAD).sum().clamp(min=1)
