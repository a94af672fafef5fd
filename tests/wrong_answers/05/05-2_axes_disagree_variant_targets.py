from softdict.vocab import PAD
import torch.nn.functional as F


def loss_of(logits, target):
    V = logits.shape[-1]
    return F.cross_entropy(logits.reshape(-1, V), target.T.reshape(-1),
                           ignore_index=PAD)
