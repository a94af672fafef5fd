import torch


def batch_lookup(query, key, value, temperature):
    weights = ((query / temperature) @ key.mT).softmax(-1)
    return torch.einsum("bts,bsd->btd", weights, value), weights
