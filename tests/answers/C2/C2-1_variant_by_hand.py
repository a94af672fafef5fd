import torch


def attend(query, key, value, allowed=None):
    """Returns the context [B, H, T, K]."""
    scores = torch.einsum("...tk,...sk->...ts", query, key) * key.shape[-1] ** -0.5
    powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    if allowed is not None:
        powers = powers * allowed
    total = powers.sum(dim=-1, keepdim=True)
    return powers @ value / total.clamp_min(1e-30)
