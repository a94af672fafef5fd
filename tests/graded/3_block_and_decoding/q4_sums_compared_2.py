"""Compares the sums as they are."""


def may_stop(finished, unfinished, alpha, max_length):
    if not unfinished:
        return True
    if not finished:
        return False
    return max(one[0] for one in unfinished) <= max(one[0] for one in finished)
