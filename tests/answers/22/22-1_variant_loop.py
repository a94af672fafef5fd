import torch


def grouped_attention(query, key, value, allowed):
    """Context [B, H, T, V] of H heads that share G key heads in groups.

    query [B, H, T, K], key [B, G, S, K], value [B, G, S, V]
    """
    (B, H, T, K), (G, S) = query.shape, key.shape[1:3]
    allowed = allowed.expand(B, H, T, S)
    rows = []
    for b in range(B):
        for h in range(H):
            shared = h // (H // G)
            for t in range(T):
                scores = torch.stack([query[b, h, t] @ key[b, shared, s] / K ** 0.5
                                      for s in range(S)])
                scores = torch.where(allowed[b, h, t], scores, float("-inf"))
                rows.append(scores.softmax(dim=0) @ value[b, shared])
    return torch.stack(rows).unflatten(0, (B, H, T))
