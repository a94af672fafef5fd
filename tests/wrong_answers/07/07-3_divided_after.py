def hidden_weights(scores, allowed):
    """Returns weights [B, T, S] with exactly 0 for the pads of each sentence."""
    weights = scores.softmax(dim=-1) * allowed[:, None]
    return weights / weights.sum(dim=-1, keepdim=True)
