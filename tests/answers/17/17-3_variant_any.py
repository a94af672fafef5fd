def errors(found, right, others):
    """Returns two truth values: search error proved, model error proved."""
    search = any(score > found for score in others) or right > found
    model = found > right or any(score > right for score in others)
    return [search, model]
