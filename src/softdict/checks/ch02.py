"""Checks for the exercises of chapter 02, soft lookup."""

import math

import torch
from torch.nn.functional import normalize

from softdict.checks.answers import (
    ask, blame, close, number, right_sums, short, two_tensors)
from softdict.checks.result import Mistake, exercise, refuse


@exercise("02-1", points=2)
def check_02_1(temperature_for):
    for scores, share in [([0.1, 0.9, 0.7], 0.9), ([0.1, 0.9, 0.7], 0.4),
                          ([3.0, -2.0, 2.5, 0.0], 0.6),
                          ([-40.0, -10.0, -30.0, -90.0], 0.5), ([0.02, 0.01], 0.99),
                          ([500.0, 499.0, 100.0], 0.9)]:
        scores = torch.tensor(scores)
        returned = ask(temperature_for, scores, share, keeps=False,
                       likely=[("overflow", "math range error")])
        temperature = number(returned, "not_one_number")
        reached = largest(scores, temperature)
        if temperature > 0 and abs(reached - share) <= 0.001:
            continue
        best, second = scores.double().topk(2).values
        refuse(len(scores) > 2 and close(temperature, (best - second)
                                         / math.log(share / (1 - share))), "two_scores")
        refuse(not temperature > 0, "not_positive", temperature=temperature)
        here = {"scores": short(scores), "share": share}
        refuse(scores.max() > 100, "overflow-scores", **here)
        refuse(abs(largest(scores, 1 / temperature) - share) <= 0.001, "inverse",
               **here)
        if temperature < 0.0011 or temperature > 990:
            rows = [scores.sort(descending=down).values for down in (True, False)]
            again = [number(temperature_for(row.clone(), share), "not_one_number")
                     for row in rows]
            first, last = (abs(largest(*pair) - share) <= 0.001
                           for pair in zip(rows, again))
            refuse(first and not last, "one_place-first", **here)
            refuse(last and not first, "one_place-last", **here)
            raise Mistake("wrong_direction", **here, temperature=temperature)
        few = rounds(temperature)
        refuse(few, "few_rounds", **here, few=few)
        refuse(abs(reached - share) < 0.03, "too_coarse", **here, reached=reached)
        raise Mistake("not_close", **here, temperature=temperature, reached=reached)


def largest(scores, temperature):
    """The largest weight at a temperature."""
    return torch.softmax(scores.double() / temperature, dim=0).max().item()


def rounds(temperature):
    """How many halvings of 0.001 to 1000 end at a temperature; None if over 14 do."""
    steps = ((temperature - 0.001) / 999.999, math.log10(temperature / 0.001) / 6)
    return next((count for count in range(1, 15) for step in steps
                 if 0 < step < 1 and close(step * 2 ** count,
                                           round(step * 2 ** count), 1e-6)), None)


def shares_one(weights):
    """Raises Mistake unless the weights of each query add up to 1."""
    total = weights.sum(dim=-1)
    refuse(not close(total, torch.ones_like(total)), "not_normalised",
           total=short(total.flatten()))


def adds_up(answer, weights, value):
    """Raises Mistake unless the values were added up, each times its weight."""
    value = value.double()
    blame(answer, [
        ("divides_again", weights @ value / value.shape[-2]),
        ("plain_sum", torch.ones_like(weights) @ value),
        ("plain_mean", torch.ones_like(weights) @ value / value.shape[-2])])
    right_sums("wrong_answer", answer, weights @ value)


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
                               likely=likely, keeps=False), [(2,), (3,)],
                           code="swapped_returns")

    shapes = ("shapes", "size mismatch", "must match the size")
    answer, weights = run(query, key, warm, shapes)
    expected = torch.softmax(cosines / warm, dim=0)
    if not close(weights, expected):
        blame(weights, [
            ("shares", cosines / cosines.sum()),
            ("no_temperature", torch.softmax(cosines, dim=0)),
            ("multiplies", torch.softmax(cosines * warm, dim=0)),
            ("dot_product", torch.softmax(product / warm, dim=0)),
            ("query_length", torch.softmax(product / long / warm, dim=0)),
            ("key_length", torch.softmax(product / query.norm() / warm, dim=0)),
            ("squared_length",
             torch.softmax(product / (query.norm() * long) ** 2 / warm, dim=0)),
            ("length_of_all",
             torch.softmax(product / query.norm() / key.norm() / warm, dim=0)),
            ("divides_weights", torch.softmax(cosines, dim=0) / warm)])
        shares_one(weights)
        raise Mistake("wrong_weights", right=short(expected), got=short(weights))
    adds_up(answer, weights, value)

    def probe(query, key, temperature, code, *errors):
        _, weights = run(query, key, temperature, (code, *errors))
        cosines = torch.cosine_similarity(query, key, dim=1)
        refuse(not close(weights, torch.softmax(cosines / temperature, dim=0)),
               f"{code}-gives", got=short(weights))

    empty = torch.stack([key[0], torch.zeros(4), key[2]])
    probe(query, empty, warm, "zero_vector", "division by zero")
    probe(torch.zeros(4), key, warm, "zero_query", "division by zero")
    probe(query, key, 0.001, "overflow", "math range error")
    probe(query, torch.stack([-key[0], -key[1], key[2]]), 0.0005, "underflow",
          "division by zero")


