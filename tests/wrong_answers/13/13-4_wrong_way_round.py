def right_block(x, attend, feed_forward, first, second):
    """A pre-norm block; returns x [B, T, D]."""
    x = x + feed_forward(second(x))
    return x + attend(first(x))
