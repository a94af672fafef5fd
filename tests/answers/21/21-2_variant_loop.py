import math


def text_perplexity(losses, target, ends=True):
    total, number = 0.0, 0
    for row, words in zip(losses.tolist(), target.tolist()):
        for loss, word in zip(row, words):
            if word != 0 and (ends or word != 3):
                total += loss
                number += 1
    return math.exp(total / number)
