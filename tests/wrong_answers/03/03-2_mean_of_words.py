import torch


def step(query, key, target, rate):
    """Returns the query [D] after one step of gradient descent."""
    shares = torch.softmax(key @ query, dim=0)
    shares[target] -= 1
    return query - rate * (shares[:, None] * key).mean(dim=0)
