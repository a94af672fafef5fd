def gradient_step(memory, key, value, rate):
    error = key @ memory - value
    loss = error.square().sum() / 2
    return loss.item(), memory - rate * key.T @ error / len(key)
