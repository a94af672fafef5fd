import torch.nn.functional as F
from softdict.vocab import PAD


def blank_loss(logits, target):
    chosen = target != PAD                    # [B, T]
    if not chosen.any():
        return logits.sum() * 0
    return F.cross_entropy(logits[chosen], target[chosen])
