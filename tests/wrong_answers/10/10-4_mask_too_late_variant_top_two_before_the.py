import math

import torch


def best_two(query, key, value, allowed=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    top = scores.topk(min(2, scores.shape[-1]), dim=-1).indices
    keep = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, top, True)
    if allowed is not None:
        keep = keep & allowed
    weights = scores.masked_fill(~keep, -math.inf).softmax(-1).nan_to_num()
    return weights @ value, weights
