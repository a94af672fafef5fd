import math


def bleu_of(hypothesis, reference):
    logs = 0.0
    for n in range(1, 5):
        left = [reference[i:i + n] for i in range(len(reference) - n + 1)]
        written = [hypothesis[i:i + n] for i in range(len(hypothesis) - n + 1)]
        hits = 0
        for piece in written:
            if piece in left:
                left.remove(piece)
                hits += 1
        if hits == 0:
            return 0
        logs += math.log(hits / len(written)) / 4
    short = len(hypothesis) < len(reference)
    return 100 * math.exp(logs + (1 - len(reference) / len(hypothesis) if short else 0))
