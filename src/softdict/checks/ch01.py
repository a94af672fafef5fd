"""Checks for the exercises of chapter 01, a dictionary is a function."""

import torch

from softdict.checks.answers import (
    ask, close, pair, right_sums, short, something, two_tensors, wrong_row)
from softdict.checks.result import Mistake, exercise, refuse

KEYS, VALUES = ["computer", "dog", "cat", "dog"], [9, 2, 3, 4]


def same_text(text):
    """An equal text that is another object: a comparison by `is` does not find it."""
    return "".join(list(text))


def lists(returned):
    """The reader's answer, and the weights as a list."""
    answer, weights = pair(returned)
    refuse(isinstance(answer, (list, tuple)), "swapped_returns")
    return answer, list(weights)


def expect(got, right, key):
    """Raises Mistake unless got is the right number, or the right list of weights."""
    if isinstance(right, list):
        refuse(len(got) != len(right), "weights_missing", right=len(right),
               got=len(got))
        refuse(not close(got, right), key, got=short(got))
    refuse(not close(got, right), key, got=got)


def needs_key_error(answer):
    """Raises Mistake unless calling answer raises a KeyError."""
    try:
        result = answer()
    except KeyError:
        return
    except ZeroDivisionError:
        raise Mistake("divides_by_zero")
    except NotImplementedError:
        raise
    except Exception as error:
        raise Mistake("other_error", kind=type(error).__name__)
    raise Mistake("missing_key", result=result)


@exercise("01-1", points=2)
def check_01_1(list_lookup):
    def run(query, keys=KEYS, values=VALUES):
        return lists(list_lookup(same_text(query), list(keys), list(values)))

    try:
        answer, weights = run("computer")
    except KeyError:
        try:
            run("computer", KEYS[:1], VALUES[:1])
        except Exception:
            raise Mistake("finds_nothing")
        raise Mistake("raises_at_another")
    refuse(close(answer, 9 / 4), "divides_by_all")
    expect(answer, 9, "wrong_value")
    expect(weights, [1, 0, 0, 0], "wrong_weights")
    answer, weights = run("dog")
    refuse(close(answer, 6), "not_normalised")
    refuse(close(answer, 6 / 2 ** 0.5), "root_of_squares")
    refuse(close(answer, 4), "last_wins")
    refuse(close(answer, 2), "first_wins")
    expect(answer, 3, "wrong_mean")
    expect(weights, [0, 0.5, 0, 0.5], "weights_not_shared")
    answer, weights = run("hen", ["hen", "hen", "henhouse", "hen"], [1, 2, 100, 7])
    refuse(close(answer, 110 / 4), "inside")
    expect(answer, 10 / 3, "not_the_mean")
    expect(weights, [1 / 3, 1 / 3, 0, 1 / 3], "weights_not_shared-three")
    try:
        answer, _ = run("free", ["free", "dog"], [0, 2])
    except KeyError:
        raise Mistake("zero_is_missing")
    expect(answer, 0, "zero_is_missing-gives")
    needs_key_error(lambda: list_lookup("puppy", list(KEYS), list(VALUES)))


@exercise("01-2", points=2)
def check_01_2(default_lookup):
    def run(query, keys=KEYS, values=VALUES, default=5):
        return lists(
            default_lookup(same_text(query), list(keys), list(values), default))

    try:
        answer, weights = run("puppy")
    except (KeyError, ZeroDivisionError) as error:
        raise Mistake("still_raises", kind=type(error).__name__)
    expect(answer, 5, "default_ignored")
    ask(default_lookup, "puppy", KEYS, VALUES, 5)
    refuse(len(weights) == len(KEYS), "default_without_weight")
    expect(weights, [0, 0, 0, 0, 1], "default_weight")
    expect(run("puppy", ["dog"], [2], 7)[0], 7, "default_fixed")
    answer, weights = run("cat")
    refuse(close(answer, 4), "default_always")
    expect(answer, 3, "wrong_value")
    expect(weights, [0, 0, 1, 0, 0], "default_weight-matched")
    answer, weights = run("dog")
    refuse(close(answer, 6), "not_normalised")
    refuse(close(answer, 6 / 2 ** 0.5), "root_of_squares")
    expect(answer, 3, "wrong_mean")
    expect(weights, [0, 0.5, 0, 0.5, 0], "weights_not_shared")
    expect(run("free", ["free", "dog"], [0, 2])[0], 0, "zero_is_missing")
    expect(run("hen", ["hen"], [2.5])[0], 2.5, "not_the_mean")


