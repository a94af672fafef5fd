import torch

from softdict.layers import angles


def shift(k, width):
    """Returns M [D, D]: codes @ M are the codes k positions further."""
    turned = angles(torch.tensor([k], dtype=torch.float64), width)[0]
    return torch.block_diag(*[torch.tensor([[b.cos(), -b.sin()], [b.sin(), b.cos()]],
                                           dtype=torch.float64) for b in turned])
