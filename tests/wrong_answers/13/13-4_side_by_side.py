def right_block(x, attend, feed_forward, first, second):
    """A pre-norm block; returns x [B, T, D]."""
    return x + attend(first(x)) + feed_forward(second(x))
