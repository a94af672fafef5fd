import torch


def drop_weights(weights, p, training):
    """Returns weights [B, H, T, S]; in training some are 0, and the others larger."""
    kept = weights.clone()
    if training:
        flat = kept.view(-1)
        for place in range(len(flat)):
            flat[place] = 0 if torch.rand(()) < p else flat[place] / (1 - p)
    return kept
