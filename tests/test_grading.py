"""The grader: what it asks, what it says, and what an answer cannot do to it."""

import csv
import errno
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import unicodedata
import zipfile
from pathlib import Path

import nbformat
import pytest
import safetensors.torch
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from attacks import CHEATS, FORGED, HELP, PROBES
from softdict.__main__ import main
from softdict.grading import (
    boxes, grade, judging, questions, reading, report, submissions, walls, wire)
from softdict.grading.boxes import Limits
from softdict.grading.questions import Failure, Mark, Part, Question, Wrong, judge

TASK = '''
"""A private file: WATCHWORD."""
import torch
from softdict.grading import Part, Question, Wrong

TITLE = "Shares"


def small(rng):
    return [(torch.tensor([rng.random(), rng.random(), 2.0]),)]


def wide(rng):
    return [(torch.tensor([[rng.random(), 1.0], [3.0, 4.0]]),)]


def shares(x):
    return x / x.sum(dim=-1, keepdim=True)


QUESTIONS = (
    Question("q1", "shares", shares, (Part("one row", 2, small),
                                      Part("rows", 3, wide)),
             (Wrong("over_all", "yours divides by the sum of all rows.",
                    lambda x: x / x.sum()),)),
    Question("q2", "double", lambda x: 2 * x, (Part("numbers", 5,
             lambda rng: [(rng.randrange(9),), (3,)]),)))
'''
RIGHT = ["import torch", "def shares(x):\n    return x / x.sum(-1, keepdim=True)",
         "def double(x):\n    return x + x"]
OVER_ALL = [RIGHT[0], "def shares(x):\n    return x / x.sum()", RIGHT[2]]
if sys.platform == "win32":
    pytest.skip("Windows grades in a container or in WSL", allow_module_level=True)
ROOT = Path(__file__).resolve().parent.parent
try:
    WALL, NO_WALL = walls.find(), ""
except ValueError as error:
    WALL, NO_WALL = walls.Wall("none"), str(error)
needs_walls = pytest.mark.skipif(WALL.kind != "bubblewrap", reason=NO_WALL)


def test_a_bubblewrap_that_shuts_in_is_the_wall():
    # else a fault of the grader's own would skip what follows
    program = walls.shutil.which("bwrap")
    if not program or subprocess.run([
            program, "--unshare-all", "--disable-userns", "--unshare-user", "--ro-bind",
            "/", "/", "true"], capture_output=True).returncode:
        pytest.skip(f"this system has no bubblewrap, or forbids it: {NO_WALL}")
    assert WALL.kind == "bubblewrap", NO_WALL


@pytest.fixture
def task(tmp_path):
    return shares_in(tmp_path)


def shares_in(place):
    """The assignment of these tests, in a folder of its own."""
    folder = place / "shares"
    folder.mkdir()
    (folder / "questions.py").write_text(TASK)
    return grade.load_assignment(folder)


def notebook(path, cells):
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)
                                           for source in cells])
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(made, path)
    return path


def roster(path, *ids):
    path.write_text("id,name,adjust\n" + "".join(f"{one},Name {one},0\n"
                                                for one in ids))
    return path


def graded(tmp_path, task, handed_in, limits=None, wall=WALL, **settings):
    """Rows by id, of a dict from id to cells."""
    folder = tmp_path / "in"
    for key, cells in handed_in.items():
        notebook(folder / f"{key}_shares.ipynb", cells)
    students = submissions.read_roster(roster(tmp_path / "roster.csv", *handed_in))
    read = submissions.read_all(submissions.find(folder), wall, {"shares", "double"})
    pairs = submissions.matched(read, students, task.names)
    rows = grade.grade(pairs, task, limits or Limits(seconds=20), wall, **settings)
    return {row["id"]: row for row in rows}


def points(row):
    return [mark.points for mark in row["marks"]]


def codes(row):
    return [mark.code for mark in row["marks"]]


# Judging ------------------------------------------------------------------------------


def test_points_follow_from_the_parts_and_the_first_hint_names_the_mistake(
        tmp_path, task):
    rows = graded(tmp_path, task, {
        "right": RIGHT, "over": OVER_ALL, "stub": [
            "def shares(x):\n    raise NotImplementedError", RIGHT[2]],
        "gone": RIGHT[:2], "odd": [RIGHT[0], RIGHT[1],
                                   "def double(x):\n    return 2 * x + 1"]})
    assert points(rows["right"]) == [5, 5] and codes(rows["right"]) == ["right"] * 2
    assert points(rows["over"]) == [2, 5] and codes(rows["over"])[0] == "over_all"
    assert codes(rows["stub"]) == ["not_written", "right"]
    assert points(rows["stub"]) == [0, 5]
    assert codes(rows["gone"]) == ["right", "no_answer"]
    assert "no function 'double'" in rows["gone"]["marks"][1].message
    assert codes(rows["odd"]) == ["right", "wrong"]
    assert "a result differs: expected" in rows["odd"]["marks"][1].message


@pytest.mark.parametrize("found, wanted, equal", [
    (torch.tensor([1.0, 2.0]), [1, 2], True), ([1.0, 2.000001], (1, 2), True),
    (torch.tensor(2.0, dtype=torch.float64), 2, True), ([1, 2], [1, 2, 3], False),
    ([[1, 2]], [1, 2], False), ("a", "a", True), ("1", 1, False), (None, None, True),
    (None, 0, False), ({"a": 1.0}, {"a": 1}, True), ({"a": 1}, {"b": 1}, False),
    (float("nan"), 1.0, False), (["a", 1], ["a", 1.0], True),
    (Failure("x"), Failure("x"), False), (True, 1.0, True), ([], [], True),
    ((torch.ones(2), torch.ones(3)), (torch.ones(2), torch.ones(3)), True),
    ((torch.ones(2), torch.ones(3)), (torch.ones(2), torch.zeros(3)), False),
    ([torch.ones(2)] * 2, torch.ones(2, 2), True), (1, [torch.ones(2), "a"], False)])
def test_results_are_compared_by_value_and_not_by_type(found, wanted, equal):
    assert questions.same(found, wanted, 1e-5) is equal


@pytest.mark.parametrize("value, words", [
    ((torch.zeros([2] * 16), "x"), "(numbers of shape [2, 2, 2, 2, 2, 2, ...], 'x')"),
    (torch.zeros(2 ** 20, 0), "numbers of shape [1048576, 0]"),
    (torch.ones(3, 4), "numbers of shape [3, 4], beginning with 1, 1, 1, 1"),
    ([1, 2.5], "[1.0, 2.5]"), ({"a": None}, "{'a': None}")])
def test_a_result_of_any_size_is_shown_as_a_few_letters(value, words):
    assert questions.shown(value) == words
    assert len(questions.shown([["word"] * 10 ** 5] * 10 ** 3)) < 90


def test_an_answer_that_changes_its_input_is_judged_on_the_input_as_it_was():
    def clears(x):
        x.zero_()
        return 1

    task = Question("q", "f", lambda x: 1, (Part("p", 1, lambda rng: [(x,)]),),
                    (Wrong("w", "h", lambda x: 2),))
    x = torch.ones(2)
    found = [[questions.drive(task, clears, (x,))]]
    assert judge(task, [[(x,)]], found).points == 1 and x.sum() == 2


@pytest.mark.parametrize("value", [
    1, 2.5, "word", None, True, [1, [2.0, "x"]], (1, 2), {"a": [None]}, {1: 2},
    torch.arange(6).reshape(2, 3), [torch.ones(2), (torch.zeros(0), "x")],
    Failure("it stopped"), {"tensor": "not one"}])
def test_values_come_back_as_they_went(value):
    back = wire.unpack(wire.pack(value))
    assert type(back) is type(value)
    assert str(back) == str(value)


