def layer_norm(words, gain, bias, eps):
    """Returns normalised words [T, D]."""
    for word in words:
        left = word - word.mean()
        new = left / (left.square().mean() + eps).sqrt() * gain + bias
    return new
