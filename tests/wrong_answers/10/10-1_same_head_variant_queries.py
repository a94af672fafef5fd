import torch


def several_questions(X, W_Q, W_K, W_V, W_O):
    H, D, K = W_Q.shape
    T = X.shape[0]
    weights = torch.zeros(H, T, T)
    joined = torch.zeros(T, H * K)
    query = X @ W_Q[0]
    for h in range(H):
        key, value = X @ W_K[h], X @ W_V[h]
        for t in range(T):
            scores = torch.stack([query[t] @ k for k in key]) / K ** 0.5
            weights[h, t] = torch.softmax(scores, dim=-1)
            joined[t, h * K:(h + 1) * K] = weights[h, t] @ value
    return joined @ W_O, weights
