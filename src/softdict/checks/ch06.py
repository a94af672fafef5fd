"""Checks for the exercises of chapter 06, where one vector is not enough."""

import copy
import math
import sys
from collections import Counter

from softdict.checks.answers import ask, blame, close, pair, short, something
from softdict.checks.result import Mistake, exercise, refuse


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

    found = [pair(ask(content_found, *case, advice="take words out of a copy"),
                  "how many were found", "how many there are") for case in cases]
    got = [tuple(map(float, two)) for two in found]
    right = count(lambda one, wanted, *_: (hits(wanted, one), len(wanted)))
    if got == right:
        return (
            "each content word counts as often as it stands there, wherever it stands.")
    blame(got, [
        ("swapped", "first how many were found, then how many there are.",
         count(lambda one, wanted, *_: (len(wanted), hits(wanted, one)))),
        ("counts_twice",
         "one *dog* in the hypothesis was found twice; take away what is found.",
         count(lambda one, wanted, *_: (sum(word in one for word in wanted),
                                        len(wanted)))),
        ("different_words",
         "yours counts different words; two dogs in the reference are two.",
         count(lambda one, wanted, *_: (len({*wanted} & {*one}), len({*wanted})))),
        ("sets", "yours counts different words as found; two dogs in both lists are "
         "two.", count(lambda one, wanted, *_: (len({*wanted} & {*one}), len(wanted)))),
        ("every_word", "yours counts every word; only those with True in `content` "
         "matter.", count(lambda one, wanted, two, _: (hits(two, one), len(two)))),
        ("found_every_word",
         "among the words that you find are some that are no content words.",
         count(lambda one, wanted, two, _: (hits(two, one), len(wanted)))),
        ("content_elsewhere", "one word may be content at one place and not at "
         "another; in yours both places of it count.",
         count(lambda one, wanted, two, _: (sum(
             min(one.count(word), two.count(word)) for word in {*wanted}),
             len(wanted)))),
        ("different_total", "your second number counts equal content words once; two "
         "dogs in the reference are two.",
         count(lambda one, wanted, *_: (hits(wanted, one), len({*wanted})))),
        ("same_place", "yours wants the word at the same place; here order does not "
         "matter.", count(lambda one, wanted, two, flags: (sum(
             flag and a == b for a, b, flag in zip(one, two, flags)), len(wanted)))),
        ("hypothesis_length", "the second number is the content words of the "
         "reference, not the words of the hypothesis.",
         count(lambda one, wanted, *_: (hits(wanted, one), len(one)))),
        ("from_the_hypothesis",
         "yours asks of each word that was written whether it is in the reference, so "
         "*old old* finds one *old* twice; ask for each word of the reference.",
         count(lambda one, wanted, *_: (sum(word in wanted for word in one),
                                        len(wanted)))),
        ("share", "return the two numbers, and do not divide: shares of short and long "
         "sentences cannot be added.",
         count(lambda one, wanted, *_: (hits(wanted, one) / len(wanted),
                                        len(wanted))))])
    refuse([there for _, there in got] == [len(flags) for _, _, flags in cases],
           "counts_all_words", "the second number counts every word of the reference; "
           "count those with True.")
    n = next(n for n, pair in enumerate(right) if got[n] != pair)
    raise Mistake("wrong_count", f"for {' '.join(cases[n][0])!r} against "
                  f"{' '.join(cases[n][1])!r}, content words {cases[n][2]}, the "
                  f"numbers are {right[n]}; yours are {tuple(map(int, got[n]))}.")


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
        returned = ask(input_slopes, inputs, u, advice=None)
        refuse(not hasattr(returned, "__len__") or len(returned) != len(inputs),
               "wrong_length",
               f"return a list with one slope for each input, {len(inputs)} here.")
        got.append([float(slope) for slope in returned])

    def made(**options):
        return [slopes(*case, **options) for case in cases]

    right = made()
    if close(got, right, 1e-3):
        return "a product with one factor for each step on the way to the end."
    blame(got, [
        ("reversed", "the slopes are right and in the wrong order; the first belongs "
         "to the first input.", [row[::-1] for row in right]),
        ("forwards", "those are the slopes of each state for the *first* input; the "
         "product must run backwards from the last state.",
         [[slopes(inputs[:t + 1], u)[0] for t in range(len(inputs))]
          for inputs, u in cases]),
        ("no_tanh", "yours has u for each step, and no slope of tanh, 1 minus the "
         "square of the state.", made(own="none", between=False)),
        ("no_u", "each step from one state to the next also multiplies by u.",
         made(recall=False)),
        ("own_step_missing", "the input goes through tanh at its own step too; so the "
         "last slope is not 1.", made(own="none")),
        ("only_own_tanh", "the slope of tanh counts at every step on the way, not only "
         "at the input's own.", made(between=False)),
        ("one_u_too_many", "yours has one u too many: from the input to its own state "
         "there is no u.", made(extra=1)),
        ("slope_at_input", "take the slope of tanh where the state is: 1 minus the "
         "square of the state, not of tanh(x).", made(own="input")),
        ("state_for_slope", "yours multiplies by the states; the slope of tanh is 1 "
         "minus the square of the state.", made(bend=lambda h: h)),
        ("not_squared", "the slope of tanh is 1 minus the *square* of the state.",
         made(bend=lambda h: 1 - h)),
        ("tanh_twice", "the state is what tanh gave, so its slope is 1 minus the "
         "square of the state; yours takes tanh of it again.",
         made(bend=lambda h: 1 - math.tanh(h) ** 2)),
        ("one_state_early", "yours takes the slope at the state before each step; take "
         "it at the state that the step makes.", made(early=1)),
        ("own_only", "that is the slope of each input's own state; go on to the last "
         "state.", [[slopes(inputs[:t + 1], u)[t] for t in range(len(inputs))]
                    for inputs, u in cases])], 1e-3)
    near = zip(sum(got, []), sum(right, []))
    refuse(all(abs(a - b) <= 0.02 * max(1.0, abs(b)) for a, b in near), "nudged",
           "yours is nearly right; a nudge measures a slope only roughly, so multiply "
           "the slopes of the steps.")
    n = int(close(got[0], right[0], 1e-3))
    raise Mistake("wrong_slopes", f"for the inputs {cases[n][0]} and u = {cases[n][1]} "
                  f"the slopes are {short(right[n])}; yours are {short(got[n])}.")


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

    returned = ask(translate_all, sentences, translate_batch,
                   advice="`sorted` makes a new list, `sort` does not")
    refuse(not batches, "never_translates", "nothing was handed to `translate_batch`.")
    refuse(len(batches) > 1, "one_by_one", "hand all sentences to `translate_batch` in "
           "one call; that is what makes it fast.")
    sizes = [*map(len, batches[0])]
    refuse(sizes not in (sorted(sizes), sorted(sizes, reverse=True)), "not_sorted",
           "the batch is not sorted by length any more; that was the good part.")
    got, wanted = list(returned), [sentence.upper() for sentence in sentences]
    if got == wanted:
        return "sorted for the model, and back in the order of the caller."
    refuse(len(got) == len(batches[0]) == len(set(sentences)), "twins_once",
           f"two sentences are equal here, and yours returns {len(got)} translations "
           f"of {len(sentences)}; each place gets its own.")
    refuse(len(batches[0]) != 7, "wrong_order", "7 sentences came, and the batch has "
           f"{len(batches[0])}; the places of the others are not filled rightly.")
    order = sorted(range(7), key=lambda n: len(sentences[n]),
                   reverse=len(batches[0][0]) > 1)
    refuse(got == [sentence.upper() for sentence in batches[0]], "still_sorted",
           "the translations come back in the order of the batch; put them back.")
    refuse(got == [batches[0][n].upper() for n in order], "wrong_way",
           "that is the colleague's line: it sorts once more instead of putting back. "
           "Which place in the answer belongs to the first line of the batch?")
    refuse(got in overwritten(batches[0], order), "overwritten",
           "yours writes into the list from which it still reads, so some lines are "
           "gone before their turn; write into a new list.")
    refuse(got == wanted[::-1], "back_to_front",
           "the translations come back in the opposite order.")
    n = next((n for n in range(7) if got[n:n + 1] != wanted[n:n + 1]), 7)
    refuse(None in got, "loses_twins",
           "two equal sentences share one place in yours, and the other place stays "
           "empty; go by their numbers and not by their words.")
    refuse(len(got) != len(wanted), "wrong_order", f"there should be {len(wanted)} "
           f"translations, in the order of the sentences; yours are {len(got)}.")
    raise Mistake("wrong_order",
                  f"place {n} should hold {wanted[n]}; yours holds {got[n]}.")


