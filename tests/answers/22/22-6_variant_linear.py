import torch.nn.functional as F


def swiglu(x, gate, up, down):
    """Numbers and their gates: x [..., D]; returns [..., D].

    gate and up are [H, D], down is [D, H]
    """
    through = F.linear(x, gate)
    through = through * through.sigmoid() * F.linear(x, up)
    return F.linear(through, down)
