def advance(totals, logs, past):
    """Returns sums [R], words [R] and memories [R, P, K]."""
    R, V = logs.shape
    best = (totals.unsqueeze(1) + logs).view(-1).topk(R)
    order = totals.argsort(descending=True)
    return best.values, best.indices % V, past.index_select(0, order)
