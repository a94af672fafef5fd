def parameters(source_words, target_words, width, heads, layers, hidden, tied):
    """Returns how many parameters the machine has."""
    attention = 4 * (width * width + width)
    feed_forward = width * hidden + hidden + hidden * width + width
    norm = 2 * width
    encoder_layer = attention + feed_forward + 2 * norm
    tables = (source_words + target_words) * width
    generator = target_words if tied else target_words * width + target_words
    return 2 * layers * encoder_layer + 2 * norm + tables + generator
