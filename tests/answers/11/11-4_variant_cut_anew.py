def for_torch(allowed, heads):
    """Returns the attn_mask [B*H, T, S] for nn.MultiheadAttention."""
    B, T, S = allowed.shape
    return ~allowed.repeat(1, heads, 1).reshape(B * heads, T, S)
