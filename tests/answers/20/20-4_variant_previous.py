import torch


def prefix_scores(weights, ids):
    """Mean weight of each head [H] on what followed the same word earlier.

    weights [B, H, T, T], ids [B, T]
    """
    B, T = ids.shape
    before = torch.full((B, T), -1, device=ids.device)
    before[:, 1:] = ids[:, :-1]     # the word in front of each place
    at = torch.arange(T, device=ids.device)
    behind = (ids[:, :, None] == before[:, None, :]) & (at[:, None] >= at)
    again = (ids[:, :, None] == ids[:, None, :]).tril(-1).any(dim=-1)
    found = torch.einsum("bhts,bts->h", weights, behind.to(weights.dtype))
    return found / max(int(again.sum()), 1)
