"""What runs beside a student's code, in a process that holds no tests.

The cells of a notebook run in order, as on its author's screen; then each function that
is asked for gets its inputs, and what it returns goes out as plain values.
"""

import random
import re
import signal
import sys
import time

from softdict.grading.questions import Failure, copied
from softdict.grading.wire import pack, unpack

CELL = 10    # seconds a cell may take, and all cases of one question
LONGEST_WORDS = 300
MAGIC = re.compile(r"^(\s*)[%!].*")


class TooLong(BaseException):
    """A cell took more than its seconds; no `except Exception` stops this."""


def ring(number, frame):
    raise TooLong


def within(seconds, function, *arguments):
    """The function's result; a Failure for what it raises, or if it takes too long."""
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return function(*arguments)
    except TooLong:
        return Failure(f"it ran longer than {seconds:.0f} s")
    except MemoryError:
        return Failure("MemoryError: it needs more memory than an answer may have")
    except BaseException as error:    # SystemExit and KeyboardInterrupt end no grading
        return Failure(f"{type(error).__name__}: {error}"[:LONGEST_WORDS])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def run_cell(source, names):
    """One cell, without the lines that speak to the notebook: % and !."""
    lines = [MAGIC.sub(r"\1pass", line) for line in source.split("\n")]
    exec(compile("\n".join(lines), "<your notebook>", "exec"), names)


def run(job):
    """The bytes of what all questions of a job got: results for each part, or a
    Failure.

    a job holds cells (sources), asked (function, drive, parts of cases), exercises
    (names and functions of published ones), and seed
    """
    import torch

    random.seed(job["seed"])
    torch.manual_seed(job["seed"])
    names, broken = {"__name__": "__main__"}, []
    sys.modules["__main__"].__dict__.update(names)
    end = time.monotonic() + job["seconds"] - 1
    for number, source in enumerate(job["cells"], start=1):
        left = min(CELL, end - time.monotonic())
        told = (within(left, run_cell, source, names) if left > 0
                else Failure("the time of the notebook was over"))
        if isinstance(told, Failure):
            broken.append([number, told.words])
    found = [ask(names, *question, end) for question in job["asked"]]
    judged = [check(names, *exercise, end) for exercise in job["exercises"]]
    return pack({"found": found, "judged": judged, "broken": broken})


def ask(names, function, source, parts, end):
    """Results of a function for the cases of each part; a Failure if it is not there.
    """
    if function not in names:
        return Failure(f"there is no function {function!r} in the notebook")
    own = {}
    exec(source, own)

    def results():
        return [[within_case(own["drive"], names[function], case) for case in part]
                for part in parts]

    left = min(CELL, end - time.monotonic())
    return (within(left, results) if left > 0
            else Failure("the time of the notebook was over"))


def within_case(drive, answer, case):
    """One result, or the Failure in its place."""
    try:
        result = drive(answer, *copied(case))
    except Exception as error:
        return Failure(f"{type(error).__name__}: {error}"[:LONGEST_WORDS])
    try:
        return unpack(pack(result))    # one that cannot travel costs no other its way
    except Exception:
        return Failure("it returned something that cannot be judged")


def check(names, exercise, function, end):
    """What the published check of an exercise says: points, code and message."""
    from softdict.checks import check as published

    if function not in names:
        return Failure(f"there is no function {function!r} in the notebook")
    left = min(CELL, end - time.monotonic())
    result = (within(left, published, exercise, names[function]) if left > 0
              else Failure("the time of the notebook was over"))
    return result if isinstance(result, Failure) else [
        result.points, result.most, result.code, result.message]
