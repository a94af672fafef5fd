"""Chapter 02: the code of *In short* against softdict.lookup, with the cosine as its
score. Nothing in the code asks for a gradient, so values are compared alone."""

import torch
from softdict.lookup import cosine, lookup

VALUE = torch.tensor([[9., 0.], [2., 4.], [3., 4.]])    # price and legs, [S, D]


def compare(names):
    query, key = names["query"], names["key"]
    torch.testing.assert_close(cosine(query, key), names["scores"])
    answers, weights = lookup(query, key, VALUE, temperature=names["tau"])
    torch.testing.assert_close(weights, names["weights"])
    torch.testing.assert_close(answers, names["value"])
