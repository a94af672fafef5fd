import torch


def layer_norm(x, gain, bias, eps):
    """Returns normalised x [T, D]."""
    rows = []
    for word in x:
        # mean of squares minus square of mean
        variance = word.square().mean() - word.mean() ** 2
        rows.append((word - word.mean()) / torch.sqrt(variance + eps) * gain + bias)
    return torch.stack(rows)
