import torch


def right_heads(x, W_Q, W_K, W_V, heads):
    """Returns what the heads found [B, T, D] and weights [B, H, T, T]."""
    B, T, D = x.shape
    query, key, value = (torch.einsum("btd,de->bte", x, W).view(B, T, heads, -1)
                         for W in (W_Q, W_K, W_V))
    scores = torch.einsum("bthk,bshk->bhts", query, key) * (D // heads) ** -0.5
    weights = scores.softmax(dim=-1)
    context = weights @ value.permute(0, 2, 1, 3)
    return context.transpose(1, 2).contiguous().view(B, T, D), weights
