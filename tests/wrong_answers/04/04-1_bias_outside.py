import torch


def read_batch(inputs, lengths, W, U, b):
    result = []
    for sentence, length in zip(inputs, lengths):
        state = torch.zeros(U.shape[0])
        for t in range(int(length)):
            state = torch.tanh(W @ sentence[t] + U @ state) + b
        result.append(state)
    return torch.stack(result)
