import torch


def layer_norm(words, gain, bias, eps):
    """Returns normalised words [T, D]."""
    rows = []
    for word in words:
        variance = word.square().mean() - word.mean() ** 2    # mean of squares minus square of mean
        rows.append((word - word.mean()) / torch.sqrt(variance + eps) * gain + bias)
    return torch.stack(rows)
