import math


def mean_loss(logits, target):
    """Returns the mean of -log(share of the right word)."""
    total, largest = 0.0, logits.max().item()
    for row, right in zip(logits.tolist(), target.tolist()):
        log_of_sum = math.log(sum(math.exp(x - largest) for x in row))
        total = total - ((row[right] - largest) - log_of_sum)
    return total / len(logits)
