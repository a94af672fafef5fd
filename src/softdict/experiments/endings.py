"""Which endings does the Korean of an English word get? A question that a word cannot answer by itself.

A noun's particle says what part it plays; a verb's endings depend on the helping verb, on the subject and on the tag
of the register in front. So each word has to look at others, for several reasons, and in the right places.
"""

from functools import cache, partial

import torch
from torch import nn

from softdict.attention import attention, scaled_dot
from softdict.batches import make_batch
from softdict.experiments import sentences
from softdict.experiments.frame import Experiment, trained
from softdict.layers import LearnedPositions, Residual, sinusoids
from softdict.masks import padding_mask
from softdict.runtime import device, seed as start_chance
from softdict.scoring import by_length
from softdict.training import Settings, Training, token_loss
from softdict.transformer import EncoderLayer
from softdict.vocab import EOS, PAD, Vocab

POSITIONS = ("none", "added", "concatenated", "learned", "rotary", "distance")
HEADS = (1, 2, 4, 8, 16, 48)
UPDATES = 1000
LONGEST = 64    # positions in the learned table; training reaches 26, the tag and the end counted


# The question

def endings(example):
    """For each English word the pieces that stand behind its Korean word, as one label; None where it has no word."""
    last = {}
    for i, j in example.links:
        last[i] = max(j, last.get(i, -1))
    content = {j for _, j in example.links}
    labels = [None] * len(example.source)
    for i, j in last.items():
        end = j + 1
        while end < len(example.target) and end not in content:
            end += 1
        labels[i] = " ".join(example.target[j + 1:end]) or "-"
    return labels


@cache
def vocabularies():
    """Vocab of the English words and Vocab of the labels, of the training split."""
    train = sentences.split("train")
    return (Vocab(example.source for example in train),
            Vocab([label for label in endings(example) if label] for example in train))


@cache
def rows(name):
    """(source ids, label ids) of each example of a split: EOS ends the source; PAD where no label is asked for."""
    words, labels = vocabularies()
    return [(words.ids(example.source, "UNK") + [EOS],
             [PAD if label is None else labels.ids([label], "UNK")[0] for label in endings(example)])
            for example in sentences.split(name)]


# Who answers it

def nearer(query, key, value, allowed=None):
    """Attention whose scores fall with distance, in every head at another rate: it needs no code for positions.

    query and key [B, H, T, K], value [B, H, T, D]; slopes 1/2, 1/4, 1/8, ...
    Press et al. 2022, section 3; to both sides, since these words read the whole sentence
    """
    heads, size = query.shape[1:3]
    positions = torch.arange(size, device=query.device)                                    # [T]
    slopes = 2.0 ** -torch.arange(1, heads + 1, device=query.device)[:, None, None]        # [H, 1, 1]
    away = slopes * (positions[None, :] - positions[:, None]).abs()                        # [H, T, T]
    away = away.to(query.dtype)
    return attention(query, key, value, allowed, lambda query, key: scaled_dot(query, key) - away)


class ResidualOnly(Residual):
    """The sum of what went in and the answer, never normalised."""

    def before(self, words):
        """words [B, T, D]; returns [B, T, D]."""
        return words


class NormOnly(Residual):
    """What a layer reads is normalised; its answer takes the place of what went in."""

    def after(self, words, answer):
        """words and answer [B, T, D]; returns [B, T, D]."""
        return self.dropout(answer)


class Neither(ResidualOnly, NormOnly):
    """One layer behind the other, and nothing between."""


CONNECTIONS = {"pre": Residual, "post": partial(Residual, pre_norm=False),
               "residual": ResidualOnly, "norm": NormOnly, "neither": Neither}


