"""Checks for the exercises of chapter 01, a dictionary is a function."""

import torch

from softdict.checks.answers import (ask, close, pair, right_sums, short, something,
                                     two_tensors, wrong_row)
from softdict.checks.result import Mistake, exercise, refuse

KEYS, VALUES = ["computer", "dog", "cat", "dog"], [9, 2, 3, 4]


def same_text(text):
    """An equal text that is another object: a comparison by `is` does not find it."""
    return "".join(list(text))


def lists(returned):
    """The reader's answer, and the weights as a list."""
    answer, weights = pair(returned)
    refuse(isinstance(answer, (list, tuple)), "swapped_returns",
           "return the answer first and the weights second.")
    return answer, list(weights)


def expect(got, right, code, sentence):
    """Raises Mistake unless got is the right number, or the right list of weights."""
    if isinstance(right, list):
        refuse(len(got) != len(right), "weights_missing", "give one weight for each "
               f"entry, a 0 included: {len(right)} weights, and not {len(got)}.")
    refuse(not close(got, right), code,
           f"{sentence} Yours gives {short(got) if isinstance(right, list) else got}.")


def needs_key_error(answer):
    """Raises Mistake unless calling answer raises a KeyError."""
    try:
        result = answer()
    except KeyError:
        return
    except ZeroDivisionError:
        raise Mistake("divides_by_zero", "a missing key makes the sum 0; look at the "
                      "sum before you divide by it.")
    except NotImplementedError:
        raise
    except Exception as error:
        raise Mistake("other_error", "a missing key should raise a KeyError; yours "
                      f"raises a {type(error).__name__}.")
    raise Mistake("missing_key", "a key that is not there should raise a KeyError; "
                  f"yours returned {result!r}.")


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
            raise Mistake("finds_nothing", "'computer' is among the keys, and yours "
                          "raises KeyError; compare with `==`.")
        raise Mistake("raises_at_another", "yours finds 'computer' where it stands "
                      "alone, and raises KeyError where other keys follow; raise only "
                      "if none matches.")
    refuse(close(answer, 9 / 4), "divides_by_all", "yours divides by the number of "
           "entries; divide by the sum, which counts those that match.")
    expect(answer, 9, "wrong_value", "'computer' occurs once, with the value 9.")
    expect(weights, [1, 0, 0, 0], "wrong_weights",
           "the weights for 'computer' are [1, 0, 0, 0].")
    answer, weights = run("dog")
    refuse(close(answer, 6), "not_normalised", "two dogs at 2 and 4 make 6, which no "
           "dog costs. What do your weights add up to? Divide by that.")
    refuse(close(answer, 4), "last_wins", "where 'dog' occurs twice, yours returns the "
           "last value, as a dict does; the mean of both is asked for.")
    refuse(close(answer, 2), "first_wins", "where 'dog' occurs twice, yours returns "
           "the first value; the mean of both is asked for.")
    expect(answer, 3, "wrong_mean", "two dogs at 2 and 4 have the mean 3.")
    expect(weights, [0, 0.5, 0, 0.5], "weights_not_shared",
           "a key that occurs twice shares a single 1: [0, 0.5, 0, 0.5].")
    answer, weights = run("hen", ["hen", "hen", "henhouse", "hen"], [1, 2, 100, 7])
    refuse(close(answer, 110 / 4), "inside", "yours also takes 'henhouse' for 'hen'; a "
           "key must equal the query, so compare with `==`.")
    expect(answer, 10 / 3, "not_the_mean",
           "three hens at 1, 2 and 7 have the mean 10/3.")
    expect(weights, [1 / 3, 1 / 3, 0, 1 / 3], "weights_not_shared",
           "three matches share a single 1: one third each.")
    try:
        answer, _ = run("free", ["free", "dog"], [0, 2])
    except KeyError:
        raise Mistake("zero_is_missing",
                      "an entry may have the value 0; yours raises KeyError there.")
    expect(answer, 0, "zero_is_missing",
           "an entry may have the value 0, and that is its answer.")
    needs_key_error(lambda: list_lookup("puppy", list(KEYS), list(VALUES)))
    return "keys, repeated keys and a missing key all come out right."


