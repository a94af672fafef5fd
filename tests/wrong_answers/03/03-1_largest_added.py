import math


def mean_loss(logits, target):
    total = 0.0
    for row, right in zip(logits.tolist(), target.tolist()):
        largest = max(row)
        total -= row[right] - math.log(sum(math.exp(x - largest) for x in row))
    return total / len(logits)
