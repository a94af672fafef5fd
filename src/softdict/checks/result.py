"""The small type that every exercise check returns, and the wrapper that makes it."""

import functools
import traceback
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Result:
    """What a check found: points, a code for the likely mistake, and a sentence."""

    exercise: str
    passed: bool
    points: int
    code: str
    message: str

    def __repr__(self):
        verdict = "passed" if self.passed else "not right yet"
        verdict = "not solved yet" if self.code == "unsolved" else verdict
        return f"{self.exercise} {verdict}: {self.message}"


class Mistake(Exception):
    """Raised for a wrong answer: its code, and a sentence that names what is likely."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def exercise(name, points):
    """Makes a check of a function that raises `Mistake`, or else returns praise.

    A stub, which raises NotImplementedError, is "unsolved"; an answer that raises
    anything else is an "error". A check never raises, and leaves torch's random numbers
    where they were.
    """

    def decorate(inspect_answer):
        @functools.wraps(inspect_answer)
        def check(answer):
            try:
                refuse(not callable(answer), "not_a_function",
                       "hand over the function itself, by its name and without "
                       f"brackets; this is of type {type(answer).__name__}.")
                with torch.random.fork_rng(devices=[]):
                    praise = inspect_answer(answer)
            except Mistake as mistake:
                return Result(name, False, 0, mistake.code, str(mistake))
            except (Exception, SystemExit) as error:
                return Result(name, False, 0, *explained(error, answer))
            return Result(name, True, points, "passed", praise)

        check.exercise, check.points = name, points
        return check

    return decorate


def explained(error, answer):
    """Code and sentence of an error in the reader's function, or in its check."""
    if isinstance(error, NotImplementedError) and not error.args:
        # torch raises it too, with a reason
        return ("unsolved",
                "write the body of the function, run its cell, then run this one.")
    frames = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    if getattr(answer, "__code__", None) in frames:
        where = "your code stopped with"
    elif isinstance(error, TypeError) and (
        "positional arg" in str(error) or "keyword arg" in str(error)):
        where = "your function cannot be called as the task says;"
    else:
        where = ("what your function returns is not what the task asks for; checking "
                 "it stopped with")
    return "error", f"{where} {type(error).__name__}: {error}"


def refuse(wrong, code, sentence):
    """Raises Mistake if the answer is wrong."""
    if wrong:
        raise Mistake(code, sentence)


def attempt(call, *likely):
    """What call() returns; an error that is explained becomes a Mistake.

    likely holds a code, a sentence, and parts of the errors' texts
    """
    try:
        return call()
    except Exception as error:
        for code, sentence, *texts in likely:
            if any(text in str(error) for text in texts):
                raise Mistake(code, sentence) from error
        raise
