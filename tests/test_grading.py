"""The grader: what it asks, what it says, and what an answer cannot do to it."""

import csv
import io
import json
import os
import subprocess
import sys
import time
import zipfile
from functools import partial
from pathlib import Path

import nbformat
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from softdict.grading import contain, grade, questions, report, submissions, wire
from softdict.grading.contain import Nursery
from softdict.grading.questions import Failure, Part, Question, Wrong, judge

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
    pytest.skip("Windows cannot fork, which grading needs", allow_module_level=True)
ROOT = Path(__file__).resolve().parent.parent
CONTAINED = contain.gaps() == []
Limits = partial(contain.Limits, contained=CONTAINED)
needs_walls = pytest.mark.skipif(not CONTAINED, reason="this system has no walls: "
                                 "neither root nor user namespaces")


@pytest.fixture
def task(tmp_path):
    folder = tmp_path / "shares"
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


def graded(tmp_path, task, handed_in, limits=None, **settings):
    """Rows by id, of a dict from id to cells."""
    folder = tmp_path / "in"
    for key, cells in handed_in.items():
        notebook(folder / f"{key}_shares.ipynb", cells)
    students = submissions.read_roster(roster(tmp_path / "roster.csv", *handed_in))
    pairs = submissions.matched(submissions.find(folder), students)
    limits = limits or Limits(seconds=20, hidden=(str(task.folder), str(folder)))
    rows = grade.grade(pairs, task, limits, **settings)
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


@pytest.mark.parametrize("content", [
    b"", b"x" * 40, wire.pack([1])[:-1], wire.pack([1]) + b"x",
    wire.HEAD.pack(2 ** 62, 0), wire.pack(1).replace(b"plain", b"world"),
    wire.HEAD.pack(10 ** 5, 8) + b"[" * 10 ** 5 + b"\0" * 8])
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

FORGED = """
import os, struct
from softdict.grading import answering, questions, wire
questions.same = answering.pack = wire.pack = lambda *given: b""
import torch, numpy
torch.allclose = numpy.allclose = torch.testing.assert_close = lambda *a, **k: True
class Same(torch.Tensor):
    def __eq__(self, other): return True
class Equal(float):
    def __eq__(self, other): return True
    def __float__(self): return 6.0
def shares(x): return Same(x)
def double(x): return Equal(1)
"""
READS = """
import os
seen = []
for top in ({task!r}, {folder!r}):
    for place, names, files in os.walk(top):
        for name in files:
            try: seen.append(open(os.path.join(place, name), errors="replace").read())
            except OSError: pass
def shares(x):
    assert not any("WATCHWORD" in text or "def double" in text for text in seen)
    return x / x.sum(-1, keepdim=True)
def double(x):
    return 2 * x
"""
BOMB = """
import os, time
while True:
    try:
        if os.fork() == 0: time.sleep(30); os._exit(0)
    except OSError: break
with open("/tmp/count", "w") as file: file.write("x")
def shares(x): return len([p for p in os.listdir("/proc") if p.isdigit()])
def double(x): return 2 * x
"""
ATTACKS = {    # name: cells, what must hold of the row
    "loop": ["while True: pass", *RIGHT], "exit": ["import os\nos._exit(0)", *RIGHT],
    "leave": ["raise SystemExit", *RIGHT],
    "output": ["print('x' * 50_000_000)", *RIGHT],
    "deaf": ["import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
             "while True: pass"],
    "memory": ["x = bytearray(8 * 2 ** 30)", *RIGHT],
    "crash": ["import ctypes\nctypes.string_at(0)", *RIGHT],
    "huge": [*RIGHT, "def double(x):\n    return 'x' * 80_000_000"],
    "forged": [FORGED], "bomb": [BOMB],
    "deep": [*RIGHT, "def double(x):\n    y = []\n    for _ in range(10 ** 5):\n"
             "        y = [y]\n    return y"],
    "odd": [*RIGHT, "class Strange:\n    def __repr__(self): raise SystemExit\n"
            "def double(x):\n    return Strange()"],
    "syntax": [*RIGHT, "def double(x:\n    return 2 * x"],
    "twice": [*RIGHT, *RIGHT],
    "magic": ["if True:\n    %pip install nothing\n!false", *RIGHT],
    "nul": [*RIGHT, "x = '\0'"]}
