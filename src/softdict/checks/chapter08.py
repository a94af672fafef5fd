"""Checks for the exercises of chapter 08, every word asks every word."""

import math

import torch

from softdict.checks.result import Mistake, attempt, close, exercise, number, short

ROWS = "rows are words that ask and columns words that are asked"


def two(returned, shapes):
    """The reader's new words and weights; raises Mistake unless they are tensors of these shapes."""
    if returned is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    if not isinstance(returned, (tuple, list)) or len(returned) != 2:
        raise Mistake("not_two_things", "return two things, the new words and the weights.")
    for got, name in zip(returned, ("new words", "weights")):
        if not isinstance(got, torch.Tensor):
            raise Mistake("no_tensor", f"the {name} should be a tensor; yours are of type {type(got).__name__}.")
    got = [tuple(tensor.shape) for tensor in returned]
    if got == shapes[::-1] != shapes:
        raise Mistake("swapped", "return the new words first and the weights second.")
    for shape, wanted, name in zip(got, shapes, ("new words", "weights")):
        if shape != wanted:
            raise Mistake("wrong_shape", f"the {name} should be {list(wanted)} here; yours are {list(shape)}.")
    return [tensor.detach().double() for tensor in returned]


def unchanged(given, kept):
    """Raises Mistake unless the arguments are as they were."""
    if not all(map(torch.equal, given, kept)):
        raise Mistake("changes_arguments", "yours changes what it was given; work on copies.")


def inspect(returned, queries, keys, values):
    """Raises the Mistake that explains new words and weights which are not those of a scaled lookup."""
    scores = queries @ keys.transpose(-2, -1)
    root = math.sqrt(queries.shape[-1])
    weights = (scores / root).softmax(dim=-1)
    if close(returned[1], weights) and close(returned[0], weights @ values):
        return
    if close(returned[1], weights):
        raise Mistake("wrong_words", "the weights are right, and the new words are not: add up the values, each times "
                                     "its weight.")
    likely = [
        ("not_divided", scores.softmax(dim=-1), "your scores are not divided by the root of their width."),
        ("divided_by_width", (scores / root**2).softmax(dim=-1), "yours divides by the width; divide by its root."),
        ("multiplied", (scores * root).softmax(dim=-1), "yours multiplies by the root; divide by it."),
        ("other_width", (scores / math.sqrt(values.shape[-1])).softmax(dim=-1),
         "yours divides by the root of the width of the values; the width of query and key counts."),
        ("softmax_twice", weights.softmax(dim=-1), "yours takes the softmax twice."),
        ("no_softmax", scores / root, "your weights are scores; softmax comes between."),
    ]
    if scores.shape[-1] == scores.shape[-2]:
        likely += [
            ("over_queries", (scores / root).softmax(dim=-2), f"your softmax runs over the words that ask, so columns "
                                                              f"add up to 1; {ROWS}, and rows should."),
            ("key_asks", (scores / root).transpose(-2, -1).softmax(dim=-1), f"yours has query and key the wrong way "
                                                                            f"round: {ROWS}."),
            ("transposed", weights.transpose(-2, -1), f"your weights are turned over: {ROWS}."),
        ]
    for code, wrong, sentence in likely:
        if close(returned[1], wrong):
            raise Mistake(code, sentence)
    raise Mistake("wrong_weights", f"the first row of weights should be {short(weights.flatten(0, -2)[0])}; yours is "
                                   f"{short(returned[1].flatten(0, -2)[0])}.")


@exercise("08-1", points=2)
def check_08_1(ask_yourself):
    torch.manual_seed(12)
    X = torch.randn(5, 4)
    W_Q, W_K, W_V = torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 4)
    given = [tensor.clone() for tensor in (X, W_Q, W_K, W_V)]
    returned = two(attempt(lambda: ask_yourself(*given), (
        "size mismatch", "matrix_first", "sizes do not meet: a row stands before its matrix, `X[t] @ W_Q`, and a query "
                                            "meets one key at a time.")), [(5, 4), (5, 5)])
    unchanged(given, (X, W_Q, W_K, W_V))
    X, W_Q, W_K, W_V = (tensor.double() for tensor in (X, W_Q, W_K, W_V))
    queries, keys, values = X @ W_Q, X @ W_K, X @ W_V
    for code, wrong, sentence in (
            ("values_are_words", (queries, keys, X), "the weights are right; what is averaged is the words, and not "
                                                     "their values."),
            ("one_matrix", (queries, queries, values), "yours makes the keys with W_Q; they have W_K."),
            ("turned_value", (queries, keys, X @ W_V.T), "yours turns W_V over.")):
        scores = wrong[0] @ wrong[1].T
        weights = (scores / math.sqrt(3)).softmax(dim=-1)
        if close(returned[1], weights) and close(returned[0], weights @ wrong[2]):
            raise Mistake(code, sentence)
    inspect(returned, queries, keys, values)
    return "every word asked every word, itself among them."


