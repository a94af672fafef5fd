def reported(valid, test):
    """A head and the share that is reported of it, from hits [H, N] and [H, M]."""
    shares = [(row.double().mean().item(), -n) for n, row in enumerate(valid)]
    head = -max(shares)[1]
    return head, float(test.double().mean(dim=-1)[head])