FULL = {"loop", "leave", "output", "memory", "syntax", "twice", "magic", "nul"}


@needs_walls
def test_no_attack_gains_a_point_or_loses_anothers_row(tmp_path, task):
    limits = Limits(seconds=16, hidden=(str(task.folder), str(tmp_path / "in")))
    handed_in = ATTACKS | {"reads": [READS.format(
        task=str(task.folder), folder=str(tmp_path / "in"))], "good": RIGHT}
    rows = graded(tmp_path, task, handed_in, limits, jobs=2)
    assert points(rows["good"]) == [5, 5] and points(rows["reads"]) == [5, 5]
    for name in ATTACKS:
        assert name not in FULL or points(rows[name]) == [5, 5], name
    for name in ("exit", "deaf", "crash", "huge", "forged"):
        assert sum(points(rows[name])) == 0, name
    assert "longer than 16 s" in rows["deaf"]["status"]
    assert "ended its process" in rows["exit"]["status"]
    assert "larger than an answer" in rows["huge"]["status"]
    assert rows["memory"]["broken"][0][1].startswith("MemoryError")
    assert rows["loop"]["broken"] == [[1, "it ran longer than 10 s"]]
    assert "SyntaxError" in rows["syntax"]["broken"][0][1]
    assert points(rows["bomb"])[0] == 0    # and the batch went on
    assert points(rows["deep"])[1] == points(rows["odd"])[1] == 0
    children = " ".join(file.read_text() for file in Path("/proc/self/task").glob(
        "*/children")).split()
    assert not [child for child in children
                if b"nursery" in Path(f"/proc/{child}/cmdline").read_bytes()]


PROBE = [("probe", "def drive(f): return f()", [[()]])]
WALLS = {    # each probe() is True where its wall holds
    "processes": """
import os, time
def probe():
    made = 0
    while True:
        try:
            if os.fork() == 0:
                time.sleep(20)
            made += 1
        except OSError:
            return 1 <= made <= 40
""", "a file": """
def probe():
    try:
        with open("/tmp/x", "wb") as file:
            file.write(bytes(2 ** 26))
    except OSError:
        return True
""", "all files": """
def probe():
    try:
        for name in range(9):
            with open(f"/tmp/{name}", "wb") as file:
                file.write(bytes(2 ** 24 - 1))
    except OSError as error:
        return error.errno == 28
""", "memory": """
def probe():
    try:
        return not bytearray(2 ** 32)
    except MemoryError:
        return True
""", "network": """
import socket
def probe():
    try:
        socket.create_connection(("127.0.0.1", PORT), 2)
    except OSError:
        return True
""", "alone": """
import os
def probe():
    return os.getpid() == 1 and [p for p in os.listdir("/proc") if p.isdigit()] == ["1"]
""", "nobody": """
import os
def probe():
    try:
        os.setuid(0)
    except OSError:
        return True
""", "no tests": """
import gc, sys
def probe():
    names = [name for name in sys.modules if name.startswith("questions_")]
    parts = [part for part in gc.get_objects() if isinstance(part, dict)]
    return not names and "WATCH" + "WORD" not in str(parts[:2000])
"""}


def probed(source, **limits):
    """What probe() of a notebook says, inside its walls."""
    with Nursery(Limits(seconds=10, **limits)) as nursery:
        return nursery.run([source], PROBE)["found"][0][0][0]


SHARED = """
import ctypes
def probe():
    library = ctypes.CDLL(None)
    return [library.shmget(0, 4096, 0o1600), library.msgget(0, 0o1600)]
"""
TOGETHER = {    # none of these processes alone takes more than it may have
    "forks": """
import os, time
for number in range(6):
    if os.fork() == 0:
        held = bytearray(2 ** 26)
        for place in range(0, len(held), 4096):
            held[place] = 1
        time.sleep(9)
        os._exit(0)
time.sleep(9)
""", "files in memory": """
import os, time
held = [os.memfd_create("x") for number in range(20)]
for one in held:
    os.write(one, bytes(2 ** 24 - 1))
time.sleep(9)
"""}


