import torch


def read_batch(inputs, lengths, W, U, b):
    state = torch.zeros(len(inputs), len(b))                            # [B, D]
    for t in range(inputs.shape[1]):
        new = torch.tanh(inputs[:, t] @ W.T + state @ U.T + b)          # [B, D]
        state = torch.where((t < lengths)[:, None], new, state)         # [B, D]
    return state
