"""The small type that every exercise check returns, and the wrapper that makes it."""

import functools
import linecache
import os
import traceback
from dataclasses import dataclass, field
from html import escape

import torch

from softdict import runtime
from softdict.checks.sentences import sentence


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
    """Raised for a wrong answer: the key of its sentence, and what that leaves open.

    its code is what stands in front of a hyphen in the key, unless it is given
    """

    def __init__(self, key, /, code=None, **fields):
        super().__init__(key)
        self.key, self.fields = key, fields
        self.code = code or key.partition("-")[0]


def exercise(name, points):
    """Makes a check of a function that raises `Mistake` if the answer is wrong.

    A stub, which raises NotImplementedError, is "unsolved"; an answer that raises
    anything else is an "error". A check never raises, and leaves torch's random numbers
    where they were.
    """

    def decorate(inspect_answer):
        @functools.wraps(inspect_answer)
        def check(answer):
            code, message = judged(name, inspect_answer, answer)
            passed = code == "passed"
            return Result(name, passed, points * passed, code,
                          message + is_older(name, answer), points)

        check.exercise, check.points = name, points
        return check

    return decorate


def judged(name, inspect_answer, answer):
    """A code and a sentence: here alone they come together."""
    try:
        mistake = found(inspect_answer, answer)
        return mistake.code, sentence(name, mistake.key, **mistake.fields)
    except (Exception, SystemExit) as error:    # also one on the way to the sentence
        mistake = explained(error, answer)
        return mistake.code, sentence(name, mistake.key, **mistake.fields)


def found(inspect_answer, answer):
    """The Mistake that a check raises, or else praise."""
    try:
        refuse(not callable(answer), "not_a_function", kind=type(answer).__name__)
        with torch.random.fork_rng(devices=[]):
            inspect_answer(answer)
    except Mistake as mistake:
        return mistake
    return Mistake("praise", code="passed")


def explained(error, answer):
    """The Mistake for an error in the reader's function, or in its check."""
    if isinstance(error, NotImplementedError) and not error.args:
        # torch raises it too, with a reason
        if open_yet := another_stub(error, answer):
            return Mistake("unsolved-another", name=open_yet)
        return Mistake("unsolved")
    own, shown = source_file(answer), {"kind": type(error).__name__, "error": error}
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__)
             if frame.f_code.co_filename == own]
    if lines:
        text = linecache.getline(own, lines[-1]).strip()
        return Mistake("error-line", line=lines[-1], text=text, **shown)
    if isinstance(error, TypeError) and (
        "positional arg" in str(error) or "keyword arg" in str(error)):
        return Mistake("error-call", **shown)
    return Mistake("error", **shown)


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


def is_older(exercise, answer):
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
    return f" ({sentence(exercise, 'older', name=name)})"


def refuse(wrong, key, /, **fields):
    """Raises Mistake if the answer is wrong; the key may be a Mistake already."""
    if wrong:
        raise key if isinstance(key, Mistake) else Mistake(key, **fields)


def attempt(call, *likely):
    """What call() returns; an error that is explained becomes a Mistake.

    likely holds keys, or Mistakes, each with parts of the errors' texts
    """
    try:
        return call()
    except Exception as error:
        for key, *texts in likely:
            refuse(any(text in str(error) for text in texts), key)
        raise
