"""Exercises: every check accepts the right answers and refuses the wrong ones, each by its own name."""

import ast
import importlib
import random
from pathlib import Path

import notebooks as files
import numpy
import pytest
import shapes
import torch
from books import Book
from softdict.checks import Mistake, Result, exercise

TESTS = Path(__file__).parent
CHAPTERS = sorted(path.stem for path in (TESTS.parent / "src/softdict/checks").glob("chapter*.py"))
MODULES = [importlib.import_module(f"softdict.checks.{chapter}") for chapter in CHAPTERS]
CHECKS = {check.exercise: check for module in MODULES for check in vars(module).values() if hasattr(check, "exercise")}
STUBS = {files.exercise(cell): cell for _, cell in Book().cells("code") if "exercise" in files.tags(cell)}
CALLS = {files.exercise(cell): files.parse(cell.source).body[-1].value for _, cell in Book().cells("code")
         if "exercise-check" in files.tags(cell)}
ANSWERS = sorted((TESTS / "answers").glob("*.py"))
WRONG = sorted((TESTS / "wrong_answers").glob("*.py"))
OWN_CODES = {"passed", "unsolved", "error"}    # of the wrapper: they name no mistake


def number(path):
    return path.stem[:4]


def names(path):
    return path.stem


def define(book, exercise, source, recorder=None):
    """The function that the source defines, among the names that its chapter knows before the exercise."""
    [chapter] = [name for name in book.notebooks if name.startswith(exercise[:2])]
    if chapter not in book.runs:
        pytest.fail(f"{chapter} does not run: {book.failures}", pytrace=False)
    namespace = dict(book.runs[chapter][2][exercise])
    if recorder:
        shapes.run(source, namespace, exercise, recorder)
    else:
        exec(source, namespace)
    return namespace[CALLS[exercise].args[0].id]


@pytest.fixture
def paused(recorder):
    """For answers that hand wrong shapes to the package."""
    with recorder.pause():
        yield


def is_sentence(message):
    return len(message.split()) >= 4 and message.rstrip()[-1] in ".?" and not message[0].isspace()


# The exercises of the book

def test_every_check_has_its_exercise_and_every_exercise_its_files():
    assert set(CHECKS) == set(STUBS) == set(CALLS) == {number(path) for path in ANSWERS}
    assert {number(path) for path in WRONG} == set(CHECKS)
    for name, call in CALLS.items():
        assert ast.unparse(call.func) == f"chapter{name[:2]}.check_{name.replace('-', '_')}"
        assert CHECKS[name].__name__ == f"check_{name.replace('-', '_')}" and CHECKS[name].points > 0
    for path in ANSWERS:
        assert path.stem in CHECKS or path.stem[4:].startswith("_variant_")


@pytest.mark.parametrize("name", CHECKS)
def test_the_stub_says_that_it_is_not_solved(name, book):
    result = CHECKS[name](define(book, name, STUBS[name].source))
    assert (result.exercise, result.passed, result.points, result.code) == (name, False, 0, "unsolved")
    assert repr(result).startswith(f"{name} not solved yet: ") and is_sentence(result.message)


@pytest.mark.parametrize("path", ANSWERS, ids=names)
def test_right_answers_pass(path, book, recorder):
    source = path.read_text(encoding="utf-8")
    result = CHECKS[number(path)](define(book, number(path), source, recorder))
    assert result.passed and result.code == "passed" and result.points == CHECKS[number(path)].points, result
    assert is_sentence(result.message)
    assert {f"{number(path)}:{line}" for line in shapes.notes(source)} <= recorder.reached, "an unchecked shape note"


@pytest.mark.parametrize("path", WRONG, ids=names)
def test_wrong_answers_are_refused_by_name(path, book, paused):
    result = CHECKS[number(path)](define(book, number(path), path.read_text(encoding="utf-8")))
    assert (result.passed, result.points, result.code) == (False, 0, path.stem[5:]), result
    assert result.code not in OWN_CODES and is_sentence(result.message)


@pytest.mark.parametrize("name", CHECKS)
def test_each_mistake_has_its_own_message(name, book, paused):
    messages = {}
    for path in WRONG:
        if number(path) == name:
            result = CHECKS[name](define(book, name, path.read_text(encoding="utf-8")))
            messages[result.code] = result.message
    assert len(messages) >= 3, "ship at least three wrong answers"
    assert len(set(messages.values())) == len(messages)


