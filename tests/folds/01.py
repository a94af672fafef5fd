"""Chapter 01: the code of *In short* against softdict.lookup.exact_lookup, and against
the dictionary itself.

Nothing is learned here: the slopes of the answers at the values are the weights.
"""

import torch
from softdict.lookup import exact_lookup


def compare(names):
    keys = list(names["price"])
    value = torch.tensor(list(names["price"].values()), requires_grad=True)    # [S]
    rows = [exact_lookup(word, keys, list(value)) for word in names["asked"]]
    answers = torch.stack([answer for answer, _ in rows])    # [T]
    torch.testing.assert_close(answers.detach(), names["value"], rtol=0, atol=0)
    assert answers.tolist() == [names["price"][word] for word in names["asked"]]
    assert names["weights"].tolist() == [weights for _, weights in rows]
    [slopes] = torch.autograd.grad(answers.sum(), value)
    torch.testing.assert_close(slopes, names["weights"].sum(dim=0))
