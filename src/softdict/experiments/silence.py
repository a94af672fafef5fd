"""Chapter 10's model with each of its four heads silent, trained from five seeds."""

import torch

from softdict import runtime
from softdict.batches import make_batch
from softdict.experiments import endings, sentences
from softdict.experiments.runner import trained
from softdict.roles import ablated, heads
from softdict.training import Settings, TrainingState

LONGEST = 10    # words of the sentences
# what an ending may hold, and what of it must be right
NEEDS = {"register": lambda ending: "formal" if ending.endswith("니다") else ending[-1],
         "honour": lambda ending: "시" in ending,
         "not": lambda ending: "-지 " in ending,
         "past": lambda ending: any(piece in ending for piece in ("-었", "-았", "-였"))}


def short(name):
    """(source ids, label ids) of the short examples of a split."""
    return [row for example, row in zip(sentences.split(name), endings.rows(name))
            if example.length <= LONGEST]


def start(seed):
    """One layer of four heads, to be trained on short sentences."""
    runtime.seed(seed)
    words, labels = endings.vocabularies()
    model = endings.Labeller(len(words), len(labels), heads=4, layers=1, width=64)
    settings = Settings(updates=500, peak_rate=8e-3, seed=seed)
    return (TrainingState(model.to(runtime.device()), settings, labels.fingerprint()),
            short("train"))


@torch.no_grad()
def verbs_right(model, pairs):
    """Of 100 main verbs, how many endings are right: for each need that the ending
    has, and of all; beside each how many verbs have it."""
    batch = make_batch(pairs).to(next(model.parameters()).device)
    best = model(batch.source, batch.source_lengths).argmax(dim=-1).tolist()
    labels = endings.vocabularies()[1].words
    both = [(labels[guess], labels[gold]) for row, (_, golds) in zip(best, pairs)
            for guess, gold in zip(row, golds) if gold and labels[gold][-1] in "다요"]
    table = {need: [part(guess) == part(gold) for guess, gold in both if part(gold)]
             for need, part in NEEDS.items()}
    table["all"] = [guess == gold for guess, gold in both]
    return {need: [100 * endings.mean(hits), len(hits)] for need, hits in table.items()}


def finish(state):
    """What each head's silence costs the endings of main verbs, of 100.

    The question: do honour and *not* hang on two heads, or on one? The measure: of the
    verbs of fresh sentences whose ending has a need, how many meet it, whole and with
    each head silent. A need hangs on the head whose silence costs it most. Of five
    trainings, how often do honour and *not* hang on the same head? By chance in one of
    four.
    """
    model, pairs = state.model, short("valid") + short("iid")
    table = {"whole": verbs_right(model, pairs)}
    for name in heads(model):
        with ablated(model, [name]):
            table[name] = verbs_right(model, pairs)
    return table


EXPERIMENTS = [trained("silence", "heads", start, finish, range(5))]
