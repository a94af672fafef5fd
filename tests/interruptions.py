"""A training that is interrupted in one of its updates, whoever made its
optimizer."""

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