@needs_walls
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it is Linux's own")
def test_nothing_is_kept_where_no_process_is_charged_for_it():
    if os.geteuid():
        pytest.skip("an old kernel leaves that to the machine's root")
    assert probed(SHARED) == [-1, -1]


@needs_walls
@pytest.mark.parametrize("way", TOGETHER)
def test_all_processes_of_an_answer_share_one_memory(way):
    with Nursery(Limits(seconds=20, memory=2 ** 28)) as nursery:
        with pytest.raises(RuntimeError, match="processes used more than 256 MB"):
            nursery.run([TOGETHER[way]], PROBE)
        few = TOGETHER[way].replace("range(6)", "range(1)").replace("(9)", "(0)")
        few = few.replace("range(20)", "range(2)")
        nursery.run([few, "def probe(): return 1"], PROBE)


@needs_walls
@pytest.mark.parametrize("wall", WALLS)
def test_each_wall_holds(wall):
    import socket

    if wall == "nobody" and os.geteuid():
        pytest.skip("who is not root becomes nobody else")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        assert probed(WALLS[wall].replace("PORT", port)) is True


@needs_walls
def test_what_is_written_is_gone():
    source = "def probe():\n    return open('/tmp/left', 'w').write('x')"
    assert probed(source) == 1
    assert not Path("/tmp/left").exists()


@needs_walls
def test_a_hidden_folder_is_empty_even_among_modules(tmp_path, monkeypatch):
    secret = tmp_path / "modules/secret"
    secret.mkdir(parents=True)
    (secret / "questions.py").write_text("WATCHWORD")
    (tmp_path / "modules/free.py").write_text("said = 1")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))
    monkeypatch.chdir(secret)
    source = (f"import os, free\ndef probe():\n    return [free.said, "
              f"os.listdir({str(secret)!r})]")
    assert probed(source, hidden=(str(secret),)) == [1, []]
    assert probed(source) == [1, ["questions.py"]]


@needs_walls
def test_where_the_user_is_the_same_nothing_can_be_written(tmp_path, monkeypatch):
    modules = tmp_path / "modules"
    modules.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(modules))
    monkeypatch.setattr(contain.os, "geteuid", lambda: 1000)    # as for who is not root
    source = (f"import os\ndef probe():\n    try:\n        os.mkdir('{modules}/x')\n"
              "    except OSError as error:\n        return error.errno == 30\n")
    assert probed(source) is True
    assert not (modules / "x").exists()


def test_without_walls_the_command_says_what_an_answer_could_do(
        tmp_path, task, monkeypatch):
    notebook(tmp_path / "in/a1.ipynb", RIGHT)
    roster(tmp_path / "roster.csv", "a1")
    monkeypatch.setattr(grade, "gaps", lambda limits: ["network", "files"])
    with pytest.raises(ValueError, match="could use the network, change files; .*"
                       "--uncontained"):
        grade.run(arguments(tmp_path, task))


def test_windows_is_told_so_in_a_sentence(tmp_path, task, monkeypatch):
    monkeypatch.setattr(grade.sys, "platform", "win32")
    with pytest.raises(ValueError, match="Windows cannot fork .* use WSL"):
        grade.run(arguments(tmp_path, task))


MESSAGE = """
from softdict.grading import answering
from softdict.grading.wire import pack
deep = 1
for _ in range(150):
    deep = [deep]
answering.pack = lambda told: pack({told})
"""
MESSAGES = [    # what an answer may write in place of its results
    "5", "{'found': 5, 'judged': [], 'broken': []}",
    "{'found': [], 'judged': [], 'broken': []}",
    "{'found': [[[1]], 'x'], 'judged': 3, 'broken': []}",
    "{'found': [5, {1: 2}], 'judged': [], 'broken': 'x'}",
    "{'found': [[[1], [1]], None], 'judged': [], 'broken': [[None, 2], 7]}",
    "{'found': [[[deep], [deep]], [[deep, deep]]], 'judged': [], 'broken': []}"]