@exercise("01-3", points=3)
def check_01_3(matrix_lookup):
    rows = torch.eye(7)
    key = rows[[0, 1, 2, 1, 3, 1]]
    query = rows[[2, 1, 2, 4]]    # 'cat' twice; the last matches nothing
    value = torch.tensor([
        [9.0, 4.0], [2.0, 20.0], [3.0, 5.0], [4.0, 30.0], [1.0, 1.0], [8.0, 0.0]])
    matches = query @ key.T

    def run(query):
        return ask(matrix_lookup, query, key, value, keeps=False, likely=[
            ("not_transposed", "(4x7 and 6x7)"), ("wrong_order", "mat1 and mat2"),
            ("no_product", "tensor a (7) must match the size", "tensor a (2)",
             "tensor b (2)", "non-singleton dimension 0"),
            ("no_keepdim", "must match the size"),
            ("one_if_for_all", "Boolean value of Tensor")])

    try:
        returned = run(query)
    except (KeyError, ValueError, ZeroDivisionError) as error:
        run(query[:3])    # all of them match: another error is raised once more
        raise Mistake("still_raises", kind=type(error).__name__)
    answer, weights = two_tensors(returned, [(4, 2), (4, 6)], code="swapped_returns")
    refuse(close(weights[:3], matches[:3]), "not_normalised")
    refuse(close(weights, matches / matches.sum()), "total_of_all")
    by_column = matches / matches.sum(dim=0)
    refuse(close(weights.nan_to_num(), by_column.nan_to_num()), "wrong_axis")
    refuse(weights.isnan().any() or answer.isnan().any(), "nan_row")
    refuse((weights[0] > 0).all(), "softmax")
    refuse(weights[3].any(), "weight_from_nothing", got=short(weights[3]))
    refuse(close(weights[:3], matches[:3] / matches[:3].norm(dim=1, keepdim=True)),
           "root_of_squares")
    refuse(close(weights, matches * (matches.cumsum(dim=1) == 1)), "first_alone")
    expected = matches / torch.tensor([[1.0], [3.0], [1.0], [1.0]])
    if not close(weights, expected):
        wrong_row("wrong_weights", weights, expected)
    right_sums("wrong_answer", answer, expected @ value)


@exercise("01-4", points=1)
def check_01_4(mean_mark):
    names = ["Ann", "Ann", "Bob", "Cem", "Bob", "Bob", "Eve", "Annabel"]
    marks = [4, 7, 9, 1, 3, 0, 0, 100]

    def run(name):
        return something(mean_mark(same_text(name), list(names), list(marks)))

    ann, bob = run("Ann"), run("Bob")
    refuse(close(ann, 11), "not_normalised")
    refuse(close(ann, 11 / 2 ** 0.5), "root_of_squares")
    refuse(close(ann, 11 / 8), "divides_by_all")
    refuse(close(ann, 4), "one_mark-first")
    refuse(close(ann, 7), "one_mark-last")
    refuse(close(ann, 5), "whole_numbers")
    expect(ann, 5.5, "wrong_mean")
    refuse(close(bob, 20 / 3), "misaligned")
    refuse(close(bob, 6), "zero_is_missing")
    expect(bob, 4, "not_all_of_them")
    try:
        eve = run("Eve")
    except KeyError:
        raise Mistake("zero_is_missing-raises")
    expect(eve, 0, "zero_is_missing-gives")
    needs_key_error(lambda: mean_mark("Dora", list(names), list(marks)))
