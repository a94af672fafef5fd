"""The same sentences in three trained models: what each writes, and where it looks."""

from functools import partial

import torch

from softdict.batches import make_batch
from softdict.experiments import sentences
from softdict.experiments.measures import translations
from softdict.experiments.runner import trained
from softdict.experiments.translation import SYSTEMS
from softdict.scoring import by_length
from softdict.seq2seq import Attend, source_weights

FROM_EACH = 3    # sentences of each length


def chosen():
    """The first test sentences of each length; chapter 07 draws one of them."""
    known = sentences.split("iid") + sentences.split("long")
    groups = by_length([example.length for example in known]).values()
    return [known[n] for group in groups for n in group[:FROM_EACH]]


def finish(system, state):
    """What a model writes for each of these sentences; if it attends, its weights too,
    while it reads the right words: a string for each, in ten-thousandths."""
    model, examples = state.model, chosen()
    table = {"sentences": [" ".join(example.source) for example in examples],
             "written": [" ".join(line)
                         for line in translations(system, model, examples)]}
    if isinstance(getattr(model.decoder, "context", None), Attend):
        table["weights"] = [
            [" ".join(str(round(10_000 * weight)) for weight in row) for row in rows]
            for rows in weights(system, model, examples)]
    return table


@torch.no_grad()
def weights(system, model, examples):
    """For each example its weights, a list for each target word."""
    batch = make_batch(system.ids(examples)).to(next(model.parameters()).device)
    rows = source_weights(model, batch.source, batch.source_lengths, batch.target_in)
    return [one[:len(example.target), :len(example.source)].tolist()
            for one, example in zip(rows, examples)]


SHOWN = {"dot": SYSTEMS["looks"]["attention"],
         "scaled": SYSTEMS["scores"]["attention-scaled"],
         "rnn": SYSTEMS["length"]["rnn"]}
EXPERIMENTS = [trained(f"map-{name}", "maps", one.start, partial(finish, one), (0,))
               for name, one in SHOWN.items()]
