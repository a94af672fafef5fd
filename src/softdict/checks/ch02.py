"""Checks for the exercises of chapter 02, soft lookup."""

import math

import torch
from torch.nn.functional import normalize

from softdict.checks.answers import (MULTIPLIES, NO_TEMPERATURE, ask, blame, close,
                                     number, right_sums, short, two_tensors)
from softdict.checks.result import Mistake, exercise, refuse


OVERFLOW = ("exp overflows on the way; use torch.softmax, or take the largest score "
            "away first.")


@exercise("02-1", points=2)
def check_02_1(temperature_for):
    for scores, share in [([0.1, 0.9, 0.7], 0.9), ([0.1, 0.9, 0.7], 0.4),
                          ([3.0, -2.0, 2.5, 0.0], 0.6),
                          ([-40.0, -10.0, -30.0, -90.0], 0.5), ([0.02, 0.01], 0.99),
                          ([500.0, 499.0, 100.0], 0.9)]:
        scores = torch.tensor(scores)
        returned = ask(temperature_for, scores, share, advice=None,
                       likely=[("overflow", OVERFLOW, "math range error")])
        temperature = number(returned, "not_one_number")
        reached = torch.softmax(scores.double() / temperature, dim=0).max().item()
        if temperature > 0 and abs(reached - share) <= 0.001:
            continue
        best, second = scores.double().topk(2).values
        refuse(len(scores) > 2 and close(temperature, (best - second)
                                         / math.log(share / (1 - share))),
               "two_scores", "that is the formula for two scores; here the others take "
               "a share too, so search.")
        refuse(not temperature > 0, "not_positive",
               f"a temperature is above 0; yours is {temperature}.")
        here = f"for the scores {short(scores)} and the share {share}"
        refuse(scores.max() > 100, "overflow",
               f"{here} your weights become nan: {OVERFLOW}")
        refuse(abs(torch.softmax(scores.double() * temperature, dim=0).max().item()
                   - share) <= 0.001, "inverse", f"{here} you return one over the "
               "temperature; the scores are divided by it.")
        refuse(temperature < 0.0011 or temperature > 990, "wrong_direction",
               f"{here} you end at {temperature:.3g}, at the edge of the search. Do "
               "you follow the largest weight? When it is too large, it is too cold: "
               "which end of the interval do you move?")
        few = rounds(temperature)
        refuse(few, "few_rounds", f"{here} yours stopped after about {few} halvings of "
               "the interval; more of them bring you nearer.")
        refuse(abs(reached - share) < 0.03, "too_coarse",
               f"{here} the largest weight is {reached:.4f} at your temperature; you "
               "are near, so search more finely.")
        raise Mistake("not_close", f"{here} the largest weight should be {share}; at "
                      f"your temperature {temperature:.4g} it is {reached:.3f}.")
    return "the largest weight is where you want it, six times out of six."


def rounds(temperature):
    """How many halvings of 0.001 to 1000 end at a temperature; None if over 14 do."""
    steps = ((temperature - 0.001) / 999.999, math.log10(temperature / 0.001) / 6)
    return next((count for count in range(1, 15) for step in steps
                 if 0 < step < 1 and close(step * 2 ** count,
                                           round(step * 2 ** count), 1e-6)), None)


DIVIDES_WEIGHTS = ("divides_weights", "the temperature divides the scores, before the "
                   "softmax; yours divides the weights.")


def shares_one(weights):
    """Raises Mistake unless the weights of each query add up to 1."""
    total = weights.sum(dim=-1)
    refuse(not close(total, torch.ones_like(total)),
           "not_normalised", "the weights of one query should add up to 1; yours add "
           f"up to {short(total.flatten())}. Divide each by their sum.")


@exercise("02-2", points=3)
def check_02_2(vector_lookup):
    query = torch.tensor([1.0, 2.0, 0.0, -1.0])
    key = torch.tensor([
        [2.0, 1.0, 0.0, 0.0], [0.5, 1.0, 0.3, -0.4], [-3.0, 0.0, 1.0, 2.0]])
    value = torch.tensor([[9.0, 1.0], [2.0, 5.0], [3.0, -4.0]])
    cosines, product = torch.cosine_similarity(query, key, dim=1), key @ query
    long, warm = key.norm(dim=1), 0.4

    def run(query, key, temperature, *likely):
        return two_tensors(ask(vector_lookup, query, key, value, temperature,
                               likely=likely, advice=None), [(2,), (3,)],
                           code="swapped_returns")

    shapes = ("shapes",
              "look at the shapes: the answer is S weights times S rows of value.",
              "size mismatch", "must match the size")
    answer, weights = run(query, key, warm, shapes)
    expected = torch.softmax(cosines / warm, dim=0)
    if not close(weights, expected):
        blame(weights, [
            ("shares", "yours are shares of the scores, and one of them is negative. "
             "Take exp of the scores first.", cosines / cosines.sum()),
            (*NO_TEMPERATURE, torch.softmax(cosines, dim=0)),
            ("multiplies", "a low temperature should make the best key stronger, and "
             "yours weaker. Do you multiply by it?",
             torch.softmax(cosines * warm, dim=0)),
            ("dot_product", "your score is the dot product, so a long key wins; divide "
             "by the lengths of query and key.", torch.softmax(product / warm, dim=0)),
            ("query_length", "your score changes with the length of the query; divide "
             "by that length too.", torch.softmax(product / long / warm, dim=0)),
            ("key_length", "your score changes with the length of the key; divide by "
             "that length too.", torch.softmax(product / query.norm() / warm, dim=0)),
            ("squared_length",
             "a length is the square root of the sum of squares; yours lacks the root.",
             torch.softmax(product / (query.norm() * long) ** 2 / warm, dim=0)),
            ("length_of_all", "yours divides by the length of all keys taken together; "
             "each key has its own.",
             torch.softmax(product / query.norm() / key.norm() / warm, dim=0)),
            (*DIVIDES_WEIGHTS, torch.softmax(cosines, dim=0) / warm)])
        shares_one(weights)
        raise Mistake("wrong_weights", "the weights are softmax(cosine / temperature), "
                      f"here {short(expected)}; yours are {short(weights)}.")
    right_sums("wrong_answer", "answer", answer, weights @ value.double())

    def probe(query, key, temperature, code, sentence, *errors):
        _, weights = run(query, key, temperature, (code, sentence, *errors))
        cosines = torch.cosine_similarity(query, key, dim=1)
        refuse(not close(weights, torch.softmax(cosines / temperature, dim=0)), code,
               f"{sentence} Yours gives {short(weights)}.")

    empty = torch.stack([key[0], torch.zeros(4), key[2]])
    probe(query, empty, warm, "zero_vector",
          "a key of zeros has length 0, and dividing by it fails; its cosine should be "
          "0, and it takes part in the softmax with it.", "division by zero")
    probe(torch.zeros(4), key, warm, "zero_query",
          "a query of zeros has cosine 0 with every key, so each gets one third.",
          "division by zero")
    probe(query, key, 0.001, "overflow", "at temperature 0.001 the scores are near "
          "1000, and exp overflows. After the division, take the largest away.",
          "math range error")
    probe(query, torch.stack([-key[0], -key[1], key[2]]), 0.0005, "underflow",
          "with scores far below 0 every exp becomes 0; take away the largest score, "
          "whatever its sign.", "division by zero")
    return ("scores, weights and answer are right, for zero vectors and low "
            "temperatures too.")


