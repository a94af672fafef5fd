import torch


def batch_lookup(query, key, value, temperature):
    """Returns the answers [B, T, D] and the weights [B, T, S]."""
    q = query / query.norm(dim=-1, keepdim=True)
    k = key / key.norm(dim=-1, keepdim=True)
    weights = torch.softmax(torch.bmm(q, k.transpose(1, 2)) / temperature, dim=-1)
    return torch.bmm(weights, value), weights
