import torch


def step(query, key, target, rate):
    """Returns the query [D] after one step of gradient descent."""
    share = torch.softmax(key @ query, dim=0)    # [V]
    slope = share.clone()
    slope[target] -= 1
    return query - rate * slope @ key
