"""Early stopping: of all evaluations of a training the weights of the best are kept,
and the training ends where none is better for some time.

`evaluator` makes what `training.train` evaluates with. What it knows stands in the
history, so a training that was interrupted stops where it would have stopped.
"""

from contextlib import contextmanager

from softdict.programs import distributed
from softdict.saving.checkpoint import load_model, save_model

# by which the best is chosen: the name in the history, and whether more is better
METRICS = {"loss": ("validation loss", False), "bleu": ("BLEU", True),
           "chrf": ("chrF", True)}
# the weights of the best evaluation so far
BEST = {metric: f"best.{metric}.safetensors" for metric in METRICS}


class EarlyStopping(Exception):
    """A training that has found nothing better for too long."""


def checked_metric(patience, metric):
    """The metric by which weights are kept, or None: patience alone means the loss.

    raises ValueError for one that is not known
    """
    if metric not in (None, *METRICS):
        raise ValueError(f"--metric must be one of {', '.join(METRICS)}; "
                         f"got {metric!r}")
    return "loss" if patience and metric is None else metric


def evaluator(state, measure, path=None, patience=0, metric=None):
    """What `train` evaluates a TrainingState with: measure(model), a dict, joins
    the record.

    with a metric, the weights of the best evaluation are kept at `path`, and
    EarlyStopping is raised where the last `patience` were no better; 0 never stops
    of several processes the first one's measures count, and it writes
    """
    def evaluate(model):
        record = {name: distributed.agreed(value)
                  for name, value in measure(model).items()}
        if metric is None:
            return record
        name, more = METRICS[metric]
        found = [past[name] if more else -past[name]
                 for past in [*state.history, record] if name in past]
        since = len(found) - 1 - found.index(max(found))    # of equals, the first
        if not since and distributed.first():
            save_model(model, path, state.vocab_fingerprint)
        if 0 < patience <= since:
            state.history[-1] |= record
            raise EarlyStopping
        return record

    return evaluate


@contextmanager
def best_in(folder, state, metric):
    """A training that may stop early; behind it the model has its best weights, if
    there is a metric (of several processes, that of the first)."""
    try:
        yield
    except EarlyStopping:
        pass
    if metric and distributed.first():
        load_model(state.model, folder / BEST[metric], state.vocab_fingerprint)
