"""Chapter 09: the code of *In short* against softdict.attention.SelfAttention."""

import torch
from softdict.attention import SelfAttention


def compare(names):
    layer = SelfAttention(8, 4)
    mine = [names[name].weight for name in ("W_Q", "W_K", "W_V")]
    theirs = [layer.query.weight, layer.key.weight, layer.value.weight]
    with torch.no_grad():
        for weight, other in zip(mine, theirs):
            other.copy_(weight)
    new, weights = layer(names["X"][None])
    torch.testing.assert_close(weights[0], names["weights"])
    torch.testing.assert_close(new[0], names["value"])
    for grad, other in zip(gradients(names["value"], mine), gradients(new, theirs)):
        torch.testing.assert_close(grad, other)


def gradients(values, weights):
    return torch.autograd.grad(values.square().sum(), weights)
