"""Shape notes: what they catch, what they leave alone, and that none of the package's
is left unchecked."""

import os
import shutil
import subprocess
import sys
import traceback
from pathlib import Path

import pytest
import shapes
import torch
from shapes import Recorder, ShapeError


def run(source, **names):
    """Executes the source with its notes checked; returns its names."""
    namespace = {"torch": torch, **names}
    shapes.run(source, namespace, "sample.py", Recorder())
    return namespace


ATTENTION = '''
def attention(query, key, value):
    """Weighted average of values.

    query [..., T, K], key [..., S, K], value [..., S, D]
    returns context [..., T, D] and weights [..., T, S]
    """
    scores = query @ key.transpose(-2, -1)    # [..., T, S]
    weights = scores.softmax(dim=-1)          # [..., T, S]
    return weights @ value, weights           # [..., T, D], [..., T, S]
'''
QUERY, KEY, VALUE = torch.zeros(2, 3, 4), torch.zeros(2, 5, 4), torch.zeros(2, 5, 6)


def test_true_notes_pass():
    run(ATTENTION)["attention"](QUERY, KEY, VALUE)


@pytest.mark.parametrize("right, wrong", [
    ("-1)    # [..., T, S]", "-1)    # [..., S, T]"),
    ("=-1)          # [..., T, S]", "=-1)          # [..., S, T]"),
    ("# [..., T, D], [..., T, S]", "# [..., T, S], [..., T, D]"),
    ("# [..., T, D], [..., T, S]", "# [..., T, D]"),
    ("# [..., T, D], [..., T, S]", "# [..., T, D], [..., T, S], [T]"),
    ("context [..., T, D] and", "context [..., T, K] and"),
    ("key [..., S, K]", "key [..., K, S]"),
    ("value [..., S, D]", "value [..., S, D, H]"),
    (ATTENTION,
     'def attention(query, key, value):\n    """Returns weights [..., T, S]."""\n'
     '    return query @ key.mT    # [..., S, T]\n'),
])
def test_a_wrong_note_fails(right, wrong):
    assert right in ATTENTION
    with pytest.raises(ShapeError, match="sample.py:"):
        run(ATTENTION.replace(right, wrong))["attention"](QUERY, KEY, VALUE)


def test_leading_axes_broadcast_together_or_fail():
    attention = run(ATTENTION)["attention"]
    attention(QUERY[:1], KEY, VALUE)
    with pytest.raises(ShapeError, match="leading axes"):
        function = (
            run('def f(x, y):\n    """.\n\n    x [..., T], y [..., T]\n    """\n')["f"])
        function(torch.zeros(2, 7), torch.zeros(3, 7))


def test_a_function_refuses_in_its_own_words():
    source = ('def f(x, y):\n    """.\n\n    x [T], y [T]\n    """\n'
              '    if len(x) != len(y): raise ValueError("own words")\n')
    with pytest.raises(ValueError, match="own words"):
        run(source)["f"](torch.zeros(2), torch.zeros(3))


@pytest.mark.parametrize("source", [
    "for i in range(2):\n    if i:\n        x = torch.zeros(2, 3)    # [T, T]\n",
    "try:\n    x = torch.zeros(2)    # [3]\nfinally:\n    pass\n",
    "with torch.no_grad():\n    x: object = torch.zeros(2)    # [3]\n",
    "if True: x = torch.zeros(2)    # [3]\n",
    "x = torch.zeros(2, 3)    # [T, K]\nx += 1    # [K, T]\n",
    "torch.zeros(2)    # [3] an expression\n",
    "x = torch.zeros(\n    2,\n)    # the end of a long line, [3, T]\n",
    "x = torch.zeros(2)    # [T]\nx = torch.zeros(3)    # [T]\n",
    "x = torch.zeros(2)    # []\n",
    "class A:\n    def f(self):\n        self.x = torch.zeros(2)    # [3]\nA().f()\n",
    "def outer():\n    def inner():\n        return torch.zeros(2)    # [3]\n"
    "    return inner()\nouter()\n",
    "x = torch.zeros(2, 3, 6)    # [H, K, 2*K]\nx = torch.zeros(5)    # [H*K]\n",
    "x = torch.zeros(5)    # [H*K]\nx = torch.zeros(2, 3)    # [H, K]\n",
    "x = 3    # [T]\n",
    "x, y = torch.zeros(2), torch.zeros(3)    # [T], [T]\n",
])
def test_wrong_notes_in_all_kinds_of_places_fail(source):
    with pytest.raises(ShapeError):
        run(source)


