from softdict.lookup import softmax


def step(query, key, target, rate):
    """Returns the query [D] after one step of gradient descent."""
    logits = key @ query
    share = softmax(logits)[target]
    gradient = (share - 1) * key[target]
    return query - rate * gradient
