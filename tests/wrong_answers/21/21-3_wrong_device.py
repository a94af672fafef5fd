import torch
import torch.nn.functional as F
from softdict.vocab import PAD


def blank_loss(logits, target):
    losses = F.cross_entropy(logits.mT, target, ignore_index=PAD,
                             reduction="sum")
    number = torch.zeros(target.shape).masked_fill(target != PAD, 1).sum()
    return losses / number.clamp(min=1)
