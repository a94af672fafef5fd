import torch


def mean_loss(logits, target):
    share = torch.softmax(logits, dim=1)[torch.arange(len(target)), target]
    return share.log().mean()
