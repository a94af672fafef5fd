import torch
import torch.nn.functional as F


def list_lookup(query, keys, values):
    """Returns the answer and the list of weights."""
    matches = torch.tensor([float(key == query) for key in keys])
    if matches.sum() == 0:
        raise KeyError(query)
    weights = F.normalize(matches, dim=0)
    answer = weights @ torch.tensor([float(value) for value in values])
    return answer.item(), weights.tolist()
