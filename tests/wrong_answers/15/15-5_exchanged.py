import torch
from softdict.vocab import PAD


def smoothed(logits, target, smoothing):
    """Returns the smoothed loss of the places whose target is no PAD."""
    M, V = logits.shape
    losses = []
    for row, right in zip(logits, target):
        if right == PAD:
            continue
        logs = row.log_softmax(0)
        losses.append(-smoothing * logs[right] - (1 - smoothing) * logs[1:].mean())
    return torch.stack(losses).mean()
