import torch
import torch.nn.functional as F


def smoothed(logits, target, smoothing):
    """Returns the smoothed loss of the places whose target is no PAD."""
    keep = target != 0
    logits, target = logits[keep], target[keep]
    V = logits.shape[1]
    wanted = torch.full_like(logits, smoothing / (V - 1))
    wanted[:, 0] = 0
    wanted.scatter_add_(1, target[:, None],
                        torch.full_like(logits[:, :1], 1 - smoothing))
    return F.kl_div(logits.log_softmax(dim=1), wanted, reduction="batchmean")
