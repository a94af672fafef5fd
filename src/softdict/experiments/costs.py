"""What attention costs: how spread out its scores are, what is left of their gradients, seconds and memory."""

import random
import statistics

import torch
from torch import nn

from softdict.attention import attention, fused, scaled_dot
from softdict.batches import epoch_batches
from softdict.experiments.frame import Experiment
from softdict.experiments.memory import milliseconds
from softdict.experiments.translation import KINDS, SYSTEMS
from softdict.lookup import dot, softmax
from softdict.runtime import device, seed as start_chance
from softdict.training import update

WIDTHS = (1, 4, 16, 64, 256, 1024)
LENGTHS = (32, 64, 128, 256, 512, 1024, 2048, 4096)


# Scores against width

def spread(seed, path=None, widths=WIDTHS, rows=1000, keys=10):
    """By width, for random queries and keys: spread of the scores, mean top weight, mean norm of softmax's Jacobian."""
    start_chance(seed)
    table = {"widths": widths}
    for name, score in (("dot", dot), ("scaled", scaled_dot)):
        columns = [measures(score(torch.randn(rows, 1, width), torch.randn(rows, keys, width))) for width in widths]
        table[name] = dict(zip(("spread", "top weight", "jacobian"), zip(*columns)))
    return table


def measures(scores):
    """Spread, mean top weight and mean Frobenius norm of d weights / d scores, of scores [B, 1, S]."""
    weights = softmax(scores)[:, 0]                                                          # [B, S]
    jacobians = torch.diag_embed(weights) - weights[:, :, None] * weights[:, None, :]        # [B, S, S]
    return scores.std().item(), weights.amax(dim=-1).mean().item(), jacobians.flatten(1).norm(dim=-1).mean().item()


# Seconds and memory against length

class Layer(nn.Module):
    """Self-attention with one function of attention; the four products are those of every head count."""

    def __init__(self, width, heads, function):
        super().__init__()
        self.made = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.heads, self.function = heads, function

    def forward(self, words):
        """words [B, T, D]; returns [B, T, D]."""
        parts = self.made(words).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)    # [3, B, H, T, K]
        context, _ = self.function(*parts)
        return self.out(context.transpose(1, 2).flatten(-2))


class Recurrent(nn.LSTM):
    """An LSTM that returns its states alone."""

    def forward(self, words):
        """words [B, T, D]; returns [B, T, D]."""
        return super().forward(words)[0]


def kept(layer, words):
    """Megabytes that a forward pass keeps for the way back, weights of the layer not counted."""
    own, found = {p.untyped_storage().data_ptr() for p in layer.parameters()}, {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        found[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        result = layer(words)    # held until the count is done: freed memory could be counted twice
    del result
    return sum(size for place, size in found.items() if place not in own) / 1e6


def cost(seed, path=None, lengths=LENGTHS, width=256, heads=8):
    """Milliseconds (forward, and with the way back) and megabytes by length, one sentence, for three layers."""
    start_chance(seed)
    place = device()
    layers = {"lstm": Recurrent(width, width, batch_first=True), "explicit": Layer(width, heads, attention),
              "fused": Layer(width, heads, fused)}
    table = {"device": place.type, "lengths": lengths, "width": width, "heads": heads}
    for name, layer in layers.items():
        layer.to(place)
        words = [torch.randn(1, length, width, device=place, requires_grad=True) for length in lengths]
        with torch.no_grad():
            forward = [milliseconds(lambda: layer(row), 5) for row in words]
        both = [milliseconds(lambda: layer(row).sum().backward(), 5) for row in words]
        table[name] = {"forward": forward, "both": both, "megabytes": [kept(layer, row) for row in words]}
    return table


def cost_first(seed):
    """Times differ from run to run: the five numbers are megabytes kept."""
    start_chance(seed)
    layer = Layer(256, 8, attention)
    return [kept(layer, torch.randn(1, length, 256, requires_grad=True)) for length in LENGTHS[:5]]


# Seconds of an update

PACED = {"rnn": SYSTEMS["length"]["rnn"], "attention-additive": KINDS["additive"], **SYSTEMS["transformers"]}


def paces(seed, rounds):
    """The trainings of four systems after an update on each of some batches, and what the updates took."""
    trainings = {name: system.start(seed) for name, system in PACED.items()}
    pairs, chance = trainings["rnn"][1], random.Random(seed)
    times = {name: [] for name in PACED}
    for batch in epoch_batches(pairs, 64, seed, 0)[:rounds]:
        for name in chance.sample(list(PACED), len(PACED)):
            training = trainings[name][0]
            times[name].append(milliseconds(lambda: training.history.append(update(training, batch.to(device()))), 1))
    return {name: training for name, (training, _) in trainings.items()}, times


def pace(seed, path=None):
    """Milliseconds of an update by system, on the same batches in turn: the mean, and the median of each round's ratio."""
    _, times = paces(seed, 60)
    of_transformer = {name: [mine / other for mine, other in zip(times["transformer"], row)]
                      for name, row in times.items()}
    return {"device": device().type, "milliseconds": {name: statistics.mean(row) for name, row in times.items()},
            "updates while the Transformer does one": {name: statistics.median(row)
                                                       for name, row in of_transformer.items()}}


def pace_first(seed):
    """Times differ from run to run: the five numbers are losses."""
    return [record["loss"] for training in paces(seed, 1)[0].values() for record in training.history][:5]


EXPERIMENTS = [
    Experiment("spread", "costs", lambda seed: spread(seed, widths=WIDTHS[:5])["dot"]["spread"], spread),
    Experiment("cost", "costs", cost_first, cost, seeds=(0,)),
    Experiment("pace", "costs", pace_first, pace, seeds=(0,)),
]
