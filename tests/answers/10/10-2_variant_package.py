from softdict.attention import attention
from softdict.heads import merge_heads, split_heads


def right_heads(x, W_Q, W_K, W_V, heads):
    """Returns what the heads found [B, T, D] and weights [B, H, T, T]."""
    context, weights = attention(*(split_heads(x @ W, heads)
                                   for W in (W_Q, W_K, W_V)))
    return merge_heads(context), weights
