"""Checks for the exercises of chapter 01, a dictionary is a function."""

import torch

from softdict.checks.result import Mistake, close, exercise, pair

KEYS, VALUES = ["computer", "dog", "cat", "dog"], [9, 2, 3, 4]


def numbers(weights, expected, code, sentence):
    """Raises Mistake unless weights is a list of the expected numbers."""
    if len(weights) != len(expected):
        raise Mistake("weights_missing", f"give one weight for each entry, a 0 included: {len(expected)} weights, "
                                         f"and not {len(weights)}.")
    if not all(close(weight, number) for weight, number in zip(weights, expected)):
        raise Mistake(code, f"{sentence} Your weights are {[round(float(weight), 3) for weight in weights]}.")


def needs_key_error(answer):
    """Raises Mistake unless calling answer raises a KeyError."""
    try:
        result = answer()
    except KeyError:
        return
    except ZeroDivisionError:
        raise Mistake("divides_by_zero", "a missing key makes the sum 0; look at the sum before you divide by it.")
    raise Mistake("missing_key", f"a key that is not there should raise a KeyError; yours returned {result!r}.")


@exercise("01-1", points=2)
def check_01_1(list_lookup):
    answer, weights = pair(list_lookup("computer", list(KEYS), list(VALUES)))
    if not close(answer, 9):
        raise Mistake("wrong_value", f"'computer' stands there once, with the value 9; yours gives {answer}.")
    answer, weights = pair(list_lookup("dog", list(KEYS), list(VALUES)))
    if close(answer, 6):
        raise Mistake("not_normalised", "two dogs at 2 and 4 make 6, which no dog costs. "
                                        "What do your weights add up to? Divide by that.")
    if close(answer, 4):
        raise Mistake("last_wins", "with 'dog' stored twice, yours returns the last value, as a dict does; "
                                   "the mean of both is asked for.")
    if close(answer, 2):
        raise Mistake("first_wins", "with 'dog' stored twice, yours returns the first value; "
                                    "the mean of both is asked for.")
    if not close(answer, 3):
        raise Mistake("wrong_mean", f"two dogs at 2 and 4 have the mean 3; yours gives {answer}.")
    numbers(weights, [0, 0.5, 0, 0.5], "weights_not_shared", "the weights should share a single 1: [0, 0.5, 0, 0.5].")
    needs_key_error(lambda: list_lookup("puppy", list(KEYS), list(VALUES)))
    return "keys, repeated keys and a missing key all come out right."


@exercise("01-2", points=2)
def check_01_2(default_lookup):
    try:
        answer, weights = pair(default_lookup("puppy", list(KEYS), list(VALUES), 5))
    except (KeyError, ZeroDivisionError) as error:
        raise Mistake("still_raises", "a missing key should give the default 5 now; "
                                      f"yours raises {type(error).__name__}.")
    if not close(answer, 5):
        raise Mistake("default_ignored", f"no key equals 'puppy', so the answer is the default 5; yours gives {answer}.")
    if len(weights) == len(KEYS):
        raise Mistake("default_without_weight", "the default is an entry too: give S + 1 weights, its own at the end.")
    numbers(weights, [0, 0, 0, 0, 1], "default_weight", "when nothing matches, the last weight is 1: [0, 0, 0, 0, 1].")
    answer, weights = pair(default_lookup("cat", list(KEYS), list(VALUES), 5))
    if close(answer, 4):
        raise Mistake("default_always", "'cat' should cost 3, and your default takes part in it. "
                                        "Its weight is 0 when some key matches.")
    if not close(answer, 3):
        raise Mistake("wrong_value", f"'cat' stands there once, with the value 3; yours gives {answer}.")
    numbers(weights, [0, 0, 1, 0, 0], "default_weight", "when a key matches, the last weight is 0: [0, 0, 1, 0, 0].")
    answer, weights = pair(default_lookup("dog", list(KEYS), list(VALUES), 5))
    if not close(answer, 3):
        raise Mistake("not_normalised", f"two dogs at 2 and 4 have the mean 3; yours gives {answer}. "
                                        "What do your weights add up to?")
    answer, weights = pair(default_lookup("free", ["free", "dog"], [0, 2], 5))
    if not close(answer, 0):
        raise Mistake("zero_is_missing", "an entry may have the value 0, and that is its answer; "
                                         f"yours gives {answer}. Ask the weights whether a key matched, not the answer.")
    return "the default answers when nobody else does, and keeps silent otherwise."