@exercise("02-3", points=2)
def check_02_3(batch_lookup):
    draw = torch.Generator().manual_seed(3)
    sizes = (3, 4), (5, 4), (5, 6)
    query, key, value = (torch.randn(2, *size, generator=draw) for size in sizes)
    scores = query @ key.transpose(1, 2)
    short_query, short_key = (normalize(part, dim=-1) for part in (query, key))
    answer, weights = two_tensors(
        ask(batch_lookup, query, key, value, 0.7, keeps=False, likely=[
            ("not_transposed", "to be: [2, 4] but", "mat1 and mat2"),
            ("order", "batch2 tensor")]), [(2, 3, 6), (2, 3, 5)],
        code="swapped_returns")
    blame(weights, [
        ("over_queries", torch.softmax(scores / 0.7, dim=1)),
        ("over_batch", torch.softmax(scores / 0.7, dim=0)),
        ("no_temperature", torch.softmax(scores, dim=2)),
        ("multiplies", torch.softmax(scores * 0.7, dim=2)),
        ("divides_weights", torch.softmax(scores, dim=2) / 0.7),
        ("reshaped", torch.softmax(query @ key.reshape(2, 4, 5) / 0.7, dim=2)),
        ("cosine", *(torch.softmax(one @ other.transpose(1, 2) / 0.7, dim=2)
                     for one, other in ((short_query, short_key), (query, short_key),
                                        (short_query, key)))),
        ("root_of_width", torch.softmax(scores / 2 / 0.7, dim=2)),
        ("one_shop-keys", *(torch.softmax(query @ part.T / 0.7, dim=2)
                            for part in key)),
        ("one_shop-queries", *(torch.softmax(part @ key.transpose(1, 2) / 0.7, dim=2)
                               for part in query))])
    expected = torch.softmax(scores / 0.7, dim=2)
    if not close(weights, expected):
        shares_one(weights)
        raise Mistake("wrong_weights")
    blame(answer, [("one_shop-values", *(expected @ part for part in value))])
    adds_up(answer, expected.double(), value)


@exercise("02-4", points=1)
def check_02_4(fixed_lookup):
    value = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
    scores = torch.tensor([[5.0, 0.0, 0.0], [-1.0, 2.0, 0.5]])
    for temperature in (0.5, 1.0, 3.0):
        expected, once = (torch.softmax(scores / divisor, dim=1)
                          for divisor in (temperature, 1))
        answer, weights = two_tensors(
            ask(fixed_lookup, scores, value, temperature, keeps=False),
            [(2, 2), (2, 3)], code="swapped_returns")
        if close(weights, expected):
            adds_up(answer, expected.double(), value)
            continue
        blame(weights, [
            ("softmax_twice", torch.softmax(once / temperature, dim=1),
             torch.softmax(expected, dim=1)),
            ("over_queries", torch.softmax(scores / temperature, dim=0)),
            ("multiplies", torch.softmax(scores * temperature, dim=1)),
            ("no_temperature", once),
            ("divides_weights", once / temperature)])
        shares_one(weights)
        raise Mistake("wrong_weights")
