"""Checks for the exercises of chapter 06, where one vector is not enough."""

import copy
import math
import sys
from collections import Counter

from softdict.checks.answers import ask, blame, close, pair, short, something
from softdict.checks.result import Mistake, exercise, refuse
from softdict.checks.sentences import Word


@exercise("06-1", points=2)
def check_06_1(content_found):
    cases = [("the dog saw a cat", "a dog saw the dog", [0, 1, 1, 0, 1]),
             ("old old men sing", "men sing and old women sing", [1, 1, 0, 1, 1, 1]),
             ("cats chase cats", "cats saw cats", [1, 1, 1]), ("", "the river", [0, 1]),
             ("go go go", "go and go", [1, 0, 0]),
             ("women like it", "like men like it", [0, 1, 1, 0])]
    cases = [
        (one.split(), two.split(), [*map(bool, flags)]) for one, two, flags in cases]

    def count(rule):
        return [rule(one, [word for word, flag in zip(two, flags) if flag], two, flags)
                for one, two, flags in cases]

    def hits(wanted, one):
        return (Counter(wanted) & Counter(one)).total()

    found = [pair(ask(content_found, *case)) for case in cases]
    got = [tuple(map(float, two)) for two in found]
    right = count(lambda one, wanted, *_: (hits(wanted, one), len(wanted)))
    if got == right:
        return
    blame(got, [
        ("swapped", count(lambda one, wanted, *_: (len(wanted), hits(wanted, one)))),
        ("counts_twice", count(lambda one, wanted, *_:
                               (sum(word in one for word in wanted), len(wanted)))),
        ("different_words",
         count(lambda one, wanted, *_: (len({*wanted} & {*one}), len({*wanted})))),
        ("sets", count(lambda one, wanted, *_: (len({*wanted} & {*one}), len(wanted)))),
        ("every_word", count(lambda one, wanted, two, _: (hits(two, one), len(two)))),
        ("found_every_word",
         count(lambda one, wanted, two, _: (hits(two, one), len(wanted)))),
        ("flags_filter_both", count(lambda one, wanted, two, flags: (
            hits(wanted, [word for word, flag in zip(one, flags) if flag]),
            len(wanted)))),
        ("content_elsewhere",
         count(lambda one, wanted, two, _: (sum(min(one.count(word), two.count(word))
                                                for word in {*wanted}), len(wanted)))),
        ("different_total",
         count(lambda one, wanted, *_: (hits(wanted, one), len({*wanted})))),
        ("same_place", count(lambda one, wanted, two, flags: (
            sum(flag and a == b for a, b, flag in zip(one, two, flags)), len(wanted)))),
        ("hypothesis_length",
         count(lambda one, wanted, *_: (hits(wanted, one), len(one)))),
        ("from_the_hypothesis", count(lambda one, wanted, *_: (
            sum(word in wanted for word in one), len(wanted)))),
        ("share", count(lambda one, wanted, *_: (hits(wanted, one) / len(wanted),
                                                 len(wanted))))])
    refuse([there for _, there in got] == [len(flags) for _, _, flags in cases],
           "counts_all_words")
    n = next(n for n, pair in enumerate(right) if got[n] != pair)
    raise Mistake("wrong_count", hypothesis=" ".join(cases[n][0]),
                  reference=" ".join(cases[n][1]), content=cases[n][2], right=right[n],
                  got=tuple(map(int, got[n])))


def slopes(inputs, u, own="state", between=True, recall=True, extra=0, early=0,
           bend=lambda h: 1 - h * h):
    """Slopes of the last h = tanh(x + u*h) for each input, or a common mistake."""
    states, state = [], 0.0
    for x in inputs:
        state = math.tanh(x + u * state)
        states.append(state)
    states = [0.0] * early + states
    found = []
    for t in range(len(inputs)):
        slope = {"state": bend(states[t]), "none": 1.0,
                 "input": 1 - math.tanh(inputs[t]) ** 2}[own]
        for later in range(t + 1, len(inputs)):
            here = (1 - math.tanh(inputs[later]) ** 2 if own == "input"
                    else bend(states[later]))
            slope *= (u if recall else 1.0) * (here if between else 1.0)
        found.append(slope * u ** extra)
    return found


