import torch


def layer_norm(x, gain, bias, eps):
    """Returns normalised x [T, D]."""
    rows = []
    for word in x:
        mean = sum(word) / len(word)
        variance = sum((number - mean) ** 2 for number in word) / len(word)
        rows.append(torch.stack([(number - mean) / (variance + eps) ** 0.5
                                 for number in word]) * gain + bias)
    return torch.stack(rows)
