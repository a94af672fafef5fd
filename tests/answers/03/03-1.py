import math


def mean_loss(logits, target):
    """Returns the mean of -log(share of the right word)."""
    total = 0.0
    for row, right in zip(logits.tolist(), target.tolist()):
        largest = max(row)
        log_of_sum = math.log(sum(math.exp(x - largest) for x in row))
        total = total - ((row[right] - largest) - log_of_sum)
    return total / len(logits)
