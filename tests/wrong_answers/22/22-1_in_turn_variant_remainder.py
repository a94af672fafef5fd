import torch


def grouped_attention(query, key, value, allowed):
    """Context [B, H, T, V] of H heads that share G key heads in groups.

    query [B, H, T, K], key [B, G, S, K], value [B, G, S, V]
    """
    H, G = query.shape[1], key.shape[1]
    heads = []
    for h in range(H):
        scores = query[:, h] @ key[:, h % G].mT / key.shape[-1] ** 0.5
        allow = allowed if allowed.dim() == 2 else allowed[:, 0]
        weights = scores.masked_fill(~allow, float("-inf")).softmax(dim=-1)
        heads.append(weights @ value[:, h % G])
    return torch.stack(heads, dim=1)
