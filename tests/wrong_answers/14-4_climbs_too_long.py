import math


def cosine_rate(step, updates, peak, warmup):
    """Returns the learning rate of an update, counted from 0."""
    if step <= warmup:
        return peak * (step + 1) / warmup
    progress = (step - warmup) / (updates - warmup)
    return peak * (1 + math.cos(math.pi * progress)) / 2
