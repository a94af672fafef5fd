"""What self-attention costs: how spread out its scores are, what is left of their gradients, seconds and memory."""

import torch
from torch import nn

from softdict.attention import attention, fused, scaled_dot
from softdict.experiments.frame import Experiment
from softdict.experiments.memory import milliseconds
from softdict.lookup import dot, softmax
from softdict.runtime import device, seed as start_chance

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


EXPERIMENTS = [
    Experiment("spread", "costs", lambda seed: spread(seed, widths=WIDTHS[:5])["dot"]["spread"], spread),
    Experiment("cost", "costs", cost_first, cost, seeds=(0,)),
]
