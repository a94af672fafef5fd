import torch


def layer_norm(x, gain, bias, eps):
    """Returns normalised x [T, D]."""
    T, D = x.shape
    result = torch.zeros_like(x)
    total, squares = 0.0, 0.0
    for t in range(T):
        for d in range(D):
            total += x[t, d]
        mean = total / D
        for d in range(D):
            squares += (x[t, d] - mean) ** 2
        variance = squares / D
        for d in range(D):
            normal = (x[t, d] - mean) / (variance + eps) ** 0.5
            result[t, d] = normal * gain[d] + bias[d]
    return result