NONE = safetensors.torch.save({})


@pytest.mark.parametrize("content", [
    b"", b"x" * 40, wire.pack([1])[:-1], wire.pack([1]) + b"x",
    wire.HEAD.pack(2 ** 62, 0), wire.pack(1).replace(b"plain", b"world"),
    wire.HEAD.pack(10 ** 5, len(NONE)) + b"[" * 10 ** 5 + NONE])
def test_bytes_that_are_no_message_are_refused(content):
    with pytest.raises(ValueError):
        wire.unpack(content)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner)
    | st.dictionaries(st.text(max_size=3), inner, max_size=3), max_leaves=8)
OFTEN = settings(max_examples=150, deadline=None)


@OFTEN
@given(VALUES)
def test_any_plain_value_comes_back_as_it_went(value):
    assert repr(wire.unpack(wire.pack(value))) == repr(value)


@OFTEN
@given(VALUES, st.data())
def test_damaged_messages_are_read_or_refused(value, data):
    content = wire.pack([value, torch.ones(2)])
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(content))] * 2)))
    patch = data.draw(st.binary(max_size=6) | st.sampled_from([b"null", b"1e999"]))
    try:
        wire.unpack(content[:start] + patch + content[end:])
    except ValueError as error:
        assert type(error) is ValueError


@OFTEN
@given(st.text())
def test_words_from_outside_are_one_line_that_can_be_written(words):
    line = wire.one_line(words + "\ud800\r\n")
    assert line.encode("utf-8") and len(line.splitlines()) == 1 and line.isprintable()
    assert wire.one_line(line) == line[:300]


# Attacks ------------------------------------------------------------------------------

FULL = {    # what costs a cell, but not the answers of others
    "loop": ["while True: pass", *RIGHT], "leave": ["raise SystemExit", *RIGHT],
    "output": ["print('x' * 50_000_000)", *RIGHT],
    "memory": ["x = bytearray(8 * 2 ** 30)", *RIGHT],
    "syntax": [*RIGHT, "def double(x:\n    return 2 * x"], "twice": [*RIGHT, *RIGHT],
    "magic": ["if True:\n    %pip install nothing\n!false", *RIGHT],
    "nul": [*RIGHT, "x = '\0'"],
    "await": ["import asyncio\nawait asyncio.sleep(0)\nx = await asyncio.sleep(0, 7)",
              *RIGHT, "assert x == 7\nasync with asyncio.Lock(): double = double"],
    "operator_first": [*RIGHT, "def double(x):\n    return (2 * x\n    % 1000)"]}


def test_what_costs_a_cell_costs_no_answer(tmp_path, task):
    rows = graded(tmp_path, task, FULL, Limits(seconds=16), jobs=2)
    assert {key: points(row) for key, row in rows.items()} == dict.fromkeys(
        FULL, [5, 5])
    assert rows["memory"]["broken"][0][1].startswith("MemoryError")
    assert rows["loop"]["broken"] == [[1, "it ran longer than 10 s"]]
    assert "SyntaxError" in rows["syntax"]["broken"][0][1]
    assert rows["await"]["broken"] == []


def told_of(cells, asked, limits=Limits(seconds=30), wall=WALL):
    """What the box of one notebook tells."""
    (_, told), = boxes.run_all({"": {"cells": cells, "asked": asked, "exercises": []}},
                               limits, wall)
    return judging.understood(told, len(asked), 0)


def places(tmp_path, task, port=9):
    """The constants that an attack is given: where the teacher keeps what."""
    return (f"TASK, FOLDER = {str(task.folder / 'questions.py')!r}, "
            f"{str(tmp_path / 'in')!r}\nROSTER, COURSE, PORT = "
            f"{str(tmp_path / 'roster.csv')!r}, {str(ROOT)!r}, {port}\n")


@needs_walls
def test_no_probe_reaches_what_it_should_not(tmp_path, task, monkeypatch):
    import socket

    monkeypatch.setenv("TEACHERS_TOKEN", "s3cret")
    notebook(tmp_path / "in/good.ipynb", [*RIGHT, "# WATCHWORD"])
    roster(tmp_path / "roster.csv", "good")
    every = {f"{kind}: {name}": body for kind, probes in PROBES.items()
             for name, body in probes.items()}
    cells = [HELP] + [f"def probe{number}():\n    {body}"
                      for number, body in enumerate(every.values())]
    asked = [(f"probe{number}", "def drive(f): return bool(f())", [[()]])
             for number in range(len(every))]
    with socket.create_server(("127.0.0.1", 0)) as server:
        cells.insert(0, places(tmp_path, task, server.getsockname()[1]))
        told = told_of(cells, asked)
    assert told["broken"] == [] and len(every) > 100
    results = {name: found[0][0] if isinstance(found, list) else found
               for name, found in zip(every, told["found"], strict=True)}
    assert {name: result for name, result in results.items()
            if not isinstance(result, Failure) and result is not False} == {}
    assert {name: result for name, result in results.items()    # faults of the probe
            if re.search("NameError|TypeError|SyntaxError|no function", str(result))
            } == {}
    assert not Path("/tmp/a").exists()


# and not that time was over; the kernel counts the threads of who is not root
SAID = {"many": "than 32 threads" + "|start new thread" * bool(os.geteuid()),
        "files without content": "than 2000 files"}


@pytest.fixture(scope="module")
def cheated(tmp_path_factory):
    """Rows by id, all graded at once: the cheats of each kind, and before and
    behind each kind a right notebook.

    Notebooks that are alike run once: the right ones run three times.
    """
    folder = tmp_path_factory.mktemp("cheated")
    task, handed_in = shares_in(folder), {}
    for number, cheats in enumerate(CHEATS.values()):
        handed_in[f"right{number:02}"] = [*RIGHT, f"# {number // 5}"]
        for one, code in enumerate(cheats.values()):
            handed_in[f"cheat{number:02}x{one:02}"] = [places(folder, task), code]
    handed_in[f"right{len(CHEATS):02}"] = [*RIGHT, f"# {len(CHEATS) // 5}"]
    # the number of jobs is that of the cores; below, one job alone
    return graded(folder, task, handed_in, Limits(seconds=6), jobs=2)


@needs_walls
@pytest.mark.parametrize("kind", CHEATS)
def test_no_cheat_gets_a_point_and_none_costs_another_a_point(cheated, kind):
    number = list(CHEATS).index(kind)
    ahead, behind = (cheated[f"right{place:02}"] for place in (number, number + 1))
    assert points(ahead) == points(behind) == [5, 5]
    for one, name in enumerate(CHEATS[kind]):
        row = cheated[f"cheat{number:02}x{one:02}"]
        assert sum(points(row)) == 0, (name, row)
        assert re.search(SAID.get(name, ""), str(row)), (name, row)


@needs_walls
def test_a_student_finds_nothing_of_the_one_before(tmp_path, task):
    leaves = [*RIGHT, "import atexit, os, sys, threading\n"
              "open('/tmp/left', 'w').write('last_student')\n"
              "last_student = sys.modules['last_student'] = RuntimeWarning\n"
              "threading.Thread(target=__import__('time').sleep, args=(9,)).start()"]
    finds = ["import os, sys\nfound = os.path.exists('/tmp/left') or 'last_student' in "
             "sys.modules or sum(p.isdigit() for p in os.listdir('/proc')) > 2\n"
             "assert found", *RIGHT]
    rows = graded(tmp_path, task, {"a1": leaves, "a2": finds, "a3": finds}, jobs=1)
    assert [points(row) for row in rows.values()] == [[5, 5]] * 3
    assert rows["a2"]["broken"][0][1].startswith("AssertionError")
    assert not Path("/tmp/left").exists()


