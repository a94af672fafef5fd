from softdict.masks import additive_mask


def for_torch(allowed, heads):
    """Returns the attn_mask [B*H, T, S] for nn.MultiheadAttention."""
    return additive_mask(allowed).repeat_interleave(heads, dim=0)
