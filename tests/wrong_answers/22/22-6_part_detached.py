import torch.nn.functional as F


def swiglu(x, gate, up, down):
    """Numbers and their gates: x [..., D]; returns [..., D].

    gate and up are [H, D], down is [D, H]
    """
    gates = F.silu(x @ gate.T).detach()
    return gates * (x @ up.T) @ down.T + 0 * gate.sum()
