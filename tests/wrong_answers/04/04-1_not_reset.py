import torch


def read_batch(inputs, lengths, W, U, b):
    finals, state = [], torch.zeros(len(b))
    for n in range(len(inputs)):
        for word in inputs[n, :int(lengths[n])]:
            state = torch.tanh(W @ word + U @ state + b)
        finals.append(state)
    return torch.stack(finals)
