import torch


def read_batch(inputs, lengths, W, U, b):
    """Returns the state after the last real word of each sentence [B, H]."""
    finals = []
    for sentence, length in zip(inputs, lengths):
        state = torch.zeros(len(b))
        for word in sentence[:length]:
            state = torch.tanh(U @ state + b) + W @ word
        finals.append(state)
    return torch.stack(finals)
