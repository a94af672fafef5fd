import torch


def attend_step(x, keys, values, W_Q, W_K, W_V):
    """x [D], keys [P, K], values [P, K]; returns answer, all keys, all values."""
    keys = torch.cat([keys, (x @ W_K)[None]])          # [P+1, K]
    values = torch.cat([values, (x @ W_V)[None]])      # [P+1, K]
    scores = keys @ (x @ W_Q) / W_Q.shape[1] ** 0.5    # [P+1]
    return (scores.softmax(dim=-1) @ values)[None], keys, values
