def right_block(x, attend, feed_forward, first, second):
    """A pre-norm block; returns x [B, T, D]."""
    for layer, norm in ((attend, first), (feed_forward, second)):
        read = norm(x)
        x = layer(read) + x
    return x
