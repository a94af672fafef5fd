"""Checks for the exercises of chapter 09, every word asks every word."""

import math

import torch
from torch.nn.functional import normalize

from softdict.checks.answers import (
    ask, blame, close, learns, number, pair, right_sums, two_tensors, wrong_row)
from softdict.checks.result import Mistake, exercise, refuse


def inspect(returned, queries, keys, values):
    """Raises the Mistake that explains new words and weights of a scaled lookup."""
    scores = queries @ keys.transpose(-2, -1)
    root = math.sqrt(queries.shape[-1])
    weights = (scores / root).softmax(dim=-1)
    if close(returned[1], weights):
        T, S = scores.shape[-2:]
        turned = [weights.transpose(-2, -1) @ values] if T == S else []
        blame(returned[0], [
            ("wrong_words-turned", *turned),
            ("wrong_words-divided", weights @ values / S),
            ("wrong_words-plain", torch.ones_like(weights) @ values)])
        return right_sums("wrong_words", returned[0], weights @ values)
    ones = [normalize(part, dim=-1) for part in (queries, keys)]
    cosines = [one @ other.transpose(-2, -1) for one, other in
               (ones, (ones[0], keys), (queries, ones[1]))]
    blame(returned[1], [
        ("not_divided", scores.softmax(dim=-1)),
        ("divided_by_width", (scores / root**2).softmax(dim=-1)),
        ("multiplied", (scores * root).softmax(dim=-1)),
        ("other_width", (scores / math.sqrt(values.shape[-1])).softmax(dim=-1)),
        ("root_of_length",
         *((scores / length ** 0.5).softmax(dim=-1) for length in scores.shape[-2:])),
        ("normalised", *((cosine / size).softmax(dim=-1) for cosine in cosines
                         for size in (1, root))),
        ("softmax_twice", weights.softmax(dim=-1)),
        ("root_after", scores.softmax(dim=-1) / root, weights / root),
        ("no_softmax", scores / root),
        ("over_queries", (scores / root).softmax(dim=-2)),
        ("rows_divided", normalize((scores / root).softmax(dim=-2), p=1, dim=-1)),
        ("over_batch", *[(scores / root).softmax(dim=0)][:scores.dim() - 2]),
        ("keys_reshaped", (queries @ keys.reshape(keys.transpose(-2, -1).shape) / root
                           ).softmax(dim=-1)),
        ("key_asks", (scores / root).transpose(-2, -1).softmax(dim=-1)),
        ("transposed-weights", weights.transpose(-2, -1))])
    wrong_row("wrong_weights", returned[1], weights)


@exercise("09-1", points=2)
def check_09_1(ask_yourself):
    torch.manual_seed(12)
    X = torch.randn(5, 4)
    W_Q, W_K, W_V = torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 4)
    returned = ask(ask_yourself, X, W_Q, W_K, W_V, likely=[
        ("matrix_first", "size mismatch", "cannot be multiplied")])
    returned = two_tensors(returned, [(5, 4), (5, 5)], "new_words")
    X, W_Q, W_K, W_V = (part.double() for part in (X, W_Q, W_K, W_V))
    queries, keys, values = X @ W_Q, X @ W_K, X @ W_V

    def looked(queries, keys, values, others=0.0):
        weights = (queries @ keys.T / math.sqrt(3) + others).softmax(dim=-1)
        return weights @ values, weights

    blame(returned, [
        ("values_are_words", looked(queries, keys, X)),
        ("one_matrix", looked(queries, queries, values)),
        ("turned_value", looked(queries, keys, X @ W_V.T)),
        ("not_itself",
         looked(queries, keys, values, torch.full((5,), -math.inf).diag()))])
    inspect(returned, queries, keys, values)


@exercise("09-2", points=2)
def check_09_2(divisor):
    for K, a, b in ((49, 3.0, 2.0), (9, 0.5, 0.2), (16, 2.0, 0.5), (64, 1.0, 1.0)):
        got = number(divisor(K, a, b))
        right = math.sqrt(K) * a * b
        if close(got, right):
            continue
        blame(got, [
            ("variance", K * a * a * b * b),
            ("width", K * a * b),
            ("no_deviation", math.sqrt(K)),
            ("added", math.sqrt(K) * (a + b), math.sqrt(K) * math.sqrt(a * a + b * b),
             math.sqrt(K) * (a + b) / 2),
            ("only_one", math.sqrt(K) * a, math.sqrt(K) * b),
            ("root_of_all", math.sqrt(K * a * b)),
            ("divides", math.sqrt(K) / (a * b)),
            ("inverse", 1 / right)])
        refuse(abs(got / right - 1) < 0.1, "drawn")
        raise Mistake("wrong_number", K=K, a=a, b=b, right=right, got=got)


@exercise("09-3", points=2)
def check_09_3(right_layer):
    torch.manual_seed(14)
    for T, S in ((4, 4), (3, 5)):
        parts = torch.randn(2, T, 9), torch.randn(2, S, 9), torch.randn(2, S, 6)
        returned = two_tensors(ask(right_layer, *parts), [(2, T, 6), (2, T, S)],
                               "new_words")
        inspect(returned, *(part.double() for part in parts))
        learned = [part.clone().requires_grad_() for part in parts]
        learns(lambda *parts: right_layer(*parts)[0], learned)


@exercise("09-4", points=1)
def check_09_4(after_shuffle):
    torch.manual_seed(13)
    words, matrix = torch.randn(5, 4), torch.randn(4, 4)

    def layer(rows):
        weights = (rows @ matrix @ rows.T).softmax(dim=-1)
        return weights @ rows, weights

    order = torch.tensor([3, 0, 4, 1, 2])
    new, weights = layer(words)
    returned = ask(after_shuffle, new, weights, order)
    refuse(getattr(pair(returned)[1], "shape", None) == (5,), "one_of_each_row")
    returned = two_tensors(returned, [(5, 4), (5, 5)], "new_words")
    right = layer(words[order])
    if close(returned, right):
        return
    back = order.argsort()
    blame(returned, [
        ("unshuffled", (new, weights)),
        ("unshuffled-words", (new, right[1])),
        ("unshuffled-weights", (right[0], weights)),
        ("rows_only", (right[0], weights[order])),
        ("columns_only", (right[0], weights[:, order])),
        ("transposed-weights", (right[0], right[1].T)),
        ("backwards", (new[back], weights[back][:, back])),
        ("backwards-words", (new[back], right[1])),
        ("backwards-weights", (right[0], weights[back][:, back])),
        ("backwards-columns", (right[0], weights[order][:, back])),
        ("backwards-rows", (right[0], weights[back][:, order]))])
    refuse(not close(returned[0], right[0]), "wrong_order-words")
    raise Mistake("wrong_order-weights")
