"""Graded assignments: right answers, stored wrong ones, and what a student is given.

Where otter is installed, in _build/otter or at $OTTER_PYTHON, its files are tested too.
"""

import contextlib
import importlib.util
import inspect
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from softdict.grading.questions import judge

TESTS = Path(__file__).parent
ROOT = TESTS.parent
FOLDER = ROOT / "assignments"
SEEDS = 0, 1


def module(name):
    """A module of assignments/, which is no package."""
    spec = importlib.util.spec_from_file_location(f"assignments_{name}",
                                                  FOLDER / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


build, otter_tests = module("build"), module("otter_tests")
MODULES = {name: build.questions_of(name) for name in build.NAMES}
QUESTIONS = [pytest.param(name, question, id=f"{name}-{question.name}")
             for name, one in MODULES.items() for question in one.QUESTIONS]
each_assignment = pytest.mark.parametrize("name", build.NAMES)
each_question = pytest.mark.parametrize("name, question", QUESTIONS)


def stored(right):
    """The stored answers, as parameters: the right ones or the wrong ones."""
    return [pytest.param(path, id=f"{path.parent.name}-{path.stem}")
            for path in sorted((TESTS / "graded").glob("*/*.py"))
            if ("_right_" in path.name) == right]


def question_of(path):
    """The question that a stored answer belongs to."""
    return next(question for question in MODULES[path.parent.name].QUESTIONS
                if question.name == path.name.partition("_")[0])


def defined(question, text):
    """The function of a question, from the text of an answer."""
    names = {}
    exec(text, names)
    return names[question.function]


def mark(question, answer, seed):
    """The Mark of an answer for the class with this seed."""
    asked = otter_tests.asked_of(question, seed)
    return judge(question, asked, otter_tests.answered(question, answer, asked))


def cell_of(notebook, name):
    """The source of the cell with this id."""
    return next(build.source(cell) for cell in notebook["cells"] if cell["id"] == name)


def stripped(notebook):
    """The cells that a student gets, by otter's marks: ids and sources."""
    cells, tests, solution = {}, False, False
    for cell in notebook["cells"]:
        text = build.source(cell)
        if cell["cell_type"] == "raw":
            tests = {"# BEGIN TESTS": True, "# END TESTS": False}.get(text, tests)
            solution = {"# BEGIN SOLUTION": True, "# END SOLUTION": False}.get(
                text, solution)
        elif not tests:
            cells[cell["id"]] = as_stub(text) if solution else text
    return cells


def as_stub(text):
    """The text without its solution."""
    lines, inside = [], False
    for line in text.split("\n"):
        inside = inside or line.endswith("# BEGIN SOLUTION NO PROMPT")
        if not inside and not line.endswith(("# BEGIN PROMPT", "# END PROMPT")):
            lines.append(line)
        inside = inside and not line.endswith("# END SOLUTION")
    return "\n".join(lines)


def secrets(name):
    """Lines of an assignment that no student may read: solutions and hidden tests."""
    found = set()
    for cell in build.rendered(name, 0)["cells"]:
        if "-hidden" in cell["id"]:
            found.update(build.source(cell).split("\n"))
    for question in MODULES[name].QUESTIONS:
        _, _, body = inspect.getsource(question.answer).split('"""')
        found.update(body.split("\n"))
        for wrong in question.wrong:
            found.add(wrong.hint)
            found.update(inspect.getsource(wrong.answer).split("\n")[1:])
    return {line.strip() for line in found if len(line.strip()) > 8} - {'"""'}


def leaks(name, texts):
    """The secret lines that stand in the texts."""
    lines = {line.strip() for text in texts for line in text.split("\n")}
    return sorted(secrets(name) & lines)


# ---- answers


@each_question
def test_the_reference_gets_full_marks(name, question):
    for seed in SEEDS:
        found = mark(question, question.answer, seed)
        assert (found.points, found.code) == (question.points, "right")


@each_question
def test_the_solution_of_the_notebook_is_the_reference(name, question):
    text = cell_of(build.rendered(name, 0), f"{question.name}-solution")
    assert build.without_prompt(text) == inspect.getsource(question.answer).rstrip("\n")


@pytest.mark.parametrize("path", stored(right=False))
def test_a_wrong_answer_gets_its_points_and_its_hint(path):
    code, points = re.fullmatch(r"q\d_(\w+)_(\d+)", path.stem).groups()
    question = question_of(path)
    hint = next(wrong.hint for wrong in question.wrong if wrong.code == code)
    for seed in SEEDS:
        found = mark(question, defined(question, path.read_text("utf-8")), seed)
        assert (found.points, found.code, found.message) == (int(points), code, hint)


@pytest.mark.parametrize("path", stored(right=True))
def test_another_right_answer_gets_full_marks(path):
    question = question_of(path)
    for seed in range(5):
        found = mark(question, defined(question, path.read_text("utf-8")), seed)
        assert (found.points, found.code) == (question.points, "right"), found.message


@each_assignment
def test_enough_answers_are_stored(name):
    files = [path.name for path in (TESTS / "graded" / name).glob("*.py")]
    right = [file for file in files if "_right_" in file]
    assert len(right) >= 3 and len(files) - len(right) >= 8


@each_question
def test_each_mistake_is_told_from_the_others(name, question):
    assert len(question.wrong) >= 2
    for wrong in question.wrong:
        for seed in SEEDS:
            found = mark(question, wrong.answer, seed)
            assert found.code == wrong.code and found.points < question.points


@each_question
def test_a_hint_is_short_and_gives_nothing_away(name, question):
    for wrong in question.wrong:
        sentences = re.split(r"(?<=[.?])\s", wrong.hint)
        assert len(sentences) <= 2 and wrong.hint[-1] in ".?", wrong.hint
        assert all(len(one.split()) <= 25 for one in sentences), wrong.hint


# ---- texts


@each_assignment
def test_minutes_and_points_agree_with_the_questions(name):
    one = MODULES[name]
    cells = stripped(build.rendered(name, 0))
    total = sum(question.points for question in one.QUESTIONS)
    assert total == 20 and sum(one.MINUTES.values()) == 90
    assert 4 <= len(one.QUESTIONS) <= 6
    assert f"{sum(one.MINUTES.values())} minutes · {total} points" in cells["title"]
    assert one.TITLE in cells["title"]
    for number, question in enumerate(one.QUESTIONS, start=1):
        text = cells[f"{question.name}-text"]
        assert text.startswith(f"## {number} · ")
        assert (f"\n{one.MINUTES[question.name]} minutes · {question.points} points · "
                in text)


@each_assignment
def test_sentences_are_short(name):
    for cell in build.rendered(name, 3)["cells"]:
        if cell["cell_type"] == "markdown":
            text = re.sub(r"\[[^]]*\]", "list", build.source(cell))
            for sentence in re.split(r"(?<=[.?!:])\s|\n", text):
                assert len(sentence.split()) <= 25, sentence


@each_assignment
def test_a_seed_makes_a_variant(name):
    assert build.rendered(name, 1) == build.rendered(name, 1)
    texts = [build.rendered(name, seed)["cells"] for seed in (1, 2)]
    for question in MODULES[name].QUESTIONS:
        both = [cell_of({"cells": cells}, f"{question.name}-text") for cells in texts]
        several = {cell_of(build.rendered(name, seed), f"{question.name}-text")
                   for seed in range(6)}
        assert both[0].split("\n")[0] == both[1].split("\n")[0]
        assert len(several) > 1, question.name
        asked = [repr(otter_tests.asked_of(question, seed)) for seed in (1, 1, 2)]
        assert asked[0] == asked[1] != asked[2]


@each_assignment
def test_the_examples_are_right_for_every_class(name):
    for seed in range(12):
        notebook = build.rendered(name, seed)
        assert "{{" not in json.dumps(list(stripped(notebook).values()))
        for question in MODULES[name].QUESTIONS:
            names = {}
            exec(cell_of(notebook, f"{question.name}-public"), names)
            names[f"test_{question.name}_example"](question.answer)


def test_a_text_without_its_value_stops_the_build():
    assert build.filled('size "{{size}}", {{size}}', {"size": 2.0}, True) == (
        "size 2.0, 2")
    with pytest.raises(build.Stop, match="variant.. does not give 'size'"):
        build.filled("{{size}}", {}, False)


def test_no_task_is_a_published_exercise():
    published = set()
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            if "exercise" in cell["metadata"].get("tags", []):
                published.update(re.findall(r"^def (\w+)", build.source(cell), re.M))
    package = {name for path in (ROOT / "src/softdict").glob("*.py")
               for name in re.findall(r"def (\w+)", path.read_text("utf-8"))}
    asked = {question.function for one in MODULES.values()
             for question in one.QUESTIONS}
    assert len(published) > 60 and not asked & (published | package)


# ---- what a student gets


@each_assignment
def test_a_student_gets_no_solution_and_no_hidden_test(name):
    cells = stripped(build.rendered(name, 0))
    assert len(secrets(name)) > 60
    assert leaks(name, cells.values()) == []
    assert "otter" not in "".join(cells.values())
    for question in MODULES[name].QUESTIONS:
        stub = cells[f"{question.name}-solution"]
        assert stub.endswith("raise NotImplementedError    # your code here")


@each_assignment
def test_the_untouched_copy_runs_to_its_end_and_gets_nothing(name):
    cells, names = stripped(build.rendered(name, 0)), {}
    code = [text for place, text in cells.items()
            if place not in ("title", "end") and not place.endswith("-text")]
    assert 'name = ""\nstudent_id = ""' in code[0] and "%pip" in code[1]
    for text in code:
        lines = [line for line in text.split("\n") if "%pip" not in line]
        exec("\n".join(lines), names)
    for question in MODULES[name].QUESTIONS:
        found = mark(question, names[question.function], 0)
        assert (found.points, found.code) == (0, "not_written")


def test_the_setup_cell_is_that_of_the_chapters():
    chapter = json.loads((ROOT / "notebooks/02_soft_lookup.ipynb").read_text("utf-8"))
    lines = build.setup_cell().split("\n")
    assert cell_of(chapter, "setup").startswith("\n".join(lines[:-1]))
    assert re.fullmatch(r"git\+https://github\.com/\S+/\S+@[0-9a-f]{40}",
                        build.install_line())


@each_assignment
def test_the_course_version_stands_in_the_notebook(name):
    from softdict import __version__

    cells = stripped(build.rendered(name, 0))
    assert f"course version {__version__}" in cells["title"]


# ---- the command


def test_without_otter_it_says_so(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(build.importlib.util, "find_spec", lambda name: None)
    assert build.main(["--out", str(tmp_path / "new")]) == 1
    assert capsys.readouterr().err == build.NO_OTTER + "\n"
    assert list(tmp_path.iterdir()) == []


def test_a_build_that_fails_leaves_the_old_one(monkeypatch, tmp_path, capsys):
    def assign(name, seed, work, out, *given, **more):
        out.mkdir(parents=True)
        (out / "made").write_text(f"{seed}")
        if seed == 2 and name == build.NAMES[1]:
            raise build.Stop("no more")

    monkeypatch.setattr(build.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(build, "assign", assign)
    for seed, code in ((1, 0), (2, 1)):
        assert build.main(["--seed", str(seed), "--out", str(tmp_path / "o")]) == code
        assert [path.name for path in tmp_path.iterdir()] == ["o"]
        assert {path.read_text() for path in tmp_path.glob("o/*/made")} == {"1"}
        assert (tmp_path / "o/seed.txt").read_text() == "1\n"
    assert build.main(["--seed", "3", "--out", str(tmp_path / "o")]) == 0
    assert (tmp_path / "o/seed.txt").read_text() == "3\n"


def test_a_hidden_test_tells_code_and_hint(monkeypatch):
    one = MODULES["2_heads_and_masks"]
    monkeypatch.setitem(sys.modules, "questions", one)
    q1, wrong = one.Q1, next(w for w in one.Q1.wrong if w.code == "pads_forgotten")
    otter_tests.test("q1", 0, 5, wrong.answer)
    with pytest.raises(AssertionError, match=f"pads_forgotten: {wrong.hint[:20]}"):
        otter_tests.test("q1", 2, 5, wrong.answer)
    with pytest.raises(AssertionError, match="error"):
        otter_tests.test("q1", 0, 5, None)
    assert q1.parts[2].points == 2


def test_the_requirements_name_otter_exactly():
    text = (ROOT / "requirements-assignments.txt").read_text("utf-8")
    assert "\notter-grader==7.0.0\n" in text
    book = (ROOT / "requirements.txt").read_text("utf-8")
    for line in re.findall(r"^(?:torch|numpy|ipykernel)==.*$", text, re.M):
        assert line in book


# ---- the project


def test_the_projects_hours_and_points_add_up():
    text = (FOLDER / "project/README.md").read_text("utf-8")
    hours, minutes, points = map(int, re.search(
        r"^(\d+) hours \((\d+) minutes\).* · (\d+) points", text, re.M).groups())
    assert hours == sum(map(int, re.findall(r"\((\d+) hours?\b", text)))
    assert minutes == 60 * hours
    rows = re.findall(r"^\| \*\*.*\|$", text, re.M)
    assert all(row.count("|") == 6 for row in rows) and points == 8 * len(rows)
    assert "| Excellent: 8 | Good: 6 | Enough: 4 | Not yet: 0 to 2 |" in text


def test_the_projects_commands_and_code_run(monkeypatch, tmp_path, capsys):
    from softdict.__main__ import command_line
    from softdict.saving.folder import FolderConfig, Saved, save_folder
    from softdict.vocab import Vocab

    text = (FOLDER / "project/README.md").read_text("utf-8")
    commands = re.findall(r"^    python -m softdict (.*)$", text, re.M)
    assert len(commands) == 2
    for line in commands:
        assert command_line().parse_args(line.split()).pairs == "pairs.tsv"
    vocab, config = Vocab([["a", "b", "c"]]), FolderConfig("transformer-rotary", {
        "width": 8, "layers": 1, "heads": 2})
    save_folder(tmp_path / "rotary-0", Saved(
        config.build(len(vocab), len(vocab)), vocab, vocab, config))
    (tmp_path / "test.tsv").write_text("a b\tb a\nc d a b c a\ta b c\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    exec(re.search(r"```python\n(.*?)```", text, re.DOTALL)[1], {})
    told = capsys.readouterr().out
    assert told.startswith("BLEU ") and "with an unknown word: 1 of 2" in told


# ---- with otter


def otter_python():
    """A Python that has otter; skips the test where there is none."""
    inside = ROOT / "_build/otter" / (
        "Scripts/python.exe" if os.name == "nt" else "bin/python")
    python = os.environ.get("OTTER_PYTHON") or (str(inside) if inside.exists() else "")
    if not python:
        pytest.skip("otter is not installed: make _build/otter, as "
                    "requirements-assignments.txt says, or set OTTER_PYTHON")
    return python


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """What build.py makes, with otter."""
    folder = tmp_path_factory.mktemp("otter")
    subprocess.run([otter_python(), FOLDER / "build.py", "--seed", "4", "--out",
                    folder / "made"], check=True, env={**os.environ, "PYTHONPATH": ""})
    return folder / "made"


def graded(made, name, notebook):
    """The points that `otter run` gives a notebook, by question."""
    python = otter_python()
    out = notebook.parent / "points"
    out.mkdir(exist_ok=True)
    subprocess.run([python, "-m", "otter", "run", notebook, "--no-logo", "-a",
                    made / name / "autograder.zip", "-o", out], check=True,
                   stdout=subprocess.DEVNULL, env={
                       **os.environ, "PYTHONPATH": "", "OMP_NUM_THREADS": "1",
                       "JUPYTER_PREFER_ENV_PATH": "1"})
    tests = json.loads((out / "results.json").read_text("utf-8"))["tests"]
    return {test["name"]: test["score"] for test in tests if "score" in test}


@each_assignment
def test_otter_gives_a_student_the_same_and_no_more(made, name):
    student, = (made / name / "student").iterdir()
    content = student.read_text("utf-8")
    notebook = json.loads(content)
    cells = {cell["id"]: build.source(cell) for cell in notebook["cells"]}
    assert cells == stripped(build.rendered(name, 4))
    assert leaks(name, [content.replace("\\n", "\n").replace('\\"', '"')]) == []
    assert "hidden=True" not in content and "otter_tests" not in content
    solutions = (made / name / "solutions" / student.name).read_text("utf-8")
    assert "hidden=True" not in solutions and "BEGIN" not in solutions
    with zipfile.ZipFile(made / name / "autograder.zip") as archive:
        files = set(archive.namelist())
    assert {"files/questions.py", "files/otter_tests.py", "tests/q1.py"} <= files
    assert {path.name for path in (made / name).iterdir()} == {
        "student", "solutions", "autograder.zip"}


@each_assignment
def test_otter_grades_solution_student_and_wrong_answers(made, name, tmp_path):
    questions = MODULES[name].QUESTIONS
    most = {question.name: question.points for question in questions}
    notebook = f"{name}.ipynb"
    assert graded(made, name, made / name / "solutions" / notebook) == most
    student = made / name / "student" / notebook
    assert graded(made, name, student) == dict.fromkeys(most, 0)
    mixed, wanted = json.loads(student.read_text("utf-8")), {}
    for question in questions:    # the first stored wrong answer of each
        path = min(path.values[0] for path in stored(right=False)
                   if path.values[0].parent.name == name
                   and path.values[0].name.startswith(question.name))
        wanted[question.name] = int(path.stem.rpartition("_")[2])
        for cell in mixed["cells"]:
            if cell["id"] == f"{question.name}-solution":
                cell["source"] = path.read_text("utf-8")
    build.write_notebook(tmp_path / "mixed" / notebook, mixed)
    assert graded(made, name, tmp_path / "mixed" / notebook) == wanted


def test_the_commands_help_is_short():
    words = io.StringIO()
    with contextlib.redirect_stdout(words), pytest.raises(SystemExit):
        build.main(["--help"])
    assert "--seed" in words.getvalue() and "--out" in words.getvalue()
