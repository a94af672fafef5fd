import torch


def may_look(lengths, size):
    """Returns allowed [B, T, T], True where word t may look at word s."""
    allowed = torch.zeros(len(lengths), size, size, dtype=torch.bool)
    for b in range(len(lengths)):
        for t in range(size):
            for s in range(size):
                allowed[b, t, s] = s < lengths[b] or s <= t
    return allowed
