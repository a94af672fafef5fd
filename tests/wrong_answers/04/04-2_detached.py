import torch


def join(final):
    rows = [front + back for front, back in zip(*final.tolist())]
    return torch.tensor(rows)
