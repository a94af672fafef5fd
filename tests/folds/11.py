"""Chapter 11: the code of *In short* against softdict.masks and softdict.attention."""

import torch
from softdict.attention import attention
from softdict.masks import causal_mask, causal_padding_mask, padding_mask


def compare(names):
    lengths, size = torch.tensor([4]), 5
    assert torch.equal(names["padding"], padding_mask(lengths, size)[0])
    assert torch.equal(names["causal"], causal_mask(size))
    allowed = causal_padding_mask(lengths, size)[0]    # [T, S]
    assert torch.equal(names["allowed"], allowed)
    vectors = names["vectors"]
    context, weights = attention(*vectors, allowed)
    torch.testing.assert_close(weights, names["weights"])
    torch.testing.assert_close(context, names["value"])
    for found in (names["value"], context):
        assert found.isfinite().all()
    mine, theirs = (torch.autograd.grad(found.square().sum(), vectors)
                    for found in (names["value"], context))
    torch.testing.assert_close(mine, theirs)
