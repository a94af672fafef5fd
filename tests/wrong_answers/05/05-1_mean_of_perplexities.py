import math

import torch.nn.functional as F
from softdict.vocab import PAD


def perplexity(batches):
    means = []
    for logits, target in batches:
        if (target != PAD).any():
            means.append(F.cross_entropy(logits.flatten(0, 1), target.flatten(),
                                         ignore_index=PAD).item())
    return sum(map(math.exp, means)) / len(means)
