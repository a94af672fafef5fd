"""The small type that every exercise check returns, and the wrapper that makes it."""

import functools
import linecache
import os
import traceback
from dataclasses import dataclass, field
from html import escape

import torch

from softdict import runtime


@dataclass(frozen=True)
class Result:
    """What a check found: points, a code for the likely mistake, and a sentence.

    most is how many points there are
    """

    exercise: str
    passed: bool
    points: int
    code: str
    message: str
    most: int = field(default=0, compare=False)

    @property
    def verdict(self):
        open_yet = "not solved yet" if self.code == "unsolved" else "not right yet"
        return "passed" if self.passed else open_yet

    def __repr__(self):
        return f"{self.exercise} {self.verdict}: {self.message}"

    def _repr_html_(self):
        """The same for a notebook: a mark and a colour, lines that wrap, the points."""
        mark, colour = {"passed": ("✓", "#2e7d32"), "not solved yet": ("○", "#767676"),
                        "not right yet": ("✗", "#b32d15")}[self.verdict]
        return (f'<div style="border-left: 4px solid {colour}; padding: .2em .8em; '
                f'white-space: pre-wrap"><b>{mark} {self.exercise} {self.verdict}</b> '
                f"({self.points} of {self.most} points)\n{escape(self.message)}</div>")


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
            passed, code, message = judged(inspect_answer, answer)
            return Result(name, passed, points * passed, code,
                          message + is_older(answer), points)

        check.exercise, check.points = name, points
        return check

    return decorate


def judged(inspect_answer, answer):
    """Whether the answer passed, a code, and a sentence."""
    try:
        refuse(not callable(answer), "not_a_function",
               "hand over the function itself, by its name and without "
               f"brackets; this is of type {type(answer).__name__}.")
        with torch.random.fork_rng(devices=[]):
            praise = inspect_answer(answer)
    except Mistake as mistake:
        return False, mistake.code, str(mistake)
    except (Exception, SystemExit) as error:
        return False, *explained(error, answer)
    return True, "passed", praise


def explained(error, answer):
    """Code and sentence of an error in the reader's function, or in its check."""
    if isinstance(error, NotImplementedError) and not error.args:
        # torch raises it too, with a reason
        if open_yet := another_stub(error, answer):
            return "unsolved", (f"your code calls `{open_yet}`, which is not written "
                                "yet: solve that first, or take its answer.")
        return ("unsolved",
                "write the body of the function, run its cell, then run this one.")
    own = source_file(answer)
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__)
             if frame.f_code.co_filename == own]
    if lines:
        text = linecache.getline(own, lines[-1]).strip()
        where = f"your code stopped in line {lines[-1]} of its cell, `{text}`, with"
    elif isinstance(error, TypeError) and (
        "positional arg" in str(error) or "keyword arg" in str(error)):
        where = "your function cannot be called as the task says;"
    else:
        where = ("what your function returns is not what the task asks for; checking "
                 "it stopped with")
    return "error", f"{where} {type(error).__name__}: {error}"


def another_stub(error, answer):
    """The name of the stub that the answer called, if the error is not its own."""
    frames = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    own = {part.__code__ for part in (answer, *getattr(answer, "__dict__", {}).values())
           if hasattr(part, "__code__")}
    if own.isdisjoint(frames) or frames[-1] in own:
        return None
    return frames[-1].co_qualname.removesuffix(".__init__")


def source_file(answer):
    """The file, or the cell, that defines a function or class; None for others."""
    for part in (answer, *getattr(answer, "__dict__", {}).values()):
        if hasattr(part, "__code__"):
            return part.__code__.co_filename
    return None


def is_older(answer):
    """A sentence if the reader's last version was never defined, else nothing.

    in a notebook, a cell that ends in an error leaves the function of before
    """
    shell = runtime.shell()
    name, own = getattr(answer, "__name__", None), source_file(answer)
    if shell is None or own is None or os.path.exists(own):    # a file is no cell
        return ""
    cells = [cell for cell in shell.user_ns.get("In", [])
             if f"def {name}(" in cell or f"class {name}(" in cell]
    judged_cell = "".join(linecache.getlines(own))
    if not cells or cells[-1].split() == judged_cell.split():
        return ""
    return (f" (This judged an older {name}: the last cell that defines it has ended "
            "in an error.)")


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
