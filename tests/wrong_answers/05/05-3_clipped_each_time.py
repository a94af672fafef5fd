import math


def bleu_of(hypothesis, reference):
    """Returns the BLEU of one sentence, from 0 to 100."""
    shares = []
    for n in range(1, 5):
        found, wanted = ([tuple(words[i:i + n]) for i in range(len(words) - n + 1)]
                         for words in (hypothesis, reference))
        hits = sum(min(found.count(piece), wanted.count(piece)) for piece in found)
        shares.append(hits / len(found))
    penalty = min(1.0, math.exp(1 - len(reference) / len(hypothesis)))
    return 100 * penalty * math.prod(shares) ** (1 / 4)
