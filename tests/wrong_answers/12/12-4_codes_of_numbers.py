from softdict.layers import sinusoids
import torch


def with_positions(x):
    T, D = x.shape[1], x.shape[2]
    codes = sinusoids(torch.arange(D), T + T % 2)[:, :T]    # [D, T]
    return x + codes.T
