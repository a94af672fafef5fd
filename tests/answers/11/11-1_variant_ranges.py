import torch


def may_look(lengths, size):
    """Returns allowed [B, T, T], True where word t may look at word s."""
    tables = []
    for length in lengths:
        tables.append([[s in range(min(t + 1, length)) for s in range(size)]
                       for t in range(size)])
    return torch.tensor(tables)
