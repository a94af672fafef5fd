def advance(totals, logs, past):
    """Returns sums [R], words [R] and memories [R, P, K]."""
    R, V = logs.shape
    sums, places = (totals[:, None] + logs).flatten().topk(R)
    parents, words = places // V, places % V
    memories = past.clone()
    memories[parents] = past
    return sums, words, memories