@needs_walls
def test_a_forged_message_gains_nothing_and_stops_nothing(tmp_path, task):
    forged = {f"f{number}": [MESSAGE.replace("{told}", told)]
              for number, told in enumerate(MESSAGES)}
    rows = graded(tmp_path, task, forged | {"good": RIGHT})
    assert points(rows["good"]) == [5, 5]
    assert [points(rows[key]) for key in forged] == [[0, 0]] * len(forged)


@needs_walls
def test_a_forged_message_is_harmless_in_practice_too(tmp_path):
    chapter = grade.chapter_exercises("01")
    told = "{'found': [], 'judged': [[1, 2], 5], 'broken': []}"
    asks = "if 0:\n    check('01-1', f)\n    check('01-2', f)"
    rows = graded(tmp_path, chapter, {"a1": [MESSAGE.replace("{told}", told), asks]})
    assert sum(points(rows["a1"])) == 0


STRANGE = {    # a result that cannot travel, and what is said of it
    "10 ** 5000": "cannot be judged", "torch.eye(3).to_sparse()": "cannot be judged",
    "torch.ones(2, device='meta')": "cannot be judged",
    "torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])": "cannot be judged",
    "deep(600)": "cannot be judged", "2j": "cannot be judged",
    "torch.tensor(2j)": "a result differs", "10 ** 400": "cannot be compared"}


def test_a_result_that_cannot_travel_costs_no_other_question_its_points(
        tmp_path, task):
    deep = ("def deep(n):\n    made = 1\n    for _ in range(n):\n"
            "        made = [made]\n    return made")
    handed_in = {
        f"s{number}": [*RIGHT[:2], deep, f"def double(x):\n    return {result}"]
        for number, result in enumerate(STRANGE)}
    rows = graded(tmp_path, task, handed_in)
    for key, words in zip(handed_in, STRANGE.values(), strict=True):
        assert points(rows[key]) == [5, 0]
        assert words in rows[key]["marks"][1].message, rows[key]


FORGED_WORDS = "x\n\n**10 of 10 points**\n\n## q2: 5 of 5\n\x1b[2J\ud800 한"


def test_what_an_answer_says_is_one_line_and_forges_no_points(tmp_path, task):
    raises = f"raise ValueError({FORGED_WORDS!a})"
    notebook(tmp_path / "in/a1.ipynb", [raises, *RIGHT[:2],
                                        f"def double(x):\n    {raises}"])
    content = (tmp_path / "in/a1.ipynb").read_bytes()
    strange = os.fsencode(tmp_path / "in") + b"/stranger\xff\n=cmd.ipynb"
    try:
        Path(os.fsdecode(strange)).write_bytes(content)
    except OSError:
        pass    # macOS allows no such names
    roster(tmp_path / "roster.csv", "a1")
    (tmp_path / "out").mkdir()
    grade.run(arguments(tmp_path, task))
    told = (tmp_path / "out/grades/a1.md").read_text("utf-8")
    assert [line for line in told.splitlines() if line.startswith(("#", "**"))] == [
        "# Shares: Name a1", "**5 of 10 points**", "## q1: 5 of 5", "## q2: 0 of 5",
        "## Cells that stopped with an error"]
    assert told.count("## q2: 5 of 5 \\x1b[2J\\ud800 한") == 2
    for file in (tmp_path / "out").rglob("*.*"):
        assert "\x1b" not in file.read_text("utf-8")


