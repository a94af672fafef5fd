import math

import torch.nn.functional as F
from softdict.vocab import PAD


def perplexity(batches):
    total, count = 0.0, 0
    for logits, target in batches:
        loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(),
                               ignore_index=PAD)
        words = (target != PAD).sum().item()
        total += loss.item() * words
        count += words
    return math.exp(total / count)
