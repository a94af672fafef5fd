def right_block(x, attend, feed_forward, first, second):
    """A pre-norm block; returns x [B, T, D]."""
    x = first(x + attend(x))
    return second(x + feed_forward(x))
