import torch
import torch.nn.functional as F
from softdict.vocab import PAD


def loss_of(logits, target):
    rows = [F.cross_entropy(row, words, ignore_index=PAD)
            for row, words in zip(logits, target)]
    return torch.stack(rows).mean()
