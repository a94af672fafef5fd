"""Graded assignments: tasks, how they are judged, and `python -m softdict grade`."""

from softdict.grading.questions import Mark, Part, Question, Wrong

__all__ = ["Mark", "Part", "Question", "Wrong"]