def ended(call, most=100_000):
    """What call() returns; raises Mistake once it has run so many lines."""
    ran, kept = 0, sys.gettrace()

    def trace(*_):
        nonlocal ran
        ran += 1
        refuse(ran > most, "endless", "your loop does not end. Does it wait for an "
               "input? What is no key is ready from the start.")
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
    cases = {"a chain of six": chain,
             "six at once": {f"s{n}": [f"x{n}", "q"] for n in range(1, 7)},
             "one without needs": {"alone": []}, "in no order": mixed}
    given, right = copy.deepcopy(cases), [6, 1, 1, 5]
    numbers = [float(something(ended(lambda: steps(case)))) for case in given.values()]
    refuse(given != cases, "changes_arguments", "the caller's dictionary has changed; "
           "keep what is done in a set of your own.")
    if numbers == right:
        return "the longest chain of things that wait for each other."
    blame(numbers, [
        ("one_worker", "that is the number of things; with many workers, all that are "
         "ready are done in the same step.", [6, 6, 1, 6]),
        ("counts_inputs", "yours counts the inputs as a step; they are there already.",
         [7, 2, 1, 6]),
        ("one_too_few", "yours is one step short: what needs only inputs takes a step "
         "too.", [5, 0, 0, 4]),
        ("widest", "that is the largest number of things that one thing needs; follow "
         "them further back.", [2, 2, 0, 2]),
        ("same_step", "a thing waits for *all* its needs, and they must be ready "
         "before the step.", [1, 1, 1, 3])])
    name, took, needed = next(
        case for case in zip(cases, numbers, right) if case[1] != case[2])
    refuse(name == "one without needs", "never_done", "a thing with an empty list of "
           "needs is ready to be done, and takes one step.")
    refuse(name == "in no order" and took < 5, "trusts_order",
           f"this dictionary has what is needed last in front: {mixed}; it takes 5 "
           f"steps, yours takes {took:.0f}.")
    raise Mistake("wrong_steps",
                  f"{name} takes {needed} steps; yours takes {took:.0f}.")
