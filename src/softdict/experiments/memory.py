"""What a recurrent state can carry, how far back its gradients reach, what it costs."""

import random
from collections import Counter
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

from softdict import runtime
from softdict.batches import make_batch
from softdict.decoding import greedy
from softdict.experiments.runner import Experiment, trained
from softdict.experiments.timing import milliseconds
from softdict.saving.recipes import LONGEST, PAIRS
from softdict.seq2seq import Decoder, Encoder, Seq2Seq, top_state
from softdict.training import Settings, TrainingState

CELLS = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}
WIDTHS = (12, 24, 48, 96, 192, 384)
WORDS = 34      # of the copy task: four specials and thirty words


# How far back a gradient reaches

class Recall(nn.Module):
    """Reads a row of words, all of one length, and names the first."""

    def __init__(self, cell, width, words):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.rnn = cell(width, width, batch_first=True)
        self.generator = nn.Linear(width, words)

    def forward(self, ids):
        """ids [B, S]; returns logits [B, V]."""
        outputs, _ = self.rnn(self.embedding(ids))
        return self.generator(outputs[:, -1])


def gradient_norms(model, distances):
    """Mean length of the gradient of the last output, some steps after a word.

    it is the gradient with respect to that word, the first of distance + 1
    """
    norms = []
    for distance in distances:
        ids = torch.randint(model.embedding.num_embeddings, (64, distance + 1))
        x = model.embedding(ids)
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
    return (TrainingState(model.to(runtime.device()), settings, f"copy {WORDS}"),
            copy_pairs(PAIRS, seed))


def copy_finish(state, lengths=range(1, 31)):
    """By length: shares of rows without a mistake, and of words right in their place.

    the last lengths were not trained
    """
    exact, right = [], []
    for length in lengths:
        copies, rows = copies_of(state, length, 2 * length)
        exact.append(sum(copy == row for copy, row in zip(copies, rows)) / len(rows))
        right.append(mean(map(in_place, copies, rows)))
    return {"lengths": list(lengths), "exact": exact, "words right": right}


def copies_of(state, length, longest):
    """What a model writes of 200 fresh rows of one length, and the rows."""
    rows = [row for row, _ in copy_pairs(200, f"test {length}", [length])]
    batch = make_batch([(row, row) for row in rows]).to(state.device)
    return greedy(state.model, batch.source, batch.source_lengths,
                  max_length=longest), rows


def mean(values):
    values = list(values)
    return sum(values) / len(values)


# What one vector loses first: words, or their order

def in_place(copy, row):
    """How many words of a row stand in its copy, each in its place."""
    return sum(a == b for a, b in zip(copy, row))


def by_edits(copy, row):
    """Words of a row minus the fewest words put in, left out or exchanged, 0 or more.

    Levenshtein 1966
    """
    best = list(range(len(row) + 1))    # of the copy so far, to each start of the row
    for written, word in enumerate(copy, 1):
        before, best[0] = best[0], written
        for place, wanted in enumerate(row, 1):
            before, best[place] = best[place], min(
                best[place] + 1, best[place - 1] + 1, before + (word != wanted))
    return max(0, len(row) - best[-1])


def in_any_order(copy, row):
    """How many words of a row stand anywhere in its copy, each as often as in both."""
    return (Counter(copy) & Counter(row)).total()


MEASURES = {"in place": in_place, "by edits": by_edits, "in any order": in_any_order}


def order_finish(state, lengths=(5, 10, 15, 20, 24, 30)):
    """What crosses the vector of a trained copier: words, and their order.

    The question: does one vector lose words first, or the order of words? The measures,
    of 200 fresh rows of a length: how many words stand in their place, by edit
    distance, and in any order; beside each the same of another row's copy, which is
    chance. Then what a linear map finds in the vector: which word stands at each place,
    and which words there are at all. Order is lost first if the words in any order
    stay near the length, and those in their place fall to chance.
    """
    table = {"lengths": list(lengths), "written": [], "probe": []}
    table |= {name: [] for measure in MEASURES
              for name in (measure, f"{measure}, by chance")}
    for length in lengths:
        copies, rows = copies_of(state, length, 2 * length)
        table["written"].append(mean(map(len, copies)))
        for name, measure in MEASURES.items():
            table[name].append(mean(map(measure, copies, rows)))
            table[f"{name}, by chance"].append(
                mean(map(measure, copies[1:] + copies[:1], rows)))
        table["probe"].append(probe(state, length))
    return table


@torch.no_grad()
def probe(state, length, rows=4000, tests=1000, ridge=1.0):
    """What a linear map finds in the vectors of rows of one length, of fresh rows.

    the map is fitted by least squares on other rows, with ridge on its weights;
    "in place" is the mean number of places whose word has the highest score; "there" of
    the words that stand in a row, the share among the same number of words with the
    highest scores, "there, by chance" what the same finds for another row
    """
    ids = torch.tensor([row for row, _ in copy_pairs(rows + tests, f"probe {length}",
                                                     [length])])        # [N, S]
    encoded = state.model.encoder(ids.to(state.device),
                                  torch.full((len(ids),), length))
    vectors = top_state(encoded.final).cpu().double()                   # [N, D]
    vectors = torch.cat([vectors, torch.ones_like(vectors[:, :1])], dim=1)
    places = F.one_hot(ids, WORDS).double()                             # [N, S, V]
    there = places.amax(dim=1)                                          # [N, V]
    wanted = torch.cat([places.flatten(1), there], dim=1)               # [N, S*V+V]
    known = vectors[:rows]
    kept = known.T @ known + ridge * torch.eye(known.shape[1])
    scores = vectors[rows:] @ torch.linalg.solve(kept, known.T @ wanted[:rows])
    best = scores[:, :-WORDS].unflatten(1, (length, WORDS)).argmax(dim=-1)    # [M, S]
    ranks = scores[:, -WORDS:].argsort(dim=-1, descending=True).argsort(dim=-1)
    counts = there[rows:].sum(dim=1, keepdim=True)                      # [M, 1]
    found = (ranks < counts).double()                                   # [M, V]
    return {"in place": (best == ids[rows:]).double().sum(dim=1).mean().item(),
            "there": share_of(found, there[rows:]),
            "there, by chance": share_of(found.roll(1, 0), there[rows:])}


def share_of(found, there):
    """Share of the words that are there, [N, V] of 1 and 0, that are found."""
    return ((found * there).sum() / there.sum()).item()


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
      for width in WIDTHS[1:]],
    trained("copy-96-long", "memory", partial(copy_start, 96, 8000), copy_finish),
    *[trained(f"order-{width}", "order", partial(copy_start, width, 2000), order_finish)
      for width in WIDTHS[:4]],
    Experiment("seconds", "memory", seconds_first, seconds, seeds=(0,)),
]
