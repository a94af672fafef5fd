import torch
from softdict.texts.real_text import folded as fold

def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    sources = {fold(source): True for source, _ in training}
    found = [sources.get(fold(source), False) for source, _ in test]
    return torch.tensor(found).float().mean()
