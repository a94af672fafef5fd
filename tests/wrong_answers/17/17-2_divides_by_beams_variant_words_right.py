def advance(totals, logs, past):
    """Returns sums [R], words [R] and memories [R, P, K]."""
    R, V = logs.shape
    sums, places = (totals[:, None] + logs).flatten().topk(R)
    parents = (places // R).clamp(max=R - 1)
    return sums, places % V, past[parents]
