import torch


def errors(found, right, others):
    """Returns two truth values: search error proved, model error proved."""
    scores = torch.tensor([found, right, *others])
    return tuple(scores.max() > scores[:2])
