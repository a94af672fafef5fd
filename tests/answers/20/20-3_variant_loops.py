def reported(valid, test):
    """A head and the share that is reported of it, from hits [H, N] and [H, M]."""
    best, most = 0, -1
    for head, row in enumerate(valid):
        if sum(row.tolist()) > most:
            best, most = head, sum(row.tolist())
    return best, sum(test[best].tolist()) / test.shape[1]
