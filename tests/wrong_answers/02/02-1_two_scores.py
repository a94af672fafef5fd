import math


def temperature_for(scores, share):
    top = scores.sort(descending=True).values
    return float((top[0] - top[1]) / math.log(share / (1 - share)))
