import math

import torch.nn.functional as F
from softdict.vocab import PAD


def perplexity(batches):
    total, count = 0.0, 0
    for logits, target in batches:
        losses = F.cross_entropy(logits.transpose(1, 2), target, reduction="none")
        real = target != PAD
        total += losses.sum().item()
        count += real.sum().item()
    return math.exp(total / count)
