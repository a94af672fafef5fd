import torch.nn.functional as F


def blank_loss(logits, target):
    return F.cross_entropy(logits.flatten(0, 1), target.flatten())
