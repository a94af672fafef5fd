def global_gradient(gradients, words):
    """Returns the gradient of the mean loss over the words of all processes."""
    kept = [gradient / count for gradient, count in zip(gradients, words) if count]
    return sum(kept) / sum(1 / count for count in words if count)
