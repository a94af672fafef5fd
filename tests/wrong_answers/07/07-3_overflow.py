def hidden_weights(scores, allowed):
    """Returns weights [B, T, S] with exactly 0 for the pads of each sentence."""
    powers = scores.exp() * allowed[:, None]
    return powers / powers.sum(dim=-1, keepdim=True)
