def parameters(source_words, target_words, width, heads, layers, hidden, tied):
    """Returns how many parameters the machine has."""
    V = target_words
    layer = (12 * width * (width + 1) + 4 * width * hidden + 2 * (hidden + width)
             + 10 * width)
    return (layers * layer + 4 * width + (source_words + V) * width + V
            + (not tied) * V * width)
