import torch.nn.functional as F
from softdict.vocab import PAD


def loss_of(logits, target):
    real = target != PAD
    logits = logits * real[..., None]
    total = F.cross_entropy(logits.permute(0, 2, 1), target, reduction="sum")
    return total / real.sum()
