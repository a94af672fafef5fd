import math


def text_perplexity(losses, target, ends=True):
    found = []
    for row, words in zip(losses, target):
        counts = words != 0 if ends else (words != 0) & (words != 3)
        found.append(math.exp(row[counts].mean().item()))
    return sum(found) / len(found)
