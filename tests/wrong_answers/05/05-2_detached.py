import torch.nn.functional as F
from softdict.vocab import PAD


def loss_of(logits, target):
    return F.cross_entropy(logits.transpose(1, 2), target, ignore_index=PAD).item()
