import torch


def temperature_for(scores, share):
    best, result = 1.0, None
    for step in range(1, 101):
        temperature = step / 10
        miss = abs(torch.softmax(scores / temperature, dim=0).max().item() - share)
        if miss < best:
            best, result = miss, temperature
    return result
