import math

import torch.nn.functional as F


def perplexity(batches):
    total, count = 0.0, 0
    for logits, target in batches:
        losses = F.cross_entropy(logits.transpose(1, 2), target, reduction="none")
        real = target >= 0
        total += (losses * real).sum().item()
        count += real.sum().item()
    return math.exp(total / count)
