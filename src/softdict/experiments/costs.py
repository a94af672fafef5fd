"""What attention costs: the spread of its scores, their gradients, seconds, memory."""

import random
import statistics

import torch
from torch import nn

from softdict import runtime
from softdict.attention import attention, scaled_dot, sdpa
from softdict.batches import epoch_batches
from softdict.experiments.runner import Experiment
from softdict.experiments.timing import milliseconds
from softdict.experiments.translation import system
from softdict.lookup import dot, softmax
from softdict.training import update

WIDTHS = (1, 4, 16, 64, 256, 1024)
LENGTHS = (32, 64, 128, 256, 512, 1024, 2048, 4096)


# Scores against width

def spread(seed, path=None, widths=WIDTHS, rows=1000, keys=10):
    """By width, for random queries and keys, the three `measures` of scores."""
    runtime.seed(seed)
    table = {"widths": widths}
    for name, score in (("dot", dot), ("scaled", scaled_dot)):
        columns = [measures(score(torch.randn(rows, 1, width),
                                  torch.randn(rows, keys, width))) for width in widths]
        table[name] = dict(zip(("spread", "top weight", "jacobian"), zip(*columns)))
    return table


def measures(scores):
    """Spread, mean top weight, and mean norm of softmax's Jacobian.

    the Jacobian is d weights / d scores [B, 1, S], its norm that of Frobenius
    """
    weights = softmax(scores)[:, 0]                              # [B, S]
    jacobians = (torch.diag_embed(weights)
                 - weights[:, :, None] * weights[:, None, :])    # [B, S, S]
    return (scores.std().item(), weights.amax(dim=-1).mean().item(),
            jacobians.flatten(1).norm(dim=-1).mean().item())


# Seconds and memory against length

class Layer(nn.Module):
    """Self-attention with one function of attention, and four products.

    they cost the same for every number of heads
    """

    def __init__(self, width, heads, function):
        super().__init__()
        self.made = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.heads, self.function = heads, function

    def forward(self, x):
        """x [B, T, D]; returns [B, T, D]."""
        parts = self.made(x).unflatten(-1, (3, self.heads, -1)).permute(
            2, 0, 3, 1, 4)    # [3, B, H, T, K]
        context, _ = self.function(*parts)
        return self.out(context.transpose(1, 2).flatten(-2))


class Recurrent(nn.LSTM):
    """An LSTM that returns its states alone."""

    def forward(self, x):
        """x [B, T, D]; returns [B, T, D]."""
        return super().forward(x)[0]


def kept(layer, x):
    """Megabytes that a forward pass keeps for the way back, beside the weights."""
    own, found = {p.untyped_storage().data_ptr() for p in layer.parameters()}, {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        found[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        # held until the count is done: freed memory could be counted twice
        result = layer(x)
    del result
    return sum(size for place, size in found.items() if place not in own) / 1e6


def cost(seed, path=None, lengths=LENGTHS, width=256, heads=8):
    """Milliseconds and megabytes by length, one sentence, for three layers.

    milliseconds forward, and with the way back ("both")
    """
    runtime.seed(seed)
    place = runtime.device()
    layers = {"lstm": Recurrent(width, width, batch_first=True),
              "explicit": Layer(width, heads, attention),
              "fused": Layer(width, heads, sdpa)}
    table = {"device": place.type, "lengths": lengths, "width": width, "heads": heads}
    for name, layer in layers.items():
        layer.to(place)
        inputs = [torch.randn(1, length, width, device=place, requires_grad=True)
                  for length in lengths]
        with torch.no_grad():
            forward = [milliseconds(lambda: layer(x), 5) for x in inputs]
        both = [milliseconds(lambda: layer(x).sum().backward(), 5) for x in inputs]
        table[name] = {"forward": forward, "both": both,
                       "megabytes": [kept(layer, x) for x in inputs]}
    return table


def cost_first(seed):
    """Times differ from run to run: the five numbers are megabytes kept."""
    runtime.seed(seed)
    layer = Layer(256, 8, attention)
    return [kept(layer, torch.randn(1, length, 256, requires_grad=True))
            for length in LENGTHS[:5]]


# Seconds of an update

PACED = ("rnn", "attention-additive", "transformer", "transformer-rotary")


def paces(seed, rounds):
    """Four of the book's models, with an update made on each of some batches.

    returns their states, and the milliseconds of each update
    """
    states = {name: system(name).start(seed) for name in PACED}
    pairs, rng = states["rnn"][1], random.Random(seed)
    times = {name: [] for name in PACED}
    for batch in epoch_batches(pairs, 64, seed, 0)[:rounds]:
        for name in rng.sample(PACED, len(PACED)):
            state = states[name][0]
            times[name].append(milliseconds(lambda: state.history.append(
                update(state, batch.to(state.device))), 1))
    return {name: state for name, (state, _) in states.items()}, times


def pace(seed, path=None):
    """Milliseconds of an update by model, on the same batches in turn.

    the mean, and beside the Transformer's the median of each round's ratio
    """
    _, times = paces(seed, 60)
    of_transformer = {
        name: [mine / other for mine, other in zip(times["transformer"], row)]
        for name, row in times.items()}
    return {"device": runtime.device().type,
            "milliseconds": {name: statistics.mean(row) for name, row in times.items()},
            "updates while the Transformer does one": {
                name: statistics.median(row) for name, row in of_transformer.items()}}


def pace_first(seed):
    """Times differ from run to run: the five numbers are losses."""
    return [record["loss"] for state in paces(seed, 1)[0].values()
            for record in state.history][:5]


EXPERIMENTS = [
    Experiment("spread", "costs",
               lambda seed: spread(seed, widths=WIDTHS[:5])["dot"]["spread"], spread),
    Experiment("cost", "costs", cost_first, cost, seeds=(0,)),
    Experiment("pace", "costs", pace_first, pace, seeds=(0,)),
]
