def global_gradient(gradients, words):
    """Returns the gradient of the mean loss over the words of all processes."""
    return sum(count / max(words) * gradient
               for gradient, count in zip(gradients, words) if count)
