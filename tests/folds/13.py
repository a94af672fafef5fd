"""Chapter 13: the code of *In short* against softdict.transformer.EncoderLayer."""

import torch
from softdict.transformer import EncoderLayer, TransformerConfig


def compare(names):
    layer = EncoderLayer(TransformerConfig(8, heads=2, hidden=32, dropout=0.0))
    attend, theirs = names["attend"], layer.self_attention
    wide, _, narrow = names["feed_forward"]
    with torch.no_grad():
        for part, weight, bias in zip((theirs.query, theirs.key, theirs.value),
                                      attend.in_proj_weight.chunk(3),
                                      attend.in_proj_bias.chunk(3)):
            part.weight.copy_(weight)
            part.bias.copy_(bias)
    pairs = [(theirs.out, attend.out_proj), (layer.norm1, names["norm1"]),
             (layer.norm2, names["norm2"]), (layer.feed_forward.up, wide),
             (layer.feed_forward.down, narrow)]
    for part, mine in pairs:
        part.load_state_dict(mine.state_dict())
    # the words as they were before the first sum
    before = names["x"] - names["answer"]
    out = layer(before[None].detach())[0]
    torch.testing.assert_close(out, names["value"], atol=1e-5, rtol=1e-5)
    out.square().sum().backward()
    names["value"].square().sum().backward()
    for part, mine in pairs:
        for number, weight in zip(part.parameters(), mine.parameters()):
            torch.testing.assert_close(number.grad, weight.grad, atol=1e-4, rtol=1e-4)
    for kind in ("weight", "bias"):
        joined = torch.cat([getattr(part, kind).grad for part in (
            theirs.query, theirs.key, theirs.value)])
        torch.testing.assert_close(joined, getattr(attend, f"in_proj_{kind}").grad,
                                   atol=1e-4, rtol=1e-4)
