import torch


def read_batch(inputs, lengths, W, U, b):
    """Returns the state [B, D] after the last real word of each sentence."""
    finals = []
    for n in range(len(inputs)):
        state = torch.zeros(len(b))
        for word in inputs[n, :int(lengths[n])]:
            state = torch.tanh(W @ word) + U @ state + b
        finals.append(state)
    return torch.stack(finals)
