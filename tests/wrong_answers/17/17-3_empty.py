def errors(found, right, others):
    """Returns two truth values: search error proved, model error proved."""
    return max(max(others), right) > found, max(max(others), found) > right
