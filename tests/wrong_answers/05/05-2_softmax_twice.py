import torch.nn.functional as F
from softdict.vocab import PAD


def loss_of(logits, target):
    return F.cross_entropy(logits.softmax(dim=-1).transpose(1, 2), target,
                           ignore_index=PAD)
