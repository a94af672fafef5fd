def parameters(source_words, target_words, width, heads, layers, hidden, tied):
    attention = 4 * width * width
    forward = 2 * width * hidden + hidden + width
    encoder = attention + forward + 4 * width
    decoder = 2 * attention + forward + 6 * width
    table = (source_words + target_words) * width
    return (table + layers * (encoder + decoder) + 4 * width + target_words
            + (0 if tied else target_words * width))
