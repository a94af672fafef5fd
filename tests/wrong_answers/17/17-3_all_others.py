def errors(found, right, others):
    """Returns two truth values: search error proved, model error proved."""
    search_error = right > found or all(other > found for other in others)
    model_error = found > right or all(other > right for other in others)
    return search_error, model_error
