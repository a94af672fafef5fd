def global_gradient(gradients, words):
    """Returns the gradient of the mean loss over the words of all processes."""
    total = sum(count ** 2 for count in words)
    return sum(count ** 2 / total * gradient
               for gradient, count in zip(gradients, words) if count)
