"""Only the unfinished hypothesis with the largest sum can matter."""


def may_stop(finished, unfinished, alpha, max_length):
    if not unfinished or not finished:
        return not unfinished
    largest = max(total for total, _ in unfinished)
    for total, length in finished:
        if largest / max_length ** alpha <= total / length ** alpha:
            return True
    return False
