def swiglu(x, gate, up, down):
    """Numbers and their gates: x [..., D]; returns [..., D].

    gate and up are [H, D], down is [D, H]
    """
    wide = (x @ gate.T).sigmoid() * (x @ up.T)
    return wide @ down.T
