def global_gradient(gradients, words):
    """Returns the gradient of the mean loss over the words of all processes."""
    if len(words) == 1:
        return gradients[0].clone()
    *gradients, gradient = gradients
    *words, count = words
    if not sum(words):
        return gradient
    before = global_gradient(gradients, words)
    if not count:
        return before
    return before + (gradient - before) * (count / (sum(words) + count))
