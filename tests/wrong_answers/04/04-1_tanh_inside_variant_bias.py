import torch


def read_batch(inputs, lengths, W, U, b):
    finals = []
    for n in range(len(inputs)):
        state = torch.zeros(len(b))
        for word in inputs[n, :int(lengths[n])]:
            state = torch.tanh(W @ word + b) + U @ state
        finals.append(state)
    return torch.stack(finals)
