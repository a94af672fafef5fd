def global_gradient(gradients, words):
    """Returns the gradient of the mean loss over the words of all processes."""
    sums = [count * gradient for gradient, count in zip(gradients, words)]
    return sum(sums) / sum(words)
