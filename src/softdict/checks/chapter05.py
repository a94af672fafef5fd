"""Checks for the exercises of chapter 05, where one vector is not enough."""

import math
from collections import Counter

from softdict.checks.result import Mistake, close, exercise

NOTHING = "your function returns None; is there a return at its end?"


@exercise("05-1", points=2)
def check_05_1(content_found):
    cases = [("the dog saw a cat", "a dog saw the dog", [0, 1, 1, 0, 1]),
             ("old old men sing", "men sing and old women sing", [1, 1, 0, 1, 1, 1]),
             ("cats chase cats", "cats saw cats", [1, 1, 1]), ("", "the river", [0, 1]),
             ("go go go", "go and go", [1, 0, 0]), ("women like it", "like men like it", [0, 1, 1, 0])]
    cases = [(one.split(), two.split(), [*map(bool, flags)]) for one, two, flags in cases]

    def count(rule):
        return [rule(one, [word for word, flag in zip(two, flags) if flag], two, flags) for one, two, flags in cases]

    got = []
    for one, two, flags in cases:
        given = list(one), list(two), list(flags)
        returned = content_found(*given)
        if returned is None:
            raise Mistake("returns_nothing", NOTHING)
        if not isinstance(returned, (tuple, list)) or len(returned) != 2:
            raise Mistake("not_two_things", "return two numbers: how many were found, and how many there are.")
        if given != (one, two, flags):
            raise Mistake("changes_arguments", "the lists of the caller have changed; take words out of a copy.")
        got.append(tuple(map(float, returned)))
    if got == count(lambda one, wanted, two, flags: ((Counter(wanted) & Counter(one)).total(), len(wanted))):
        return "each content word counts as often as it stands there, wherever it stands."
    likely = [
        ("swapped", lambda one, wanted, two, flags: (len(wanted), (Counter(wanted) & Counter(one)).total()),
         "first how many were found, then how many there are."),
        ("counts_twice", lambda one, wanted, two, flags: (sum(word in one for word in wanted), len(wanted)),
         "one *dog* in the hypothesis was found twice; take a word away once it is found."),
        ("different_words", lambda one, wanted, two, flags: (len({*wanted} & {*one}), len({*wanted})),
         "yours counts different words; two dogs in the reference are two."),
        ("sets", lambda one, wanted, two, flags: (len({*wanted} & {*one}), len(wanted)),
         "yours counts different words as found; two dogs in both lists are two."),
        ("every_word", lambda one, wanted, two, flags: ((Counter(two) & Counter(one)).total(), len(two)),
         "yours counts every word; only those with True in `content` matter."),
        ("found_every_word", lambda one, wanted, two, flags: ((Counter(two) & Counter(one)).total(), len(wanted)),
         "among the words that you find are some that are no content words."),
        ("same_place", lambda one, wanted, two, flags: (
            sum(flag and a == b for a, b, flag in zip(one, two, flags)), len(wanted)),
         "yours wants the word at the same place; here order does not matter."),
        ("hypothesis_length", lambda one, wanted, two, flags: ((Counter(wanted) & Counter(one)).total(), len(one)),
         "the second number is the content words of the reference, not the words of the hypothesis."),
        ("from_the_hypothesis", lambda one, wanted, two, flags: (sum(word in wanted for word in one), len(wanted)),
         "yours asks of each word that was written whether it is in the reference, so *old old* finds one *old* "
         "twice; ask for each word of the reference."),
        ("share", lambda one, wanted, two, flags: ((Counter(wanted) & Counter(one)).total() / len(wanted), len(wanted)),
         "return the two numbers, and do not divide: shares of short and long sentences cannot be added."),
    ]
    for code, rule, sentence in likely:
        if got == [tuple(map(float, pair)) for pair in count(rule)]:
            raise Mistake(code, sentence)
    if [there for _, there in got] == [len(flags) for _, _, flags in cases]:
        raise Mistake("counts_all_words", "the second number counts every word of the reference; count those with True.")
    right = count(lambda one, wanted, two, flags: ((Counter(wanted) & Counter(one)).total(), len(wanted)))
    n = next(n for n, pair in enumerate(right) if got[n] != pair)
    raise Mistake("wrong_count", f"for {' '.join(cases[n][0])!r} against {' '.join(cases[n][1])!r}, content words "
                                 f"{cases[n][2]}, the numbers are {right[n]}; yours are "
                                 f"{tuple(map(int, got[n]))}.")


