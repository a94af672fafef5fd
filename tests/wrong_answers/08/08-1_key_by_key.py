import torch


def additive_scores(query, key, W, U, v):
    T, S = query.shape[0], key.shape[0]
    flat = []
    for k in key:
        for q in query:
            hidden = torch.tanh(W @ q + U @ k)
            flat.append((v * hidden).sum())
    return torch.stack(flat).view(T, S)
