def right_block(x, attend, feed_forward, first, second):
    """A pre-norm block; returns x [B, T, D]."""
    found = attend(first(x))
    return x + feed_forward(second(found))