@needs_walls
def test_a_filter_without_which_a_process_could_be_made_is_missed(monkeypatch):
    # the test of the test: with a filter that refuses nothing, fork works
    cells = [HELP, "def probe():\n    child = os.fork()\n    if child == 0:\n"
             "        os._exit(0)\n    return child > 0"]
    asked = [("probe", "def drive(f): return f()", [[()]])]
    assert isinstance(told_of(cells, asked)["found"][0][0][0], Failure)
    import pyseccomp

    allows = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    with tempfile.TemporaryFile() as file:
        allows.export_bpf(file)
        file.seek(0)
        content = file.read()
    monkeypatch.setattr(walls, "seccomp_filter", lambda *given, **more: content)
    assert told_of(cells, asked)["found"][0][0][0] is True


@needs_walls
def test_a_python_in_the_place_of_the_scratch_folder_is_seen(tmp_path, monkeypatch):
    places = walls.python_places()
    (tmp_path / "library").mkdir()
    monkeypatch.setattr(walls, "SCRATCH", str(tmp_path))
    monkeypatch.setattr(walls, "python_places", lambda *given, **more: [
        *places, str(tmp_path / "library")])
    cells = [f"import os\ndef f(): return os.listdir({str(tmp_path)!r})"]
    asked = [("f", "def drive(f): return f()", [[()]])]
    assert told_of(cells, asked)["found"] == [[[["library"]]]]


@needs_walls
def test_a_box_has_the_kernel_count_its_threads():
    if tuple(map(int, re.findall(r"\d+", os.uname().release)[:2])) < (5, 14):
        pytest.skip("this Linux counts them with all of the same user")
    cells = ["import resource\n"
             "def f(): return resource.getrlimit(resource.RLIMIT_NPROC)"]
    asked = [("f", "def drive(f): return f()", [[()]])]
    assert told_of(cells, asked)["found"] == [[[(64, 64)]]]


@needs_walls
def test_a_home_that_is_a_file_system_of_its_own_is_no_hindrance():
    source = ("from softdict.grading import boxes, walls, wire\n"
              "asked = [('f', 'def drive(f): return f()', [[()]])]\n"
              "job = {'cells': ['def f(): return 7'], 'asked': asked,\n"
              "       'exercises': []}\n"
              "(_, told), = boxes.run_all({'': job}, boxes.Limits(), walls.find())\n"
              "print(wire.unpack(told)['found'])")
    told = subprocess.run(
        [WALL.program, "--dev-bind", "/", "/", "--tmpfs", "/home", "--dir",
         "/home/teacher", "--setenv", "HOME", "/home/teacher", "--chdir",
         "/home/teacher", sys.executable, "-c", source], capture_output=True, text=True)
    assert told.stdout == "[[[7]]]\n", told.stderr


@needs_walls
def test_bubblewrap_starts_with_nothing_and_leaves_nothing(monkeypatch):
    monkeypatch.setenv("TEACHERS_TOKEN", "s3cret")
    process = WALL.start("answering")
    try:
        assert process.stdout.read(1) == wire.LOADED
        place = Path(f"/proc/{process.pid}")
        assert (place / "environ").read_bytes() == b""
        below = (place / f"task/{process.pid}/children").read_text().split()
        assert len(below) == 1
    finally:
        WALL.end(process)
        process.stdout.read()    # what ran inside has ended, too
        process.stdout.close()
    assert not Path(f"/proc/{below[0]}").exists()


@needs_walls
def test_a_box_ends_with_the_grader():
    source = ("import os\nfrom softdict.grading import boxes, walls\n"
              "wall = walls.find()\nbox = wall.start('answering')\n"
              "assert box.stdout.read(1)\n"
              "cells = ['import ctypes, signal, os\\n'\n"
              "         'signal.signal(signal.SIGALRM, signal.SIG_IGN)\\n'\n"
              "         'while True: ctypes.CDLL(None).pause()']\n"
              "job = {'cells': cells, 'asked': [], 'exercises': []}\n"
              "box.stdin.write(boxes.packed(job, boxes.Limits()))\n"
              "box.stdin.close()\n"
              "print(*walls.children(box.pid), flush=True)\nos._exit(0)")
    told = subprocess.run([sys.executable, "-c", source], stdout=subprocess.PIPE,
                          text=True).stdout.split()
    end = time.monotonic() + 60    # without an end it stays as long as it likes
    while Path(f"/proc/{told[0]}").exists() and time.monotonic() < end:
        time.sleep(0.1)
    assert len(told) == 1 and not Path(f"/proc/{told[0]}").exists()


def test_a_tensor_is_used_once_in_a_message():
    content = wire.pack([torch.ones(3)])
    size, rest = wire.HEAD.unpack_from(content)
    one = b'{"tensor": "0"}'
    text = content[wire.HEAD.size:][:size].replace(one, one + b", " + one)
    with pytest.raises(ValueError):
        wire.unpack(wire.HEAD.pack(len(text), rest) + text + content[-rest:])
    with pytest.raises(ValueError, match="too large"):
        wire.unpack(content, most=size - 1)


@needs_walls
def test_what_was_ended_from_outside_is_run_again(tmp_path, task, monkeypatch):
    handed_in, kept = {"a1": RIGHT}, tmp_path / "kept"
    real, count = boxes.Box.begin, []

    def killed(self, *given, **more):
        count.append(self)
        self.process.kill()
        self.process.wait()
        real(self, *given, **more)

    monkeypatch.setattr(boxes.Box, "begin", killed)
    row = graded(tmp_path, task, handed_in, kept=kept)["a1"]
    assert len(count) == boxes.TRIES and points(row) == [0, 0]
    assert "ended from outside; the same command runs it again" in row["status"]
    assert kept.read_text() == ""
    monkeypatch.setattr(boxes.Box, "begin", real)
    assert points(graded(tmp_path, task, handed_in, kept=kept)["a1"]) == [5, 5]
    assert len(kept.read_text().splitlines()) == 1


@pytest.mark.parametrize("kind", ["process", "thread", "soon"])
def test_a_start_that_fails_is_tried_again_and_not_without_end(monkeypatch, kind):
    real, started, left = walls.Wall.start, [], [2]

    class Thread(threading.Thread):
        def start(self):
            if kind == "thread" and left[0]:
                left[0] -= 1
                raise RuntimeError("can't start new thread")
            super().start()

    def start(self, *given, **more):
        if kind == "process" and left[0]:
            left[0] -= 1
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        if kind == "soon" and left[0]:
            left[0] -= 1
            given = ["reading"]    # of nothing: it ends
        started.append(real(self, *given, **more))
        return started[-1]

    monkeypatch.setattr(boxes, "PAUSE", 0)
    monkeypatch.setattr(boxes, "STARTS", 3)    # each has begun to load torch
    monkeypatch.setattr(walls.Wall, "start", start)
    monkeypatch.setattr(boxes.threading, "Thread", Thread)
    asked = [("f", "def drive(f): return f()", [[()]])]
    assert told_of(["def f(): return 7"], asked)["found"] == [[[7]]]
    assert left == [0] and len(started) == (1 if kind == "process" else 3)
    left[0] = 10 ** 6
    with pytest.raises((BlockingIOError, RuntimeError)):
        told_of([], [])
    assert left[0] == 10 ** 6 - boxes.STARTS - 1
    assert None not in [process.poll() for process in started]


@needs_walls
def test_an_answer_that_has_come_is_not_late_because_nobody_looked(monkeypatch):
    real = boxes.Box.begin

    def unheard(self, *given, **more):
        real(self, *given, **more)
        while self.events.empty():    # it answers
            time.sleep(0.05)
        self.end = 0    # its time passes, while the grader does something else

    monkeypatch.setattr(boxes.Box, "begin", unheard)
    assert told_of(["def f(): return 7"], [
        ("f", "def drive(f): return f()", [[()]])])["found"] == [[[7]]]


