"""What the hidden tests of otter call; it goes into the autograder zip, beside
questions.py, and into no file of a student."""

import random

from softdict.grading.questions import cases, drive, judge, same


def asked_of(question, seed):
    """The cases of each part of a question, for the class with this seed."""
    return cases(question, random.Random(f"{seed} {question.name}"))


def answered(question, answer, asked):
    """What an answer gives for the cases of each part."""
    return [[drive(question, answer, case) for case in part] for part in asked]


def test(name, part, seed, answer):
    """Passes if the answer is right in this part of the question.

    raises AssertionError with the code and the hint for the likely mistake
    """
    from questions import QUESTIONS

    question = next(question for question in QUESTIONS if question.name == name)
    asked = asked_of(question, seed)
    results = answered(question, answer, asked)
    wanted = answered(question, question.answer, asked[part:part + 1])[0]
    if not all(same(*pair, question.tolerance) for pair in zip(results[part], wanted)):
        mark = judge(question, asked, results)
        raise AssertionError(f"{mark.code}: {mark.message}")