@exercise("01-2", points=2)
def check_01_2(default_lookup):
    def run(query, keys=KEYS, values=VALUES, default=5):
        return lists(
            default_lookup(same_text(query), list(keys), list(values), default))

    try:
        answer, weights = run("puppy")
    except (KeyError, ZeroDivisionError) as error:
        raise Mistake("still_raises", "a missing key should give the default 5 now; "
                      f"yours raises {type(error).__name__}.")
    expect(answer, 5, "default_ignored",
           "no key equals 'puppy', so the default 5 answers.")
    ask(default_lookup, "puppy", KEYS, VALUES, 5,
        advice="make new lists, as in `[*values, default]`")
    refuse(len(weights) == len(KEYS), "default_without_weight",
           "the default is an entry too: give S + 1 weights, its own at the end.")
    expect(weights, [0, 0, 0, 0, 1], "default_weight",
           "when nothing matches, the last weight is 1: [0, 0, 0, 0, 1].")
    expect(run("puppy", ["dog"], [2], 7)[0], 7, "default_fixed",
           "with the default 7 a missing key gives 7.")
    answer, weights = run("cat")
    refuse(close(answer, 4), "default_always", "'cat' should cost 3, and your default "
           "takes part in it. Its weight is 0 when some key matches.")
    expect(answer, 3, "wrong_value", "'cat' occurs once, with the value 3.")
    expect(weights, [0, 0, 1, 0, 0], "default_weight",
           "when a key matches, the last weight is 0: [0, 0, 1, 0, 0].")
    answer, weights = run("dog")
    refuse(close(answer, 6), "not_normalised",
           "two dogs at 2 and 4 make 6, which no dog costs. Divide by the sum.")
    expect(answer, 3, "wrong_mean",
           "two dogs at 2 and 4 have the mean 3; the default 5 keeps out of it.")
    expect(weights, [0, 0.5, 0, 0.5, 0], "weights_not_shared",
           "two dogs share a single 1, and the default keeps out of it.")
    expect(run("free", ["free", "dog"], [0, 2])[0], 0, "zero_is_missing",
           "an entry may have the value 0, and that is its answer: ask the weights "
           "whether a key matched.")
    expect(run("hen", ["hen"], [2.5])[0], 2.5, "not_the_mean",
           "one hen at 2.5 costs 2.5.")
    return "the default answers when nobody else does, and keeps silent otherwise."


