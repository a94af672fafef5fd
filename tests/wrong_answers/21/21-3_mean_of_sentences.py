import torch.nn.functional as F
from softdict.vocab import PAD


def blank_loss(logits, target):
    rows = [F.cross_entropy(row, words, ignore_index=PAD)
            for row, words in zip(logits, target) if (words != PAD).any()]
    return sum(rows) / max(len(rows), 1) + 0 * logits.sum()
