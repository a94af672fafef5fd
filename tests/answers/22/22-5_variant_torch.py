import torch.nn.functional as F


def rms_norm(x, gain, eps):
    """Each word of x [..., D] over its root mean square, times the gain [D]."""
    wide = x if x.element_size() > 2 else x.float()
    return F.rms_norm(wide, gain.shape, gain.to(wide), eps).to(x.dtype)
