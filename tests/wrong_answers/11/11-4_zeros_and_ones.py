def for_torch(allowed, heads):
    """Returns the attn_mask [B*H, T, S] for nn.MultiheadAttention."""
    return (~allowed).repeat_interleave(heads, dim=0).float()
