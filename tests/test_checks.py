"""Exercises: a check accepts right answers and refuses wrong ones by their names."""

import ast
import contextlib
import functools
import importlib
import linecache
import random
import re
import sys
import types
from pathlib import Path

import notebooks as files
import numpy
import pytest
import shapes
import torch
from books import Book
from softdict.checks import GONE, Mistake, Result, check, exercise, sentences
from softdict.checks.answers import learns
from softdict.checks.ch14 import counted
from softdict.checks.elsewhere import stays_where_it_is
from softdict.transformer import TransformerConfig
from softdict.variants import make_variant

TESTS = Path(__file__).parent
FOLDER = TESTS.parent / "src/softdict/checks"
MODULES = [importlib.import_module(f"softdict.checks.{path.stem}")
           for path in sorted(FOLDER.glob("ch*.py"))]
CHECKS = {check.exercise: check for module in MODULES
          for check in vars(module).values() if hasattr(check, "exercise")}
STUBS = {files.exercise(cell): cell
         for _, cell in Book().cells("code") if "exercise" in files.tags(cell)}
CALLS = {files.exercise(cell): files.parse(cell.source).body[-1].value
         for _, cell in Book().cells("code") if "exercise-check" in files.tags(cell)}
ANSWERS = sorted((TESTS / "answers").glob("*/*.py"))
WRONG = sorted((TESTS / "wrong_answers").glob("*/*.py"))
OWN_CODES = {"passed", "unsolved", "error"}    # of the wrapper: they name no mistake


def number(path):
    return path.stem[:4]


def mistake(path):
    """The code that a wrong answer should get; variants of a mistake share it."""
    return path.stem[5:].partition("_variant_")[0]


def names(path):
    return path.stem


def read(path):
    return path.read_text(encoding="utf-8")


def right_answer(name):
    return read(TESTS / f"answers/{name[:2]}/{name}.py")


def define(book, exercise, source, recorder=None):
    """The function that the source defines, among the names that its chapter knows."""
    namespace = dict(book.known(exercise))
    if recorder:
        shapes.run(source, namespace, exercise, recorder)
    else:
        exec(source, namespace)
    return namespace[CALLS[exercise].args[1].id]


@functools.cache
def refused(path, book):
    """What the check says of a wrong answer, for all who ask."""
    return CHECKS[number(path)](define(book, number(path), read(path)))


@pytest.fixture
def paused(recorder):
    """For answers that hand wrong shapes to the package."""
    with recorder.pause():
        yield


def is_sentence(message):
    return (len(message.split()) >= 4 and message.rstrip()[-1] in ".?"
            and not message[0].isspace())


def test_check_finds_the_exercise_and_says_when_there_is_none():
    assert check("01-1", len).exercise == "01-1"
    for name in ["1-1", "01-9", "99-1", "01-1 ", "", "01"]:
        with pytest.raises(ValueError, match=f"no exercise '{name}'"):
            check(name, len)


def test_an_exercise_that_left_is_named_and_its_number_stays_free():
    for name in GONE:
        assert name not in CHECKS
        with pytest.raises(ValueError, match=f"exercise {name} has left the book"):
            check(name, len)


def test_a_notebook_of_the_first_edition_gets_one_sentence():
    for old, new in [("04", "04 and 05"), ("05", "06"), ("15", "17 and 18")]:
        sentence = f"chapter {old} are now in chapter {new};"
        with pytest.raises(ImportError, match=sentence):
            exec(f"from softdict.checks import chapter{old}", {})
    with pytest.raises(ImportError, match="cannot import name 'chapters'"):
        exec("from softdict.checks import chapters", {})


# The exercises of the book

def test_every_check_has_its_exercise_and_every_exercise_its_files():
    assert set(CHECKS) == set(STUBS) == set(CALLS) == {number(path) for path in ANSWERS}
    assert {number(path) for path in WRONG} == set(CHECKS)
    for name, call in CALLS.items():
        assert (ast.unparse(call.func), call.args[0].value) == ("check", name)
        assert (CHECKS[name].__name__ == f"check_{name.replace('-', '_')}"
                and CHECKS[name].points > 0)
    for path in ANSWERS:
        assert path.stem in CHECKS or path.stem[4:].startswith("_variant_")
    assert all(path.parent.name == number(path)[:2] for path in [*ANSWERS, *WRONG])


