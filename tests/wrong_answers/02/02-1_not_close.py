import torch


def temperature_for(scores, share):
    candidates = [0.01, 0.1, 1.0, 10.0, 100.0]
    misses = [abs(torch.softmax(scores / one, dim=0).max().item() - share)
              for one in candidates]
    return candidates[misses.index(min(misses))] * 2
