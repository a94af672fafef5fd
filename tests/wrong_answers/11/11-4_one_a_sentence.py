def for_torch(allowed, heads):
    """Returns the attn_mask [B*H, T, S] for nn.MultiheadAttention."""
    return ~allowed
