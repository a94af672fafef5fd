"""A head's mean answer in place of silence: what is a head of the book's model worth?

The question: silence breaks a model in a way that it never met. Does it overstate what
a head is worth? The measures, for each of the 24 heads of the book's Transformer, on
300 sentences of `iid`: the loss that is added to a word, in nats, and how many
sentences stay right, of 100, if the head answers zeros, and if it answers its mean over
the words of 300 sentences of `valid` (mean ablation). The same for the eight heads
whose silence costs least on `valid`, all at once. If silence overstates, mean ablation
costs less, and the eight together cost less as well. `averaged` is the shipped model;
those that were trained from scratch stand in `flags-transformer`.
"""

from contextlib import contextmanager

import torch

from softdict import corpus, roles
from softdict.experiments.roles import HARMLESS, batch_of
from softdict.experiments.runner import Experiment
from softdict.heads import attending
from softdict.programs import translator
from softdict.vocab import PAD

COUNT = 300    # sentences of each split


@torch.no_grad()
def mean_answers(model, batch):
    """The mean answer of each head over the words that ask: [H, K] by attention."""
    asking = {"encoder": batch.source != PAD, "decoder": batch.target_in != PAD}
    kept, functions = {}, {}
    for path, part in model.named_modules():
        if any(part is known for known, _ in roles.heads(model).values()):
            functions[part] = listening(part.attend, kept, part,
                                        asking[path.partition(".")[0]])
    with attending(functions):
        model(batch.source, batch.source_lengths, batch.target_in)
    return kept


def listening(attend, kept, part, real):
    """A function that attends like `attend`, and keeps the mean of its answers."""
    def attend_and_keep(query, key, value, allowed=None):
        context, weights = attend(query, key, value, allowed)
        kept[part] = context.transpose(1, 2)[real].mean(dim=0)   # [H, K]
        return context, weights

    return attend_and_keep


@contextmanager
def averaged(model, names, means):
    """Inside, these heads of a model answer their mean, whoever asks."""
    known, chosen = roles.heads(model), {}    # numbers of heads by attention
    for name in names:
        part, number = known[name]
        chosen.setdefault(part, []).append(number)
    with attending({part: constant(part.attend, numbers, means[part])
                    for part, numbers in chosen.items()}):
        yield model


def constant(attend, numbers, means):
    """A function that attends like `attend`; heads `numbers` answer means [H, K]."""
    def attend_or_not(query, key, value, allowed=None):
        context, weights = attend(query, key, value, allowed)
        context = context.clone()                                # [B, H, T, K]
        context[:, numbers] = means[numbers][:, None]
        return context, weights

    return attend_or_not


@torch.no_grad()
def judged(model, batch, ablation):
    """Mean loss of a word, and sentences right of 100, inside a context."""
    with ablation:
        losses, right = roles.teacher_forced(model, batch)
    return [losses[batch.target_out != PAD].mean().item(),
            100 * right.all(dim=1).cpu().double().mean().item()]


def compared(model):
    """By head, and for eight at once: loss and right sentences, silent and averaged.

    `valid` gives the means and chooses the eight, `iid` judges
    """
    valid, iid = (batch_of(corpus.split(name)[:COUNT], model)
                  for name in ("valid", "iid"))
    means, names = mean_answers(model, valid), list(roles.heads(model))
    silence = {name: judged(model, valid, roles.ablated(model, [name]))[0]
               for name in names}
    few = sorted(names, key=silence.get)[:HARMLESS]
    return {"names": names, "whole": judged(model, iid, roles.ablated(model, [])),
            "silent": [judged(model, iid, roles.ablated(model, [name]))
                       for name in names],
            "averaged": [judged(model, iid, averaged(model, [name], means))
                         for name in names],
            "eight": few,
            "eight silent": judged(model, iid, roles.ablated(model, few)),
            "eight averaged": judged(model, iid, averaged(model, few, means))}


def shipped(seed, path=None):
    """The same of the book's own model."""
    return compared(translator.translator().cpu().eval())


def first(seed):
    """The loss of ten sentences with each of five heads averaged."""
    model = translator.translator().cpu().eval()
    batch = batch_of(corpus.split("iid")[:10], model)
    means = mean_answers(model, batch)
    return [judged(model, batch, averaged(model, [name], means))[0]
            for name in list(roles.heads(model))[::5]]


EXPERIMENTS = [Experiment("averaged", "head-roles", first, shipped, seeds=(0,))]
