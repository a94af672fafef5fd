def for_torch(allowed, heads):
    hidden = 1.0 - allowed.float()
    return hidden.repeat_interleave(heads, dim=0)
