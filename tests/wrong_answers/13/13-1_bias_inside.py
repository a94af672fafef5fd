import torch


def one_for_two(W_1, b_1, W_2, b_2):
    """Returns W [D, D] and b [D]."""
    def both(x):
        return (x @ W_1 + b_1) @ W_2 + b_2

    D = W_1.shape[0]
    W = both(torch.eye(D, dtype=W_1.dtype))
    b = both(torch.zeros(D, dtype=W_1.dtype))
    return W, b
