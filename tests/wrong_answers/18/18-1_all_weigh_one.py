import torch


def attend_step(x, keys, values, W_Q, W_K, W_V):
    """x [D], keys [P, K], values [P, K]; returns answer, all keys, all values."""
    row = x[None, :]                                          # [1, D]
    keys = torch.cat([keys, row @ W_K], dim=0)                # [P + 1, K]
    values = torch.cat([values, row @ W_V], dim=0)            # [P + 1, K]
    scores = keys @ (row @ W_Q).T / W_Q.shape[1] ** 0.5       # [P + 1, 1]
    weights = scores.softmax(dim=-1)
    answer = (weights * values).sum(dim=0)
    return answer, keys, values