def right_message(task):
    """The cases of a task, and what a box tells of a right notebook."""
    given, _ = grade.jobs_of(task, Limits())
    found = [[[questions.drive(one, one.answer, case) for case in part]
              for part in parts] for one, parts in zip(task.questions, given)]
    return given, wire.pack({"found": found, "judged": [], "broken": []})


def test_a_forged_message_gets_no_point_and_costs_nobody_one(task):
    given, right = right_message(task)
    with judging.Judge(task, given) as judge:
        for name, forged in FORGED.items():
            content = forged if isinstance(forged, bytes) else wire.pack(forged)
            told = [judge.outcome(one, []) for one in (content, right)]
            assert [sum(mark["points"] for mark in one["marks"]) for one in told
                    ] == [0, 10], name


def test_what_is_dear_to_judge_costs_its_own_notebook_alone(task, monkeypatch):
    monkeypatch.setattr(judging, "SECONDS", 2)
    keys = [[{"plain": (2 ** 61 - 1) * number}, {"plain": 0}]    # of one hash
            for number in range(75_000)]
    text, numbers = json.dumps({"dict": keys}).encode(), safetensors.torch.save({})
    dear = wire.HEAD.pack(len(text), len(numbers)) + text + numbers
    given, right = right_message(task)
    with judging.Judge(task, given) as judge:
        told = [judge.outcome(content, []) for content in (right, dear, right)]
    assert [sum(mark["points"] for mark in one["marks"]) for one in told] == [10, 0, 10]
    assert "comparing its results took too much" in told[1]["status"]
    (task.folder / "questions.py").unlink()
    with judging.Judge(task, given) as judge, pytest.raises(RuntimeError):
        judge.outcome(right, [])    # nobody's points are lost by a teacher's mistake


@pytest.mark.parametrize("count, number, status", [
    (2_000, 2_000, "graded"), (2_001, 1, "stopped"), (1_000, 10 ** 2_000, "stopped"),
    (1, 0, "stopped")], ids=["cells", "more", "digits", "none"])
def test_a_forged_answer_is_kept_in_few_letters(task, count, number, status):
    told = {"found": [Failure("x")] * 2, "judged": [], "broken": [
        [number, "\U000e0001" * 300]] * count}
    text = json.dumps(wire.encoded(told, {}), ensure_ascii=False).encode()
    assert len(text) < wire.MOST_TEXT
    told = judging.judged(task, grade.jobs_of(task, Limits())[0], [], wire.HEAD.pack(
        len(text), len(NONE)) + text + NONE)
    assert told["status"].startswith(status) and len(json.dumps(told)) < 2 ** 15
    assert len(told["broken"]) == (count if status == "graded" else 0)


def test_without_a_wall_nothing_runs(tmp_path, task, monkeypatch):
    notebook(tmp_path / "in/a1.ipynb", RIGHT)
    roster(tmp_path / "roster.csv", "a1")
    monkeypatch.setattr(walls.shutil, "which", lambda name: None)
    with pytest.raises(ValueError, match="bubblewrap is .*--uncontained"):
        grade.run(arguments(tmp_path, task, uncontained=False))
    assert not (tmp_path / "out").exists()


def test_a_closed_system_is_told_with_the_line_that_opens_it(monkeypatch, tmp_path):
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\n[ \"$1\" = --version ] && echo bubblewrap $VERSION"
                       "\nexec 2>&1; echo setting up uid map: denied\nexit 1\n")
    program.chmod(0o755)
    (tmp_path / "restricted").write_text("1\n")
    monkeypatch.setattr(walls, "filter_pipe",
                        lambda *given, **more: os.open(os.devnull, os.O_RDONLY))
    monkeypatch.setattr(walls, "CLOSED", ((str(tmp_path / "restricted"), "1",
                                           "sudo sysctl -w a.line=0"),))
    monkeypatch.setattr(walls.os, "geteuid", lambda: 1000)
    monkeypatch.setenv("VERSION", "0.8.0")
    assert walls.trouble(str(program)).endswith("opens them with: sudo sysctl -w "
                                                "a.line=0")
    monkeypatch.setenv("VERSION", "0.7.0")
    assert "older than 0.8" in walls.trouble(str(program))


ENGINE = """#!{python}
import os, subprocess, sys
log = open({log!r}, "a")
print(sys.argv[1:], file=log, flush=True)
if sys.argv[1] == "run":
    place = sys.argv.index({image!r})
    command = [{python!r} if one == "python" else one.replace(
        "/usr/local/lib/softdict", {package!r}) for one in sys.argv[place + 1:]]
    for number, word in enumerate(sys.argv):
        if word == "--mount":
            parts = dict(part.strip('"').split("=") for part in
                         sys.argv[number + 1].split(",") if "=" in part)
            command = [one.replace(parts["target"], parts["source"]) for one in command]
    os.execv(command[0], command)
"""


def test_a_container_gets_the_same_work_and_no_network(tmp_path, task, monkeypatch):
    # the engine is a pretended one, which runs the command as it stands
    engine, log = tmp_path / "bin/docker", tmp_path / "log"
    engine.parent.mkdir()
    engine.write_text(ENGINE.format(
        python=sys.executable, log=str(log), image=walls.IMAGE,
        package=str(Path(walls.__file__).parent.parent)))
    engine.chmod(0o755)
    monkeypatch.setattr(walls.shutil, "which", lambda name: {
        "docker": str(engine)}.get(name))
    wall = walls.find()
    assert wall == walls.Wall("container", str(engine))
    rows = graded(tmp_path, task, {"a1": RIGHT, "a2": OVER_ALL}, wall=wall)
    assert [points(row) for row in rows.values()] == [[5, 5], [2, 5]]
    ran = [line for line in log.read_text().splitlines() if line.startswith("['run'")]
    assert len(ran) == 4    # each was read in a container, and ran in another
    for line in ran:
        for words in ("'--network', 'none'", "'--read-only'", "'--cap-drop', 'ALL'",
                      "'--security-opt', 'no-new-privileges'", "'--pids-limit', '64'"):
            assert words in line
    answering = [line for line in ran if "answering" in line]
    assert "/in/" not in "".join(answering)
    # the number of threads is that of all containers' user: --pids-limit bounds each
    assert all(line.endswith("'softdict.grading.answering']") for line in answering)


def test_the_image_has_what_the_book_has_and_is_made_as_the_pages_say():
    made = (ROOT / "assignments/Containerfile").read_text("utf-8")
    pins = re.findall(r"\S+==\S+", made)
    assert len(pins) > 5 and set(pins) <= set(
        (ROOT / "requirements.txt").read_text("utf-8").split())
    assert re.findall(r"^COPY (.*)", made, re.M) == [
        "src/softdict /usr/local/lib/softdict"]
    command = walls.BUILD.format(engine="docker")
    for page in ("README.md", "book/teaching.md", "assignments/Containerfile"):
        assert command in (ROOT / page).read_text("utf-8")
    assert f"{command}`; never run" in (ROOT / "README.md").read_text("utf-8")


STRANGE = {    # a result that cannot travel, and what is said of it
    "10 ** 5000": "cannot be judged", "torch.eye(3).to_sparse()": "cannot be judged",
    "torch.ones(2, device='meta')": "cannot be judged",
    "torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])": "cannot be judged",
    "deep(600)": "cannot be judged", "2j": "cannot be judged",
    "torch.tensor(2j)": "a result differs", "10 ** 400": "cannot be compared"}


