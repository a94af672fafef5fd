from softdict.lookup import softmax


def hidden_weights(scores, allowed):
    """Returns weights [B, T, S] with exactly 0 for the pads of each sentence."""
    return softmax(scores + ~allowed[:, None] * -float("inf"))
