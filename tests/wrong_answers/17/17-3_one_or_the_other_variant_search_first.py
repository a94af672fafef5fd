def errors(found, right, others):
    """Returns two truth values: search error proved, model error proved."""
    for score in [right] + list(others):
        if score > found:
            return True, False
    for score in [found] + list(others):
        if score > right:
            return False, True
    return False, False