def test_an_exercise_has_as_many_points_as_stars():
    stars = {files.exercise(cell): re.match(r"[^\n]*\n\n(★+) · ", cell.source)[1]
             for _, cell in Book().cells("markdown")
             if "exercise-text" in files.tags(cell) and "★" in cell.source}
    assert {name: len(row) for name, row in stars.items()} == {
        name: check.points for name, check in CHECKS.items()}


@pytest.mark.parametrize("name", CHECKS)
def test_the_stub_says_that_it_is_not_solved(name, book):
    result = CHECKS[name](define(book, name, STUBS[name].source))
    found = (result.exercise, result.passed, result.points, result.code)
    assert found == (name, False, 0, "unsolved")
    assert repr(result).startswith(f"{name} not solved yet: ")
    assert is_sentence(result.message)


CALLER = """
def helper(x):
    raise NotImplementedError


class Part:
    def __init__(self):
        raise NotImplementedError


def calls(x):
    return helper(x)


def builds(x):
    return Part()


class Whole(Part):
    def __init__(self):
        super().__init__()
"""


@pytest.mark.parametrize("name, called", [
    ("calls", "helper"), ("builds", "Part"), ("Whole", "Part")])
def test_an_answer_that_calls_an_open_stub_is_told_which(name, called):
    names = {}
    exec(CALLER, names)

    @exercise("01-1", points=1)
    def ask(answer):
        return answer(*[1][:name != "Whole"])

    result = ask(names[name])
    assert result.code == "unsolved"
    assert result.message == (f"your code calls `{called}`, which is not written yet: "
                              "solve that first, or take its answer.")
    assert ask(names["helper"] if name != "Whole" else names["Part"]).message == (
        "write the body of the function, run its cell, then run this one.")


@pytest.mark.parametrize("path", ANSWERS, ids=names)
def test_right_answers_pass(path, book, recorder):
    name, source = number(path), read(path)
    result = CHECKS[name](define(book, name, source, recorder))
    found = (result.passed, result.code, result.points)
    assert found == (True, "passed", CHECKS[name].points), result
    assert is_sentence(result.message)
    wanted = {f"{name}:{line}" for line in shapes.notes(source)}
    assert wanted <= recorder.reached, "an unchecked shape note"


@pytest.mark.parametrize("path", WRONG, ids=names)
def test_wrong_answers_are_refused_by_name(path, book, paused):
    result = refused(path, book)
    found = (result.passed, result.points, result.code)
    assert found == (False, 0, mistake(path)), result
    assert result.code not in OWN_CODES and is_sentence(result.message)


@pytest.mark.parametrize("stem, words", [
    ("03-2_uphill_variant_truth_first", "share minus truth"),
    ("04-1_tanh_inside_variant_bias", "before U times the state"),
    ("09-1_other_width", "words or values"),
    ("10-4_nan_variant_turned", "True means may look"),
    ("11-1_pads_hidden_as_rows", "pads may look at words"),
    ("15-2_left_in_eval_variant_flag", "or parts of it"),
    ("15-4_no_gradient_variant_emptied", "or were they emptied after it?"),
    ("17-4_nothing_kept_variant_each", "with p = 0.75 "),
    ("C1-1_swapped", "return the context first"),
])
def test_a_message_is_true_of_all_who_get_it(stem, words, book, paused):
    path = TESTS / f"wrong_answers/{stem[:2]}/{stem}.py"
    assert words in refused(path, book).message


@pytest.mark.parametrize("name", CHECKS)
def test_each_mistake_has_its_own_message(name, book, paused):
    messages = {}
    for path in WRONG:
        if number(path) == name:
            result = refused(path, book)
            messages[result.code] = result.message
    assert len(messages) >= 3, "ship at least three wrong answers"
    assert len(set(messages.values())) == len(messages)


@pytest.mark.parametrize("tied", [True, False])
def test_parameters_are_counted_as_in_the_machine(tied):
    model = make_variant(31, 17, TransformerConfig(8, 2, 3, 20), tied=tied)
    numbers = sum(part.numel() for part in model.parameters())
    assert counted(31, 17, 8, 3, 20, tied) == numbers


