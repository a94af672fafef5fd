def for_torch(allowed, heads):
    """Returns the attn_mask [B*H, T, S] for nn.MultiheadAttention."""
    hidden = allowed.repeat_interleave(heads, dim=0)
    return hidden.float().masked_fill(hidden, float("-inf"))
