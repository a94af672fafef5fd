"""Exercise checks: each runs the reader's own function and says what is probably wrong.

A check is a function that takes the reader's answer and returns a `Result`; a file holds one chapter.
"""

from softdict.checks.result import Mistake, Result, exercise

__all__ = ["Mistake", "Result", "exercise"]
