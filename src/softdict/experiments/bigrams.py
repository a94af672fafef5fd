"""The next word from the word before: chapter 03's vectors beside tables of counts.

The question: is the model of vectors a better guesser of pairs that were never counted
than a table, or only better than a table with poor smoothing? The measure: the loss of
the next word on the fresh sentences of `valid`, of all pairs, of those that were
counted in the training and of those that were not. The tables: 0.1 added to each count,
and interpolated Kneser-Ney with the discount 0.75, chosen before. The model: that of
the chapter, 1,500 updates at the rate 0.01, and one with 6,000 updates whose rate falls
to 0.
"""

from functools import cache

import torch
import torch.nn.functional as F
from torch import nn

from softdict import runtime
from softdict.experiments import sentences
from softdict.experiments.runner import Experiment
from softdict.lookup import dot

ADDED, DISCOUNT = 0.1, 0.75
WIDTH, BATCH, RATE = 16, 512, 0.01


@cache
def numbers():
    """Each word of the training's English and its number; the last is the end."""
    found = {word for example in sentences.split("train")
             for word in example.source[1:]}
    return {word: number for number, word in enumerate([*sorted(found), "<end>"])}


@cache
def word_pairs(name):
    """The words [M] of a split, and the word behind each [M]."""
    number = numbers()
    lines = [[number[word] for word in example.source[1:]] + [len(number) - 1]
             for example in sentences.split(name)]
    return (torch.tensor([word for line in lines for word in line[:-1]]),
            torch.tensor([word for line in lines for word in line[1:]]))


def counted():
    """How often each word of the training is followed by each: [V, V]."""
    word, after = word_pairs("train")
    count = torch.zeros(len(numbers()), len(numbers()), dtype=torch.double)
    return count.index_put_((word, after), torch.ones(len(word), dtype=torch.double),
                            accumulate=True)


def added(count):
    """Shares [V, V] of counts [V, V], with a little added to each."""
    count = count + ADDED
    return count / count.sum(dim=1, keepdim=True)


def kneser_ney(count):
    """Shares [V, V] of counts [V, V]: some is taken from each count and given to words
    by how many different words they follow.

    Kneser and Ney 1995, interpolated as in Chen and Goodman 1999, section 2.7
    """
    follows = (count > 0).double()
    usual = follows.sum(dim=0) / follows.sum()                      # [V]
    total = count.sum(dim=1, keepdim=True)                          # [V, 1]
    kept = (count - DISCOUNT).clamp(min=0) / total.clamp(min=1)     # [V, V]
    left = DISCOUNT * follows.sum(dim=1, keepdim=True) / total.clamp(min=1)
    left = left.where(total > 0, 1.0)                               # [V, 1]
    return kept + left * usual


class NextWord(nn.Module):
    """Logits of the next word, from the word before it."""

    def __init__(self, vocab_size, width=WIDTH):
        super().__init__()
        self.query = nn.Embedding(vocab_size, width)
        self.key = nn.Embedding(vocab_size, width)
        self.usual = nn.Parameter(torch.zeros(vocab_size))

    def forward(self, word):
        """word [M]; returns logits [M, V]."""
        return dot(self.query(word), self.key.weight) + self.usual


def learned(seed, updates, falls):
    """A trained model and the loss of each update; with `falls`, its rate falls to 0.
    """
    word, after = word_pairs("train")
    runtime.seed(seed)
    model = NextWord(len(numbers()))
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    losses = []
    for step in range(updates):
        if falls:
            optimizer.param_groups[0]["lr"] = RATE * (1 - step / updates)
        rows = torch.randint(len(word), (BATCH,))
        loss = F.cross_entropy(model(word[rows]), after[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return model, losses


@torch.no_grad()
def compared(seed, path=None):
    """Losses of a next word on `valid`: the tables', and those of two trainings."""
    count, (word, after) = counted(), word_pairs("valid")
    known = count[word, after] > 0
    losses = {"added": -added(count)[word, after].log(),
              "Kneser-Ney": -kneser_ney(count)[word, after].log()}
    for name, updates, falls in (("model", 1500, False), ("model, longer", 6000, True)):
        with torch.enable_grad():
            model, _ = learned(seed, updates, falls)
        losses[name] = F.cross_entropy(model(word), after, reduction="none")
    return {"pairs": len(word), "never counted": (~known).sum().item(),
            **{name: {"all": loss.mean().item(), "counted": loss[known].mean().item(),
                      "never counted": loss[~known].mean().item()}
               for name, loss in losses.items()}}


EXPERIMENTS = [Experiment("bigrams", "counts",
                          lambda seed: learned(seed, 5, False)[1], compared, range(5))]
