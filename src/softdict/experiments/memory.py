"""What a recurrent state can carry, how far back its gradients reach, what it costs."""

import random
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

from softdict import runtime
from softdict.batches import make_batch
from softdict.decoding import greedy
from softdict.experiments.runner import Experiment, trained
from softdict.experiments.timing import milliseconds
from softdict.recipes import LONGEST, PAIRS
from softdict.seq2seq import Decoder, Encoder, Seq2Seq
from softdict.training import Settings, Training

CELLS = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}
WIDTHS = (24, 48, 96, 192, 384)
WORDS = 34      # of the copy task: four specials and thirty words


# How far back a gradient reaches

class Recall(nn.Module):
    """Reads a row of words, all of one length, and names the first."""

    def __init__(self, cell, width, words):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.rnn = cell(width, width, batch_first=True)
        self.generator = nn.Linear(width, words)

    def forward(self, ids):
        """ids [B, S]; returns logits [B, V]."""
        outputs, _ = self.rnn(self.embed(ids))
        return self.generator(outputs[:, -1])


def gradient_norms(model, distances):
    """Mean length of the gradient of the last output, some steps behind a word.

    it is the gradient with respect to that word, the first of distance + 1
    """
    norms = []
    for distance in distances:
        x = model.embed(torch.randint(model.embed.num_embeddings, (64, distance + 1)))
        outputs = model.rnn(x)[0][:, -1]
        direction = F.normalize(torch.randn_like(outputs), dim=-1)
        [gradient] = torch.autograd.grad((outputs * direction).sum(), x)
        norms.append(gradient[:, 0].norm(dim=-1).mean().item())
    return norms


def recall_losses(model, updates, words):
    """Trains a model to recall the first of 2 to 40 words; yields each update's loss.

    the words are new at every update
    """
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(updates):
        # 64 rows of one length
        row = torch.randint(words, (64, int(torch.randint(2, 41, ()))))
        loss = F.cross_entropy(model(row), row[:, 0])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        yield loss.item()


def reach(cell, seed, path=None, updates=1500, width=192, words=20,
          distances=(*range(11), *range(15, 101, 5))):
    """By distance: the gradient, untrained and trained to recall, and what is recalled.
    """
    runtime.seed(seed)
    model = Recall(CELLS[cell], width, words)
    untrained = gradient_norms(model, distances)
    losses = list(recall_losses(model, updates, words))
    with torch.no_grad():
        rows = {distance: torch.randint(words, (500, distance + 1))
                for distance in distances if distance}
        right = [(model(row).argmax(dim=-1) == row[:, 0]).float().mean().item()
                 for row in rows.values()]
    return {"distances": distances, "untrained": untrained,
            "trained": gradient_norms(model, distances),
            "recalled at": list(rows), "recalled": right, "recall loss": losses[9::20]}


def reach_first(cell, seed):
    """Gradients of the untrained model at five distances."""
    runtime.seed(seed)
    return gradient_norms(Recall(CELLS[cell], 192, 20), (0, 1, 2, 5, 10))


# How many words fit into one vector

def copy_pairs(count, seed, lengths=range(1, LONGEST + 1)):
    """Rows of random words, each with itself as its translation."""
    rng = random.Random(f"copy {seed}")
    rows = [[rng.randrange(4, WORDS) for _ in range(rng.choice(lengths))]
            for _ in range(count)]
    return [(row, row) for row in rows]


def copy_start(width, updates, seed):
    """A model of one width, to be trained to write what it read."""
    runtime.seed(seed)
    model = Seq2Seq(Encoder(WORDS, 64, width), Decoder(WORDS, 64, width))
    settings = Settings(updates=updates, peak_rate=2e-3 if width > 192 else 4e-3,
                        seed=seed)
    return (Training(model.to(runtime.device()), settings, f"copy {WORDS}"),
            copy_pairs(PAIRS, seed))


def copy_finish(training, lengths=range(1, 31)):
    """By length: shares of rows without a mistake, and of words right in their place.

    the last lengths were not trained
    """
    exact, right = [], []
    for length in lengths:
        rows = [row for row, _ in copy_pairs(200, f"test {length}", [length])]
        batch = make_batch([(row, row) for row in rows]).to(training.device)
        copies = greedy(training.model, batch.source, batch.source_lengths,
                        max_length=2 * length)
        exact.append(sum(copy == row for copy, row in zip(copies, rows)) / len(rows))
        right.append(sum(a == b for copy, row in zip(copies, rows)
                         for a, b in zip(copy, row)) / len(rows))
    return {"lengths": list(lengths), "exact": exact, "words right": right}


# What a sentence costs in seconds

def seconds(seed, path=None, sizes=(8, 16, 32, 64, 128, 256, 512), width=192, batch=16):
    """Milliseconds by length of a GRU, and of a layer that takes all words at once.

    both make as many products
    """
    runtime.seed(seed)
    place = runtime.device()
    gru = nn.GRU(width, width, batch_first=True).to(place)
    parallel = nn.Sequential(nn.Linear(width, 3 * width), nn.Tanh(),
                             nn.Linear(3 * width, width)).to(place)
    table = {"device": place.type, "lengths": sizes}
    for name, layer in (("gru", lambda x: gru(x)[0]), ("parallel", parallel)):
        inputs = [torch.randn(batch, size, width, device=place, requires_grad=True)
                  for size in sizes]
        with torch.no_grad():
            table[f"{name} forward"] = [milliseconds(lambda: layer(x)) for x in inputs]
        table[f"{name} both"] = [milliseconds(lambda: layer(x).sum().backward())
                                 for x in inputs]
    return table


def seconds_first(seed):
    """Times differ from run to run: the five numbers are sizes of what is timed."""
    return [float(sum(p.numel() for p in nn.GRU(192, 192).parameters())), 8.0, 512.0,
            192.0, 16.0]


EXPERIMENTS = [
    *[Experiment(f"reach-{cell}", "memory", partial(reach_first, cell),
                 partial(reach, cell)) for cell in CELLS],
    *[trained(f"copy-{width}", "memory", partial(copy_start, width, 2000), copy_finish)
      for width in WIDTHS],
    trained("copy-96-long", "memory", partial(copy_start, 96, 8000), copy_finish),
    Experiment("seconds", "memory", seconds_first, seconds, seeds=(0,)),
]
