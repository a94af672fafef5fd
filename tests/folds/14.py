"""Chapter 14: the code of *In short* against softdict.transformer.

Its machine has the paper's norms, and last norms too. So has the package's here; its
weights are the code's own, so that one gradient serves both.
"""

import torch
from softdict.transformer import TransformerConfig
from softdict.variants import make_variant
from torch import nn
from torch.func import functional_call

ATTENTIONS = {"self_attention": "self_attn", "cross_attention": "multihead_attn"}
OTHERS = {"feed_forward.up": "linear1", "feed_forward.down": "linear2",
          "norm1": "norm1", "norm2": "norm2", "norm3": "norm3"}


class Placed(nn.Module):
    """A table of words plus a table of positions."""

    def __init__(self, words, places):
        super().__init__()
        self.words, self.places = words, places

    def forward(self, ids, positions):
        return self.words(ids) + self.places(positions)


def compare(names):
    theirs, place = names["model"], names["place"]
    ours = make_variant(9, 9, TransformerConfig(8, 2, 2, 32, 0.0), pre_norm=False,
                        tied=False)
    ours.encoder.embedding = Placed(names["english"], place)
    ours.decoder.embedding = Placed(names["french"], place)
    ours.encoder.norm, ours.decoder.norm = theirs.encoder.norm, theirs.decoder.norm
    ours.generator = names["generator"]
    logits = functional_call(ours, dict(layers(theirs)), (
        names["source"][None], torch.tensor([3]), names["reads"][None]))[0]
    torch.testing.assert_close(names["value"], logits)
    weights = [*theirs.parameters(), *names["english"].parameters(),
               *names["french"].parameters(), place.weight]
    for mine, other in zip(gradients(names["value"], weights),
                           gradients(logits, weights)):
        torch.testing.assert_close(mine, other)


def layers(theirs):
    """The weights of PyTorch's layers by their names in the package."""
    for stack in ("encoder", "decoder"):
        for number, layer in enumerate(getattr(theirs, stack).layers):
            at, parts = f"{stack}.layers.{number}", dict(layer.named_children())
            for ours, name in OTHERS.items():
                if name in parts:
                    yield f"{at}.{ours}.weight", parts[name].weight
                    yield f"{at}.{ours}.bias", parts[name].bias
            for ours, name in ATTENTIONS.items():
                if name in parts:
                    for kind in ("weight", "bias"):
                        yield (f"{at}.{ours}.out.{kind}",
                               getattr(parts[name].out_proj, kind))
                        three = getattr(parts[name], f"in_proj_{kind}").chunk(3)
                        for part, rows in zip(("query", "key", "value"), three):
                            yield f"{at}.{ours}.{part}.{kind}", rows


def gradients(values, weights):
    return torch.autograd.grad(values.square().sum(), weights, retain_graph=True)
