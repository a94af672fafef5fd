import torch
import torch.nn.functional as F


def swiglu(x, gate, up, down):
    """Numbers and their gates: x [..., D]; returns [..., D].

    gate and up are [H, D], down is [D, H]
    """
    gates, numbers = (x @ torch.cat([gate, up]).mT).chunk(2, dim=-1)
    return torch.einsum("...h,dh->...d", F.silu(gates) * numbers, down)
