import torch


def step(query, key, target, rate):
    share = torch.softmax(key @ query, dim=0)
    truth = torch.zeros(len(key))
    truth[target] = 1
    return query - rate * (truth - share) @ key