# Whatever an answer does

def raising(error):
    def answer(*args):
        raise error
    return answer


def endless(*args):
    return endless(*args)


RETURNED = [None, "a string", "", 3, -1.5, float("nan"), [], {}, (), object(), len, True,
            (None, None), ("a", "b"), ([], []), (3, 4), (1, 2, 3), [[1], [2, 3]],
            torch.zeros(2), torch.zeros(()), (torch.zeros(7), torch.zeros(7)),
            (torch.zeros(0), torch.zeros(0)), (torch.zeros(2, 3), [1, 2]), (numpy.ones(3), numpy.ones((2, 2))),
            (torch.ones(2, dtype=torch.complex64), torch.ones(2, dtype=torch.bool)), (3, ["a", None]), (3, "abcd")]
ERRORS = [ValueError("no"), KeyError("dog"), ZeroDivisionError(), StopIteration(), AssertionError(), SystemExit(1),
          RecursionError(), NotImplementedError("for 'Long'"), torch.OutOfMemoryError("full")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CHECKS)
def test_a_check_never_raises(name):
    hostile = [lambda *args, back=back: back for back in RETURNED] + [raising(error) for error in ERRORS]
    hostile += [endless, lambda: None, lambda *args: (yield 1), None, 3, "a string", Result]
    for answer in hostile:
        result = CHECKS[name](answer)
        assert isinstance(result, Result) and not result.passed and result.points == 0, (answer, result)
        assert result.code not in ("passed", "unsolved") and result.message.strip()


@pytest.mark.parametrize("name", CHECKS)
def test_an_answer_that_changes_its_arguments_is_tolerated_or_named(name, book, paused):
    right = define(book, name, (TESTS / f"answers/{name}.py").read_text(encoding="utf-8"))

    def greedy(*args):
        returned = right(*args)
        for part in args:
            part.zero_() if isinstance(part, torch.Tensor) else part.clear() if isinstance(part, list) else None
        return returned

    result = CHECKS[name](greedy)
    assert result.passed or result.code == "changes_arguments", result


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_leaves_random_numbers_alone(name, book):
    right = define(book, name, (TESTS / f"answers/{name}.py").read_text(encoding="utf-8"))

    def seeds(*args):
        torch.manual_seed(1)
        return right(*args)

    def states():
        return torch.get_rng_state().tolist(), random.getstate(), str(numpy.random.get_state())

    for answer in (right, seeds, raising(ValueError())):
        before = states()
        first = CHECKS[name](answer)
        assert states() == before
        torch.rand(1)
        assert CHECKS[name](answer) == first


# The small type

@exercise("00-1", points=2)
def check_double(double):
    if double(3) == 9:
        raise Mistake("squares", "yours squares the number; double it.")
    if double(3) + 0 != 6:
        raise Mistake("wrong", "twice 3 is 6, and yours is not.")
    return "twice the number."


@pytest.mark.parametrize("answer, expected", [
    (lambda number: number * 2, Result("00-1", True, 2, "passed", "twice the number.")),
    (lambda number: number ** 2, Result("00-1", False, 0, "squares", "yours squares the number; double it.")),
    (6, Result("00-1", False, 0, "not_a_function",
               "hand over the function itself, by its name and without brackets; this is of type int.")),
    (raising(NotImplementedError), Result("00-1", False, 0, "unsolved",
                                          "write the body of the function, run its cell, then run this one.")),
    (raising(ValueError("no")), Result("00-1", False, 0, "error", "your code stopped with ValueError: no")),
    (raising(NotImplementedError("not implemented for 'Long'")), Result(
        "00-1", False, 0, "error", "your code stopped with NotImplementedError: not implemented for 'Long'")),
    (lambda number: "six", Result(
        "00-1", False, 0, "error", "what your function returns is not what the task asks for; checking it stopped with "
                                   "TypeError: can only concatenate str (not \"int\") to str")),
])
def test_a_result_says_what_was_found(answer, expected):
    assert check_double(answer) == expected


def test_a_result_reads_as_a_line_and_cannot_be_changed():
    lines = [repr(check_double(answer)) for answer in (lambda n: 2 * n, lambda n: n * n, raising(NotImplementedError))]
    assert [line.split(":")[0] for line in lines] == ["00-1 passed", "00-1 not right yet", "00-1 not solved yet"]
    with pytest.raises(AttributeError):
        check_double(len).passed = True
