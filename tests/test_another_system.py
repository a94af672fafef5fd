"""Windows and macOS, rehearsed: every command where much of Linux is taken away.

`another_system` says what is taken away. The folders have blanks and Hangul, texts end
their lines as on Windows, and a pipe knows the letters of cp1252 alone.
"""

import json
import subprocess
import sys
from pathlib import Path

import another_system
import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent
SYSTEMS = pytest.mark.parametrize("system", ["win32", "darwin"])
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux pretends")


@pytest.fixture
def run(tmp_path):
    """Runs Python on another system; returns the process, its words as bytes."""
    def run(system, *arguments, **settings):
        # without an engine of containers
        variables = another_system.enter(system, tmp_path / "begin") | {"PATH": ""}
        return subprocess.run([sys.executable, *map(str, arguments)], env=variables,
                              capture_output=True, **settings)
    return run


# The files ----------------------------------------------------------------------------

def git(*arguments):
    told = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True,
                          encoding="utf-8")
    if told.returncode:
        pytest.skip("this is no checkout of git")
    return told.stdout.rstrip("\n").split("\n")


def test_git_writes_the_same_bytes_on_every_system():
    """Else `make quotes` writes every file anew on Windows, and a hash is another."""
    for line in git("ls-files", "--eol"):
        assert "i/crlf" not in line and "i/mixed" not in line
        assert "attr/text=auto eol=lf" in line, line


def test_every_file_can_lie_on_every_system():
    names = git("-c", "core.quotepath=false", "ls-files")
    assert len({name.casefold() for name in names}) == len(names)
    for name in names:
        assert len(name) <= 100, name    # of 260 letters of a path on Windows
        assert not any(map(another_system.FORBIDDEN.search, name.split("/"))), name


# What is rehearsed --------------------------------------------------------------------

REFUSED = r'''
import os, sys
from pathlib import Path
exec(compile("import os, signal, sys", SOURCE, "exec"), names := {"__file__": SOURCE})
seen, failed = names["os"], 0
windows = names["sys"].platform == "win32"
assert seen.name == ("nt" if windows else "posix")
assert windows != hasattr(seen, "fork") and not hasattr(seen, "sched_getaffinity")
assert windows != hasattr(names["signal"], "SIGKILL") and hasattr(os, "fork")
for name in "one", "two":
    Path(name).touch()
for wrong in (lambda: os.rename("one", "two"), lambda: Path("a:b").touch(),
              lambda: os.mkdir("nul"), lambda: os.symlink("one", "link"),
              lambda: (open("one", "rb"), os.replace("two", "one")),
              lambda: (open("one", "rb"), os.remove("one")),
              lambda: (os.mkdir("in"), os.chdir("in"), os.rmdir("../in"))):
    try:
        wrong() if windows else None
    except OSError:
        failed += 1
assert failed == 7 * windows, failed
os.chdir(sys.argv[1])
Path("same").touch()
try:
    Path("SAME").touch()
except FileExistsError:
    print("refused")
'''


@SYSTEMS
def test_what_the_system_refuses_is_refused(run, tmp_path, system):
    source = f"SOURCE = {str(ROOT / 'src/softdict/one.py')!r}\n{REFUSED}"
    done = run(system, "-c", source, tmp_path, cwd=tmp_path)
    assert done.stdout == b"refused\n", done.stderr.decode()


# The commands -------------------------------------------------------------------------

