import torch.nn.functional as F
from softdict.vocab import PAD


def loss_of(logits, target):
    V = logits.shape[-1]
    return F.cross_entropy(logits.reshape(-1, V), target.reshape(-1), ignore_index=PAD)
