from softdict.attention import attention
from softdict.heads import merge_heads, split_heads


def right_heads(x, W_Q, W_K, W_V, heads):
    """Returns what the heads found [B, T, D] and weights [B, H, T, T]."""
    query, key, value = (split_heads((x @ W).detach(), heads) for W in (W_Q, W_K, W_V))
    context, weights = attention(query, key, value)
    return merge_heads(context), weights
