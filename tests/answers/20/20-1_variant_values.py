def silent(attend, heads):
    """A function that attends like `attend`, but these heads answer with zeros."""
    def quiet(query, key, value, allowed):
        value = value.clone()
        value[:, heads] = 0    # an average of zeros is zero
        return attend(query, key, value, allowed)

    return quiet