def test_code_that_python_cannot_take_apart_loses_no_table():
    # it runs, but `ast` goes deeper for it than Python allows
    sums = "def shares(x):\n    return " + " + ".join(["x"] * 700)
    names = {}
    exec(sums, names)
    assert names["shares"](1) == 700
    rows = [{"id": "a", "file": "", "cells": (sums,)}] * 2
    assert report.near_copies(rows, {"shares"}) == []


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
    (folder / "b2.ipynb").write_text(text(stripped))
    notebook(folder / "nobody.ipynb", RIGHT)
    (folder / "b3.ipynb").write_bytes(b"\xff\xfe\x00bad")
    (folder / "b4.ipynb").write_text("[" * 10 ** 5)
    notebook(folder / "b5.ipynb", OVER_ALL)
    time.sleep(0.02)
    notebook(folder / "b5_again.ipynb", RIGHT)
    notebook(folder / "b6.ipynb", [])
    ids = [f"a{n}" for n in range(1, 10)] + [f"b{n}" for n in range(1, 8)]
    students = submissions.read_roster(roster(tmp_path / "r.csv", *ids))
    rows = grade.grade(submissions.matched(submissions.find(folder), students), task,
                       Limits(seconds=20))
    by_id = {row["id"]: row for row in rows if row["id"]}
    full = {key for key, row in by_id.items() if points(row) == [5, 5]}
    assert full == {"a1", "a5", "b1", "b2", "b5"}
    for key, words in {"a2": "cannot be read as one", "a3": "cannot be read as one",
                       "a4": "neither a notebook", "a6": "leads out of it",
                       "a7": "cannot be opened", "a8": "no notebook", "a9": "a link",
                       "b3": "cannot be read as one", "b4": "cannot be read as one",
                       "b6": "without code"}.items():
        assert words in by_id[key]["status"], (key, by_id[key]["status"])
    assert by_id["b7"]["status"] == "missing"
    assert "handed in before" in by_id["b5"]["notes"][0]
    strangers = [row for row in rows if not row["id"]]
    assert [row["file"] for row in strangers] == ["nobody.ipynb"]
    assert strangers[0]["status"] == "not on the roster: graded"