def test_a_gradient_that_is_cut_in_part_is_seen():
    def whole(x, y):
        return x * y.exp()

    torch.manual_seed(0)
    parts = [torch.randn(3, requires_grad=True) for _ in range(2)]
    learns(whole, parts)
    for cut in (lambda x, y: x * y.exp() + x - x.detach(),
                lambda x, y: x * (y / 2).exp() * (y / 2).exp().detach()):
        with pytest.raises(Mistake, match="part_detached"):
            learns(cut, parts)
    with pytest.raises(Mistake, match="^detached"):
        learns(lambda x, y: x * y.exp().detach(), parts)


def test_a_tensor_on_another_device_is_told_by_what_a_gpu_refuses():
    x = torch.randn(2, 3)

    def goes(answer):
        stays_where_it_is(answer, x)
        return True

    assert goes(lambda x: x + torch.arange(3, device=x.device))
    assert goes(lambda x: x + torch.arange(3).to(x.device) + torch.tensor(2.0))
    assert goes(lambda x: torch.stack([row for row in x]) @ torch.ones_like(x).T)
    assert goes(lambda x: (x[:, torch.tensor([0, 2])], x.new_zeros(4)))
    assert goes(lambda x: x.cpu().add(torch.arange(3)).to(x.device))
    for here in (lambda x: x + torch.arange(3), lambda x: torch.zeros(2, 3),
                 lambda x: torch.cat([x, torch.zeros(1, 3)]), lambda x: x.to("cpu"),
                 lambda x: torch.tensor(x.tolist()), lambda x: (x, torch.ones(2))):
        with pytest.raises(Mistake, match="wrong_device"):
            goes(here)


# Whatever an answer does

def raising(error):
    def answer(*args):
        raise error
    return answer


def endless(*args):
    return endless(*args)


RETURNED = [None, "a string", "", 3, -1.5, float("nan"), [], {}, (), object(), len,
            True,
            (None, None), ("a", "b"), ([], []), (3, 4), (1, 2, 3), [[1], [2, 3]],
            torch.zeros(2), torch.zeros(()), (torch.zeros(7), torch.zeros(7)),
            (torch.zeros(0), torch.zeros(0)), (torch.zeros(2, 3), [1, 2]),
            (numpy.ones(3), numpy.ones((2, 2))),
            (torch.ones(2, dtype=torch.complex64), torch.ones(2, dtype=torch.bool)),
            (3, ["a", None]), (3, "abcd")]
ERRORS = [ValueError("no"), KeyError("dog"), ZeroDivisionError(), StopIteration(),
          AssertionError(), SystemExit(1), RecursionError(),
          NotImplementedError("for 'Long'"), torch.OutOfMemoryError("full")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CHECKS)
def test_a_check_never_raises(name):
    hostile = [lambda *args, back=back: back for back in RETURNED]
    hostile += [raising(error) for error in ERRORS]
    hostile += [endless, lambda: None, lambda *args: (yield 1), None, 3,
                "a string", Result]
    for answer in hostile:
        result = CHECKS[name](answer)
        assert isinstance(result, Result), answer
        assert (result.passed, result.points) == (False, 0), (answer, result)
        assert result.code not in ("passed", "unsolved") and result.message.strip()


@pytest.mark.parametrize("name", CHECKS)
def test_an_answer_that_changes_its_arguments_is_tolerated_or_named(name, book, paused):
    right = define(book, name, right_answer(name))

    def greedy(*args):
        returned = right(*args)
        for part in args:
            if isinstance(part, torch.Tensor):
                part.zero_()
            elif isinstance(part, list):
                part.clear()
        return returned

    result = CHECKS[name](greedy)
    assert result.passed or result.code == "changes_arguments", result


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_leaves_random_numbers_and_the_dtype_alone(name, book):
    right = define(book, name, right_answer(name))

    def seeds(*args):
        torch.manual_seed(1)
        return right(*args)

    def states():
        return (torch.get_rng_state().tolist(), random.getstate(),
                str(numpy.random.get_state()), torch.get_default_dtype())

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
        raise Mistake("squares")
    if double(3) + 0 != 6:
        raise Mistake("wrong-number", got=double(3))


SAYS = """[00-1]
squares = "yours squares the number; double it."
wrong-number = "twice 3 is 6, and yours gives {got}."
praise = "twice the number."
"""


