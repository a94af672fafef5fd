import math


def bleu_of(hypothesis, reference):
    """Returns the BLEU of one sentence, from 0 to 100."""
    product = 1.0
    for n in range(1, 5):
        ours = [tuple(hypothesis[i:i + n]) for i in range(len(hypothesis) - n + 1)]
        theirs = [tuple(reference[i:i + n]) for i in range(len(reference) - n + 1)]
        product *= len(set(ours) & set(theirs)) / len(ours)
    penalty = min(1, math.exp(1 - len(reference) / len(hypothesis)))
    return 100 * penalty * product ** 0.25
