import torch


def temperature_for(scores, share):
    candidates = torch.linspace(-7, 7, 10001)
    largest = torch.softmax(scores / candidates.exp()[:, None], dim=1).amax(dim=1)
    return candidates[(largest - share).abs().argmin()]
