"""What a check keeps of an answer that passed, and what progress() says of it."""

import json
import linecache
import os
import shutil
import subprocess
import sys
import types

import pytest
import softdict
from softdict.checks import Result, check, kept

RIGHT = """\
def list_lookup(query, keys, values):
    weights = [float(key == query) for key in keys]
    return sum(weight * value for weight, value in zip(weights, values)) / sum(weights)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder for answers, in a process that believes to be a notebook."""
    monkeypatch.setenv("SOFTDICT_PROGRESS", str(tmp_path / "answers"))
    shell = types.SimpleNamespace(user_ns={"In": []})
    monkeypatch.setitem(sys.modules, "IPython",
                        types.SimpleNamespace(get_ipython=lambda: shell))
    return tmp_path / "answers"


def from_a_cell(source, name="cell-1"):
    known = {}
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    exec(compile(source, name, "exec"), known)
    return known["list_lookup"]


def kept_result(passed=True):
    return Result("01-1", passed, 2 * passed, "passed" if passed else "wrong", "so", 2)


def test_a_passed_answer_is_kept_and_comes_back(folder):
    assert "01-1" not in kept.points()
    kept.keep(kept_result(), from_a_cell(RIGHT))
    assert softdict.earlier("01-1") == RIGHT
    assert kept.points()["01-1"] == 2
    kept.keep(kept_result(passed=False), from_a_cell(RIGHT.replace("2", "3"), "cell-2"))
    assert softdict.earlier("01-1") == RIGHT and kept.points()["01-1"] == 2


def test_the_check_keeps_what_it_judged(folder):
    answer = (kept.Path(__file__).parent / "answers/01/01-1.py").read_text("utf-8")
    name = "answer"
    known = {}
    linecache.cache[name] = len(answer), None, answer.splitlines(keepends=True), name
    exec(compile(answer, name, "exec"), known)
    [function] = [value for value in known.values() if isinstance(
        value, types.FunctionType) and value.__code__.co_filename == name][-1:]
    assert check("01-1", function).passed
    assert f"def {function.__name__}" in softdict.earlier("01-1")


def test_a_class_is_kept_with_the_whole_cell_that_defines_it(folder):
    source = "TWO = 2\n\n\nclass Mine:\n    def up(self, x):\n        return x + TWO\n"
    known = {"__name__": "__main__"}
    linecache.cache["cell-9"] = len(source), None, source.splitlines(True), "cell-9"
    exec(compile(source, "cell-9", "exec"), known)
    kept.keep(kept_result(), known["Mine"])
    assert softdict.earlier("01-1") == source