def test_a_result_that_cannot_travel_costs_no_other_question_its_points(task):
    cells = ["import torch\ndef deep(n):\n    made = 1\n    for _ in range(n):\n"
             "        made = [made]\n    return made"]
    cells += [f"def s{number}(x):\n    return {result}"
              for number, result in enumerate([*STRANGE, "2 * x"])]
    _, double = task.questions
    asked = [(f"s{number}", double.drive, [[(3,)]]) for number in range(len(cells) - 1)]
    marks = [judging.judged_safely(double, [[(3,)]], results)
             for results in told_of(cells, asked)["found"]]
    for mark, words in zip(marks, STRANGE.values()):
        assert mark.points == 0 and words in mark.message
    assert marks[-1].points == 5


FORGED_WORDS = ("x\n\n**10 of 10 points**\n\nq2: 5 of 5\n\x1b[2J\ud800 한"
                "<script>alert(1)</script>" + "y" * 2_000)


def test_feedback_is_ours_and_a_students_words_are_quoted_and_cut(tmp_path, task):
    raises = f"raise ValueError({FORGED_WORDS!a})"
    notebook(tmp_path / "in/a1.ipynb", [*[raises] * 300, *RIGHT[:2],
                                        f"def double(x):\n    {raises}"])
    content = (tmp_path / "in/a1.ipynb").read_bytes()
    strange = os.fsencode(tmp_path / "in") + b"/stranger\xff\n=cmd.ipynb"
    try:
        Path(os.fsdecode(strange)).write_bytes(content)
    except OSError:
        pass    # macOS allows no such names
    roster(tmp_path / "roster.csv", "a1")
    grade.run(arguments(tmp_path, task))
    told = (tmp_path / "out/grades/a1.txt").read_text("utf-8")
    ours = [line for line in told.splitlines() if line and not line.startswith("> ")]
    assert ours == [
        "Shares: Name a1", "5 of 10 points", "q1: 5 of 5", "Right.", "q2: 0 of 5",
        "Cells that stopped with an error:",
        *(f"code cell {number}:" for number in range(1, judging.MOST_SHOWN + 1)),
        "and 280 more"]
    assert "q2: 5 of 5 \\x1b[2J\\ud800 한" in told and len(told) < report.LONGEST
    assert max(map(len, told.splitlines())) <= report.QUOTED + 2
    assert [path.name for path in (tmp_path / "out/grades").iterdir()] == ["a1.txt"]
    for file in (tmp_path / "out").rglob("*.*"):
        assert "\x1b" not in file.read_text("utf-8")


def shape(*cells):
    return reading.shape_of(cells, {"shares"})


BODY = "\n".join(f"    total = total + keys[{n}] * query[{n}]" for n in range(20))
LONG = f"def shares(query, keys):\n    total = 0\n{BODY}\n    return total"
DIGITS = f"x = {'7' * 5000}\n"


@pytest.mark.parametrize("other", [
    "# mine\n" + LONG.replace("total", "sum_").replace("    ", "  "),
    DIGITS + LONG, "%matplotlib inline\n" + LONG, "await thing\n" + LONG,
    "if True:\n" + "\n".join(f"    {line}" for line in LONG.split("\n"))],
    ids=["names", "digits", "magic", "await", "branch"])
def test_code_that_differs_in_names_and_layout_has_one_shape(other):
    assert shape(LONG) and shape(other) == shape(LONG)
    assert shape(LONG.replace("[3] * query[3]", "[3] + query[3]")) != shape(LONG)
    assert shape("def shares(: broken", "def shares(x): return x") == ""


def test_groups_of_one_shape_and_what_has_none_are_told(tmp_path):
    rows = [{"id": str(number), "file": "", "shape": one, "marks": [],
             "status": "graded"} for number, one in enumerate(["a", "b", "a", "", "",
                                                              None])]
    assert report.near_copies(rows) == [["0", "2"]]
    told = report.summary(rows, (), "Shares", report.near_copies(rows))
    assert "- 0, 2\n" in told and told.endswith("read it\n\n- 5\n")


SUMS = "def shares(x):\n    return " + " + ".join(["x"] * 20_000)
STATEMENTS = "def shares(x):\n    " + "x=1;" * 330_000    # 20 s to compare, and more
FIELDS = "def shares(x):\n    return f'" + "{x}" * 300_000 + "'"
ODD = {    # code that is hard to take apart, what is said of reading it, its shape
    "deep": (SUMS, "", None), "statements": (STATEMENTS, "", None),
    "fields": (FIELDS, "", None), "words": (LONG + "\n# x" * 20_000, "", shape(LONG)),
    "too much": ("x = 1\n" * 400_000, "more code than", "")}


@pytest.mark.parametrize("kind", ODD)
def test_code_that_is_hard_to_take_apart_costs_little_and_loses_no_cell(
        tmp_path, kind):
    source, problem, wanted = ODD[kind]
    entry = notebook(tmp_path / "hw.ipynb", [source])
    found = submissions.read(entry, WALL, {"shares"})
    assert problem in found.problem and bool(found.cells) == (not problem)
    assert found.shape == wanted


@pytest.mark.parametrize("source, last", [("x = 1", "shape"), (FIELDS, "cells")])
def test_code_is_compared_within_a_few_seconds_of_the_processor_or_not_at_all(
        tmp_path, source, last):
    path = notebook(tmp_path / "hw.ipynb", [source])
    program = ("import resource, sys\nsys.path.insert(0, sys.argv[1])\nimport reading\n"
               "reading.shape_of = lambda *given: resource.getrlimit(\n"
               "    resource.RLIMIT_CPU)[0]\nreading.main(sys.argv[2], '[]')")
    told = subprocess.run([sys.executable, "-I", "-c", program, str(
        Path(reading.__file__).parent), str(path)], capture_output=True, text=True)
    told = json.loads(told.stdout.splitlines()[-1])
    assert last in told and told.get("shape", 0) < reading.SECONDS / 2


def test_of_functions_of_one_name_the_last_alone_is_compared(monkeypatch):
    real, count = reading.ast.unparse, []
    monkeypatch.setattr(reading.ast, "unparse",
                        lambda part: count.append(part) or real(part))
    assert shape(*["def shares(x): return x"] * 3, LONG) == shape(LONG)
    assert len(count) == 2


# Reading what was handed in -----------------------------------------------------------


def zipped(path, **files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("up/", "../"), content)
    return path


