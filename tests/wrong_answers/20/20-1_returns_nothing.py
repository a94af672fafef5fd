def silent(attend, heads):
    """A function that attends like `attend`, but these heads answer with zeros."""
    def quiet(query, key, value, allowed):
        context, weights = attend(query, key, value, allowed)
        context = context.clone()
        context[:, heads] = 0
        return context, weights
