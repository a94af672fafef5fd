def errors(found, right, others):
    """Returns two truth values: search error proved, model error proved."""
    best = min([found, right, *others])
    return best < found, best < right
