def reported(valid, test):
    """A head and the share that is reported of it, from hits [H, N] and [H, M]."""
    head = int(valid.float().mean(dim=0).argmax())
    head = min(head, len(test) - 1)
    return head, test[head].float().mean().item()
