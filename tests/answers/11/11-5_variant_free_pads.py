import torch


def packed_mask(number):
    """Returns allowed [B, T, T]."""
    B, T = number.shape
    allowed = torch.zeros(B, T, T, dtype=torch.bool)
    for b in range(B):
        for t in range(T):
            for s in range(T):
                if number[b, t] == 0:
                    allowed[b, t, s] = number[b, s] > 0
                else:
                    allowed[b, t, s] = number[b, s] == number[b, t] and s <= t
    return allowed
