import torch


def grouped_attention(query, key, value, allowed):
    B, H, T, K = query.shape
    G = key.shape[1]
    if allowed.ndim == 4:
        allowed = allowed[0, 0]
    parts = []
    for h in range(H):
        g = h // (H // G)
        scores = query[:, h] @ key[:, g].mT / K ** 0.5
        scores = scores.masked_fill(~allowed, -torch.inf)
        parts.append(scores.softmax(dim=-1) @ value[:, g])
    return torch.stack(parts, dim=1)
