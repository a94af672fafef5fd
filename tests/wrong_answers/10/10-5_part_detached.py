import torch


def drop_weights(weights, p, training):
    """Returns weights [B, H, T, S]; in training some are 0, and the others larger."""
    if not training:
        return weights
    result, larger = weights.clone(), weights.detach() / (1 - p)
    for h in range(1, weights.shape[1]):    # the first head below
        result[:, h] = larger[:, h] * (torch.rand_like(larger[:, h]) >= p)
    stays = torch.rand_like(larger[:, 0]) >= p
    result[:, 0] = weights[:, 0] * stays / (1 - p)
    return result
