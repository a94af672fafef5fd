import math


def bleu_of(hypothesis, reference):
    """Returns the BLEU of one sentence, from 0 to 100."""
    shares, text = [], " ".join(reference)
    for n in range(1, 5):
        runs = [" ".join(hypothesis[i:i + n]) for i in range(len(hypothesis) - n + 1)]
        found = sum(min(runs.count(run), text.count(run)) for run in set(runs))
        shares.append(found / len(runs))
    penalty = min(1.0, math.exp(1 - len(reference) / len(hypothesis)))
    return 100 * penalty * math.prod(shares) ** (1 / 4)
