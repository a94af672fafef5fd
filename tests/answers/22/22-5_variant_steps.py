import torch


def rms_norm(x, gain, eps):
    """Each word of x [..., D] over its root mean square, times the gain [D]."""
    precise = x.to(torch.promote_types(x.dtype, torch.float32))
    size = precise.square().mean(dim=-1, keepdim=True)    # [..., 1]
    root = (size + eps).sqrt()                            # [..., 1]
    normal = (precise / root).to(x.dtype)                 # [..., D]
    return normal * gain
