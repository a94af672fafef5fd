"""Chapter 21: the code of *In short* against masked_loss and next_word_loss.

They get a TextModel without positions and without its last norm.
"""

import torch
from softdict.pretraining import TextModel, masked_loss, next_word_loss
from softdict.transformer import TransformerConfig
from torch import nn


class Table(nn.Module):
    """An embedding that leaves the positions out."""

    def __init__(self, weight):
        super().__init__()
        self.table = nn.Embedding(*weight.shape, _weight=weight.detach().clone())

    def forward(self, ids, positions):
        return self.table(ids)


def compare(names):
    config = TransformerConfig(8, heads=2, layers=1, hidden=32, dropout=0.0)
    model = TextModel(10, config)
    model.embedding = Table(names["embed"].weight)
    model.norm = nn.Identity()
    model.generator.weight = model.embedding.table.weight
    [layer], block = model.layers, names["block"]
    attention = layer.self_attention
    with torch.no_grad():
        model.generator.bias.zero_()
        for part, weight, bias in zip(
                (attention.query, attention.key, attention.value),
                block.self_attn.in_proj_weight.chunk(3),
                block.self_attn.in_proj_bias.chunk(3)):
            part.weight.copy_(weight)
            part.bias.copy_(bias)
    pairs = [(attention.out, block.self_attn.out_proj), (layer.norm1, block.norm1),
             (layer.norm2, block.norm2), (layer.feed_forward.up, block.linear1),
             (layer.feed_forward.down, block.linear2)]
    for part, mine in pairs:
        part.load_state_dict(mine.state_dict())
    ids, chosen = names["ids"][None], names["chosen"][None]
    assert chosen.sum() == 2
    theirs = (masked_loss(model, ids.masked_fill(chosen, 9), ids * chosen),
              next_word_loss(model, ids[:, :-1], ids[:, 1:]))
    pairs.append((model.embedding.table, names["embed"]))
    for loss, mine in zip(theirs, names["value"]):
        torch.testing.assert_close(loss, mine, rtol=1e-4, atol=1e-5)
        for part, own in pairs:
            [grad] = torch.autograd.grad(loss, part.weight, retain_graph=True)
            [other] = torch.autograd.grad(mine, own.weight, retain_graph=True)
            torch.testing.assert_close(grad, other, rtol=1e-3, atol=1e-5)
