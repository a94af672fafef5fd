import torch
import torch.nn.functional as F


def mean_mark(name, names, marks):
    """Returns the mean of the marks that stand beside the name."""
    matches = torch.tensor([float(one == name) for one in names])
    if matches.sum() == 0:
        raise KeyError(name)
    return (F.normalize(matches, dim=0) @ torch.tensor(marks).float()).item()