class Labeller(nn.Module):
    """Words in, one of the labels for each out: embedding, positions, layers that read both ways, a last norm."""

    def __init__(self, words, labels, positions="added", heads=4, layers=2, width=96, dropout=0.0, connection="pre",
                 attend=None):
        super().__init__()
        own = width // 4 if positions == "concatenated" else 0    # numbers that the position keeps to itself
        self.kind, self.own, self.width = positions, own, width
        self.embed = nn.Embedding(words, width - own)
        self.learned = LearnedPositions(LONGEST, width) if positions == "learned" else None
        self.layers = nn.ModuleList(
            EncoderLayer(width, heads, 4 * width, dropout, attend=nearer if positions == "distance" else attend)
            for _ in range(layers))
        for layer in self.layers:
            layer.looked, layer.thought = (CONNECTIONS[connection](width, dropout) for _ in range(2))
        self.norm = nn.LayerNorm(width)
        self.generator = nn.Linear(width, labels)

    def states(self, source, lengths, target=None, teacher_forcing=None):
        """source [B, T], lengths [B]; returns states [B, T, D]; the last two arguments are those of a translator."""
        positions = torch.arange(source.shape[1], device=source.device)    # [T]
        words = self.embed(source)
        if self.kind == "added":
            words = words + sinusoids(positions, self.width)
        elif self.kind == "learned":
            words = words + self.learned(positions)
        elif self.kind == "concatenated":
            codes = sinusoids(positions, self.own).expand(len(source), -1, -1)
            words = torch.cat([words, codes], dim=-1)
        allowed = padding_mask(lengths.to(source.device), source.shape[1])[:, None, :]    # [B, 1, T]
        for layer in self.layers:
            words, _ = layer(words, allowed, positions if self.kind == "rotary" else None)
        return self.norm(words)

    def forward(self, source, lengths):
        """source [B, T], lengths [B]; returns logits [B, T, V]."""
        return self.generator(self.states(source, lengths))


# Training and measuring

def start(seed, peak_rate=2e-3, pairs=None, **options):
    """A labeller and its training pairs, the first of the training split or all."""
    start_chance(seed)
    words, labels = vocabularies()
    model = Labeller(len(words), len(labels), **options).to(device())
    settings = Settings(updates=UPDATES, peak_rate=peak_rate, seed=seed)
    return Training(model, settings, labels.fingerprint()), rows("train")[:pairs]


@torch.no_grad()
def finish(training):
    """Share of labels right, with their number, by length of the sentence and by part of speech."""
    right = {name: answers(training.model, name) for name in ("iid", "long")}
    lengths = [example.length for name in right for example in sentences.split(name)]
    flags = right["iid"] + right["long"]
    parts = {}
    for example, row in zip(sentences.split("iid"), right["iid"]):
        kinds = dict((i, example.kinds[j]) for i, j in example.links)
        for place, good in row.items():
            parts.setdefault(kinds[place], []).append(good)
    table = {name: [good for n in group for good in flags[n].values()] for name, group in by_length(lengths).items()}
    return {"parameters": sum(p.numel() for p in training.model.parameters()),
            "iid": mean([good for row in right["iid"] for good in row.values()]),
            "by length": {name: [mean(goods), len(goods)] for name, goods in table.items()},
            "by part": {part: [mean(goods), len(goods)] for part, goods in parts.items() if part}}


def mean(values):
    return sum(values) / len(values)


def answers(model, name):
    """For each example of a split {place: whether the label is right} of the words that were asked."""
    pairs, where = rows(name), next(model.parameters()).device
    found = []
    for first in range(0, len(pairs), 100):
        batch = make_batch(pairs[first:first + 100]).to(where)
        best = model(batch.source, batch.source_lengths).argmax(dim=-1)
        for guesses, wanted in zip(best.tolist(), [labels for _, labels in pairs[first:first + 100]]):
            found.append({place: guess == label for place, (guess, label) in enumerate(zip(guesses, wanted)) if label})
    return found


# How far the gradient comes through many layers

def gradients(seed, path=None, depth=24):
    """Length of the gradient at the input of each of many untrained layers, by the kind of connection."""
    pairs = rows("train")[:64]
    table = {"depth": depth}
    for connection in CONNECTIONS:
        start_chance(seed)
        words, labels = vocabularies()
        model = Labeller(len(words), len(labels), layers=depth, connection=connection)
        inputs = []
        for layer in model.layers:
            layer.register_forward_pre_hook(lambda layer, given: inputs.append(given[0]))
        batch = make_batch(pairs)
        loss = token_loss(model(batch.source, batch.source_lengths), batch.target_out)
        # squares of 1e-23 would be 0 in float32
        table[connection] = [gradient.double().norm().item() for gradient in torch.autograd.grad(loss, inputs)]
    return table


EXPERIMENTS = [
    *[trained(f"heads-{heads}", "heads", partial(start, heads=heads), finish) for heads in HEADS],
    *[trained(f"positions-{kind}", "positions", partial(start, positions=kind), finish) for kind in POSITIONS],
    *[trained(f"depth-6-{connection}", "depth", partial(start, layers=6, connection=connection), finish)
      for connection in CONNECTIONS if connection != "neither"],    # which stops: its gradient becomes nan
    *[trained(f"dropout-{percent}", "dropout", partial(start, pairs=1000, dropout=percent / 100), finish)
      for percent in (0, 10, 30)],
    Experiment("gradients", "depth", lambda seed: gradients(seed, depth=5)["pre"], gradients),
]
