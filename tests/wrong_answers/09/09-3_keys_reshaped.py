from softdict.lookup import softmax


def right_layer(query, key, value):
    B, S, K = key.shape
    scores = query @ key.reshape(B, K, S) / K ** 0.5
    weights = softmax(scores)
    return weights @ value, weights
