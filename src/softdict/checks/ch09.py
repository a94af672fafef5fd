"""Checks for the exercises of chapter 09, every word asks every word."""

import math

import torch
from torch.nn.functional import normalize

from softdict.checks.answers import (
    DIVIDED_BY_WIDTH, NOT_DIVIDED, ROWS, ask, blame, close, learns, number, pair,
    right_sums, two_tensors, wrong_row)
from softdict.checks.result import Mistake, exercise, refuse


def inspect(returned, queries, keys, values):
    """Raises the Mistake that explains new words and weights of a scaled lookup."""
    scores = queries @ keys.transpose(-2, -1)
    root = math.sqrt(queries.shape[-1])
    weights = (scores / root).softmax(dim=-1)
    if close(returned[1], weights):
        return right_sums("wrong_words", "new words", returned[0], weights @ values)
    ones = [normalize(part, dim=-1) for part in (queries, keys)]
    cosines = [one @ other.transpose(-2, -1) for one, other in
               (ones, (ones[0], keys), (queries, ones[1]))]
    blame(returned[1], [
        (*NOT_DIVIDED, scores.softmax(dim=-1)),
        (*DIVIDED_BY_WIDTH, (scores / root**2).softmax(dim=-1)),
        ("multiplied", "yours multiplies by the root; divide by it.",
         (scores * root).softmax(dim=-1)),
        ("other_width", "yours divides by the root of the width of words or values; "
         "that of query and key counts.",
         (scores / math.sqrt(values.shape[-1])).softmax(dim=-1)),
        ("root_of_length", "yours divides by the root of the number of words; the root "
         "of the width counts. Should one more word make the other scores smaller?",
         *((scores / length ** 0.5).softmax(dim=-1) for length in scores.shape[-2:])),
        ("normalised", "yours brings queries or keys to length 1, so that no word can "
         "insist; the dot products count as they are, over the root of the width.",
         *((cosine / size).softmax(dim=-1)
           for cosine in cosines for size in (1, root))),
        ("softmax_twice", "yours takes the softmax twice.", weights.softmax(dim=-1)),
        ("root_after", "yours divides the weights by the root; divide the scores by "
         "it, before the softmax.", scores.softmax(dim=-1) / root, weights / root),
        ("no_softmax", "your weights are scores; softmax comes between.",
         scores / root),
        ("over_queries", "your softmax runs over the words that ask, so columns add up "
         f"to 1; {ROWS}, and rows should.", (scores / root).softmax(dim=-2)),
        ("rows_divided", "your softmax still runs over the words that ask; dividing "
         "each row by its sum afterwards is no softmax.",
         normalize((scores / root).softmax(dim=-2), p=1, dim=-1)),
        ("over_batch", "your softmax runs over the sentences of the batch; each query "
         "shares out 1 among the keys of its own.",
         *[(scores / root).softmax(dim=0)][:scores.dim() - 2]),
        ("key_asks", f"yours has query and key the wrong way round: {ROWS}.",
         (scores / root).transpose(-2, -1).softmax(dim=-1)),
        ("transposed", f"your weights are turned over: {ROWS}.",
         weights.transpose(-2, -1))])
    wrong_row("wrong_weights", "weights", returned[1], weights)


@exercise("09-1", points=2)
def check_09_1(ask_yourself):
    torch.manual_seed(12)
    X = torch.randn(5, 4)
    W_Q, W_K, W_V = torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 4)
    returned = two_tensors(ask(ask_yourself, X, W_Q, W_K, W_V, likely=[
        ("matrix_first", "sizes do not meet: a row stands before its matrix, `X[t] @ "
         "W_Q`, and a query meets one key at a time.", "size mismatch",
         "cannot be multiplied")]),
                           [(5, 4), (5, 5)], "new words")
    X, W_Q, W_K, W_V = (part.double() for part in (X, W_Q, W_K, W_V))
    queries, keys, values = X @ W_Q, X @ W_K, X @ W_V

    def looked(queries, keys, values, others=0.0):
        weights = (queries @ keys.T / math.sqrt(3) + others).softmax(dim=-1)
        return weights @ values, weights

    blame(returned, [
        ("values_are_words", "the weights are right; what is averaged is the words, "
         "and not their values.", looked(queries, keys, X)),
        ("one_matrix", "yours makes the keys with W_Q; they have W_K.",
         looked(queries, queries, values)),
        ("turned_value", "yours turns W_V over.", looked(queries, keys, X @ W_V.T)),
        ("not_itself", "yours leaves out the word that asks; it asks itself too.",
         looked(queries, keys, values, torch.full((5,), -math.inf).diag()))])
    inspect(returned, queries, keys, values)
    return "every word asked every word, itself among them."


