def global_gradient(gradients, words):
    """Returns the gradient of the mean loss over the words of all processes."""
    total = 0
    for n in range(len(words) - 1):
        if words[n]:
            total = total + words[n] * gradients[n]
    return total / sum(words)