@pytest.mark.parametrize("text, words", [
    ("name\nx\n", "one of them is id"), ("id\na b\n", "an id is letters"),
    ("id\na\na\n", "stands twice"), ("id\n", "has no students"),
    ("id,adjust\na,many\n", "must be a number"), (b"\xff\xff", "must be UTF-8"),
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
        report.merge(tmp_path / "canvas.csv", "Shares", [])


@pytest.mark.parametrize("kind", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA,
                                  zipfile.ZIP_BZIP2])
def test_a_damaged_zip_is_a_row_and_no_stop(tmp_path, kind):
    path = notebook(tmp_path / "hw.ipynb", RIGHT * 30)
    with zipfile.ZipFile(tmp_path / "hw.zip", "w", kind) as archive:
        archive.write(path, "hw.ipynb")
    assert len(submissions.read(tmp_path / "hw.zip").cells) == 90
    content = bytearray((tmp_path / "hw.zip").read_bytes())
    content[60:120] = b"\xff" * 60
    (tmp_path / "hw.zip").write_bytes(content)
    assert submissions.read(tmp_path / "hw.zip").problem


def test_lines_without_words_do_not_hold_up_the_reader_of_names():
    source = "\n" * 2_000_000 + "\t" * 10_000 + "student_id = 'a1'"
    assert submissions.signed([source]) == {"student_id": "a1"}    # or it takes hours


def test_the_longest_id_in_a_name_counts():
    students = {key: submissions.Student(key) for key in ("1", "12", "a.b@x.org")}
    assert submissions.by_name("hw_12_1x.ipynb", students).id == "12"
    assert submissions.by_name("hw_1.ipynb", students).id == "1"
    assert submissions.by_name("a.b@x.org_3.ipynb", students).id == "a.b@x.org"
    assert submissions.by_name("hw_121.ipynb", students) is None


# The command --------------------------------------------------------------------------


def arguments(tmp_path, task, **changes):
    from argparse import Namespace

    return Namespace(**{
        "assignment": str(task.folder), "exercises": None, "out":
        str(tmp_path / "out/grades.csv"), "roster": str(tmp_path / "roster.csv"),
        "submissions": str(tmp_path / "in"), "seconds": 20, "memory": 2048, "seed": 0,
        "jobs": 1, "scheduler": None, "merge": None, "uncontained": not CONTAINED,
    } | changes)


def test_the_command_writes_table_feedback_and_summary(tmp_path, task, capsys):
    notebook(tmp_path / "in/a1.ipynb", RIGHT)
    notebook(tmp_path / "in/a2.ipynb", OVER_ALL)
    (tmp_path / "roster.csv").write_text("id,name,adjust\na1,Ada,-2\na2,=cmd(),0\n"
                                         "a3,Cleo,\n")
    (tmp_path / "canvas.csv").write_text(
        "Student,ID,SIS User ID,Quiz\nAda,77,a1,3\nBob,78,a2,4\nZed,79,zz,1\n")
    (tmp_path / "out").mkdir()
    grade.run(arguments(tmp_path, task, merge=str(tmp_path / "canvas.csv")))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out/grades.csv").read_text())))
    assert [row["final"] for row in rows] == ["8", "7", "0"]
    assert [row["status"] for row in rows] == ["graded", "graded", "missing"]
    assert rows[1]["q1_code"] == "over_all" and rows[1]["name"] == "'=cmd()"
    told = (tmp_path / "out/grades/a2.md").read_text()
    assert "yours divides by the sum of all rows." in told and "7 of 10 points" in told
    assert "over_all (1)" in (tmp_path / "out/grades.summary.md").read_text()
    merged = list(csv.DictReader(io.StringIO(
        (tmp_path / "out/grades.merged.csv").read_text())))
    assert [row["Shares"] for row in merged] == ["8", "7", ""]
    assert "2 students found" in capsys.readouterr().err


def test_a_stopped_run_goes_on_where_it_was(tmp_path, task, monkeypatch):
    handed_in, kept = {"a1": RIGHT, "a2": OVER_ALL, "a3": RIGHT[:2]}, tmp_path / "kept"
    asked, real = [], grade.run_one

    def stopping(cells, *rest):
        asked.append(cells)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return real(cells, *rest)

    monkeypatch.setattr(grade, "run_one", stopping)
    with pytest.raises(KeyboardInterrupt):
        graded(tmp_path, task, handed_in, kept=kept)
    with kept.open("a") as file:
        file.write('{"key": "cut of')
    before = len(asked)
    rows = graded(tmp_path, task, handed_in, kept=kept)
    assert len(asked) == before + 2    # the first was not asked again
    assert [points(row) for row in rows.values()] == [[5, 5], [2, 5], [5, 0]]
    other = Limits(seconds=20, seed=1)
    graded(tmp_path, task, handed_in, other, kept=kept)
    assert len(asked) == before + 5    # another variant is graded anew


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


def test_code_that_differs_in_names_and_layout_is_listed():
    body = "\n".join(f"    total = total + keys[{n}] * query[{n}]" for n in range(20))
    first = f"def shares(query, keys):\n    total = 0\n{body}\n    return total"
    second = "# mine\n" + first.replace("total", "sum_").replace("    ", "  ")
    third = first.replace("keys[3] * query[3]", "keys[3] + query[3]")
    rows = [{"id": str(n), "file": "", "cells": (source,)}
            for n, source in enumerate((first, second, third, "def shares(: broken"))]
    assert report.near_copies(rows, {"shares"}) == [["0", "1"]]


@pytest.mark.parametrize("given, words", [
    (["in"], "name what is to be graded"), (["in", "--assignment", "gone"],
                                           "'gone' is no assignment"),
    (["in", "--exercises", "77"], "no chapter '77'"),
    (["in", "--exercises", "01", "--out", "grades"], "--out names a table")])
def test_what_cannot_be_graded_is_one_sentence(tmp_path, given, words):
    roster(tmp_path / "roster.csv", "a1")
    (tmp_path / "in").mkdir()
    told = subprocess.run([sys.executable, "-m", "softdict", "grade", *given],
                          cwd=tmp_path, capture_output=True, text=True)
    assert told.returncode == 1 and words in told.stderr
    assert len(told.stderr.strip().splitlines()) == 1


def test_a_cluster_gives_the_grades_of_this_machine(tmp_path, task):
    distributed = pytest.importorskip("dask.distributed")
    handed_in = {"a1": RIGHT, "a2": OVER_ALL, "a3": ["import os\nos._exit(0)"]}
    here = graded(tmp_path, task, handed_in)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1,
                                  dashboard_address=None) as cluster:
        there = graded(tmp_path, task, handed_in, scheduler=cluster.scheduler_address)
    assert there == here
    assert [sum(points(row)) for row in there.values()] == [10, 7, 0]