@exercise("09-2", points=2)
def check_09_2(divisor):
    for K, a, b in ((49, 3.0, 2.0), (9, 0.5, 0.2), (16, 2.0, 0.5), (64, 1.0, 1.0)):
        got = number(divisor(K, a, b))
        right = math.sqrt(K) * a * b
        if close(got, right):
            continue
        blame(got, [
            ("variance", "that is the variance; the standard deviation is its root.",
             K * a * a * b * b),
            ("width", "the standard deviation of a sum of K numbers grows with the "
             "root of K, and not with K.", K * a * b),
            ("no_deviation", "the root of K is right if a and b are 1; they count too.",
             math.sqrt(K)),
            ("added", "the numbers are multiplied, so a and b are too.",
             math.sqrt(K) * (a + b), math.sqrt(K) * math.sqrt(a * a + b * b),
             math.sqrt(K) * (a + b) / 2),
            ("only_one", "query and key both have a standard deviation.",
             math.sqrt(K) * a, math.sqrt(K) * b),
            ("root_of_all", "a and b come out of the root: the variance has their "
             "squares.", math.sqrt(K * a * b)),
            ("divides", "yours divides by a and b; the dot products grow with both, so "
             "multiply.", math.sqrt(K) / (a * b)),
            ("inverse", "that is what to multiply with; return what to divide by.",
             1 / right)])
        refuse(abs(got / right - 1) < 0.1, "drawn", "that is near it, and not exact: "
               "no vector has to be drawn; work out the variance.")
        raise Mistake("wrong_number", f"for K = {K}, a = {a} and b = {b} the dot "
                      f"products have a standard deviation of {right:g}; yours is "
                      f"{got:g}.")
    return "now they are of one size, whatever the width."


@exercise("09-3", points=2)
def check_09_3(right_layer):
    torch.manual_seed(14)
    for T, S in ((4, 4), (3, 5)):
        parts = torch.randn(2, T, 9), torch.randn(2, S, 9), torch.randn(2, S, 6)
        returned = two_tensors(ask(right_layer, *parts), [(2, T, 6), (2, T, S)],
                               "new words")
        inspect(returned, *(part.double() for part in parts))
        learned = [part.clone().requires_grad_() for part in parts]
        learns(lambda *parts: right_layer(*parts)[0], learned)
    return "each query shares out exactly 1 among the keys."


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
    refuse(getattr(pair(returned)[1], "shape", None) == (5,), "one_of_each_row",
           "yours takes one weight of each row, as `weights[order, order]` does; take "
           "the rows first, then the columns of all of them.")
    returned = two_tensors(returned, [(5, 4), (5, 5)], "new words")
    right = layer(words[order])
    if close(returned, right):
        return "the same vectors and the same weights, in another order."
    back = order.argsort()
    blame(returned, [
        ("unshuffled", "yours changes nothing; the words stand in another order now.",
         (new, weights)),
        ("rows_only", "the rows of the weights are right; the words that are asked, "
         "the columns, changed places too.", (right[0], weights[order])),
        ("columns_only", "the columns of the weights are right; the words that ask, "
         "the rows, changed places too.", (right[0], weights[:, order])),
        ("backwards", "yours shuffles the other way: row t of the result is row "
         "order[t] of the old one.", (new[back], weights[back][:, back]))])
    part = "new words" if not close(returned[0], right[0]) else "weights"
    raise Mistake("wrong_order", f"the {part} are not those of the shuffled sentence.")
