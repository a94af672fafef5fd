import torch


def input_slopes(inputs, u):
    """Returns the slope of the last state with respect to each input."""
    words = torch.tensor(inputs, dtype=torch.float64, requires_grad=True)
    state = torch.zeros((), dtype=torch.float64)
    for x in words:
        state = torch.tanh(x + u * state)
    state.backward()
    return words.grad
