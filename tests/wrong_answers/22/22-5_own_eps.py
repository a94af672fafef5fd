import torch


def rms_norm(x, gain, eps):
    """Each word of x [..., D] over its root mean square, times the gain [D]."""
    return torch.nn.functional.rms_norm(x.float(), gain.shape).to(x.dtype) * gain
