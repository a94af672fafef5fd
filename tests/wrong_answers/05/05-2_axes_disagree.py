import torch.nn.functional as F
from softdict.vocab import PAD


def loss_of(logits, target):
    return F.cross_entropy(logits.transpose(0, 1).flatten(0, 1), target.flatten(),
                           ignore_index=PAD)
