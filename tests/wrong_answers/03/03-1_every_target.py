import torch


def mean_loss(logits, target):
    m = logits.amax(dim=1, keepdim=True)
    shifted = logits - m
    log_share = shifted - torch.log(torch.exp(shifted).sum(dim=1, keepdim=True))
    return -log_share[:, target].mean()
