import torch


def right_layer(query, key, value):
    scores = torch.einsum("btk,bsk->bts", query, key) / query.shape[-1] ** 0.5
    weights = scores.softmax(dim=-1)
    return weights.transpose(-2, -1) @ value, weights
