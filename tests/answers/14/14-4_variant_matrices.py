def parameters(source_words, target_words, width, heads, layers, hidden, tied):
    """Returns how many parameters the machine has."""
    linears = 12 * [(width, width)] + 2 * [(width, hidden), (hidden, width)]
    layer = sum(rows * columns + columns for rows, columns in linears) + 5 * 2 * width
    total = layers * layer + 2 * 2 * width
    total += source_words * width + target_words * width
    if not tied:
        total += target_words * width
    return total + target_words
