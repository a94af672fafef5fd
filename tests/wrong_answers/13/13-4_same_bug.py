def right_block(x, attend, feed_forward, first, second):
    """A pre-norm block; returns x [B, T, D]."""
    x = first(x)
    x = x + attend(x)
    x = second(x)
    return x + feed_forward(x)
