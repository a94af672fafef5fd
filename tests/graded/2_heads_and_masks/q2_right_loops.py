"""A loop over sentences and heads."""

import torch


def alternating_attention(query, key, value):
    B, H, T, K = query.shape
    context = torch.empty(B, H, T, K)
    weights = torch.empty(B, H, T, key.shape[2])
    for b in range(B):
        for h in range(H):
            g = h % key.shape[1]
            for t in range(T):
                scores = key[b, g] @ query[b, h, t] / K ** 0.5
                weights[b, h, t] = torch.softmax(scores, dim=0)
                context[b, h, t] = weights[b, h, t] @ value[b, g]
    return context, weights
