def right_block(x, attend, feed_forward, first, second):
    """A pre-norm block; returns x [B, T, D]."""
    x = x + first(attend(x))
    return x + second(feed_forward(x))
