"""Which endings does the Korean of an English word get?

A word cannot answer that by itself. A noun's particle says what part it plays; a verb's
endings depend on the helping verb, on the subject and on the tag of the register in
front. So each word has to look at others, for several reasons, and in the right places.
"""

from functools import cache, partial

import torch
from torch import nn

from softdict import runtime
from softdict.attention import attention, scaled_dot, sdpa
from softdict.batches import make_batch
from softdict.experiments import sentences
from softdict.experiments.runner import Experiment, trained
from softdict.heads import rotary
from softdict.layers import LearnedPositions, sinusoids
from softdict.masks import padding_mask
from softdict.scoring import by_length
from softdict.training import Settings, TrainingState, token_loss
from softdict.transformer import EncoderLayer, TransformerConfig
from softdict.variants import PostNormEncoderLayer
from softdict.vocab import EOS, PAD, Vocab

POSITIONS = ("none", "added", "concatenated", "learned", "rotary", "distance")
HEADS = (1, 2, 4, 8, 16, 48)
UPDATES = 1000
# rows of the learned table; training reaches recipes.LONGEST + 2: a tag and an end
LEARNED = 64


# The question

def endings(example):
    """For each English word the pieces after its Korean word, as one label.

    None where it has no Korean word
    """
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
    """(source ids, label ids) of each example of a split.

    EOS ends the source; a label is PAD where no label is wanted
    """
    words, labels = vocabularies()
    return [(words.ids(example.source, "UNK") + [EOS],
             [PAD if label is None else labels.ids([label], "UNK")[0]
              for label in endings(example)]) for example in sentences.split(name)]


# Who answers it

def nearer(query, key, value, allowed=None):
    """Attention whose scores fall with distance, in every head at another rate.

    it needs no code for positions
    query and key [B, H, T, K], value [B, H, T, D]; slopes 1/2, 1/4, 1/8, ...
    Press et al. 2022, section 3; here to both sides, for words that read both ways
    """
    heads, size = query.shape[1:3]
    positions = torch.arange(size, device=query.device)                  # [T]
    slopes = 2.0 ** -torch.arange(1, heads + 1,
                                  device=query.device)[:, None, None]    # [H, 1, 1]
    away = slopes * (positions[None, :] - positions[:, None]).abs()      # [H, T, T]
    away = away.to(query.dtype)
    return attention(query, key, value, allowed,
                     lambda query, key: scaled_dot(query, key) - away)


def alike(query, key, value, allowed=None):
    """Attention that does not choose: the mean of all values that it may have.

    query and key [B, H, T, K], value [B, H, T, D]
    """
    return attention(query, key, value, allowed,
                     lambda query, key: 0 * scaled_dot(query, key))


class ResidualLayer(EncoderLayer):
    """The sum of what went in and the answer, never normalised."""

    def forward(self, x, allowed=None):
        """As EncoderLayer: x [B, T, D]; returns x [B, T, D]."""
        x = x + self.dropout(self.self_attention(x, allowed=allowed))
        return x + self.dropout(self.feed_forward(x))


class NormLayer(EncoderLayer):
    """What is read is normalised; the answer takes the place of what went in."""

    def forward(self, x, allowed=None):
        """As EncoderLayer: x [B, T, D]; returns x [B, T, D]."""
        x = self.dropout(self.self_attention(self.norm1(x), allowed=allowed))
        return self.dropout(self.feed_forward(self.norm2(x)))


class BareLayer(EncoderLayer):
    """One sub-layer after the other, and nothing between."""

    def forward(self, x, allowed=None):
        """As EncoderLayer: x [B, T, D]; returns x [B, T, D]."""
        x = self.dropout(self.self_attention(x, allowed=allowed))
        return self.dropout(self.feed_forward(x))


class WithoutAttention(EncoderLayer):
    """Each word for itself."""

    def forward(self, x, allowed=None):
        """As EncoderLayer: x [B, T, D]; returns x [B, T, D]."""
        return x + self.dropout(self.feed_forward(self.norm2(x)))


