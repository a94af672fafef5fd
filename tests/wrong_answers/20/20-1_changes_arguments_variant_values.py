def silent(attend, heads):
    """A function that attends like `attend`, but these heads answer with zeros."""
    def quiet(query, key, value, allowed):
        value[:, heads] = 0
        return attend(query, key, value, allowed)

    return quiet
