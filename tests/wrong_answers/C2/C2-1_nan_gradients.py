import torch


def attend(query, key, value, allowed=None):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    if allowed is not None:
        scores = scores.masked_fill(~allowed, -torch.inf)
    return (scores.softmax(-1) @ value).nan_to_num(0)
