def layer_norm(words, gain, bias, eps):
    """Returns normalised words [T, D]."""
    left = words - words.mean(dim=-1, keepdim=True)
    variance = left.square().mean(dim=-1, keepdim=True)
    return words / (variance + eps).sqrt() * gain + bias
