from softdict.lookup import softmax


def hidden_weights(scores, allowed):
    """Returns weights [B, T, S] with exactly 0 for the pads of each sentence."""
    B, T, S = scores.shape
    return softmax(scores.masked_fill(~allowed.repeat(T, 1).view(B, T, S),
                                      float("-inf")))