def slopes(inputs, u, own="state", between=True, recall=True, extra=0, bend=lambda h: 1 - h * h):
    """Slope of the last state of h = tanh(x + u*h) with respect to each input, or a common mistake."""
    states, state = [], 0.0
    for x in inputs:
        state = math.tanh(x + u * state)
        states.append(state)
    found = []
    for t in range(len(inputs)):
        slope = {"state": bend(states[t]), "none": 1.0, "input": 1 - math.tanh(inputs[t]) ** 2}[own]
        for later in range(t + 1, len(inputs)):
            here = 1 - math.tanh(inputs[later]) ** 2 if own == "input" else bend(states[later])
            slope *= (u if recall else 1.0) * (here if between else 1.0)
        found.append(slope * u ** extra)
    return found


@exercise("05-2", points=3)
def check_05_2(input_slopes):
    cases = [([1.0, -0.5, 0.3, 0.8], 0.5), ([0.2, 0.1, -0.4, 0.3, -0.2], -1.6)]
    got = []
    for inputs, u in cases:
        returned = input_slopes(list(inputs), u)
        if returned is None:
            raise Mistake("returns_nothing", NOTHING)
        if not hasattr(returned, "__len__") or len(returned) != len(inputs):
            raise Mistake("wrong_length", f"return a list with one slope for each input, {len(inputs)} here.")
        got.append([float(slope) for slope in returned])

    def same(wrong):
        return all(close(a, b, 1e-3) for mine, other in zip(got, wrong) for a, b in zip(mine, other))

    if same([slopes(*case) for case in cases]):
        return "a product with one factor for each step on the way to the end."
    likely = [
        ("reversed", [slopes(*case)[::-1] for case in cases], "the slopes are right and in the wrong order; the first "
                                                              "belongs to the first input."),
        ("no_tanh", [slopes(*case, own="none", between=False) for case in cases],
         "yours has u for each step, and no slope of tanh, 1 minus the square of the state."),
        ("no_u", [slopes(*case, recall=False) for case in cases],
         "each step from one state to the next also multiplies by u."),
        ("own_step_missing", [slopes(*case, own="none") for case in cases],
         "the input goes through tanh at its own step too; so the last slope is not 1."),
        ("only_own_tanh", [slopes(*case, between=False) for case in cases],
         "the slope of tanh counts at every step on the way, not only at the input's own."),
        ("one_u_too_many", [slopes(*case, extra=1) for case in cases],
         "yours has one u too many: from the input to its own state there is no u."),
        ("slope_at_input", [slopes(*case, own="input") for case in cases],
         "take the slope of tanh where the state is: 1 minus the square of the state, not of tanh(x)."),
        ("state_for_slope", [slopes(*case, bend=lambda h: h) for case in cases],
         "yours multiplies by the states; the slope of tanh is 1 minus the square of the state."),
        ("not_squared", [slopes(*case, bend=lambda h: 1 - h) for case in cases],
         "the slope of tanh is 1 minus the *square* of the state."),
        ("own_only", [[slopes(inputs[:t + 1], u)[t] for t in range(len(inputs))] for inputs, u in cases],
         "that is the slope of each input's own state; go on to the last state."),
    ]
    for code, wrong, sentence in likely:
        if same(wrong):
            raise Mistake(code, sentence)
    right = slopes(*cases[0])
    if all(abs(a - b) <= 0.02 * max(1.0, abs(b)) for mine, case in zip(got, cases) for a, b in zip(mine, slopes(*case))):
        raise Mistake("nudged", "yours is nearly right; a nudge measures a slope only roughly, so multiply the slopes of "
                                "the steps.")
    at = 0 if not all(close(a, b, 1e-3) for a, b in zip(got[0], right)) else 1
    raise Mistake("wrong_slopes", f"for the inputs {cases[at][0]} and u = {cases[at][1]} the slopes are "
                                  f"{[round(slope, 4) for slope in slopes(*cases[at])]}; yours are "
                                  f"{[round(slope, 4) for slope in got[at]]}.")


