"""Chapter 10: the code of *In short* against softdict.heads.MultiHeadAttention.

The package has one wide matrix where the code has one a head: those side by side.
"""

import torch
from softdict.heads import MultiHeadAttention


def compare(names):
    layer = MultiHeadAttention(8, 2, bias=False)
    mine = [names[name] for name in ("W_Q", "W_K", "W_V", "W_O")]
    theirs = [layer.query.weight, layer.key.weight, layer.value.weight,
              layer.out.weight]
    with torch.no_grad():
        for weight, other in zip(mine, theirs):
            other.copy_(wide(weight))
    x = names["X"][None]    # [1, T, D]
    torch.testing.assert_close(layer.weights(x)[0], names["weights"])
    new = layer(x)[0]
    torch.testing.assert_close(new, names["value"])
    for grad, other in zip(gradients(names["value"], mine), gradients(new, theirs)):
        torch.testing.assert_close(wide(grad), other, rtol=1e-4, atol=1e-3)


def wide(weight):
    """Matrices [H, D, K] or one [D, D], as a Linear stores them: transposed."""
    return (torch.cat(list(weight), dim=-1) if weight.dim() == 3 else weight).T


def gradients(values, weights):
    return torch.autograd.grad(values.square().mean(), weights)
