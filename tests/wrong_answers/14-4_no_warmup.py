import math


def cosine_rate(step, updates, peak, warmup):
    """Returns the learning rate of an update, counted from 0."""
    progress = step / updates
    return peak * (1 + math.cos(math.pi * progress)) / 2
