def right_block(x, attend, feed_forward, first, second):
    """A pre-norm block; returns x [B, T, D]."""
    x = x + attend(second(x))
    return x + feed_forward(first(x))
