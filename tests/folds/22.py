"""Chapter 22: the code of *In short* against softdict.decoder_only.GroupedAttention."""

import torch
from softdict.decoder_only import LLAMA, DecoderOnlyConfig, GroupedAttention
from softdict.layers import angles
from softdict.masks import causal_mask


def compare(names):
    config = DecoderOnlyConfig(9, width=16, heads=4, kv_heads=2, **LLAMA)
    theirs = GroupedAttention(config)
    parts = [theirs.query, theirs.key, theirs.value]
    with torch.no_grad():
        for part, weight in zip(parts, names["W"].weight.split([16, 8, 8])):
            part.weight.copy_(weight)
        theirs.out.weight.copy_(torch.eye(16))    # the code stops before it
    context = theirs(names["x"][None], angles(torch.arange(5), 4), causal_mask(5))[0]
    mine = names["value"].flatten(0, 1).transpose(0, 1).flatten(1)    # [T, H * K]
    torch.testing.assert_close(context, mine)
    context.square().sum().backward()
    mine.square().sum().backward()
    grads = torch.cat([part.weight.grad for part in parts])
    torch.testing.assert_close(grads, names["W"].weight.grad)