@exercise("06-2", points=3)
def check_06_2(input_slopes):
    cases = [([1.0, -0.5, 0.3, 0.8], 0.5), ([0.2, 0.1, -0.4, 0.3, -0.2], -1.6)]
    got = []
    for inputs, u in cases:
        returned = ask(input_slopes, inputs, u, keeps=False)
        refuse(not hasattr(returned, "__len__") or len(returned) != len(inputs),
               "wrong_length", inputs=len(inputs))
        got.append([float(slope) for slope in returned])

    def made(**options):
        return [slopes(*case, **options) for case in cases]

    right = made()
    if close(got, right, 1e-3):
        return
    blame(got, [
        ("reversed", [row[::-1] for row in right]),
        ("forwards", [[slopes(inputs[:t + 1], u)[0] for t in range(len(inputs))]
                      for inputs, u in cases]),
        ("no_tanh", made(own="none", between=False)),
        ("no_u", made(recall=False)),
        ("own_step_missing", made(own="none")),
        ("only_own_tanh", made(between=False)),
        ("one_u_too_many", made(extra=1)),
        ("slope_at_input", made(own="input")),
        ("state_for_slope", made(bend=lambda h: h)),
        ("not_squared", made(bend=lambda h: 1 - h)),
        ("tanh_twice", made(bend=lambda h: 1 - math.tanh(h) ** 2)),
        ("one_state_early", made(early=1)),
        ("own_only", [[slopes(inputs[:t + 1], u)[t] for t in range(len(inputs))]
                      for inputs, u in cases])], 1e-3)
    near = zip(sum(got, []), sum(right, []))
    refuse(all(abs(a - b) <= 0.02 * max(1.0, abs(b)) for a, b in near), "nudged")
    n = int(close(got[0], right[0], 1e-3))
    raise Mistake("wrong_slopes", inputs=cases[n][0], u=cases[n][1],
                  right=short(right[n]), got=short(got[n]))


def overwritten(batch, order):
    """What becomes of the lines of a batch that is put in order within itself."""
    put, fetched = ([sentence.upper() for sentence in batch] for _ in range(2))
    for number, place in enumerate(order):
        put[place] = put[number]
        fetched[number] = fetched[place]
    return put, fetched


@exercise("06-3", points=2)
def check_06_3(translate_all):
    sentences = ["ccc", "eeeee", "a", "dddd", "bb", "ffff", "a"]
    batches = []

    def translate_batch(batch):
        batches.append(list(batch))
        return [sentence.upper() for sentence in batch]

    returned = ask(translate_all, sentences, translate_batch)
    refuse(not batches, "never_translates")
    refuse(len(batches) > 1, "one_by_one")
    sizes = [*map(len, batches[0])]
    refuse(batches[0] in (sorted(sentences), sorted(sentences)[::-1]),
           "not_sorted-alphabet")
    refuse(sizes not in (sorted(sizes), sorted(sizes, reverse=True)), "not_sorted")
    got, wanted = list(returned), [sentence.upper() for sentence in sentences]
    if got == wanted:
        return
    refuse(len(got) == len(batches[0]) == len(set(sentences)), "twins_once",
           got=len(got), sentences=len(sentences))
    refuse(len(batches[0]) != 7, "wrong_order-batch", got=len(batches[0]))
    order = sorted(range(7), key=lambda n: len(sentences[n]),
                   reverse=len(batches[0][0]) > 1)
    refuse(got == [sentence.upper() for sentence in batches[0]], "still_sorted")
    refuse(got == [batches[0][n].upper() for n in order], "wrong_way")
    refuse(got in overwritten(batches[0], order), "overwritten")
    refuse(got == wanted[::-1], "back_to_front")
    by_length = [{len(line): line for line in batches[0][::way]} for way in (1, -1)]
    refuse(any(got == [lines[len(one)].upper() for one in sentences]
               for lines in by_length), "by_length")
    n = next((n for n in range(7) if got[n:n + 1] != wanted[n:n + 1]), 7)
    refuse(None in got, "loses_twins")
    refuse(len(got) != len(wanted), "wrong_order-count", right=len(wanted),
           got=len(got))
    raise Mistake("wrong_order", n=n, right=wanted[n], got=got[n])


def ended(call, most=100_000):
    """What call() returns; raises Mistake once it has run so many lines."""
    ran, kept = 0, sys.gettrace()

    def trace(*_):
        nonlocal ran
        ran += 1
        refuse(ran > most, "endless")
        return trace

    sys.settrace(trace)
    try:
        return call()
    finally:
        sys.settrace(kept)


@exercise("06-4", points=2)
def check_06_4(steps):
    chain = {f"h{n}": [f"x{n}"] + ([f"h{n - 1}"] if n > 1 else []) for n in range(1, 7)}
    mixed = {"end": ["b", "a"], "a": ["x"], "b": ["c"], "late": ["end"], "c": ["a"],
             "alone": []}
    cases = {"chain": chain,
             "six_at_once": {f"s{n}": [f"x{n}", "q"] for n in range(1, 7)},
             "one_without_needs": {"alone": []}, "in_no_order": mixed}
    given, right = copy.deepcopy(cases), [6, 1, 1, 5]
    numbers = [float(something(ended(lambda: steps(case)))) for case in given.values()]
    refuse(given != cases, "changes_arguments")
    if numbers == right:
        return
    blame(numbers, [
        ("one_worker", [6, 6, 1, 6]),
        ("counts_inputs", [7, 2, 1, 6]),
        ("one_too_few", [5, 0, 0, 4]),
        ("widest", [2, 2, 0, 2]),
        ("same_step", [1, 1, 1, 3])])
    name, took, needed = next(
        case for case in zip(cases, numbers, right) if case[1] != case[2])
    refuse(name == "one_without_needs", "never_done")
    refuse(name == "in_no_order" and took < 5, "trusts_order", mixed=mixed, took=took)
    raise Mistake("wrong_steps", name=Word(name), needed=needed, took=took)
