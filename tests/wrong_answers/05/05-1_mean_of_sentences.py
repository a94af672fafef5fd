import math

import torch.nn.functional as F
from softdict.vocab import PAD


def perplexity(batches):
    means = []
    for logits, target in batches:
        for scores, words in zip(logits, target):
            real = words != PAD
            if real.any():
                means.append(F.cross_entropy(scores[real], words[real]).item())
    return math.exp(sum(means) / len(means))
