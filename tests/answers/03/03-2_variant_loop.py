import torch


def step(query, key, target, rate):
    share = torch.softmax(torch.stack([row @ query for row in key]), dim=0)
    moved = query
    for place, row in enumerate(key):
        moved = moved - rate * (share[place] - float(place == target)) * row
    return moved
