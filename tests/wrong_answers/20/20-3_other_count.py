def reported(valid, test):
    """A head and the share that is reported of it, from hits [H, N] and [H, M]."""
    H, N = valid.shape
    head = valid.sum(dim=1).argmax().item()
    return head, test[head].sum().item() / N
