from softdict.heads import merge_heads, split_heads


def right_heads(x, W_Q, W_K, W_V, heads):
    """Returns what the heads found [B, T, D] and weights [B, H, T, T]."""
    query, key, value = (split_heads(x @ W, heads) for W in (W_Q, W_K, W_V))
    scores = query @ key.transpose(-2, -1) / key.shape[-1] ** 0.5
    weights = scores.softmax(dim=1)
    return merge_heads(weights @ value), weights
