"""Stops at the first end."""


def may_stop(finished, unfinished, alpha, max_length):
    return len(finished) > 0 or len(unfinished) == 0
