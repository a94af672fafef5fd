import torch


def temperature_for(scores, share):
    near = [n / 100 for n in range(1, 2000)]

    def miss(one):
        return abs(torch.softmax(scores / one, dim=0).max() - share)

    return min(near, key=miss)
