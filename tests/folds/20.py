"""Chapter 20: the code of *In short* against softdict.roles, on a model of a layer."""

import torch
from softdict.heads import MultiHeadAttention
from softdict.roles import ablated, gates, heads
from torch import nn


def compare(names):
    attention = MultiHeadAttention(8, 4, bias=False)
    parts = [attention.query, attention.key, attention.value]
    with torch.no_grad():
        for part, weight in zip(parts, names["W"]):
            part.weight.copy_(weight.transpose(1, 2).flatten(0, 1))    # [H * K, D]
        attention.out.weight.copy_(names["W_O"].flatten(0, 1).T)
    model = nn.ModuleDict({"layers": nn.ModuleList([attention])})
    assert list(heads(model)) == [f"layer 1.{n}" for n in (1, 2, 3, 4)]

    def loss():
        output = attention(names["x"][None])[0]
        return (output - names["wanted"]).square().mean()

    costs, whole = [], loss()
    for name in heads(model):
        with ablated(model, [name]):
            costs.append(loss() - whole)
    gate = torch.ones(4, 1, 1, requires_grad=True)
    with gates(model, {attention: gate}):
        [slope] = torch.autograd.grad(loss(), gate)
    theirs = torch.stack(costs), slope.abs().flatten()
    for mine, other in zip(names["value"], theirs):
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-4)
