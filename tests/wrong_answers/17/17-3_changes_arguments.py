def errors(found, right, others):
    """Returns two truth values: search error proved, model error proved."""
    others.append(right)
    return max(others) > found, max([found, *others]) > right