def test_letters_belong_to_one_call():
    run("def f(x):\n    y = x + 1    # [T]\n    return y\n"
        "f(torch.zeros(2)); f(torch.zeros(3))\n")
    run("def outer(x):\n    x = x * 1    # [T]\n    def f(y):\n"
        "        return y * 1    # [T]\n    f(torch.zeros(9))\nouter(torch.zeros(2))\n")
    run("x = torch.zeros(6)    # [H*K]\nx = torch.zeros(2, 3)    # [H, K]\n"
        "y = torch.zeros(4, 5)    # [K+1, 2*H+1]\n")


@pytest.mark.parametrize("source", [
    "x = [0.1, 0.9]    # [0.1, 0.9]\n",
    "x = [0, 1, 0]    # [0, 1, 0]\n",
    "# [1, 2]\nx = 1    # cats and dogs\n",
    "x = 1    # a list such as [3, 4]\n",
    "x = 1    # ['dog']\n",
    "x = 1    # [dog, cat]\n",
    "x = '# [T]'\n",
])
def test_plain_comments_are_no_notes(source):
    run(source)


@pytest.mark.parametrize("source", [
    "for x in range(2):    # [T]\n    pass\n", "# [T, S]\nx = 1\n",
    "x = (    # [T]\n    1)\n", "pass    # [T]\n",
])
def test_a_note_on_a_line_that_makes_nothing_fails(source):
    with pytest.raises(ShapeError, match="shape note on a line that makes nothing"):
        run(source)


def test_a_note_counts_as_checked_only_when_its_letters_are_known():
    recorder = Recorder()
    shapes.run("x = torch.zeros(2)    # [T]\ny = torch.zeros(6)    # [H*K]\nif 0:\n"
               "    x = x + 1    # [T]\n", {"torch": torch}, "sample.py", recorder)
    assert recorder.reached == {"sample.py:1"}
    assert (shapes.unchecked("x = 1    # [T]\ny = 2    # [T]\n", "sample.py", recorder)
            == ["sample.py:2"])


def test_tracebacks_name_the_true_line():
    source = ('def f(x):\n    """.\n\n    x [T]\n    """\n    y = x + 1    # [T]\n'
              '    return int("no")    # [T]\n')
    with pytest.raises(ValueError) as caught:
        run(source)["f"](torch.zeros(2))
    assert traceback.extract_tb(caught.value.__traceback__)[-1].lineno == 7


def test_a_paused_recorder_lets_wrong_shapes_pass():
    recorder, namespace = Recorder(), {"torch": torch}
    with recorder.pause():
        shapes.run("x = torch.zeros(2)    # [3]\n", namespace, "sample.py", recorder)
    assert namespace["x"].shape == (2,)


def test_the_package_is_imported_with_its_notes_checked(recorder):
    from softdict.lookup import dot

    dot(torch.zeros(2, 4), torch.zeros(3, 4))
    assert any("lookup.py" in place for place in recorder.reached)
    with pytest.raises(ShapeError):
        dot(torch.zeros(4), torch.zeros(3, 4))


NOTED = """
import numpy


def double(x):
    return 2 * x    # [T]


def half(x):
    return x / 2    # [T]
"""
REACHING = """
import numpy
from softdict import double, half


def test_double():
    double(numpy.zeros(2))


def test_half():
    {}(numpy.zeros(2))
"""


@pytest.mark.parametrize("second, arguments, fails", [
    ("half", ["tests", "-n", "2"], False), ("double", ["tests", "-n", "2"], True),
    ("double", ["tests"], True), ("double", ["tests/test_both.py"], False),
    ("double", ["tests", "-k", "double"], False),
])
def test_a_run_of_all_tests_asks_for_every_note(second, arguments, fails, tmp_path):
    here = Path(__file__).parent
    package, tests = tmp_path / "src/softdict/__init__.py", tmp_path / "tests"
    for file in (package, tests / "test_both.py"):
        file.parent.mkdir(parents=True)
    for name in ("conftest.py", "shapes.py"):
        shutil.copy(here / name, tests)
    package.write_text(NOTED)
    (tests / "test_both.py").write_text(REACHING.format(second))
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments, "-p", "no:nbval",
         "-p", "no:hypothesispytest"], cwd=tmp_path, text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "src")}, capture_output=True)
    told = f"FAILED {package}:10: no test runs this shape note"
    assert (ended.returncode, told in ended.stdout) == (int(fails), fails), ended.stdout