@exercise("08-2", points=2)
def check_08_2(divisor):
    for K, a, b in ((49, 3.0, 2.0), (9, 0.5, 0.2), (16, 2.0, 0.5), (64, 1.0, 1.0)):
        got = number(divisor(K, a, b))
        right = math.sqrt(K) * a * b
        if close(got, right):
            continue
        likely = [("variance", K * a * a * b * b, "that is the variance; the spread is its root."),
                  ("width", K * a * b, "the spread of a sum of K numbers is the root of K, and not K."),
                  ("no_spread", math.sqrt(K), "the root of K is right for spread 1; a and b count too."),
                  ("added", math.sqrt(K) * (a + b), "the numbers are multiplied, so their spreads are too."),
                  ("added", math.sqrt(K) * math.sqrt(a * a + b * b), "the numbers are multiplied, and not added, so "
                                                                     "their spreads are multiplied."),
                  ("only_one", math.sqrt(K) * a, "query and key both have a spread."),
                  ("only_one", math.sqrt(K) * b, "query and key both have a spread."),
                  ("root_of_all", math.sqrt(K * a * b), "a and b come out of the root: the variance has their squares."),
                  ("inverse", 1 / right, "that is what to multiply with; return what to divide by.")]
        for code, wrong, sentence in likely:
            if close(got, wrong):
                raise Mistake(code, sentence)
        raise Mistake("wrong_number", f"for K = {K}, a = {a} and b = {b} the products spread by {right:g}; yours is "
                                      f"{got:g}.")
    return "now they spread by 1, whatever the width."


@exercise("08-3", points=1)
def check_08_3(after_shuffle):
    torch.manual_seed(13)
    words, matrix = torch.randn(5, 4), torch.randn(4, 4)

    def layer(rows):
        weights = (rows @ matrix @ rows.T).softmax(dim=-1)
        return weights @ rows, weights

    order = torch.tensor([3, 0, 4, 1, 2])
    new, weights = layer(words)
    given = new.clone(), weights.clone(), order.clone()
    returned = two(after_shuffle(*given), [(5, 4), (5, 5)])
    unchanged(given, (new, weights, order))
    right = layer(words[order])
    if all(map(close, returned, right)):
        return "the same vectors and the same weights, in another order."
    back = order.argsort()
    likely = [
        ("unshuffled", (new, weights), "yours changes nothing; the words stand in another order now."),
        ("rows_only", (right[0], weights[order]), "the rows of the weights are right; the words that are asked, the "
                                                  "columns, changed places too."),
        ("columns_only", (right[0], weights[:, order]), "the columns of the weights are right; the words that ask, the "
                                                        "rows, changed places too."),
        ("backwards", (new[back], weights[back][:, back]), "yours shuffles the other way: row t of the result is row "
                                                           "order[t] of the old one."),
    ]
    for code, wrong, sentence in likely:
        if all(map(close, returned, wrong)):
            raise Mistake(code, sentence)
    part = "new words" if not close(returned[0], right[0]) else "weights"
    raise Mistake("wrong_order", f"the {part} are not those of the shuffled sentence.")


@exercise("08-4", points=2)
def check_08_4(right_layer):
    torch.manual_seed(14)
    for T, S in ((4, 4), (3, 5)):
        tensors = torch.randn(2, T, 9), torch.randn(2, S, 9), torch.randn(2, S, 6)
        given = [tensor.clone() for tensor in tensors]
        returned = two(right_layer(*given), [(2, T, 6), (2, T, S)])
        unchanged(given, tensors)
        inspect(returned, *(tensor.double() for tensor in tensors))
    return "each query shares out exactly 1 among the keys."
