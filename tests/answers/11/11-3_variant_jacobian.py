import torch


def leaks(model, x):
    """Returns pairs (t, s), t < s, where new word t depends on the later word s."""
    table = torch.autograd.functional.jacobian(model, x).abs().amax(dim=(1, 3))
    return torch.nonzero(table.triu(1) > 1e-12).tolist()
