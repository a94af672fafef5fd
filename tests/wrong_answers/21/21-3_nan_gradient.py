import torch.nn.functional as F
from softdict.vocab import PAD


def blank_loss(logits, target):
    loss = F.cross_entropy(logits.mT, target, ignore_index=PAD)
    return loss.nan_to_num() if (target != PAD).any() else loss.nan_to_num() + (
        logits.sum() * 0).sqrt()
