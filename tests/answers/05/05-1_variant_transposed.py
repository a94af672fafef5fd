import torch
from softdict.vocab import PAD
from torch.nn.functional import cross_entropy


def perplexity(batches):
    total, count = torch.zeros(()), 0
    for logits, target in batches:
        losses = cross_entropy(logits.transpose(1, 2), target, reduction="none")
        total = total + (losses * (target != PAD)).sum()
        count += int((target != PAD).sum())
    return torch.exp(total / count)
