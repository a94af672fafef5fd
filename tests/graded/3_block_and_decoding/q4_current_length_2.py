"""Divides by the length that a hypothesis has today."""


def may_stop(finished, unfinished, alpha, max_length):
    if not unfinished:
        return True
    if not finished:
        return False
    best = max(total / length ** alpha for total, length in finished)
    return max(total / length ** alpha for total, length in unfinished) <= best
