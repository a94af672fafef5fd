"""Chapter 18: the code of *In short* against softdict.heads and softdict.cache.

A cache is written in place and read without gradients: there are none to compare.
"""

import torch
from softdict.cache import DecoderCache
from softdict.heads import MultiHeadAttention
from softdict.layers import exchanged
from softdict.masks import causal_mask


def compare(names):
    heads = MultiHeadAttention(8, heads=1, bias=False)
    parts = zip(heads.parameters(), [*(names[f"W_{name}"].T for name in "QKV"),
                                     torch.eye(8)], strict=True)
    with torch.no_grad():
        for weight, mine in parts:
            weight.copy_(mine)
        words = names["words"][None]
        at_once = heads(words, allowed=causal_mask(6))[0]
        context, size = names["value"]
        torch.testing.assert_close(context, at_once)
        cache = DecoderCache([], None, [None])
        step = exchanged(heads, keys_and_values=lambda x: cache.append(
            0, *heads.keys_and_values(x)))
        by_step = torch.cat([step(words[:, t:t + 1])[0] for t in range(6)])
    torch.testing.assert_close(context, by_step)
    assert size == sum(part.nbytes for part in cache.past[0])
    for mine, theirs in zip((names["keys"], names["values"]), cache.past[0]):
        torch.testing.assert_close(mine, theirs[0, 0])
