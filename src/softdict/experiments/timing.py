"""How long something takes."""

import statistics
import time

import torch


def synchronize():
    """Waits until the GPU has done what it was told, if there is one."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def timed(work, *given):
    """Seconds that work(*given) takes."""
    synchronize()
    begin = time.perf_counter()
    work(*given)
    synchronize()
    return time.perf_counter() - begin


def milliseconds(work, repeats=7):
    """Median time of work(), after one call that does not count."""
    times = [1000 * timed(work) for _ in range(repeats + 1)]
    return sorted(times[1:])[repeats // 2]


def rounds(works, batches, rng):
    """Seconds of each work(batch): a list with a number for each batch.

    all works take a batch in turn, in an order drawn anew
    """
    for work in works.values():    # what is made at the first call does not count
        work(batches[0])
    seconds = {name: [] for name in works}
    for batch in batches:
        for name in rng.sample(list(works), len(works)):
            seconds[name].append(timed(works[name], batch))
    return seconds


def ratio(others, own):
    """Median of theirs over ours, with the quarter points."""
    values = sorted(other / mine for other, mine in zip(others, own))
    return (statistics.median(values),
            *(values[len(values) * part // 4] for part in (1, 3)))
