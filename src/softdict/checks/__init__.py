"""Exercise checks: each runs the reader's function and says what is probably wrong.

A check is a function that takes the reader's answer and returns a `Result`; each
chapter has a file, and `check` finds the right one.
"""

import importlib
import re

from softdict.checks.kept import keep
from softdict.checks.result import Mistake, Result, exercise

GONE = ("13-4", "15-3", "22-3")    # they left the book, and their numbers stay free
__all__ = ["Mistake", "Result", "check", "exercise"]
# Chapters of the first edition, and where their exercises are now
MOVED = {"04": "04 and 05", **{f"{old:02}": f"{old + 1:02}" for old in range(5, 14)},
         "14": "15 and 16", "15": "17 and 18"}


def check(name, answer):
    """The Result of checking a function against an exercise such as "01-2".

    raises ValueError for an exercise that the book does not have
    """
    chapter, _, number = name.partition("-")
    try:
        module = importlib.import_module(f"softdict.checks.ch{chapter}")
        inspect_answer = getattr(module, f"check_{chapter}_{number}")
    except (ImportError, AttributeError):
        if name in GONE:
            raise ValueError(f"exercise {name} has left the book; the new notebook of "
                             f"chapter {chapter} has others") from None
        raise ValueError(f"there is no exercise {name!r}; the number of an exercise "
                         'looks like "01-2", and stands in its title') from None
    result = inspect_answer(answer)
    keep(result, answer)
    return result


def __getattr__(name):
    """A notebook of the first edition gets one sentence, not a wrong check."""
    if re.fullmatch(r"chapter\d\d", name):
        old = name[-2:]
        raise ImportError(
            "this notebook is of the book's first edition: the exercises of its "
            f"chapter {old} are now in chapter {MOVED.get(old, old)}; "
            "take the new notebook, and copy your answers into it")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
