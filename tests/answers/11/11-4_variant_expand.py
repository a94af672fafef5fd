def for_torch(allowed, heads):
    """Returns the attn_mask [B*H, T, S] for nn.MultiheadAttention."""
    B, T, S = allowed.shape
    return ~allowed[:, None].expand(B, heads, T, S).reshape(B * heads, T, S)
