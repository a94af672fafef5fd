def errors(found, right, others):
    """Returns two truth values: search error proved, model error proved."""
    best = max([found, right, *others])
    return best > right, best > found