@exercise("01-3", points=3)
def check_01_3(matrix_lookup):
    rows = torch.eye(7)
    key = rows[[0, 1, 2, 1, 3, 1]]
    query = rows[[2, 1, 2, 4]]    # 'cat' twice; the last matches nothing
    value = torch.tensor([
        [9.0, 4.0], [2.0, 20.0], [3.0, 5.0], [4.0, 30.0], [1.0, 1.0], [8.0, 0.0]])
    matches = query @ key.T
    answer, weights = two_tensors(
        ask(matrix_lookup, query, key, value, advice=None, likely=[
            ("not_transposed", "a product takes rows with columns; turn the keys into "
             "columns: `key.T`.", "(4x7 and 6x7)"),
            ("wrong_order", "look at the order: matches are query @ key.T, answers are "
             "weights @ value.", "mat1 and mat2"),
            ("no_product", "`*` multiplies number by number; `@` is the product of "
             "matrices.", "tensor a (7) must match the size", "tensor a (2)",
             "tensor b (2)", "non-singleton dimension 0"),
            ("no_keepdim", "four sums in a row cannot divide four rows; keep them as a "
             "column: `sum(dim=1, keepdim=True)`.", "must match the size"),
            ("one_if_for_all", "an `if` asks about all rows at once; look for one "
             "operation that raises a sum of 0 to 1 and leaves the others alone.",
             "Boolean value of Tensor")]), [(4, 2), (4, 6)], code="swapped_returns")
    refuse(close(weights[:3], matches[:3]), "not_normalised",
           "a key occurs three times, and its row adds up to 3. Divide by that.")
    refuse(close(weights, matches / matches.sum()), "total_of_all", "yours divides by "
           "the matches of all queries together; each row is divided by its own sum.")
    by_column = matches / matches.sum(dim=0)
    refuse(close(weights.nan_to_num(), by_column.nan_to_num()), "wrong_axis", "the sum "
           "of a row is what divides it, and yours divides by the sum of a column.")
    refuse(weights.isnan().any() or answer.isnan().any(), "nan_row", "a query that "
           "matches nothing divides 0 by 0, which is nan; its row should be zeros.")
    refuse((weights[0] > 0).all(), "softmax", "a key that does not match should get "
           "the weight 0, and yours gives it some. Share the matches themselves.")
    refuse(weights[3].any(), "weight_from_nothing", "a query that matches nothing gets "
           f"a row of zeros; yours is {short(weights[3])}.")
    refuse(close(weights[:3], matches[:3] / matches[:3].norm(dim=1, keepdim=True)),
           "root_of_squares", "yours divides a row by the root of its squares; divide "
           "it by its sum, 3 for a key that occurs three times.")
    refuse(close(weights, matches * (matches.cumsum(dim=1) == 1)), "first_alone",
           "yours takes the first key that matches alone; all that match share the "
           "weight.")
    expected = matches / torch.tensor([[1.0], [3.0], [1.0], [1.0]])
    if not close(weights, expected):
        wrong_row("wrong_weights", "weights", weights, expected,
                  " The keys that match share 1.")
    right_sums("wrong_answer", "answers", answer, expected @ value)
    return "many words in two products, and no row of nan."


@exercise("01-4", points=1)
def check_01_4(mean_mark):
    names = ["Ann", "Ann", "Bob", "Cem", "Bob", "Bob", "Eve", "Annabel"]
    marks = [4, 7, 9, 1, 3, 0, 0, 100]

    def run(name):
        return something(mean_mark(same_text(name), list(names), list(marks)))

    ann, bob = run("Ann"), run("Bob")
    refuse(close(ann, 11), "not_normalised", "4 and 7 have the mean 5.5; yours adds "
           "them up. What do the weights add up to?")
    refuse(close(ann, 11 / 8), "divides_by_all",
           "Ann has two marks, and yours divides by the number of all marks.")
    for mark, which in ((4, "first"), (7, "last")):
        refuse(close(ann, mark), "one_mark", f"yours gives Ann's {which} mark alone; "
               "the mean of 4 and 7 is 5.5.")
    refuse(close(ann, 5), "whole_numbers", "4 and 7 have the mean 5.5, and yours gives "
           "5: `//` drops what is behind the point, `/` keeps it.")
    expect(ann, 5.5, "wrong_mean", "Ann's marks 4 and 7 have the mean 5.5.")
    refuse(close(bob, 20 / 3), "misaligned", "Bob gets the first marks of the list: "
           "each weight has to stand beside the mark of its own name.")
    refuse(close(bob, 6), "zero_is_missing", "a mark of 0 is a mark: Bob's 9, 3 and 0 "
           "have the mean 4, and yours gives 6.")
    expect(bob, 4, "not_all_of_them",
           "Bob's marks 9, 3 and 0 have the mean 4; they are not side by side.")
    try:
        eve = run("Eve")
    except KeyError:
        raise Mistake("zero_is_missing",
                      "a mark of 0 is a mark: Eve has one, and yours raises KeyError.")
    expect(eve, 0, "zero_is_missing", "a mark of 0 is a mark: Eve's mean is 0.")
    needs_key_error(lambda: mean_mark("Dora", list(names), list(marks)))
    return "every weight stands beside its own mark."
