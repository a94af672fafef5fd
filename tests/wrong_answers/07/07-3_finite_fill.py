from softdict.lookup import softmax


def hidden_weights(scores, allowed):
    return softmax(scores.masked_fill(~allowed[:, None, :], -10.0))
