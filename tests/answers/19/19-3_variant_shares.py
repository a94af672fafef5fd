def global_gradient(gradients, words):
    """Returns the gradient of the mean loss over the words of all processes."""
    shares = [count / sum(words) for count in words]
    return sum(share * gradient
               for share, gradient in zip(shares, gradients) if share > 0)
