import torch


def packed_mask(number):
    T = number.shape[1]
    same = number.unsqueeze(2) == number.unsqueeze(1)
    order = torch.triu(torch.ones(T, T, dtype=torch.bool))
    return same & order & (number != 0).unsqueeze(1)
