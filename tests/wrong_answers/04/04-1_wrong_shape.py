import torch


def read_batch(inputs, lengths, W, U, b):
    state = torch.zeros(len(b))
    for word in inputs[0, :int(lengths[0])]:
        state = torch.tanh(W @ word + U @ state + b)
    return state
