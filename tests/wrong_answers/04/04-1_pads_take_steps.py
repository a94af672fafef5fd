import torch


def read_batch(inputs, lengths, W, U, b):
    real = torch.arange(inputs.shape[1]) < lengths[:, None]
    inputs = inputs * real[:, :, None]
    state = torch.zeros(len(inputs), len(b))
    for t in range(inputs.shape[1]):
        state = torch.tanh(inputs[:, t] @ W.T + state @ U.T + b)
    return state
