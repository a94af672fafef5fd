import torch


def write_and_read(query, key, value):
    """query and key [T, K], value [T, D]; returns answers [T, D], memory [K, D]."""
    written = (key[:, :, None] * value[:, None, :]).cumsum(dim=0)    # [T, K, D]
    return torch.einsum("tk,tkd->td", query, written), written[-1]
