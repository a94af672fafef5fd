"""The one small type that every exercise check returns, and the wrapper that makes it."""

import functools
import traceback
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Result:
    """What a check found: passed or not, points, a code for the likely mistake, and a sentence for the reader."""

    exercise: str
    passed: bool
    points: int
    code: str
    message: str

    def __repr__(self):
        verdict = "passed" if self.passed else "not solved yet" if self.code == "unsolved" else "not right yet"
        return f"{self.exercise} {verdict}: {self.message}"


class Mistake(Exception):
    """Raised inside a check when the answer is wrong: a hint code and a sentence that names the likely mistake."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def exercise(name, points):
    """Turns a function that raises `Mistake` for a wrong answer, and returns praise for a right one, into a check.

    A stub, which raises NotImplementedError, is "unsolved"; an answer that raises anything else is an "error".
    A check never raises, and leaves torch's random numbers where they were.
    """

    def decorate(inspect_answer):
        @functools.wraps(inspect_answer)
        def check(answer):
            try:
                if not callable(answer):
                    raise Mistake("not_a_function", "hand over the function itself, by its name and without brackets; "
                                                    f"this is of type {type(answer).__name__}.")
                with torch.random.fork_rng(devices=[]):
                    praise = inspect_answer(answer)
            except Mistake as mistake:
                return Result(name, False, 0, mistake.code, str(mistake))
            except (Exception, SystemExit) as error:
                if isinstance(error, NotImplementedError) and not error.args:    # torch raises it too, with a reason
                    return Result(name, False, 0, "unsolved",
                                  "write the body of the function, run its cell, then run this one.")
                frames = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
                if getattr(answer, "__code__", None) in frames:
                    where = "your code stopped with"
                elif isinstance(error, TypeError) and ("positional arg" in str(error) or "keyword arg" in str(error)):
                    where = "your function cannot be called as the task says;"
                else:
                    where = "what your function returns is not what the task asks for; checking it stopped with"
                return Result(name, False, 0, "error", f"{where} {type(error).__name__}: {error}")
            return Result(name, True, points, "passed", praise)

        check.exercise, check.points = name, points
        return check

    return decorate


def pair(returned):
    """The two things that the reader's function returned; raises Mistake if it is not two."""
    if returned is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    if not isinstance(returned, (tuple, list)) or len(returned) != 2:
        raise Mistake("not_two_things", "return two things, the answer and the weights: `return answer, weights`.")
    return returned


def two_tensors(returned, answer_shape, weights_shape):
    """The reader's answers and weights; raises Mistake unless they are tensors of these shapes."""
    returned = pair(returned)
    for name, got in zip(("answers", "weights"), returned):
        if not isinstance(got, torch.Tensor):
            raise Mistake("no_tensor", f"the {name} should be a tensor; yours are of type {type(got).__name__}.")
    shapes = tuple(tuple(got.shape) for got in returned)
    if shapes == (weights_shape, answer_shape) != (answer_shape, weights_shape):
        raise Mistake("swapped_returns", "return the answers first and the weights second.")
    if len(weights_shape) > 1 and shapes[1] == (*weights_shape[:-2], weights_shape[-1], weights_shape[-2]):
        raise Mistake("transposed", f"the weights should be {list(weights_shape)}, rows for queries and columns for "
                                    f"keys; yours are {list(shapes[1])}.")
    if shapes != (answer_shape, weights_shape):
        raise Mistake("wrong_shape", f"the answers should be {list(answer_shape)} and the weights "
                                     f"{list(weights_shape)}; yours are {list(shapes[0])} and {list(shapes[1])}.")
    return tuple(got.detach().double() for got in returned)


def number(returned):
    """The one number that the reader's function returned; raises Mistake if it is none."""
    if returned is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    try:
        return float(returned)
    except (TypeError, ValueError, RuntimeError):
        raise Mistake("no_number", f"return one number; yours is of type {type(returned).__name__}.") from None


def short(numbers):
    """Numbers as a reader wants to see them."""
    return [round(float(number), 3) for number in numbers]


def attempt(call, *explained):
    """What call() returns; an error whose text is explained becomes a Mistake.

    explained holds triples (part of the error's text, code, sentence)
    """
    try:
        return call()
    except Exception as error:
        for text, code, sentence in explained:
            if text in str(error):
                raise Mistake(code, sentence) from error
        raise


def close(left, right, tolerance=1e-4):
    """True if two numbers, or two tensors of one shape, differ by no more than the tolerance; nan never does."""
    left, right = (torch.as_tensor(item, dtype=torch.float64).detach().cpu() for item in (left, right))
    return left.shape == right.shape and bool(((left - right).abs() <= tolerance).all())