@exercise("01-3", points=3)
def check_01_3(matrix_lookup):
    rows = torch.eye(5)
    key = rows[[0, 1, 2, 1, 3]]
    query = rows[[2, 1, 2, 4]]    # 'cat' twice; the last matches nothing
    value = torch.tensor([[9.0, 4.0], [2.0, 20.0], [3.0, 5.0], [4.0, 30.0], [1.0, 1.0]])
    matches = query @ key.T
    answer, weights = pair(matrix_lookup(query.clone(), key.clone(), value.clone()))
    for name, got in [("answers", answer), ("weights", weights)]:
        if not isinstance(got, torch.Tensor):
            raise Mistake("no_tensor", f"the {name} should be a tensor; yours are a {type(got).__name__}.")
    if weights.shape == (5, 4):
        raise Mistake("transposed", "four queries and five keys make weights [4, 5]; yours are [5, 4]. "
                                    "Rows are queries, columns are keys.")
    if weights.shape != (4, 5) or answer.shape != (4, 2):
        raise Mistake("wrong_shape", "four queries, five keys and values of two numbers make weights [4, 5] and "
                                     f"answers [4, 2]; yours are {list(weights.shape)} and {list(answer.shape)}.")
    if close(weights[:3], matches[:3]):
        raise Mistake("not_normalised", "a key is stored twice, and its row adds up to 2. Divide each row by its sum.")
    if close(weights[0], matches[0] / 2):
        raise Mistake("wrong_axis", "the same query asked twice gets half the weight; the sum of a row is what "
                                    "divides it, and yours divides by the sum of a column.")
    if weights.isnan().any() or answer.isnan().any():
        raise Mistake("nan_row", "a query that matches nothing divides 0 by 0, which is nan; its row should be zeros.")
    if (weights[0] > 0).all():
        raise Mistake("softmax", "a key that does not match should get the weight 0, and yours gives it some. "
                                 "Share the matches themselves.")
    if not close(weights[3], torch.zeros(5)):
        raise Mistake("weight_from_nothing", "a query that matches nothing gets a row of zeros; yours is "
                                             f"{[round(weight, 2) for weight in weights[3].tolist()]}.")
    expected = matches / torch.tensor([[1.0], [2.0], [1.0], [1.0]])
    if not close(weights, expected):
        raise Mistake("wrong_weights", "each row of weights should share 1 among the keys that match; "
                                       f"your second row is {[round(weight, 2) for weight in weights[1].tolist()]}.")
    if not close(answer, expected @ value):
        raise Mistake("wrong_answer", "your weights are right; the answers are those weights @ value.")
    return "many words in two products, and no row of nan."


@exercise("01-4", points=1)
def check_01_4(mean_mark):
    names, marks = ["Ann", "Ann", "Bob", "Cem", "Bob"], [4, 6, 9, 1, 3]
    first = mean_mark("Ann", list(names), list(marks))
    if first is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    if close(first, 10):
        raise Mistake("not_normalised", "4 and 6 have the mean 5; yours adds them up. What do the weights add up to?")
    if close(first, 2):
        raise Mistake("divides_by_all", "Ann has two marks, and yours divides by the number of all marks.")
    if not close(first, 5):
        raise Mistake("wrong_mean", f"4 and 6 have the mean 5; yours gives {first}.")
    second = mean_mark("Bob", list(names), list(marks))
    if close(second, 5):
        raise Mistake("misaligned", "Bob gets Ann's mean: each weight still has to stand beside the mark of its own name.")
    if not close(second, 6):
        raise Mistake("neighbours_only", f"Bob's marks 9 and 3 have the mean 6; yours gives {second}. "
                                         "They do not stand side by side: does yours look through the whole list?")
    needs_key_error(lambda: mean_mark("Dora", list(names), list(marks)))
    return "every weight stands beside its own mark."
