import math
from collections import Counter


def ngrams(words, n):
    return Counter(tuple(words[i:i + n]) for i in range(len(words) - n + 1))


def bleu_of(hypothesis, reference):
    product = 1.0
    for n in (1, 2, 3, 4):
        ours, theirs = ngrams(hypothesis, n), ngrams(reference, n)
        found = sum(min(count, theirs[gram]) for gram, count in ours.items())
        total = sum(ours.values())
        product *= found / total if n == 1 else (found + 1) / (total + 1)
    penalty = min(1.0, math.exp(1 - len(reference) / len(hypothesis)))
    return 100 * penalty * product ** 0.25
