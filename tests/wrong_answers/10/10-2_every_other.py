from softdict.attention import attention


def right_heads(x, W_Q, W_K, W_V, heads):
    """Returns what the heads found [B, T, D] and weights [B, H, T, T]."""
    B, T, D = x.shape
    K = D // heads
    query, key, value = ((x @ W).view(B, T, K, heads).permute(0, 3, 1, 2)
                         for W in (W_Q, W_K, W_V))
    context, weights = attention(query, key, value)
    return context.permute(0, 2, 3, 1).reshape(B, T, D), weights