def test_trouble_of_every_kind_is_a_row_and_no_stop(tmp_path, task):
    folder, text = tmp_path / "in", json.dumps
    good = notebook(folder / "smith_a1_late.ipynb", RIGHT)
    content = good.read_bytes()
    (folder / "a2.ipynb").write_text("this is no notebook")
    (folder / "a3.ipynb").write_text(text({"cells": [{"cell_type": "code"}]}))
    (folder / "a4.txt").write_text("print('hello')")
    zipped(folder / "a5.zip", **{"work__hw.ipynb": content})
    zipped(folder / "a6.zip", **{"up__up__etc__hw.ipynb": content})
    (folder / "a7.zip").write_bytes(content[:100])
    (folder / "a8").mkdir()
    (folder / "a8/hw.ipynb").symlink_to(good)
    (folder / "a9.ipynb").symlink_to(good)
    notebook(folder / "homework.ipynb", ["student_id = 'b1'\nname = 'B'", *RIGHT])
    stripped = json.loads(content)
    for cell in stripped["cells"]:
        cell["metadata"], _ = {}, cell.pop("id", None)
    (folder / "b2.IPYNB").write_bytes(text(stripped).encode("utf-16"))
    notebook(folder / "nobody.ipynb", RIGHT)
    (folder / "b3.ipynb").write_bytes(b"\xff\xfe\x00bad")
    (folder / "b4.ipynb").write_text("[" * 10 ** 5)
    notebook(folder / "b5.ipynb", OVER_ALL)
    notebook(folder / "b5_again.ipynb", RIGHT)
    notebook(folder / "b6.ipynb", [])
    (folder / "b8.ipynb").write_text('{"cells": [' + '{"cell_type": "code", "source": '
                                     '["x"]},' * 400_000 + "{}]}")
    with zipfile.ZipFile(folder / "b9.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("hw.ipynb", bytes(2 ** 28))
    ids = [f"a{n}" for n in range(1, 10)] + [f"b{n}" for n in range(1, 10)]
    students = submissions.read_roster(roster(tmp_path / "r.csv", *ids))
    read = submissions.read_all(submissions.find(folder), WALL)
    rows = grade.grade(submissions.matched(read, students, task.names), task,
                       Limits(seconds=20), WALL)
    by_id = {row["id"]: row for row in rows if row["id"]}
    full = {key for key, row in by_id.items() if points(row) == [5, 5]}
    assert full == {"a1", "a5", "b2"}
    for key, words in {"a2": "cannot be read as one", "a3": "cannot be read as one",
                       "a4": "neither a notebook", "a6": "leads out of it",
                       "a7": "cannot be opened", "a8": "no notebook", "a9": "a link",
                       "b3": "cannot be read as one", "b4": "cannot be read as one",
                       "b5": "2 files are this student's", "b6": "without code",
                       "b8": "", "b9": "larger than 20 MB"}.items():
        assert words in by_id[key]["status"], (key, by_id[key]["status"])
        assert by_id[key]["status"].startswith(
            "to be settled" if key == "b5" else "unreadable")
    assert by_id["b7"]["status"] == by_id["b1"]["status"] == "missing"
    assert {row["file"]: row["status"] for row in rows if not row["id"]} == {
        "homework.ipynb": "to be settled: its name has no id of the roster; inside it "
                          "stands b1",
        "nobody.ipynb": "to be settled: its name has no id of the roster"}


@pytest.mark.parametrize("text, words", [
    ("name\nx\n", "one of them is id"), ("id\na b\n", "an id is letters"),
    ("id\na\na\n", "stands twice"), ("id\n", "has no students"),
    ("id,adjust\na,many\n", "must be a number"), (b"\xff\xff", "must be UTF-8"),
    ("id\nAda\nada\n", "stands twice"), ("id\n..\n", "an id is letters"),
    ("id\n한\n" + unicodedata.normalize("NFD", "한"), "stands twice"),
    ("id,id\na,b\n", "one of them is id"), (f"id\n{'한' * 70}\n", "an id is letters"),
    ("id,adjust\na,nan\n", "must be a number"), ("id,adjust\na,1e999\n", "a number"),
    (f"id,name\na,{'x' * 200_000}\n", "cannot be read as a CSV")])
def test_a_roster_that_is_none_is_refused_in_a_sentence(tmp_path, text, words):
    path = tmp_path / "roster.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=words):
        submissions.read_roster(path)


@pytest.mark.parametrize("text", [b"\xff\xfe", b"ID\na," + b"x" * 200_000])
def test_a_table_of_a_platform_that_is_none_is_refused(tmp_path, text):
    (tmp_path / "canvas.csv").write_bytes(text)
    with pytest.raises(ValueError, match="canvas.csv is no CSV in UTF-8"):
        report.merge(tmp_path / "canvas.csv", "Shares", {})


def test_a_line_of_a_platform_gets_the_points_of_one_id_alone(tmp_path):
    path = tmp_path / "canvas.csv"
    # the platform's own number of one is the id of another
    path.write_text("Student,ID,SIS User ID\nA,101,7\nB,7,\nC,103,8\n")
    text, count = report.merge(path, "Shares", {"7": 20, "8": 9.5, "101": 1})
    assert [line.split(",")[-1] for line in text.splitlines()[1:]] == ["20", "", "9.5"]
    assert count == 2
    path.write_text("Student,ID,SIS User ID\nA,7,8\nB,8,\nC,101,\n")
    text, _ = report.merge(path, "Shares", {"7": 20, "8": 9.5, "101": 1})
    assert [line.split(",")[-1] for line in text.splitlines()[1:]] == ["20", "9.5", "1"]
    path.write_text("Username,ID number\nkim,7\nlee,7\n")
    with pytest.raises(ValueError, match="canvas.csv has the id 7 in two lines"):
        report.merge(path, "Shares", {"7": 20})


def test_a_table_comes_back_in_the_form_that_its_platform_reads(tmp_path):
    """Moodle reads Identifier, Grade and Last modified (grade); Canvas the column of
    the assignment, which is its title and its number, and the line of points."""
    path = tmp_path / "moodle.csv"
    path.write_text('Identifier,"Full name",Status,Grade,"Last modified (grade)"\n'
                    'Participant 66001,A,Submitted,,-\nTeilnehmer/in 66002,B,x,,-\n'
                    "Participant 77,C,-,,-\n")
    text, count = report.merge(path, "Shares", {"7": 20, "8": 9.5, "9": 0},
                               {"66001": "7", "66002": "8"}, 20)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == ["Identifier", "Full name", "Status", "Grade",
                             "Last modified (grade)"]
    assert [row["Grade"] for row in rows] == ["20", "9.5", ""] and count == 2
    path.write_text("Student,ID,SIS Login ID,Section,Shares (4711),Quiz (4712)\n"
                    "    Points Possible,,,,25,9\n\"B, A\",501,x,1,,\n"
                    '"D, C",502,y,1,,\n')
    text, count = report.merge(path, "Shares", {"7": 20, "8": 9}, {"501": "7"}, 20)
    rows = list(csv.reader(io.StringIO(text)))
    assert [row[4:] for row in rows] == [["Shares (4711)", "Quiz (4712)"], ["25", "9"],
                                         ["20", ""], ["", ""]]
    # a full name that one line has and one student, either name in front
    students = {"8": submissions.Student("8", "C D"), "9": submissions.Student(
        "9", "A B"), "7": submissions.Student("7", "A B")}
    text, count = report.merge(path, "Shares", {"7": 20, "8": 9, "9": 1}, {}, 20,
                               students)
    assert count == 1 and [row[4] for row in csv.reader(io.StringIO(text))] == [
        "Shares (4711)", "25", "", "9"]
    del students["9"]
    path.write_text('Student,ID,Shares\n"Z, Y",8,\n"D, C",9,\n"A B",10,\n')
    text, count = report.merge(path, "Shares", {"7": 20, "8": 9}, {}, 20, students)
    assert count == 2 and text.splitlines()[1:] == ['"Z, Y",8,9', '"D, C",9,',
                                                    "A B,10,20"]
    path.write_text('Student,ID,Shares\nA B,10,\n"B, A",11,\n')    # two lines
    assert report.merge(path, "Shares", {"7": 20}, {}, 20, students)[1] == 0
    path.write_text("Student,ID,SIS Login ID,Section,Quiz\n    Points Possible,,,,9\n"
                    "B,501,x,1,\nD,502,y,1,\n")
    text, _ = report.merge(path, "Other", {"x": 20, "y": 9}, {}, 20)
    assert [row[5] for row in csv.reader(io.StringIO(text))] == ["Other", "20", "20",
                                                                 "9"]


def row_of(key, file, **more):
    return {"id": key, "name": f"Name {key}", "file": file, "status": "graded",
            "marks": [Mark("q1", 2, 5, "over_all", "Of all rows.")], "broken": [],
            "by_hand": "", "remark": "", "notes": (), "adjust": 0} | more


def test_feedback_is_named_as_the_platform_knows_its_students():
    rows = [row_of("7", "Kim Minsu_66001_assignsubmission_file_hw_2.ipynb"),
            row_of("8", "Lee Jiwoo_66002_assignsubmission_file"),
            row_of("9", "kimmina_LATE_501_9001_2_heads_and_masks.ipynb"),
            row_of("10", "kimada_502_9002_hw.ipynb"), row_of("11", "11_hw.ipynb"),
            row_of("12", ""), row_of("", "x_1_assignsubmission_file_y.ipynb")]
    content, count = report.for_platform(rows, "Shares")
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        assert packed.namelist() == [
            "Kim Minsu_66001_assignsubmission_file_feedback.txt",
            "Lee Jiwoo_66002_assignsubmission_file_feedback.txt",
            "kimmina_LATE_501_9001_feedback.txt", "kimada_502_9002_feedback.txt"]
        assert packed.read(packed.namelist()[1]).decode() == report.feedback(
            rows[1], "Shares")
    assert count == 4
    students = {"8": submissions.Student("8", platform="66009"),
                "11": submissions.Student("11", platform="66003")}
    assert grade.numbers_of(rows, students) == {
        "66001": "7", "66002": "8", "501": "9", "502": "10", "66009": "8", "66003":
        "11"}
    rows[3]["file"] = rows[2]["file"]    # one number of two students is nobody's
    assert "501" not in grade.numbers_of(rows, {})


@pytest.mark.parametrize("cell, safe", [
    ("=1", "'=1"), ("a;=1+2;.ipynb", "a;'=1+2;.ipynb"), ("a\t@x", "a\t'@x"),
    ("-1.5", "-1.5"), ("-1.5;-2", "'-1.5;'-2"), ("a; b=1", "a; b=1")])
def test_no_part_of_a_cell_is_a_formula(cell, safe):
    assert submissions.harmless(cell) == submissions.harmless(safe) == safe


def test_a_hidden_notebook_has_a_row_and_what_tools_leave_has_none(tmp_path):
    for name in (".kim.ipynb", ".a1.ZIP", "._kim.ipynb", ".DS_Store", "__MACOSX"):
        (tmp_path / name).touch()
    assert [one.name for one in submissions.find(tmp_path)] == [".a1.ZIP", ".kim.ipynb"]


def test_a_notebook_behind_many_files_of_tools_is_found(tmp_path):
    path = notebook(tmp_path / "one/inner/x.ipynb", RIGHT)
    for place in (".git/objects", "data"):
        (tmp_path / "one" / place).mkdir(parents=True)
        for number in range(600):
            (tmp_path / "one" / place / str(number)).touch()
    notebook(tmp_path / "one/.venv/larger.ipynb", RIGHT * 2)
    with zipfile.ZipFile(tmp_path / "one.zip", "w") as archive:
        for number in range(600):
            archive.writestr(f"data/{number}", "")
        archive.writestr(".venv/larger.ipynb", json.dumps({}) + " " * 10_000)
        archive.write(path, "work/x.ipynb")
    for entry in ("one", "one.zip"):
        assert submissions.read(tmp_path / entry, WALL).cells == tuple(RIGHT)


@pytest.mark.parametrize("kind", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA,
                                  zipfile.ZIP_BZIP2])
