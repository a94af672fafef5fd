"""An axis for the groups, and no key twice in memory."""

import torch


def alternating_attention(query, key, value):
    B, H, T, K = query.shape
    query = query.unflatten(1, (-1, key.shape[1])) / K ** 0.5
    weights = torch.einsum("brgtk,bgsk->brgts", query, key).softmax(dim=-1)
    context = torch.einsum("brgts,bgsk->brgtk", weights, value)
    return context.flatten(1, 2), weights.flatten(1, 2)
