"""What can happen to a training: it is interrupted in one of its updates, whoever made
its optimizer; a bit of its file is turned over."""

import random
from contextlib import contextmanager

import pytest
from torch.optim.optimizer import register_optimizer_step_pre_hook


@contextmanager
def steps(stop=0):
    """The steps of all optimizers, in a list that grows; KeyboardInterrupt before the
    one with the number `stop`; 0 is none."""
    made = []

    def counted(optimizer, *arguments):
        made.append(optimizer)
        if len(made) == stop:
            raise KeyboardInterrupt

    hook = register_optimizer_step_pre_hook(counted)
    try:
        yield made
    finally:
        hook.remove()


@contextmanager
def stopped_in(update):
    """What stands in it ends by KeyboardInterrupt in this update."""
    with steps(update), pytest.raises(KeyboardInterrupt):
        yield


def flipped(content, bit):
    """The bytes with one bit turned over."""
    content = bytearray(content)
    content[bit // 8] ^= 1 << bit % 8
    return bytes(content)


def bits(content, seed):
    """Forty places: a third of them in front, where names and notes stand."""
    rng, notes = random.Random(seed), 8 + int.from_bytes(content[:8], "little")
    return [rng.randrange(8 * notes) for _ in range(13)] + [
        rng.randrange(8 * notes, 8 * len(content)) for _ in range(27)]
