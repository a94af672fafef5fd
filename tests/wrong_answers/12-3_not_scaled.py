def layer_norm(words, gain, bias, eps):
    """Returns normalised words [T, D]."""
    return (words - words.mean(dim=-1, keepdim=True)) * gain + bias
