"""One training on several processes or machines: each computes its rows of every batch.

`torchrun --nproc-per-node 2 -m softdict train ...` starts the processes; without
torchrun a training is as before. The batches, their order and the mean over their
words are those of one process, and without dropout so are the weights but for
rounding.
"""

import os
import signal
from functools import partial

import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

from softdict import runtime, training
from softdict.saving.checkpoint import load

ENDED = ("another process of this training has ended, and this one ends with it; the "
         "same command goes on from the last checkpoint")


def begin():
    """Joins the processes that torchrun started, if it did: call it before `device`.

    raises ValueError where a process has no device of its own
    """
    if int(os.environ.get("WORLD_SIZE", 1)) == 1:
        return
    if runtime.device().type == "mps":
        raise ValueError("several processes train on CPUs or on NVIDIA GPUs; Apple's "
                         "GPU trains with one, without torchrun")
    if on_cuda := runtime.device().type == "cuda":
        place, here = int(os.environ["LOCAL_RANK"]), torch.cuda.device_count()
        if place >= here:
            raise ValueError("each process needs a GPU of its own: --nproc-per-node "
                             f"must be {here} at most on this machine")
        torch.cuda.set_device(place)
    distributed.init_process_group("nccl" if on_cuda else "gloo")
    # torchrun ends the others so, where one has ended
    signal.signal(signal.SIGTERM, raise_peer_lost)


def raise_peer_lost(*_):
    """Raises ConnectionError with the sentence for a process that is left alone."""
    if signal.getsignal(signal.SIGTERM) is raise_peer_lost:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)    # it ends, and says so once
    raise ConnectionError(None, ENDED)


def together():
    """Whether this process is one of several."""
    return distributed.is_available() and distributed.is_initialized()


def first():
    """Whether this process is the one that writes and speaks: the first, or alone."""
    return not together() or distributed.get_rank() == 0


def agreed(number):
    """What the first process has computed: rounding may differ between machines."""
    if not together():
        return number
    place = "cuda" if distributed.get_backend() == "nccl" else "cpu"
    box = torch.tensor(number, dtype=torch.float64, device=place)
    distributed.broadcast(box, 0)
    return box.item()


class LossOf(nn.Module):
    """The loss of a model as one forward: what DistributedDataParallel watches."""

    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, part, settings):
        """A Batch and Settings; returns loss []."""
        return self.loss(self.model, part, settings)


def own_rows(batch):
    """This process's rows of a batch, and the factor of their loss: 0 where there are
    fewer rows than processes."""
    rank, parts = distributed.get_rank(), batch.parts(distributed.get_world_size())
    return (parts[rank], 1) if rank < len(parts) else (parts[0], 0)


class OwnRows:
    """This process's rows of a batch, in the place of the batch."""

    def __init__(self, batch, loss_of):
        self.words, self.loss_of = batch.words, loss_of
        self.rows, self.counts = own_rows(batch)

    def parts(self, count):
        """The rows in parts: processes exchange gradients only at the last part."""
        *others, last = self.rows.parts(count)
        with self.loss_of.no_sync():
            yield from others
        yield last


def updater(state, loss):
    """What `training.train` calls to do one update of a TrainingState together."""
    loss_of = DistributedDataParallel(LossOf(state.model, loss))
    processes = distributed.get_world_size()

    def update(state, batch):
        training.check_end(state, batch, loss)
        # each process drops other numbers; the first drops what one process alone would
        runtime.seed(torch.initial_seed() + distributed.get_rank() * 10 ** 12)
        own = OwnRows(batch, loss_of)

        def own_loss(model, part, settings):
            # PyTorch takes the mean over the processes, and we want the sum
            return loss_of(part, settings) * own.counts * processes    # []

        total = torch.tensor(training.backward(state, own, own_loss),
                             dtype=torch.float64, device=state.device)
        distributed.all_reduce(total)
        return training.take_step(state, total.item() / processes)

    return update


def check_alike(state, pairs):
    """Refuses by ValueError processes that have read other pairs, other words or
    another checkpoint than the first: their machines do not share their files."""
    mine = [state.vocab_fingerprint, len(pairs), state.history]
    every = [None] * distributed.get_world_size()
    distributed.all_gather_object(every, mine)
    if any(other != every[0] for other in every):
        raise ValueError("the processes have read different pairs or checkpoints: all "
                         "machines must see the same pairs and the same --out")


def train(state, pairs, evaluate=None, path=None, loss=training.batch_loss):
    """As `training.train`, by all processes of torchrun; the first writes the files.

    loss: as for `training.update`
    raises ConnectionError, with one sentence, where another process has ended, and
    ValueError where they have not read the same
    """
    if not together():
        return training.train(state, pairs, evaluate, path,
                              partial(training.update, loss=loss))
    if path and path.exists():
        load(state, path)
    try:
        check_alike(state, pairs)    # all have read before the first writes
        return training.train(state, pairs, evaluate, path if first() else None,
                              updater(state, loss))
    except RuntimeError as error:
        if isinstance(error, distributed.DistError) or "gloo" in str(error):
            raise_peer_lost()
        raise
