import torch


def right_layer(query, key, value):
    """Returns new words [B, T, D] and weights [B, T, S]."""
    scores = torch.einsum("btk,bsk->bts", query, key)
    weights = scores.softmax(dim=-1) / key.shape[-1] ** 0.5
    return torch.einsum("bts,bsd->btd", weights, value), weights