def test_outside_a_notebook_nothing_is_written(folder, monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython")
    kept.keep(kept_result(), from_a_cell(RIGHT))
    assert not folder.exists()


def test_progress_lists_every_exercise_with_its_points(folder):
    kept.keep(kept_result(), from_a_cell(RIGHT))
    table = str(softdict.progress()).splitlines()
    assert len(table) == len(kept.CHAPTERS) + 1
    assert table[0].startswith("01     2 of ") and " 1✓ 2· " in table[0]
    assert table[1].startswith("02     0 of ") and str(folder) in table[-1]


def test_no_answer_and_a_damaged_table_get_one_sentence(folder):
    with pytest.raises(ValueError, match="no answer to '09-9' is kept in"):
        softdict.earlier("09-9")
    folder.mkdir()
    (folder / "progress.json").write_text("{half")
    with pytest.raises(ValueError, match="cannot be read .* your answers stay"):
        softdict.progress()


def test_a_folder_that_cannot_be_written_is_said(folder, capsys):
    folder.write_text("a file")
    kept.keep(kept_result(), from_a_cell(RIGHT))
    assert "The answer was not kept in" in capsys.readouterr().out


def test_a_kept_answer_is_not_run(folder):
    kept.keep(kept_result(), from_a_cell(RIGHT))
    (folder / "01-1.py").write_text("raise SystemExit('it ran')")
    softdict.progress()
    assert "it ran" in softdict.earlier("01-1")


def test_at_home_it_says_where_answers_are_kept(folder, capsys):
    softdict.keep_in_drive()
    assert str(folder) in capsys.readouterr().out


def test_on_colab_the_drive_is_asked_for(tmp_path, monkeypatch, capsys):
    mounted = []
    (tmp_path / "MyDrive").mkdir()
    drive = types.SimpleNamespace(mount=mounted.append)
    monkeypatch.setitem(sys.modules, "google", types.SimpleNamespace())
    monkeypatch.setitem(sys.modules, "google.colab", types.SimpleNamespace(drive=drive))
    monkeypatch.setattr(kept, "DRIVE", tmp_path)
    monkeypatch.setenv("SOFTDICT_PROGRESS", "")
    monkeypatch.chdir(tmp_path)
    softdict.keep_in_drive()
    assert mounted == [str(tmp_path)]
    assert kept.folder() == kept.Path.cwd() == tmp_path / "MyDrive/softdict-answers"


def test_the_table_names_its_version(folder):
    kept.keep(kept_result(), from_a_cell(RIGHT))
    told = json.loads((folder / "progress.json").read_text("utf-8"))
    assert told == {"01-1": 2, "version": softdict.__version__}


# Whose answers they are ---------------------------------------------------------------


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home with old answers, of a reader who names no folder."""
    monkeypatch.delenv("SOFTDICT_PROGRESS")
    monkeypatch.setattr(kept.Path, "home", lambda: tmp_path / "home")
    old = tmp_path / "home/softdict-answers"
    old.mkdir(parents=True)
    (old / "01-1.py").write_text("old")
    return old


def checkout(root, monkeypatch, name="softdict"):
    """Lets the package be imported from a checkout in the folder `root`."""
    (root / "notebooks").mkdir(parents=True)
    (root / "pyproject.toml").write_text(f'[project]\nname = "{name}"\n')
    monkeypatch.setattr(kept, "__file__", f"{root}/src/softdict/checks/kept.py")
    return root / "work/answers"


def test_answers_of_two_checkouts_do_not_mix(folder, home, monkeypatch, capsys):
    for number in "12":
        own = checkout(home.parent / number, monkeypatch)
        assert softdict.earlier("01-1") == "old"
        assert capsys.readouterr().out.startswith(f"The answers of {home} were copied")
        kept.keep(kept_result(), from_a_cell(RIGHT.replace("2", number)))
        assert (own / "01-1.py").read_text() == RIGHT.replace("2", number)
    monkeypatch.setattr(kept, "__file__", str(
        home.parent / "1/src/softdict/checks/kept.py"))
    assert softdict.earlier("01-1") == RIGHT.replace("2", "1")
    assert not capsys.readouterr().out    # once is enough
    assert [file.name for file in home.iterdir()] == ["01-1.py"]
    assert (home / "01-1.py").read_text() == "old"


def test_a_reader_names_another_folder_in_a_checkout_too(folder, home, monkeypatch):
    own = checkout(home.parent / "one", monkeypatch)
    monkeypatch.setenv("SOFTDICT_PROGRESS", str(folder))
    assert kept.folder() == folder and not own.exists()


def test_without_a_checkout_of_ones_own_the_home_keeps_answers(home, monkeypatch):
    checkout(home.parent / "another", monkeypatch, "their-project")
    assert kept.folder() == home
    own = checkout(home.parent / "one", monkeypatch)
    monkeypatch.setattr(os, "access", lambda *what: False)    # for all, on a server
    assert kept.folder() == home and not own.exists()


def test_a_checkout_of_somebody_else_keeps_no_answers_of_mine(home, monkeypatch):
    own = checkout(home.parent / "one", monkeypatch)
    if hasattr(os, "getuid"):    # on Windows nobody is asked
        user = os.getuid()
        monkeypatch.setattr(os, "getuid", lambda: user + 1)    # a course's folder
        assert kept.folder() == home and not own.exists()
    monkeypatch.setattr(kept, "__file__", str(
        home.parent / "one/_build/site/softdict/checks/kept.py"))
    assert kept.folder() == home


def test_old_answers_that_cannot_be_copied_stay_in_use(home, monkeypatch, capsys):
    own = checkout(home.parent / "one", monkeypatch)
    own.parent.write_text("a file")
    assert softdict.earlier("01-1") == "old"
    assert not capsys.readouterr().out


def test_a_home_that_nobody_may_enter_is_no_fault(home, monkeypatch):
    own, is_dir = checkout(home.parent / "one", monkeypatch), kept.Path.is_dir

    def closed(path):
        if path == home:
            raise PermissionError(13, "Permission denied")
        return is_dir(path)

    monkeypatch.setattr(kept.Path, "is_dir", closed)
    assert kept.folder() == home and not own.exists()


def test_a_checkout_keeps_its_own_and_makes_no_folder_to_say_so(tmp_path):
    root = tmp_path / "checkout"
    shutil.copytree(kept.Path(softdict.__file__).parents[1], root / "src",
                    ignore=shutil.ignore_patterns("__pycache__"))
    (root / "notebooks").mkdir()
    (root / "pyproject.toml").write_text('[project]\nname = "softdict"\n')
    settings = {**os.environ, "PYTHONPATH": str(root / "src"), "HOME": str(tmp_path),
                "USERPROFILE": str(tmp_path), "SOFTDICT_PROGRESS": ""}
    told = subprocess.run([sys.executable, "-c", "import softdict; "
                           "print(softdict.progress())"], env=settings, cwd=tmp_path,
                          capture_output=True, encoding="utf-8", check=True).stdout
    assert told.rstrip().endswith(f"kept in {root / 'work/answers'}")
    assert not (root / "work").exists()
