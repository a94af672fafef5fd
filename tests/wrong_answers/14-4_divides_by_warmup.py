import math


def cosine_rate(step, updates, peak, warmup):
    """Returns the learning rate of an update, counted from 0."""
    climb = (step + 1) / warmup
    if climb <= 1:
        return peak * climb
    return peak * (1 + math.cos(math.pi * (step - warmup) / (updates - warmup))) / 2
