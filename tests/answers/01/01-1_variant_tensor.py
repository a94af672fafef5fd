import torch


def list_lookup(query, keys, values):
    matches = torch.tensor([key == query for key in keys], dtype=torch.float64)
    if matches.sum() == 0:
        raise KeyError(query)
    weights = matches / matches.sum()
    return weights @ torch.tensor(values, dtype=torch.float64), weights
