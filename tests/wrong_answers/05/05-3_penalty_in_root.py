import math
from collections import Counter


def bleu_of(hypothesis, reference):
    """Returns the BLEU of one sentence, from 0 to 100."""
    shares = []
    for n in range(1, 5):
        found, wanted = (
            Counter(tuple(words[i:i + n]) for i in range(len(words) - n + 1))
            for words in (hypothesis, reference))
        shares.append((found & wanted).total() / found.total())
    penalty = min(1.0, math.exp(1 - len(reference) / len(hypothesis)))
    return 100 * (penalty * math.prod(shares)) ** (1 / 4)
