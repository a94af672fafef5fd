def mean_loss(logits, target):
    return -sum(row[right] for row, right in zip(logits, target)) / len(target)