class WithoutFeedForward(EncoderLayer):
    """Words attend, and nothing else is computed of them."""

    def forward(self, x, allowed=None):
        """As EncoderLayer: x [B, T, D]; returns x [B, T, D]."""
        return x + self.dropout(self.self_attention(self.norm1(x), allowed=allowed))


CONNECTIONS = {"pre": EncoderLayer, "post": PostNormEncoderLayer,
               "residual": ResidualLayer, "norm": NormLayer, "neither": BareLayer}
LAYERS = {**CONNECTIONS, "no-attention": WithoutAttention,
          "no-feed-forward": WithoutFeedForward}


class Labeller(nn.Module):
    """Words in, one of the labels for each out.

    embedding, positions (one of POSITIONS), layers that read both ways (one of
    LAYERS), a last norm; attend is the function that their heads attend with
    """

    def __init__(self, words, labels, positional_encoding="added", heads=4, layers=2,
                 width=96, dropout=0.0, connection="pre", attend=None):
        super().__init__()
        # numbers that the position keeps to itself
        own = width // 4 if positional_encoding == "concatenated" else 0
        self.positional_encoding, self.own, self.width = positional_encoding, own, width
        self.embedding = nn.Embedding(words, width - own)
        self.learned = (LearnedPositions(LEARNED, width)
                        if positional_encoding == "learned" else None)
        attend = attend or (nearer if positional_encoding == "distance" else sdpa)
        if positional_encoding == "rotary":
            attend = partial(rotary, attend=attend)
        config = TransformerConfig(width, heads, layers, 4 * width, dropout, attend)
        self.layers = nn.ModuleList(
            LAYERS[connection](config) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.generator = nn.Linear(width, labels)

    def embedded(self, source):
        """source [B, T]; returns x [B, T, D] that tells positions, unless heads do."""
        positions = torch.arange(source.shape[1], device=source.device)    # [T]
        x = self.embedding(source)
        if self.positional_encoding == "added":
            return x + sinusoids(positions, self.width)
        if self.positional_encoding == "learned":
            return x + self.learned(positions)
        if self.positional_encoding == "concatenated":
            codes = sinusoids(positions, self.own).expand(len(source), -1, -1)
            return torch.cat([x, codes], dim=-1)
        return x

    def states(self, source, lengths, target_in=None):
        """source [B, T], lengths [B]; returns x [B, T, D].

        target_in is what a translator would read, too
        """
        allowed = padding_mask(lengths.to(source.device),
                               source.shape[1])[:, None, :]    # [B, 1, T]
        x = self.embedded(source)                              # [B, T, D]
        for layer in self.layers:
            x = layer(x, allowed)
        return self.norm(x)

    def forward(self, source, lengths, target_in=None):
        """source [B, T], lengths [B]; returns logits [B, T, V]."""
        return self.generator(self.states(source, lengths))

    def extra_repr(self):
        """What a saved model is known by, beside its parts."""
        return f"positional_encoding={self.positional_encoding}"


# Training and measuring

def start(seed, peak_rate=2e-3, pairs=None, updates=UPDATES, warmup=0, **options):
    """A labeller and its training pairs, the first of the training split or all."""
    runtime.seed(seed)
    words, labels = vocabularies()
    model = Labeller(len(words), len(labels), **options).to(runtime.device())
    settings = Settings(updates=updates, peak_rate=peak_rate, warmup=warmup, seed=seed)
    return TrainingState(model, settings, labels.fingerprint()), rows("train")[:pairs]


@torch.no_grad()
def finish(state):
    """Share of labels that are right: in all, by length, and by part of speech."""
    right = {name: answers(state.model, name) for name in ("iid", "long")}
    lengths = [example.length for name in right for example in sentences.split(name)]
    flags = right["iid"] + right["long"]
    parts = {}
    for example, row in zip(sentences.split("iid"), right["iid"]):
        kinds = dict((i, example.kinds[j]) for i, j in example.links)
        for place, good in row.items():
            parts.setdefault(kinds[place], []).append(good)
    table = {name: [good for n in group for good in flags[n].values()]
             for name, group in by_length(lengths).items()}
    return {"parameters": sum(p.numel() for p in state.model.parameters()),
            "iid": mean([good for row in right["iid"] for good in row.values()]),
            "by length": {name: [mean(goods), len(goods)]
                          for name, goods in table.items()},
            "by part": {part: [mean(goods), len(goods)]
                        for part, goods in parts.items() if part}}


def mean(values):
    return sum(values) / len(values)


def answers(model, name):
    """For each example of a split {place: whether right}, for places with a label."""
    pairs, where = rows(name), next(model.parameters()).device
    found = []
    for first in range(0, len(pairs), 100):
        batch = make_batch(pairs[first:first + 100]).to(where)
        best = model(batch.source, batch.source_lengths).argmax(dim=-1)
        for guesses, wanted in zip(best.tolist(),
                                   [labels for _, labels in pairs[first:first + 100]]):
            found.append({place: guess == label
                          for place, (guess, label) in enumerate(zip(guesses, wanted))
                          if label})
    return found


# How far the gradient comes through many layers

def gradients(seed, path=None, depth=24):
    """Length of the gradient at the input of each untrained layer, by connection."""
    pairs = rows("train")[:64]
    table = {"depth": depth}
    for connection in CONNECTIONS:
        runtime.seed(seed)
        words, labels = vocabularies()
        model = Labeller(len(words), len(labels), layers=depth, connection=connection)
        inputs = []
        for layer in model.layers:
            layer.register_forward_pre_hook(
                lambda layer, given: inputs.append(given[0]))
        batch = make_batch(pairs)
        loss = token_loss(model(batch.source, batch.source_lengths), batch.target_out)
        # squares of 1e-23 would be 0 in float32
        table[connection] = [gradient.double().norm().item()
                             for gradient in torch.autograd.grad(loss, inputs)]
    return table


# What each part is worth

# what two narrow layers are without one of their parts; the last norm always stays
TAKEN_OUT = {"pre": {}, "no-attention": {"connection": "no-attention"},
             "no-feed-forward": {"connection": "no-feed-forward"},
             "norm": {"connection": "norm"}, "residual": {"connection": "residual"},
             "alike": {"attend": alike}}


def part(name, rate, warmup):
    """An experiment: two narrow layers without one part; rate in thousandths.

    The question: which missing part costs the most, and does the answer hold with a
    warm-up and without, and at half the rate? The measure: the share of labels that
    are right on `iid` after 1,000 updates, of five seeds. A part costs more than
    another if it does so in all four settings, in the mean and in each seed by seed.
    All models make the same updates on the same batches. A part that is left out still
    lies in the model and is counted among its parameters; it takes no part.
    """
    label = (f"part-{name}" + (f"-{rate}" if rate != 4 else "")
             + ("-warm" if warmup else ""))
    options = {"peak_rate": rate / 1000, "warmup": warmup, "width": 48}
    return trained(label, "part", partial(start, **options, **TAKEN_OUT[name]), finish,
                   range(5))


EXPERIMENTS = [
    *[trained(f"heads-{heads}", "heads", partial(start, heads=heads), finish)
      for heads in HEADS],
    *[trained(f"positions-{kind}", "positions",
              partial(start, positional_encoding=kind), finish)
      for kind in POSITIONS],
    *[trained(f"depth-6-{connection}", "depth",
              partial(start, layers=6, connection=connection), finish)
      # which stops: its gradient becomes nan
      for connection in CONNECTIONS if connection != "neither"],
    # two narrow layers at a rate that is too large, with a warm-up and without
    *[trained(f"push-{connection}{name}", "push",
              partial(start, peak_rate=2e-2, updates=100, warmup=warmup, width=48,
                      connection=connection), finish, range(5))
      for connection in ("pre", "post", "residual")
      for name, warmup in (("", 0), ("-warm", 40))],
    *[part(name, rate, warmup) for rate in (4, 2) for warmup in (0, 200)
      for name in TAKEN_OUT],
    *[trained(f"dropout-{percent}", "dropout",
              partial(start, pairs=1000, dropout=percent / 100), finish)
      for percent in (0, 10, 30)],
    Experiment("gradients", "depth", lambda seed: gradients(seed, depth=5)["pre"],
               gradients),
]
