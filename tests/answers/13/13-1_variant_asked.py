import torch


def one_for_two(W_1, b_1, W_2, b_2):
    """Returns W [D, D] and b [D]."""
    def both(word):
        return (word @ W_1 + b_1) @ W_2 + b_2

    b = both(torch.zeros(len(W_1)))
    return torch.stack([both(word) - b for word in torch.eye(len(W_1))]), b
