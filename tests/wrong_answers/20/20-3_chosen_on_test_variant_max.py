def reported(valid, test):
    """A head and the share that is reported of it, from hits [H, N] and [H, M]."""
    share, head = test.float().mean(dim=1).max(dim=0)
    return head, share
