"""The repository template of a class: its public checks, and what it does not hold."""

import os
import runpy
import subprocess
import sys

import nbformat
import pytest
import softdict.checks
import yaml
from books import ROOT

TEMPLATE = ROOT / "assignments/template"
SOLVED = (ROOT / "tests/answers/01/01-1.py").read_text("utf-8")
OPEN = ("def default_lookup(query, keys, values, default):\n"
        "    raise NotImplementedError")


def written(folder, *cells):
    """A folder with a notebook of these cells."""
    folder.mkdir()
    nbformat.write(nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in cells]),
        folder / "01_dictionary.ipynb")
    return folder


def test_public_checks_say_which_exercise_is_open(tmp_path, monkeypatch, capsys):
    start = "%pip install nothing\nfrom softdict.checks import check"
    name = SOLVED.partition("def ")[2].partition("(")[0]
    solved = [SOLVED, f'check("01-1", {name})']
    folder = written(tmp_path / "one", start, *solved, "print('chatter')\n1 / 0", OPEN,
                     'check("01-2", default_lookup)')
    ended = subprocess.run([sys.executable, TEMPLATE / "run_checks.py"], cwd=folder,
                           capture_output=True, text=True,
                           env=os.environ | {"SOFTDICT_PROGRESS": str(folder)})
    words = ended.stdout + ended.stderr
    assert ended.returncode == 1
    assert "01-1: passed" in words and "1 of 2 exercises" in words
    assert "01-2: write the body of the function" in words and "chatter" not in words
    assert "a cell stopped: ZeroDivisionError" in words
    # the others in this process, which has loaded torch already
    for place, cells, failed, told in (
            ("two", [start, *solved], False, "1 of 1 exercises passed"),
            ("three", ["x = 1"], True, "0 of 0")):
        with monkeypatch.context() as patch, pytest.raises(SystemExit) as ending:
            patch.chdir(written(tmp_path / place, *cells))
            patch.setenv("SOFTDICT_PROGRESS", str(tmp_path / place))
            patch.setattr(softdict.checks, "check", softdict.checks.check)
            runpy.run_path(str(TEMPLATE / "run_checks.py"), run_name="__main__")
        assert bool(ending.value.code) == failed and told in capsys.readouterr().out


def test_the_template_holds_nothing_hidden_and_pins_what_the_book_pins():
    files = [path for path in TEMPLATE.rglob("*") if path.is_file()
             and "__pycache__" not in path.parts]
    assert {path.name for path in files} == {"checks.yml", "run_checks.py", "README.md"}
    for path in files:
        assert "questions.py" not in path.read_text("utf-8")
    text = (TEMPLATE / ".github/workflows/checks.yml").read_text("utf-8")
    workflow = yaml.safe_load(text)
    assert workflow[True] == "push" and workflow["permissions"] == {"contents": "read"}
    [*actions, install, run] = [step for job in workflow["jobs"].values()
                                for step in job["steps"]]
    book = (ROOT / ".github/workflows/test.yml").read_text("utf-8")
    for step in actions:
        assert step["uses"] in book
    assert run["run"] == "python run_checks.py" and "./*.whl" in install["run"]
