def several_questions(X, W_Q, W_K, W_V, W_O):
    """Returns new words [T, D] and weights [H, T, T]."""
    scores = (X @ W_Q) @ (X @ W_K).transpose(-2, -1) / W_Q.shape[-1] ** 0.5
    weights = scores.softmax(dim=0)
    return (weights @ (X @ W_V)).transpose(0, 1).flatten(1) @ W_O, weights