def test_a_damaged_zip_is_a_row_and_no_stop(tmp_path, kind):
    path = notebook(tmp_path / "hw.ipynb", RIGHT * 30)
    with zipfile.ZipFile(tmp_path / "hw.zip", "w", kind) as archive:
        archive.write(path, "hw.ipynb")
    assert len(submissions.read(tmp_path / "hw.zip", WALL).cells) == 90
    content = bytearray((tmp_path / "hw.zip").read_bytes())
    content[60:120] = b"\xff" * 60
    (tmp_path / "hw.zip").write_bytes(content)
    assert submissions.read(tmp_path / "hw.zip", WALL).problem


def test_lines_without_words_do_not_hold_up_the_reader_of_names(tmp_path):
    source = "\n" * 1_900_000 + "\t" * 10_000 + "student_id = 'a1'"
    path = notebook(tmp_path / "hw.ipynb", [source])    # or it takes hours
    assert submissions.read(path, WALL).claim == "a1"


# The command --------------------------------------------------------------------------


def arguments(tmp_path, task, **changes):
    from argparse import Namespace

    return Namespace(**{
        "assignment": str(task.folder), "exercises": None, "out":
        str(tmp_path / "out/grades.csv"), "roster": str(tmp_path / "roster.csv"),
        "submissions": str(tmp_path / "in"), "seconds": 20, "memory": 2048, "seed": 0,
        "jobs": 1, "scheduler": None, "merge": None,
        "uncontained": WALL.kind == "none",
    } | changes)


@pytest.mark.parametrize("changes, words", [
    ({"out": "in/grades.csv"}, "--out must not lie among"),
    ({"out": "in/deeper/grades.csv"}, "--out must not lie among"),
    ({"out": "in.csv"}, "the feedback must not lie among"),
    ({"out": "all.csv", "submissions": "all/in"}, "would write the feedback into"),
    ({"out": "roster.csv"}, "would write over"), ({"out": "who.csv"}, "write over"),
    ({"out": "canvas.csv", "merge": "canvas.csv"}, "would write over"),
    ({"submissions": "."}, "must not lie among"),
    ({"submissions": "shares"}, "the assignment must not lie among"),
    ({"roster": "in/roster.csv"}, "the roster must not lie among")])
def test_what_was_handed_in_is_never_taken_for_the_teachers(
        tmp_path, task, monkeypatch, changes, words):
    notebook(tmp_path / "in/a1.ipynb", RIGHT)
    before = roster(tmp_path / "roster.csv", "a1").read_text()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=words):
        grade.run(arguments(tmp_path, task, **changes))
    assert (tmp_path / "roster.csv").read_text() == before
    for place in ("in", "in/1_lookup"):    # which a student calls as the assignment
        (tmp_path / "in/1_lookup").mkdir(exist_ok=True)
        (tmp_path / "in/1_lookup/questions.py").write_text("raise SystemExit")
        monkeypatch.chdir(tmp_path / place)
        with pytest.raises(ValueError, match="the current folder must not lie among"):
            grade.run(arguments(tmp_path, task, assignment=str(
                tmp_path / "in/1_lookup")))


@pytest.mark.parametrize("words, names", [
    (["-m"], ["tqdm", "numpy", "torch"]),
    (["-P", "-m"], ["tqdm", "numpy", "torch", "argparse", "softdict"])])
def test_no_file_of_the_current_folder_is_run_as_a_module(tmp_path, words, names):
    for name in names:
        (tmp_path / f"{name}.py").write_text("open('ran', 'w')")
    told = subprocess.run([
        sys.executable, *words, "softdict", "grade", "in", "--assignment", "gone"],
        cwd=tmp_path, capture_output=True, text=True)
    assert not (tmp_path / "ran").exists()
    assert told.returncode == 1 and "'gone' is no assignment" in told.stderr
    assert len(told.stderr.strip().splitlines()) == 1
    for page in ("README.md", "book/teaching.md"):    # -P is what nothing else can do
        text = (ROOT / page).read_text("utf-8")
        assert "python -P -m softdict grade" in text
        assert "python -m softdict grade" not in text


