def gradient_step(memory, key, value, rate):
    """memory [K, D], key [P, K], value [P, D]; returns the loss and a new memory."""
    memory.requires_grad_()
    loss = (key @ memory - value).square().sum() / 2
    loss.backward()
    return loss.detach(), (memory - rate * memory.grad).detach()