@exercise("05-3", points=1)
def check_05_3(translate_all):
    sentences = ["ccc", "eeeee", "a", "dddd", "bb", "ffff", "a"]
    given, batches = list(sentences), []

    def translate_batch(batch):
        batches.append(list(batch))
        return [sentence.upper() for sentence in batch]

    returned = translate_all(given, translate_batch)
    if returned is None:
        raise Mistake("returns_nothing", NOTHING)
    if given != sentences:
        raise Mistake("changes_arguments", "the caller's list has a new order; `sorted` makes a new list, `sort` "
                                           "does not.")
    if not batches:
        raise Mistake("never_translates", "nothing was handed to `translate_batch`.")
    if len(batches) > 1:
        raise Mistake("one_by_one", "hand all sentences to `translate_batch` in one call; that is what makes it fast.")
    if [*map(len, batches[0])] not in (sorted(map(len, sentences)), sorted(map(len, sentences), reverse=True)):
        raise Mistake("not_sorted", "the batch is not sorted by length any more; that was the good part.")
    got, wanted = list(returned), [sentence.upper() for sentence in sentences]
    if got == wanted:
        return "sorted for the model, and back in the order of the caller."
    order = sorted(range(7), key=lambda n: len(sentences[n]), reverse=len(batches[0][0]) > 1)
    if got == [sentence.upper() for sentence in batches[0]]:
        raise Mistake("still_sorted", "the translations come back in the order of the batch; put them back.")
    if got == [batches[0][n].upper() for n in order]:
        raise Mistake("wrong_way", "that is the colleague's line: it sorts once more instead of putting back. Which "
                                   "place in the answer belongs to the first line of the batch?")
    if got == wanted[::-1]:
        raise Mistake("back_to_front", "the translations come back in the opposite order.")
    n = next((n for n in range(7) if got[n:n + 1] != wanted[n:n + 1]), 7)
    if None in got:
        raise Mistake("loses_twins", "two equal sentences share one place in yours, and the other place stays empty; "
                                     "go by their numbers and not by their words.")
    raise Mistake("wrong_order", f"there should be {len(wanted)} translations, in the order of the sentences; yours "
                                 f"are {len(got)}." if len(got) != len(wanted) else
                  f"place {n} should hold {wanted[n]}; yours holds {got[n]}.")


@exercise("05-4", points=2)
def check_05_4(steps):
    chain = {f"h{n}": [f"x{n}"] + ([f"h{n - 1}"] if n > 1 else []) for n in range(1, 7)}
    cases = {
        "a chain of six": chain,
        "six at once": {f"s{n}": [f"x{n}", "q"] for n in range(1, 7)},
        "one without needs": {"alone": []},
        "in no order": {"end": ["b", "a"], "a": ["x"], "b": ["c"], "late": ["end"], "c": ["a"], "alone": []},
    }
    got, copies = {}, {name: {key: list(needs) for key, needs in case.items()} for name, case in cases.items()}
    for name, case in copies.items():
        returned = steps(case)
        if returned is None:
            raise Mistake("returns_nothing", NOTHING)
        got[name] = float(returned)
    if copies != cases:
        raise Mistake("changes_arguments", "the caller's dictionary has changed; keep what is done in a set of your "
                                           "own.")
    right = [6, 1, 1, 5]
    numbers = list(got.values())
    if numbers == right:
        return "the longest chain of things that wait for each other."
    likely = [
        ("one_worker", [6, 6, 1, 6], "that is the number of things; with many workers, all that are ready are done in "
                                  "the same step."),
        ("counts_inputs", [7, 2, 1, 6], "yours counts the inputs as a step; they are there from the start."),
        ("one_too_few", [5, 0, 0, 4], "yours is one step short: what needs only inputs takes a step too."),
        ("widest", [2, 2, 0, 2], "that is the largest number of things that one thing needs; follow them further back."),
        ("same_step", [1, 1, 1, 3], "a thing waits for *all* its needs, and they must be ready before the step."),
    ]
    for code, wrong, sentence in likely:
        if numbers == wrong:
            raise Mistake(code, sentence)
    name = next(name for name, number in zip(cases, right) if got[name] != number)
    if name == "one without needs":
        raise Mistake("never_done", "a thing with an empty list of needs is ready to be done, and takes one step.")
    if name == "in no order" and got[name] < 5:
        raise Mistake("trusts_order", f"this dictionary has what is needed last in front: {cases[name]}; it takes 5 "
                                      f"steps, yours takes {got[name]:.0f}.")
    raise Mistake("wrong_steps", f"{name} takes {right[list(cases).index(name)]} steps; yours takes {got[name]:.0f}.")