def test_the_command_writes_table_feedback_and_summary(tmp_path, task, capsys):
    notebook(tmp_path / "in/a1.ipynb", RIGHT)
    notebook(tmp_path / "in/a2.ipynb", OVER_ALL)
    (tmp_path / "roster.csv").write_text("id,name,adjust\na1,Ada,-2\na2,=cmd(),0\n"
                                         "a3,Cleo,\n")
    (tmp_path / "canvas.csv").write_text(
        "Student,ID,SIS User ID,Quiz\nAda,77,a1,3\nBob,78,a2,4\nZed,79,zz,1\n")
    grade.run(arguments(tmp_path, task, merge=str(tmp_path / "canvas.csv")))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out/grades.csv").read_text())))
    assert [row["final"] for row in rows] == ["8", "7", "0"]
    assert [row["status"] for row in rows] == ["graded", "graded", "missing"]
    assert rows[1]["q1_code"] == "over_all" and rows[1]["name"] == "'=cmd()"
    told = (tmp_path / "out/grades/a2.txt").read_text()
    assert "yours divides by the sum of all rows." in told and "7 of 10 points" in told
    assert "over_all (1)" in (tmp_path / "out/grades.summary.md").read_text()
    merged = list(csv.DictReader(io.StringIO(
        (tmp_path / "out/grades.merged.csv").read_text())))
    assert [row["Shares"] for row in merged] == ["8", "7", ""]
    told = capsys.readouterr().err
    assert "2 students found" in told and "0 feedback files" in told


def test_a_table_of_a_platform_is_looked_at_before_anything_runs(tmp_path, task):
    notebook(tmp_path / "in/a1.ipynb", RIGHT)
    roster(tmp_path / "roster.csv", "a1")
    with pytest.raises(FileNotFoundError):
        grade.run(arguments(tmp_path, task, merge=str(tmp_path / "gone.csv")))
    (tmp_path / "canvas.csv").write_text("ID\na1\na1\n")
    with pytest.raises(ValueError, match="canvas.csv has the id a1 in two lines"):
        grade.run(arguments(tmp_path, task, merge=str(tmp_path / "canvas.csv")))
    assert not (tmp_path / "out").exists()


def test_points_and_remarks_of_a_teacher_survive_a_new_run(tmp_path, task):
    notebook(tmp_path / "in/a1.ipynb", RIGHT)
    roster(tmp_path / "roster.csv", "a1", "a2")
    (tmp_path / "canvas.csv").write_text("ID,Quiz\na1,3\na2,4\n")
    given = arguments(tmp_path, task, merge=str(tmp_path / "canvas.csv"))
    grade.run(given)
    out = tmp_path / "out/grades.csv"
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    rows[0] |= {"by_hand": "-1.5", "remark": "=late; 한"}
    rows[1]["by_hand"] = "3"
    for delimiter in ",;":    # as spreadsheets of several countries write it
        with out.open("w", encoding="utf-8-sig") as file:
            writer = csv.DictWriter(file, rows[0], delimiter=delimiter)
            writer.writeheader()
            writer.writerows(rows)
        for _ in range(2):
            grade.run(given)
            again = list(csv.DictReader(io.StringIO(out.read_text())))
            assert [row["final"] for row in again] == ["8.5", "3"]
            assert again[0]["remark"] == "'=late; 한"
    told = (tmp_path / "out/grades/a1.txt").read_text()
    assert "-1.5 points, given by hand" in told and "=late; 한" in told
    assert ",3,3" in (tmp_path / "out/grades.merged.csv").read_text().replace("4", "3")
    before = out.read_text()
    roster(tmp_path / "roster.csv", "a1")
    with pytest.raises(ValueError, match="line 3 has points .* 'a2', .* nothing was"):
        grade.run(given)
    out.write_text(before.replace("-1.5", "much"))
    with pytest.raises(ValueError, match="line 2: by_hand must be a number"):
        grade.run(given)


def test_what_is_to_be_settled_is_settled_by_a_file(tmp_path, task, capsys):
    for name, cells in (("work", RIGHT), ("a2", OVER_ALL), ("a2_new", RIGHT),
                        ("other", RIGHT)):
        notebook(tmp_path / f"in/{name}.ipynb", cells)
    roster(tmp_path / "roster.csv", "a1", "a2")
    grade.run(arguments(tmp_path, task))
    assert "3 to be settled" in capsys.readouterr().err
    who = tmp_path / "out/who.csv"
    who.write_text("file,id\nwork.ipynb,a1\na2.ipynb,a2\nother.ipynb,\n")
    grade.run(arguments(tmp_path, task))
    table = csv.DictReader(io.StringIO((tmp_path / "out/grades.csv").read_text()))
    assert [(row["id"], row["final"]) for row in table] == [("a1", "10"), ("a2", "7")]
    for text, words in (("file\nx", "the columns file and id"),
                        ("file,id\ngone.ipynb,a1", "'gone.ipynb' was handed in"),
                        ("file,id\nwork.ipynb,a9", "'a9' is no id")):
        who.write_text(text)
        with pytest.raises(ValueError, match=words):
            grade.run(arguments(tmp_path, task))


def test_a_stopped_run_goes_on_where_it_was(tmp_path, task, monkeypatch):
    handed_in, kept = {"a1": RIGHT, "a2": OVER_ALL}, tmp_path / "kept"
    asked, real = [], boxes.Box.begin

    def stopping(self, given, job, *others, **more):
        asked.append(given)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return real(self, given, job, *others, **more)

    monkeypatch.setattr(boxes.Box, "begin", stopping)
    with pytest.raises(KeyboardInterrupt):
        graded(tmp_path, task, handed_in, kept=kept)
    with kept.open("a") as file:
        file.write('{"key": "cut of')
    before = len(asked)
    rows = graded(tmp_path, task, handed_in, kept=kept)
    assert len(asked) == before + 1    # the first was not asked again
    assert [points(row) for row in rows.values()] == [[5, 5], [2, 5]]
    other = Limits(seconds=20, seed=1)
    graded(tmp_path, task, handed_in, other, kept=kept)
    assert len(asked) == before + 3    # another variant is graded anew


def test_two_classes_get_different_cases_and_one_class_the_same(task):
    first, again, other = (str(grade.jobs_of(task, Limits(seed=seed)))
                           for seed in (0, 0, 1))
    assert first == again != other


def test_published_exercises_are_collected_for_practice(tmp_path, capsys):
    chapter = grade.chapter_exercises("01")
    answer = (ROOT / "tests/answers/01/01-1.py").read_text("utf-8")
    name = [part.name for part in __import__("ast").parse(answer).body
            if type(part).__name__ == "FunctionDef"][-1]
    cells = [answer, "from softdict.checks import check", f'check("01-1", {name})']
    rows = graded(tmp_path, chapter, {"a1": cells, "a2": ["x = 1"]},
                  Limits(seconds=20))
    first, *rest = rows["a1"]["marks"]
    assert first.code == "right" and first.points == first.most > 0
    assert {mark.code for mark in rest} == {"no_answer"}
    assert sum(points(rows["a2"])) == 0


@pytest.mark.parametrize("given, words", [
    (["in"], "name what is to be graded"),
    (["in", "--exercises", "77"], "no chapter '77'"),
    (["in", "--exercises", "01", "--out", "grades"], "--out names a table")])
def test_what_cannot_be_graded_is_one_sentence(
        tmp_path, monkeypatch, capsys, given, words):
    roster(tmp_path / "roster.csv", "a1")
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:    # Python prints it, and ends with 1
        main(["grade", *given])
    assert words in stop.value.code and len(stop.value.code.splitlines()) == 1
    assert capsys.readouterr().err == ""


def test_a_cluster_gives_the_grades_of_this_machine(tmp_path, task):
    distributed = pytest.importorskip("dask.distributed")
    handed_in = {"a1": RIGHT, "a2": OVER_ALL, "a3": ["import os\nos._exit(0)"]}
    here = graded(tmp_path, task, handed_in)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2,
                                  dashboard_address=None) as cluster:
        there = graded(tmp_path, task, handed_in, scheduler=cluster.scheduler_address)
    assert there == here
    assert [sum(points(row)) for row in there.values()] == [10, 7, 0]
