import torch


def read_batch(inputs, lengths, W, U, b):
    finals = torch.zeros(len(inputs), len(b))    # [B, D]
    for n, length in enumerate(lengths.tolist()):
        states = [torch.zeros(len(b))]
        for t in range(length):
            states.append((W @ inputs[n, t] + U @ states[-1] + b).tanh())
        finals[n] = states[-1]
    return finals
