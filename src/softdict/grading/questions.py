"""What a graded task consists of, and how the results of an answer are judged.

An answer is never judged where it runs: it gets the inputs of `cases`, and its results
are compared here, with those of the right answer and of the likely wrong ones.
"""

import reprlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy
import torch

MOST_NUMBERS = 6    # that are shown of a result, and dimensions


@dataclass(frozen=True)
class Part:
    """Some cases of a question, and the points for getting all of them right.

    cases(rng) gives them, a tuple of arguments each, from a random.Random
    """

    name: str
    points: int
    cases: Callable


@dataclass(frozen=True)
class Wrong:
    """A likely wrong answer: whoever gives its results is told the hint."""

    code: str
    hint: str
    answer: Callable


@dataclass(frozen=True)
class Question:
    """A task: write the function of this name.

    drive, if there is one, is the source of a function drive(answer, *case), which
    calls the answer where more than arguments are needed; it tells nothing of the
    results that are expected
    """

    name: str
    function: str
    answer: Callable
    parts: tuple
    wrong: tuple = ()
    drive: str = "def drive(answer, *case):\n    return answer(*case)\n"
    tolerance: float = 1e-5

    @property
    def points(self):
        """The points of all parts."""
        return sum(part.points for part in self.parts)


@dataclass(frozen=True)
class Failure:
    """An error in place of a result: the last line of what Python said."""

    words: str


@dataclass(frozen=True)
class Mark:
    """What a question got: points, a code for the likely mistake, and a sentence."""

    question: str
    points: int
    most: int
    code: str
    message: str


def drive(question, answer, case):
    """The result of an answer for one case, or the Failure in its place."""
    names = {}
    exec(question.drive, names)
    try:
        return names["drive"](answer, *copied(case))
    except Exception as error:
        return Failure(f"{type(error).__name__}: {error}"[:300])


def copied(value):
    """The same arguments once more: an answer may change what it is given."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, (list, tuple)):
        return type(value)(map(copied, value))
    if isinstance(value, dict):
        return {name: copied(part) for name, part in value.items()}
    return value


def same(found, wanted, tolerance):
    """Whether two results are equal, numbers up to a tolerance.

    a tensor, an array and a list of the same numbers are equal, also of other types
    """
    if isinstance(wanted, Failure) or isinstance(found, Failure):
        return False
    if isinstance(wanted, dict):
        return isinstance(found, dict) and found.keys() == wanted.keys() and all(
            same(found[name], wanted[name], tolerance) for name in wanted)
    if isinstance(wanted, (str, bool)) or wanted is None:
        return type(found) is type(wanted) and found == wanted
    arrays = as_array(found), as_array(wanted)
    if arrays[1] is None:    # words, or parts of unequal shapes
        return (isinstance(wanted, (list, tuple)) and isinstance(found, (list, tuple))
                and len(found) == len(wanted) and all(
                    same(mine, yours, tolerance) for mine, yours in zip(found, wanted)))
    return (arrays[0] is not None and arrays[0].shape == arrays[1].shape
            and bool(numpy.allclose(*arrays, rtol=tolerance, atol=tolerance,
                                    equal_nan=True)))


def all_numbers(value):
    """True for a number, or for lists of numbers in lists."""
    if isinstance(value, (list, tuple)):
        return all(map(all_numbers, value))
    return isinstance(value, (int, float, torch.Tensor, numpy.ndarray))


def as_array(value):
    """Numbers as one array of float64; None for what is none."""
    if not all_numbers(value):
        return None
    try:
        if isinstance(value, torch.Tensor):
            if value.is_complex():
                return None
            value = value.detach().cpu().to(torch.float64)
        return numpy.asarray(value, dtype=numpy.float64)
    except (TypeError, ValueError, RuntimeError):
        return None


def cases(question, rng):
    """The cases of each part, in order; two graders with one seed get the same."""
    return [part.cases(rng) for part in question.parts]


def judge(question, asked, results):
    """The Mark for results, a list for each part, of the cases that `cases` gave.

    a Failure may stand in place of the list of all results: no answer could be asked
    """
    if isinstance(results, Failure):
        return Mark(question.name, 0, question.points, "no_answer", results.words)
    wanted = [[drive(question, question.answer, case) for case in part]
              for part in asked]
    right = [all(same(*pair, question.tolerance) for pair in zip(*both))
             for both in zip(results, wanted)]
    points = sum(part.points for part, good in zip(question.parts, right) if good)
    if all(right):
        return Mark(question.name, points, question.points, "right", "Right.")
    code, hint = likely(question, asked, results, wanted)
    return Mark(question.name, points, question.points, code, hint)


def likely(question, asked, results, wanted):
    """Code and hint for results that are not right."""
    flat = [result for part in results for result in part]
    for wrong in question.wrong:
        theirs = [drive(question, wrong.answer, case) for part in asked
                  for case in part]
        if all(same(*pair, question.tolerance) or both_fail(*pair)
               for pair in zip(flat, theirs)):
            return wrong.code, wrong.hint
    for failed in flat:
        if isinstance(failed, Failure):
            return ("not_written" if failed.words.startswith("NotImplementedError")
                    else "error"), f"Your function stopped with {failed.words}"
    for part, found, right in zip(question.parts, results, wanted):
        for mine, yours in zip(found, right):
            if not same(mine, yours, question.tolerance):
                return "wrong", (f"In the part {part.name!r} a result differs: "
                                 f"expected {shown(yours)}, got {shown(mine)}.")
    raise AssertionError("all results are right")


def both_fail(found, wanted):
    """True where both stopped, with the same kind of error."""
    return (isinstance(found, Failure) and isinstance(wanted, Failure)
            and found.words.partition(":")[0] == wanted.words.partition(":")[0])


class Short(reprlib.Repr):
    """Words for a value whose length nothing bounds; a tensor is never printed."""

    def repr_Tensor(self, tensor, level):
        return f"numbers of shape {self.repr(list(tensor.shape))}"


def shown(value):
    """A result as a few letters: the shape where there are many numbers."""
    array = as_array(value)
    if array is not None and max(array.size, array.ndim, *array.shape) > MOST_NUMBERS:
        first = ", ".join(f"{number:.4g}" for number in array.flat[:4])
        return (f"numbers of shape {Short().repr(list(array.shape))}"
                + (f", beginning with {first}" if first else ""))
    if array is not None:
        return str(numpy.round(array, 4).tolist())
    text = Short().repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."
