import math

import torch.nn.functional as F
from softdict.vocab import PAD


def perplexity(batches):
    """Returns the perplexity of the real words of all batches together."""
    total, count = 0.0, 0
    for logits, target in batches:
        total += F.cross_entropy(logits.flatten(0, 1), target.flatten(),
                                 ignore_index=PAD, reduction="sum").item()
        count += (target != PAD).sum().item()
    return math.exp(total / count)
