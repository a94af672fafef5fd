import torch


def prefix_scores(weights, ids):
    """Mean weight of each head [H] on what followed the same word earlier.

    weights [B, H, T, T], ids [B, T]
    """
    same = (ids[:, :, None] == ids[:, None, :]).tril()
    behind = torch.zeros_like(same)
    behind[..., 1:] = same[..., :-1]
    found = (weights * behind[:, None]).sum(dim=-1)
    again = same.any(-1)[:, None]
    return (found * again).sum(dim=(0, 2)) / again.sum()