@pytest.fixture(autouse=True, scope="module")
def said(tmp_path_factory):
    """The sentences of the small exercise, beside the book's."""
    folder = tmp_path_factory.mktemp("says")
    (folder / "00.toml").write_text(SAYS, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentences, "FOLDERS", [*sentences.FOLDERS, folder])
        yield


LINE = raising.__code__.co_firstlineno + 2
STOPPED = f"your code stopped in line {LINE} of its cell, `raise error`, with"


@pytest.mark.parametrize("answer, expected", [
    (lambda number: number * 2, Result("00-1", True, 2, "passed", "twice the number.")),
    (lambda number: number ** 2,
     Result("00-1", False, 0, "squares", "yours squares the number; double it.")),
    (lambda number: 5,
     Result("00-1", False, 0, "wrong", "twice 3 is 6, and yours gives 5.")),
    (6, Result("00-1", False, 0, "not_a_function", "hand over the function itself, by "
               "its name and without brackets; this is of type int.")),
    (raising(NotImplementedError),
     Result("00-1", False, 0, "unsolved",
            "write the body of the function, run its cell, then run this one.")),
    (raising(ValueError("no")),
     Result("00-1", False, 0, "error", f"{STOPPED} ValueError: no")),
    (raising(NotImplementedError("not implemented for 'Long'")), Result(
        "00-1", False, 0, "error", f"{STOPPED} NotImplementedError: not "
        "implemented for 'Long'")), (eval("lambda number: 'six'"), Result(
            "00-1", False, 0, "error",
            "what your function returns is not what the task asks for; the check "
            "stopped with TypeError: can only concatenate str (not \"int\") to str")),
])
def test_a_result_says_what_was_found(answer, expected):
    assert check_double(answer) == expected


def test_a_result_reads_as_a_line_and_cannot_be_changed():
    lines = [repr(check_double(answer)) for answer in (lambda n: 2 * n, lambda n: n * n,
                                                       raising(NotImplementedError))]
    assert [line.split(":")[0] for line in lines] == [
        "00-1 passed", "00-1 not right yet", "00-1 not solved yet"]
    with pytest.raises(AttributeError):
        check_double(len).passed = True


def test_a_notebook_shows_verdict_and_points_at_a_glance():
    shown = [check_double(answer)._repr_html_() for answer in (
        lambda n: 2 * n, lambda n: n * n, raising(ValueError("1 < 2")))]
    assert "✓ 00-1 passed</b> (2 of 2 points)" in shown[0]
    assert "✗ 00-1 not right yet</b> (0 of 2 points)" in shown[1]
    assert "1 &lt; 2" in shown[2]


def cell(number, source, shell):
    """Runs a cell as a notebook does; an error leaves what was defined before."""
    name = f"cell-{number}"
    shell.user_ns["In"].append(source)
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    with contextlib.suppress(Exception):
        exec(compile(source, name, "exec"), shell.user_ns)


def test_a_function_that_a_failed_cell_left_behind_is_named(monkeypatch):
    shell = types.SimpleNamespace(user_ns={"In": [""]})
    monkeypatch.setitem(sys.modules, "IPython",
                        types.SimpleNamespace(get_ipython=lambda: shell))
    cell(1, "def twice(n):\n    return n * n\n", shell)
    cell(2, "check(twice)", shell)
    assert "older" not in check_double(shell.user_ns["twice"]).message
    cell(3, "def twice(n):\n    return 2 * * n\n", shell)
    assert check_double(shell.user_ns["twice"]).message.endswith(
        "(The check judged an older twice: the last cell that defines it has ended in "
        "an error.)")
    cell(4, "def twice(n):\n    return 2 * n\n", shell)
    assert check_double(shell.user_ns["twice"]).message == "twice the number."
    shell.user_ns["In"].append("def raising(error): ...")
    assert "older" not in check_double(raising).message    # it comes from a file


def test_the_line_that_stopped_is_named_in_a_class_too():
    source = "class Twice:\n    def __init__(self, n):\n        self.n = n.double\n"
    known, lines = {}, source.splitlines(keepends=True)
    linecache.cache["mine"] = len(source), None, lines, "mine"
    exec(compile(source, "mine", "exec"), known)
    assert check_double(known["Twice"]).message.startswith(
        "your code stopped in line 3 of its cell, `self.n = n.double`, with Attrib")
