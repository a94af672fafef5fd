import torch


def write_and_read(query, key, value):
    """query and key [T, K], value [T, D]; returns answers [T, D], memory [K, D]."""
    count = torch.arange(1, len(key) + 1)[:, None]
    return (query @ key.T).tril() @ value / count, key.T @ value / len(key)
