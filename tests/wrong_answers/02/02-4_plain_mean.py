import torch


def fixed_lookup(scores, value, temperature):
    """Returns the answers [T, D] and the weights [T, S]."""
    weights = torch.softmax(scores / temperature, dim=1)
    answer = torch.stack([value.mean(dim=0) for _ in weights])
    return answer, weights
