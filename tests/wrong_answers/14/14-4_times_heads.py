def parameters(source_words, target_words, width, heads, layers, hidden, tied):
    """Returns how many parameters the machine has."""
    attention = heads * 4 * (width * width + width)
    feed_forward = width * hidden + hidden + hidden * width + width
    norm = 2 * width
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    tables = (source_words + target_words) * width
    generator = target_words if tied else target_words * width + target_words
    return layers * (encoder_layer + decoder_layer) + 2 * norm + tables + generator
