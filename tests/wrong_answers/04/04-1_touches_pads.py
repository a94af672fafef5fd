import torch


def read_batch(inputs, lengths, W, U, b):
    """Returns the state [B, D] after the last real word of each sentence."""
    state = torch.zeros(len(inputs), len(b))
    for t in range(inputs.shape[1]):
        real = (t < lengths).float()[:, None]
        new = torch.tanh(inputs[:, t] @ W.T + state @ U.T + b)
        state = real * new + (1 - real) * state
    return state
