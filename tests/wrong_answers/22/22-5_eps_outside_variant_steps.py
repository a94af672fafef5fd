import torch


def rms_norm(x, gain, eps):
    """Each word of x [..., D] over its root mean square, times the gain [D]."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    square = wide.square().mean(dim=-1, keepdim=True)    # [..., 1]
    root = square.sqrt() + eps                         # [..., 1]
    normal = (wide / root).to(x.dtype)                   # [..., D]
    return normal * gain
