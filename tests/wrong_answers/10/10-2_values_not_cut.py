from softdict.attention import attention


def right_heads(x, W_Q, W_K, W_V, heads):
    """Returns what the heads found [B, T, D] and weights [B, H, T, T]."""
    B, T, D = x.shape
    query = (x @ W_Q).view(B, T, heads, D // heads).transpose(1, 2)
    key = (x @ W_K).view(B, T, heads, D // heads).transpose(1, 2)
    value = (x @ W_V).view(B, heads, T, D // heads)
    context, weights = attention(query, key, value)
    return context.transpose(1, 2).reshape(B, T, D), weights
