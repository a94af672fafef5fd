def global_gradient(gradients, words):
    """Returns the gradient of the mean loss over the words of all processes."""
    kept = [count * gradient for gradient, count in zip(gradients, words) if count]
    return sum(kept) / (sum(words) - 1)
