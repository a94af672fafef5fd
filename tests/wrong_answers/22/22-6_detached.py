import torch.nn.functional as F


def swiglu(x, gate, up, down):
    """Numbers and their gates: x [..., D]; returns [..., D].

    gate and up are [H, D], down is [D, H]
    """
    wide = F.silu(x @ gate.T) * (x @ up.T)
    return (wide @ down.T).detach()
