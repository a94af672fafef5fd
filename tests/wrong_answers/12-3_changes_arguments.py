def layer_norm(words, gain, bias, eps):
    """Returns normalised words [T, D]."""
    words -= words.mean(dim=-1, keepdim=True)
    words /= (words.square().mean(dim=-1, keepdim=True) + eps).sqrt()
    return words * gain + bias
