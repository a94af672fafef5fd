import torch.nn.functional as F

from softdict.heads import merge_heads, split_heads


def right_heads(x, W_Q, W_K, W_V, heads):
    """Returns what the heads found [B, T, D] and weights [B, H, T, T]."""
    query, key, value = (split_heads(x @ W, heads) for W in (W_Q, W_K, W_V))
    query, key = F.normalize(query, dim=-1), F.normalize(key, dim=-1)
    weights = (query @ key.transpose(-2, -1)).softmax(dim=-1)
    return merge_heads(weights @ value), weights