COMMANDS = r'''
import shutil
import sys
from dataclasses import replace
from pathlib import Path
sys.path.append(TESTS)
from interruptions import steps
from softdict.__main__ import main
from softdict.programs import pair_trainer, text_trainer
from softdict.saving.folder import load_folder
from softdict.saving.hf_format import load_library


def says(words, *arguments):
    try:
        main(list(arguments))
    except SystemExit as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"{words} was not said")


pairs, text = Path("쌍 1.tsv"), Path("글 1.txt")
pairs.write_text("\n".join(f"{'a b c'[k % 5:]} d\t{'가 나'[k % 3:]} 다"
                           for k in range(90)), "utf-8", newline="\r\n")
text.write_text("하나 둘 셋 one two\n" * 80, "utf-8", newline="\r\n")
# a checkpoint behind 10 updates, and not behind 100
pair_trainer.EVERY, preset = 10, text_trainer.PRESETS["small"]
text_trainer.PRESETS["small"] = replace(
    preset, settings=replace(preset.settings, interval=10))
small = "--width 8 --layers 1 --heads 2 --hidden 16 --updates 14 --batch 2".split()
for out, *kind in (("모델 둘", "--pairs", str(pairs), "--patience", "9"),
                   ("글쟁이 1", "--text", str(text), "--context-length", "16")):
    command = ["train", *kind, "--out", out, *small]
    with steps(13):
        says("goes on from the last checkpoint", *command)
    if "--text" in kind:    # a damaged file is laid aside, and nothing holds it
        unfinished = Path(out, "unfinished.safetensors")
        whole = unfinished.read_bytes()
        unfinished.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        with steps(1):
            says("begins anew", *command)
        Path(out, "unfinished.safetensors.damaged1").rename(unfinished)
        unfinished.write_bytes(whole)
    main(command)    # from the checkpoint, which it writes anew
    assert not [file for file in Path(out).iterdir()
                if file.name.startswith((".", "unfinished", "best"))]
main(["translate", "a b d", "--model", "모델 둘", "--figure", "지도 1.png"])
main(["write", "하나", "--model", "글쟁이 1", "--count", "9", "--seed", "1"])
held = load_folder("모델 둘"), load_library("글쟁이 1")
for out in "모델 둘", "글쟁이 1":    # a model holds no file of its folder
    shutil.rmtree(out)
main(["corpus", "--show", "2"])
main(["corpus", "--split", "iid", "--export", "내보냄 1"])
main(["translate", "the dog slept"])
Path("../낸 것").mkdir()
Path("../낸 것/s1.ipynb").write_text('{"cells": [], "nbformat": 4}', "utf-8")
Path("roster.csv").write_text("id\ns1\n", "utf-8")
for more in [], ["--uncontained"] * (SYSTEM == "win32"):
    says("nothing can shut the answers in: bubblewrap is for Linux alone; here a "
         "container does the same", "grade", "../낸 것", "--exercises", "01", *more)
assert not Path("grades.csv").exists() and not Path("grades.parts.jsonl").exists()
'''


@SYSTEMS
def test_every_command_runs(run, tmp_path, system):
    folder = tmp_path / "책 우리"
    folder.mkdir()
    source = f"TESTS, SYSTEM = {str(ROOT / 'tests')!r}, {system!r}\n{COMMANDS}"
    done = run(system, "-c", source, cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    assert "개는 잤어요" in done.stdout.decode("utf-8")


# The tools ----------------------------------------------------------------------------

@pytest.mark.parametrize("command, words", [
    (["tools/notebooks.py", "strip", "책/01.ipynb"], "wrote ?"),
    (["tools/build.py"], "make lab "),
    (["tools/build.py", "moodle", "x"], "wants the seed of the examination"),
    (["tools/moodle.py", "책/questions", "3"], "recall.xml: "),
    (["assignments/made_up_class.py", "책/class", "--count", "3"], "3 of 3 have"),
    (["assignments/benchmark.py"], "nothing can shut the answers in"),
    (["assignments/template/run_checks.py"], "a cell stopped: ValueError: ??")],
    ids=lambda value: value[0] if isinstance(value, list) else "")
def test_every_tool_speaks_to_a_pipe_of_windows(run, tmp_path, command, words):
    """Letters that the pipe does not know, as of a folder's name, end nothing."""
    (tmp_path / "책").mkdir()
    for path, cell in (("책/01.ipynb", "1"), ("01.ipynb", "raise ValueError('책장')")):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)])
        (tmp_path / path).write_text(json.dumps(notebook), "utf-8")
    tool, *arguments = command
    done = run("win32", ROOT / tool, *arguments, cwd=tmp_path)
    told = (done.stdout + done.stderr).decode("cp1252")
    assert words in told and "Traceback" not in told, told


def test_what_a_cell_reads_from_a_process_is_utf_8(book):
    """On Windows `text=True` reads cp1252, in which a bar of tqdm has no letters."""
    for notebook in book.notebooks.values():
        for cell in notebook.cells:
            if cell.cell_type == "code":
                assert "text=True" not in cell.source, cell.id
