def parameters(source_words, target_words, width, heads, layers, hidden, tied):
    """Returns how many numbers the machine learns."""
    look = 4 * (width * width + width)
    think = width * hidden + hidden + hidden * width + width
    norm = 2 * width
    reads = look + think + 2 * norm
    writes = 2 * look + think + 3 * norm
    tables = (source_words + target_words) * width
    generator = target_words if tied else target_words * width + target_words
    _ = layers * (reads + writes) + 2 * norm + tables + generator
