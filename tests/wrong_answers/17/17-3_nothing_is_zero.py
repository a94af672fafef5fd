def errors(found, right, others):
    """Returns two truth values: search error proved, model error proved."""
    best = max(others, default=0)
    search = max(best, right) > found
    model = max(best, found) > right
    return search, model
