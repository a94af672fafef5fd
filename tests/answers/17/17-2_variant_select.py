def advance(totals, logs, past):
    """Returns sums [R], words [R] and memories [R, P, K]."""
    sums = totals.unsqueeze(1) + logs
    best, places = sums.reshape(-1).sort(descending=True)
    best, places = best[:len(totals)], places[:len(totals)]
    owner = places.div(logs.shape[1], rounding_mode="floor")
    return best, places - owner * logs.shape[1], past.index_select(0, owner)
