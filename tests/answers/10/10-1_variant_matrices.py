from softdict.attention import attention


def several_questions(X, W_Q, W_K, W_V, W_O):
    """Returns new words [T, D] and weights [H, T, T]."""
    found, weights = attention(X @ W_Q, X @ W_K, X @ W_V)    # [H, T, K], [H, T, T]
    return found.transpose(0, 1).flatten(1) @ W_O, weights