@exercise("02-3", points=2)
def check_02_3(batch_lookup):
    draw = torch.Generator().manual_seed(3)
    sizes = (3, 4), (5, 4), (5, 6)
    query, key, value = (torch.randn(2, *size, generator=draw) for size in sizes)
    scores = query @ key.transpose(1, 2)
    short_query, short_key = (normalize(part, dim=-1) for part in (query, key))
    answer, weights = two_tensors(
        ask(batch_lookup, query, key, value, 0.7, advice=None, likely=[
            ("not_transposed", "bmm wants [B, T, K] and [B, K, S]: swap the last two "
             "axes of key.", "to be: [2, 4] but", "mat1 and mat2"),
            ("order", "look at the order: bmm(query, key transposed), then "
             "bmm(weights, value).", "batch2 tensor")]), [(2, 3, 6), (2, 3, 5)],
        code="swapped_returns")
    blame(weights, [
        ("over_queries", "your columns add up to 1. For one query, the weights over "
         "the keys should.", torch.softmax(scores / 0.7, dim=1)),
        ("over_batch", "your softmax runs over the shops. For one query, the weights "
         "over the keys should add up to 1.", torch.softmax(scores / 0.7, dim=0)),
        (*NO_TEMPERATURE, torch.softmax(scores, dim=2)),
        (*MULTIPLIES, torch.softmax(scores * 0.7, dim=2)),
        (*DIVIDES_WEIGHTS, torch.softmax(scores, dim=2) / 0.7),
        ("reshaped", "reshape only cuts the keys anew, which mixes them; swap their "
         "last two axes with `transpose(1, 2)`.",
         torch.softmax(query @ key.reshape(2, 4, 5) / 0.7, dim=2)),
        ("cosine", "yours divides by the lengths of queries or keys; here the score is "
         "the plain dot product.", *(
             torch.softmax(one @ other.transpose(1, 2) / 0.7, dim=2) for one, other in (
                 (short_query, short_key), (query, short_key), (short_query, key)))),
        ("root_of_width", "yours divides by the root of the width too; here the "
         "temperature alone divides.", torch.softmax(scores / 2 / 0.7, dim=2))])
    expected = torch.softmax(scores / 0.7, dim=2)
    if not close(weights, expected):
        shares_one(weights)
        raise Mistake("wrong_weights",
                      "the weights are the softmax, over the keys, of dot product / "
                      "temperature; one shop must not see the keys of another.")
    right_sums("wrong_answer", "answers", answer, expected @ value)
    return "every query is answered from its own shop."


@exercise("02-4", points=1)
def check_02_4(fixed_lookup):
    value = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
    scores = torch.tensor([[5.0, 0.0, 0.0], [-1.0, 2.0, 0.5]])
    for temperature in (0.5, 1.0, 3.0):
        expected, once = (torch.softmax(scores / divisor, dim=1)
                          for divisor in (temperature, 1))
        answer, weights = two_tensors(
            ask(fixed_lookup, scores, value, temperature, advice=None),
            [(2, 2), (2, 3)], code="swapped_returns")
        if close(weights, expected):
            right_sums("wrong_answer", "answers", answer, expected @ value)
            continue
        blame(weights, [
            ("softmax_twice", "the weights go through softmax twice: the first key "
             "leads by 5 and gets too little.",
             torch.softmax(once / temperature, dim=1), torch.softmax(expected, dim=1)),
            ("over_queries", "your columns add up to 1; for one query, a row, the "
             "weights should: dim=-1.", torch.softmax(scores / temperature, dim=0)),
            (*MULTIPLIES, torch.softmax(scores * temperature, dim=1)),
            (*NO_TEMPERATURE, once),
            (*DIVIDES_WEIGHTS, once / temperature)])
        shares_one(weights)
        raise Mistake("wrong_weights", "the weights are softmax(scores / temperature), "
                      "once, over the last axis.")
    return "one softmax, over scores divided by the temperature."
