"""What a recurrent state can carry: how far back gradients reach, how many words fit, what a step costs."""

import random
import time
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

from softdict.batches import make_batch
from softdict.decoding import greedy
from softdict.experiments.frame import Experiment, trained
from softdict.runtime import device, seed as start_chance
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

    def forward(self, words):
        """words [B, S]; returns logits [B, V]."""
        outputs, _ = self.rnn(self.embed(words))
        return self.generator(outputs[:, -1])


def gradient_norms(model, distances):
    """Mean length of the gradient of the last output with respect to the first word, `distance` steps before it."""
    norms = []
    for distance in distances:
        words = model.embed(torch.randint(model.embed.num_embeddings, (64, distance + 1)))
        outputs = model.rnn(words)[0][:, -1]
        direction = F.normalize(torch.randn_like(outputs), dim=-1)
        [gradient] = torch.autograd.grad((outputs * direction).sum(), words)
        norms.append(gradient[:, 0].norm(dim=-1).mean().item())
    return norms


def recall_losses(model, updates, words):
    """Trains a model to recall the first of 2 to 40 words, new ones at every update; yields each update's loss."""
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(updates):
        row = torch.randint(words, (64, int(torch.randint(2, 41, ()))))    # 64 rows of one length
        loss = F.cross_entropy(model(row), row[:, 0])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        yield loss.item()


def reach(cell, seed, path=None, updates=1500, width=192, words=20, distances=(*range(11), *range(15, 101, 5))):
    """Gradient by distance, untrained and trained to recall, and how well the trained model recalls by distance."""
    start_chance(seed)
    model = Recall(CELLS[cell], width, words)
    untrained = gradient_norms(model, distances)
    losses = list(recall_losses(model, updates, words))
    with torch.no_grad():
        rows = {distance: torch.randint(words, (500, distance + 1)) for distance in distances if distance}
        right = [(model(row).argmax(dim=-1) == row[:, 0]).float().mean().item() for row in rows.values()]
    return {"distances": distances, "untrained": untrained, "trained": gradient_norms(model, distances),
            "recalled at": list(rows), "recalled": right, "recall loss": losses[9::20]}


def reach_first(cell, seed):
    """Gradients of the untrained model at five distances."""
    start_chance(seed)
    return gradient_norms(Recall(CELLS[cell], 192, 20), (0, 1, 2, 5, 10))


# How many words fit into one vector

def copy_pairs(count, seed, lengths=range(1, 25)):
    """Rows of random words, each with itself as its translation."""
    chance = random.Random(f"copy {seed}")
    rows = [[chance.randrange(4, WORDS) for _ in range(chance.choice(lengths))] for _ in range(count)]
    return [(row, row) for row in rows]


def copy_start(width, updates, seed):
    """A model of one width, to be trained to write what it read."""
    start_chance(seed)
    model = Seq2Seq(Encoder(WORDS, 64, width), Decoder(WORDS, 64, width)).to(device())
    settings = Settings(updates=updates, peak_rate=2e-3 if width > 192 else 4e-3, seed=seed)
    return Training(model, settings, f"copy {WORDS}"), copy_pairs(20_000, seed)


def copy_finish(training, lengths=range(1, 31)):
    """Share of rows copied without a mistake, and of words right in their place, by length; the last are unseen."""
    exact, right = [], []
    for length in lengths:
        rows = [row for row, _ in copy_pairs(200, f"test {length}", [length])]
        batch = make_batch([(row, row) for row in rows]).to(training.device)
        copies = greedy(training.model, batch.source, batch.source_lengths, limit=2 * length)
        exact.append(sum(copy == row for copy, row in zip(copies, rows)) / len(rows))
        right.append(sum(a == b for copy, row in zip(copies, rows) for a, b in zip(copy, row)) / len(rows))
    return {"lengths": list(lengths), "exact": exact, "words right": right}


# What a sentence costs in seconds

def milliseconds(work, repeats=7):
    """Median time of work(), after one call that does not count."""
    times = []
    for _ in range(repeats + 1):
        synchronize()
        begin = time.perf_counter()
        work()
        synchronize()
        times.append(1000 * (time.perf_counter() - begin))
    return sorted(times[1:])[repeats // 2]


def synchronize():
    """Waits until the GPU has done what it was told, if there is one."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def seconds(seed, path=None, sizes=(8, 16, 32, 64, 128, 256, 512), width=192, batch=16):
    """Milliseconds by length of a GRU, step after step, and of a layer of as many products, all words at once."""
    start_chance(seed)
    place = device()
    gru = nn.GRU(width, width, batch_first=True).to(place)
    parallel = nn.Sequential(nn.Linear(width, 3 * width), nn.Tanh(), nn.Linear(3 * width, width)).to(place)
    table = {"device": place.type, "lengths": sizes}
    for name, layer in (("gru", lambda words: gru(words)[0]), ("parallel", parallel)):
        words = [torch.randn(batch, size, width, device=place, requires_grad=True) for size in sizes]
        with torch.no_grad():
            table[f"{name} forward"] = [milliseconds(lambda: layer(row)) for row in words]
        table[f"{name} both"] = [milliseconds(lambda: layer(row).sum().backward()) for row in words]
    return table


def seconds_first(seed):
    """Times differ from run to run: the five numbers are sizes of what is timed."""
    return [float(sum(p.numel() for p in nn.GRU(192, 192).parameters())), 8.0, 512.0, 192.0, 16.0]


EXPERIMENTS = [
    *[Experiment(f"reach-{cell}", "memory", partial(reach_first, cell), partial(reach, cell)) for cell in CELLS],
    *[trained(f"copy-{width}", "memory", partial(copy_start, width, 2000), copy_finish) for width in WIDTHS],
    trained("copy-96-long", "memory", partial(copy_start, 96, 8000), copy_finish),
    Experiment("seconds", "memory", seconds_first, seconds, seeds=(0,)),
]
