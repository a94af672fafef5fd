import torch

from softdict.lookup import softmax


def ask_yourself(X, W_Q, W_K, W_V):
    """Returns new words [T, D] and weights [T, T]."""
    T, K = len(X), W_Q.shape[1]
    new, weights = [], []
    for t in range(T):
        query = X[t] @ W_Q                                               # [K]
        scores = torch.stack([query @ (X[s] @ W_Q) for s in range(T)])   # [T]
        row = softmax(scores / K ** 0.5)                                 # [T]
        new.append(sum(row[s] * (X[s] @ W_V) for s in range(T)))
        weights.append(row)
    return torch.stack(new), torch.stack(weights)
