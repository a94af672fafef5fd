"""The commands and the checks of pages, each proved on something broken on purpose.

No network is needed.
"""

import ast
import datetime
import hashlib
import json
import mimetypes
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import tomllib
import urllib.request
import zipfile
from pathlib import Path
from types import SimpleNamespace

import book_checks
import build
import cell_checks
import environment
import execute
import lock
import nbformat
import notebooks
import pages
import platforms
import prose_checks
import pytest
import yaml
from books import Book, seen
from sample import code

ROOT = Path(__file__).resolve().parent.parent


def write_notebook(path, *sources, outputs=(), tags=()):
    """A notebook of code cells, their ids being cell-0, cell-1, ..."""
    cells = [nbformat.v4.new_code_cell(source, id=f"cell-{number}")
             for number, source in enumerate(sources)]
    for cell, text in zip(cells, outputs):
        cell.outputs = [nbformat.v4.new_output("execute_result",
                                               data={"text/plain": text})]
    for cell, tag in zip(cells, tags):
        cell.metadata["tags"] = [tag] if tag else []
    path.parent.mkdir(exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """An almost empty repository; its environment is the one that runs the tests."""
    places = {"ROOT": "", "BUILD": "_build", "VENV": ".venv"}
    for name, place in places.items():
        value = tmp_path / place
        monkeypatch.setattr(build, name, value)
        monkeypatch.setattr(environment, name, value)
    monkeypatch.setattr(environment, "PYTHON", Path(sys.executable))
    (tmp_path / "tools").mkdir()
    (tmp_path / "book").mkdir()
    for name in ("notebooks.py", "lengths.py", "links.py", "execute.py", "pages.py",
                 "real_models.py", "environment.py", "pictures.py",
                 "platforms.py", "practice.py", "quick_reference.py", "shuffled.py"):
        shutil.copy(ROOT / "tools" / name, tmp_path / "tools")
    (tmp_path / "tools/in_short").mkdir()
    shutil.copy(ROOT / "tools/in_short/__init__.py", tmp_path / "tools/in_short")
    (tmp_path / "src/softdict").mkdir(parents=True)
    (tmp_path / "src/softdict/__init__.py").write_text("")
    for name in ("requirements.txt", "pyproject.toml", "_config.yml", "_toc.yml",
                 ".venv/stamp", "torch.lock"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "requirements.lock").write_text(environment.requirements_hash())
    return tmp_path


@pytest.fixture
def last_good(repository):
    """A built site."""
    page = repository / "_build/html/index.html"
    page.parent.mkdir(parents=True)
    page.write_text("last good")
    return page


# What may be missing ------------------------------------------------------------------


@pytest.mark.parametrize("version", [(3, 10, 4), (3, 15, 0)])
def test_another_python_is_named(repository, monkeypatch, version):
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(build.Stop, match=r"This is Python 3\.1.*PYTHON=python3\.12"):
        environment.make_environment()


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_python_without_venv_is_named(repository, monkeypatch, module):
    find = environment.importlib.util.find_spec
    monkeypatch.setattr(environment.importlib.util, "find_spec",
                        lambda name: None if name == module else find(name))
    words = rf"no module {module}.*sudo apt install python3\.\d+-venv"
    with pytest.raises(build.Stop, match=words):
        environment.make_environment()


def test_a_full_disk_is_named(repository, monkeypatch):
    usage = shutil._ntuple_diskusage(10**10, 10**10, 5 * 10**8)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(build.Stop, match="The disk has 0.5 GB free"):
        environment.make_environment()


def test_an_index_out_of_reach_is_named(repository, monkeypatch):
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    # nobody listens there
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    words = "index could not be reached: ERROR: .*softdict-is-not-there"
    with pytest.raises(build.Stop, match=words):
        environment.pip("softdict-is-not-there")


def test_only_a_finished_environment_counts(repository, monkeypatch):
    monkeypatch.setattr(environment, "PYTHON",
                        repository / ".venv" / environment.PYTHON_IN_VENV)
    (repository / ".venv/stamp").unlink()
    (repository / ".venv/half").write_text("made")
    calls = []

    def interrupted(*arguments, **more):
        raise KeyboardInterrupt

    def counted(*arguments, **more):
        calls.append(arguments)

    def without_pip(command, run=subprocess.run, **settings):
        return run([*command, "--without-pip"], **settings)    # in a tenth of the time

    monkeypatch.setattr(environment.subprocess, "run", without_pip)
    monkeypatch.setattr(environment, "install_torch", lambda *given, **more: None)
    monkeypatch.setattr(environment, "pip", interrupted)
    with pytest.raises(KeyboardInterrupt):
        environment.make_environment()
    assert environment.PYTHON.exists() and not (repository / ".venv/stamp").exists()
    monkeypatch.setattr(environment, "pip", counted)
    environment.make_environment()
    assert len(calls) == 2 and not (repository / ".venv/half").exists()
    environment.make_environment()
    assert len(calls) == 2  # nothing to do
    (repository / "torch.lock").write_text("more==1")
    (repository / ".venv/kept").write_text("")
    environment.make_environment()
    # new pins go into the same environment
    assert len(calls) == 4 and (repository / ".venv/kept").exists()


def test_a_process_of_the_environment_speaks_utf_8(repository, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")    # of a terminal on Windows
    told = environment.python("-c", "print('책')", capture_output=True)
    assert told.stdout == "책\n", told.stderr


# The locks ----------------------------------------------------------------------------


def packages(file):
    """The packages of a lock, by name, with all that stands of them."""
    text = (ROOT / file).read_text("utf-8")
    assert text.startswith(lock.MADE)
    parts = re.split(r"^(?=[a-z])", text, flags=re.M)[1:]
    return {part.partition("==")[0]: part for part in parts}, text


def test_every_package_is_locked_with_hashes():
    for file in ("requirements.lock", "torch.lock"):
        for part in packages(file)[0].values():
            first, *files = part.replace(" \\\n", "\n").strip().split("\n")
            assert re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; .+)?", first), first
            assert files, first
            assert all(re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}", line)
                       for line in files), first


def test_the_locks_are_those_of_the_requirements():
    common, text = packages("requirements.lock")
    apart, _ = packages("torch.lock")
    assert environment.requirements_hash() in text, "make lock"
    assert not set(common) & set(apart)
    assert all(lock.APART.fullmatch(name) for name in apart)
    assert not any(lock.APART.fullmatch(name) for name in common)
    pins = re.findall(r"^([\w.-]+)(==.*)$",
                      (ROOT / "requirements.txt").read_text("utf-8"), re.M)
    assert len(pins) > 25
    for name, version in pins:
        name = re.sub(r"[._]", "-", name).lower()
        assert (common | apart)[name].startswith(f"{name}{version} \\\n")


def test_new_requirements_ask_for_new_locks(repository):
    (repository / "requirements.txt").write_text("more==1\n")
    with pytest.raises(environment.Stop, match="make lock"):
        environment.make_environment()
    text = "torch==1\n"
    for end in ("\n", "\r\n"):    # as git may write it on Windows
        (repository / "requirements.txt").write_bytes(text.replace("\n", end).encode())
        (repository / "requirements.lock").write_text(environment.digest(text))
        stop = pytest.raises(ZeroDivisionError)
        with stop, pytest.MonkeyPatch.context() as patch:
            patch.setattr(environment, "renew_environment", lambda *_, **more: 1 / 0)
            environment.make_environment()


def test_a_file_with_another_hash_is_not_installed(repository):
    wheel = repository / "other-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("other.py", "")
        file.writestr("other-1.dist-info/METADATA",
                      "Metadata-Version: 2.1\nName: other\nVersion: 1\n")
        file.writestr("other-1.dist-info/WHEEL",
                      "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr("other-1.dist-info/RECORD", "")
    listed = repository / "listed.txt"
    right = hashlib.sha256(wheel.read_bytes()).hexdigest()
    how = ("--no-index", "--find-links", repository, "--target", repository / "there",
           "--require-hashes", "-r", listed)
    listed.write_text(f"other==1 --hash=sha256:{'0' * 64}\n")
    with pytest.raises(environment.Stop, match="DO NOT MATCH THE HASHES"):
        environment.pip(*how)
    assert not (repository / "there/other.py").exists()
    listed.write_text(f"other==1 --hash=sha256:{right}\n")
    environment.pip(*how)
    assert (repository / "there/other.py").exists()


def test_a_torch_that_the_lock_does_not_know_is_removed(repository, monkeypatch):
    (repository / "torch.lock").write_text(
        f"# made\ntorch==2.13.0 \\\n    --hash=sha256:{'a' * 64} \\\n"
        f"    --hash=sha256:{'b' * 64}\ncuda-toolkit==13 ; sys_platform == 'linux' \\\n"
        f"    --hash=sha256:{'c' * 64}\n")
    came = {}

    def pip(*arguments, **more):
        named = dict(zip(arguments, arguments[1:]))
        assert named["-c"].read_text() == (
            "torch==2.13.0 \ncuda-toolkit==13 ; sys_platform == 'linux' ")
        found = [{"metadata": {"name": name, "version": "2"}, "download_info":
                  {"archive_info": {"hashes": {"sha256": 64 * letter}}}}
                 for name, letter in came.items()]
        named["--report"].write_text(json.dumps({"install": found}))

    monkeypatch.setattr(environment, "pip", pip)
    for came in ({}, {"torch": "b", "cuda-toolkit": "c"}):
        environment.install_torch()
        assert (repository / ".venv").exists()
    came = {"torch": "b", "cuda-toolkit": "d"}
    with pytest.raises(environment.Stop, match="cuda-toolkit 2 came as a file"):
        environment.install_torch()
    assert not (repository / ".venv").exists()


def test_the_hashes_of_the_builds_for_cpu_are_those_of_the_page():
    wheels = [("2.13.0%2Bcpu-cp311-cp311-manylinux_2_28_x86_64", True),
              ("2.13.0+cpu-cp313-cp313-manylinux_2_28_aarch64", True),
              ("2.13.0%2Bcpu-cp313-cp313t-manylinux_2_28_x86_64", False),
              ("2.13.0%2Bcpu-cp310-cp310-manylinux_2_28_x86_64", False),
              ("2.13.0%2Bcpu-cp312-cp312-win_amd64", False),
              ("2.13.0-cp312-cp312-macosx_14_0_arm64", False),
              ("2.13.01%2Bcpu-cp312-cp312-manylinux_2_28_x86_64", False),
              ("2x13.0%2Bcpu-cp312-cp312-manylinux_2_28_x86_64", False)]
    page = "".join(f'<a href="/whl/cpu/torch-{wheel}.whl#sha256={k:064x}">it</a>\n'
                   for k, (wheel, wanted) in enumerate(wheels))
    assert lock.linux_hashes(page, "2.13.0") == [f"{k:064x}" for k in (0, 1)]
    with pytest.raises(environment.Stop, match="names no build of torch 2.12.0"):
        lock.linux_hashes(page, "2.12.0")


def test_locks_are_made_whole_or_not_at_all(repository, monkeypatch):
    monkeypatch.setattr(lock, "ROOT", repository)
    before = (repository / "requirements.lock").read_text()

    def unreachable(*arguments, **how):
        raise OSError("no route")

    answer = (f"a==1 \\\n    --hash=sha256:{'a' * 64}\n"
              f"nvidia-x==2 ; os_name == 'posix' \\\n    --hash=sha256:{'b' * 64}\n"
              f"torch==2.13.0 \\\n    --hash=sha256:{'c' * 64}\n"
              f"torchlike==3 \\\n    --hash=sha256:{'d' * 64}\n")
    monkeypatch.setattr(lock, "compiled", lambda *given, **more: answer)
    monkeypatch.setattr(lock.urllib.request, "urlopen", unreachable)
    with pytest.raises(environment.Stop, match="so the locks are as they were: no rou"):
        lock.renew()
    assert (repository / "requirements.lock").read_text() == before
    monkeypatch.setattr(lock, "cpu_builds", lambda *given, **more: (
        f"torch-2.13.0+cpu-cp312-cp312-manylinux_x.whl#sha256={'e' * 64}"))
    lock.renew()
    common = (repository / "requirements.lock").read_text()
    assert common.partition("\n")[2] == (
        f"a==1 \\\n    --hash=sha256:{'a' * 64}\n"
        f"torchlike==3 \\\n    --hash=sha256:{'d' * 64}\n")
    assert environment.requirements_hash() in common
    assert (repository / "torch.lock").read_text().partition("\n")[2] == (
        f"nvidia-x==2 ; os_name == 'posix' \\\n    --hash=sha256:{'b' * 64}\n"
        f"torch==2.13.0 \\\n    --hash=sha256:{'e' * 64} \\\n"
        f"    --hash=sha256:{'c' * 64}\n")

    # torch's own index is not asked for the torch that is locked
    apart = (repository / "torch.lock").read_text()
    monkeypatch.setattr(lock, "cpu_builds", unreachable)
    monkeypatch.setattr(lock, "compiled",
                        lambda *given, **more: answer.replace("a==1", "a==2"))
    lock.renew()
    assert "\na==2 " in (repository / "requirements.lock").read_text()
    assert (repository / "torch.lock").read_text() == apart


@pytest.mark.parametrize("told, found", [
    ("", "https://pypi.org/simple"),
    ("global.index-url='https://a/simple'\nglobal.timeout='9'", "https://a/simple"),
    ("global.index-url='https://a/simple'\ninstall.index-url='https://b'", "https://b"),
    (":env:.index-url='https://c'\nglobal.index-url='https://a/simple'", "https://c"),
])
def test_the_index_is_the_one_that_pip_uses(monkeypatch, told, found):
    monkeypatch.setattr(lock.subprocess, "run", lambda *given, **how: SimpleNamespace(
        stdout=told))
    assert lock.index("python") == found


@pytest.mark.parametrize("name", ["build.py", "environment.py", "lock.py"])
def test_an_old_python_can_read_the_sentence(name):
    ast.parse((ROOT / "tools" / name).read_text("utf-8"), feature_version=(3, 6))


class OldOutput:
    """An output as Python 3.6 has it: its errors cannot be set any more."""

    def write(self, text):
        pass

    def flush(self):
        pass


def test_an_old_python_says_the_sentence(repository, monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 6, 9))
    monkeypatch.setattr(sys, "argv", ["build.py", "serve"])
    monkeypatch.setattr(sys, "stdout", OldOutput())
    with pytest.raises(SystemExit, match=r"This is Python 3\.6\.9; the book needs"):
        build.main()


def test_a_sentence_and_no_traceback(repository):
    script = "import build, environment; environment.OLDEST = (3, 99); build.main()"
    ended = subprocess.run([sys.executable, "-c", script, "book"], cwd=ROOT / "tools",
                           capture_output=True, text=True)
    assert (ended.returncode == 1 and "This is Python" in ended.stderr
            and "Traceback" not in ended.stderr)


def test_every_command_ends_as_its_reader_expects():
    commands = [path for path in (ROOT / "tools").glob("*.py")
                if '__name__ == "__main__"' in path.read_text("utf-8")]
    assert len(commands) > 9
    for path in commands:
        last = path.read_text("utf-8").partition('__name__ == "__main__"')[2]
        assert "with script():" in last, path.name


def test_make_alone_names_its_targets():
    ended = subprocess.run([sys.executable, ROOT / "tools/build.py"],
                           capture_output=True, text=True, check=True)
    lines = [line.split(maxsplit=2) for line in ended.stdout.splitlines()]
    assert [name for make, name, _ in lines] == list(build.COMMANDS)
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert re.search(r"^(\w+):", makefile, re.MULTILINE)[1] == "help"


def test_a_closed_pipe_of_a_small_command_is_quiet():
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "notebooks.py", "lengths"]
    ended = subprocess.run(command, cwd=ROOT / "tools",
                           stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (0, "")


# Two at once --------------------------------------------------------------------------


def test_of_two_commands_at_once_the_second_is_told(repository, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["build.py", "slides"])
    monkeypatch.setattr(build, "slides", lambda *given, **more: None)
    hold = ("import sys, environment\n"
            "from pathlib import Path\n"
            "with environment.alone(Path(sys.argv[1])):\n"
            "    print(flush=True)\n"
            "    sys.stdin.read()\n")
    command = [sys.executable, "-c", hold, repository / "pyproject.toml"]
    with subprocess.Popen(command, cwd=ROOT / "tools", stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        with pytest.raises(SystemExit, match="Another make is at work in this folder"):
            build.main()
        for name in ("serve", "results"):    # these leave the book alone
            monkeypatch.setattr(build, name, lambda **how: None)
            monkeypatch.setattr(sys, "argv", ["build.py", name])
            build.main()
        other.kill()    # whatever ends a command, it holds nothing up
    monkeypatch.setattr(sys, "argv", ["build.py", "slides"])
    build.main()


def test_an_environment_that_another_makes_is_left_to_it(repository):
    (repository / ".venv/stamp").unlink()
    with environment.alone(repository / "requirements.txt"):
        with pytest.raises(environment.Stop, match="Another make is at work"):
            environment.make_environment()
    assert (repository / ".venv").exists()


# Notebooks ----------------------------------------------------------------------------


def test_only_stale_notebooks_are_executed(repository, capsys):
    quick = "import shutil, sys\nshutil.copy(*sys.argv[1:])"
    (repository / "tools/execute.py").write_text(quick)
    for name in ("01_one", "02_two"):
        write_notebook(repository / f"notebooks/{name}.ipynb", "6 * 7")
    build.execute_stale()
    assert "2 of 2" in capsys.readouterr().out
    build.execute_stale()
    assert "all 2 are fresh" in capsys.readouterr().out
    write_notebook(repository / "notebooks/02_two.ipynb", "6 * 8")
    build.execute_stale()
    told = capsys.readouterr().out
    assert "1 of 2" in told and "02_two.ipynb" in told
    (repository / "notebooks/02_two.ipynb").unlink()
    build.execute_stale()
    left = (repository / "_build/executed").iterdir()
    assert {file.name for file in left} == {"01_one.ipynb", "01_one.fingerprint"}


def test_a_notebook_that_is_half_kept_is_stale(repository, monkeypatch):
    """The old stamp may never stand beside the new notebook."""
    notebook, made = Path("01_one.ipynb"), repository / "made/01_one.ipynb"
    made.parent.mkdir()
    for name in ("01_one.ipynb", "01_one.seen"):
        (repository / "made" / name).write_text("old")
    build.keep(made, notebook, "old")
    executed = repository / "_build/executed"
    assert {file.read_text() for file in executed.iterdir()} == {"old"}
    assert len(list(executed.iterdir())) == 3
    made.write_text("new")
    (repository / "made/01_one.seen").unlink()
    replace, done = os.replace, []

    def once(part, target):
        if done:
            raise OSError("stopped")
        done.append(replace(part, target))

    monkeypatch.setattr(os, "replace", once)
    with pytest.raises(OSError, match="01_one.fingerprint was not written"):
        build.keep(made, notebook, "new")
    assert [file.read_text() for file in executed.iterdir()] == ["new"]


def test_a_part_of_the_chapters_can_be_asked_for(repository):
    for name in ("01_one", "02_two", "C1_three"):
        write_notebook(repository / f"notebooks/{name}.ipynb", "6 * 7")
    named = {only: sorted(path.stem for path in build.fingerprints(only))
             for only in ("", "02", "C1,01")}
    assert named == {"": ["01_one", "02_two", "C1_three"], "02": ["02_two"],
                     "C1,01": ["01_one", "C1_three"]}
    with pytest.raises(environment.Stop, match="There is no chapter '2'; chapters are"):
        build.fingerprints("01,2")


def test_a_damaged_stamp_or_notebook_is_made_again(repository, capsys):
    quick = "import shutil, sys\nshutil.copy(*sys.argv[1:])"
    (repository / "tools/execute.py").write_text(quick)
    write_notebook(repository / "notebooks/01_one.ipynb", "6 * 7")
    build.execute_stale()
    executed = repository / "_build/executed"
    whole = (executed / "01_one.ipynb").read_bytes()
    for name, damage in (("01_one.fingerprint", b"\xff\xfe"),
                         ("01_one.ipynb", whole[:-9]), ("01_one.ipynb", b"\xff")):
        (executed / name).write_bytes(damage)
        build.execute_stale()
        assert "1 of 1" in capsys.readouterr().out
        assert (executed / "01_one.ipynb").read_bytes() == whole
    build.execute_stale()
    assert "all 1 are fresh" in capsys.readouterr().out


def test_a_damaged_stamp_of_the_environment_is_made_again(repository, monkeypatch):
    (repository / ".venv/stamp").write_bytes(b"\xff\xfe")
    monkeypatch.setattr(environment.subprocess, "run",
                        lambda *command, **how: subprocess.CompletedProcess([], 0))
    monkeypatch.setattr(environment, "pip", lambda *words, **more: (
        repository / ".venv").mkdir(exist_ok=True))
    monkeypatch.setattr(environment, "install_torch", lambda *given, **more: None)
    environment.make_environment()
    assert (repository / ".venv/stamp").read_text("utf-8").startswith(
        environment.check_python())


@pytest.mark.parametrize("damage", [b"{", b"\xff\xfe", b"[]", b""])
def test_a_notebook_that_cannot_be_read_is_named(repository, damage):
    for name in ("01_one", "02_two"):
        write_notebook(repository / f"notebooks/{name}.ipynb", "6 * 7")
    (repository / "notebooks/02_two.ipynb").write_bytes(damage)
    with pytest.raises(build.Stop, match="02_two.ipynb cannot be read: "):
        build.fingerprints()


@pytest.mark.parametrize("report", ["", "<testsuites>", "<testsuites/>"])
def test_a_report_that_was_cut_is_no_success(repository, monkeypatch, report):
    def killed(*words, **how):
        (repository / "_build/pytest.xml").write_text(report)
        return subprocess.CompletedProcess([], -9)

    monkeypatch.setattr(build, "python", killed)
    with pytest.raises(build.Stop, match=r"pytest did not finish \(exit code -9\)"):
        build.pytest()


@pytest.fixture
def nbval(sample, monkeypatch, capfd):
    """Runs the sample as `make test` runs the notebooks; returns counts and `Book`."""
    def run(**settings):
        wanted = {path: notebooks.fingerprint(path, sample.root)
                  for path in notebooks.paths(sample.root)}
        monkeypatch.setattr(environment, "PYTHON", Path(sys.executable))
        monkeypatch.setattr(build, "BUILD", sample.root / "_build")
        monkeypatch.setattr(build, "install_wheel", lambda *given, **more: ROOT / "src")
        monkeypatch.setattr(build, "check_origin", lambda *given, **more: None)
        monkeypatch.setattr(build, "fingerprints", lambda *given, **more: wanted)
        counts, book = build.run_notebooks(**settings), Book(sample.root)
        book.runs = seen(book)
        return counts, book

    return run


def test_a_chapter_that_passes_is_kept_as_make_book_would_execute_it(
        nbval, sample, monkeypatch):
    sample.add(code("told", "import sys\nprint(1)\nprint(2, file=sys.stderr)\n3",
                    output="1\n"))
    (passed, failed, skipped), book = nbval()
    assert (passed, failed, skipped) == (13, 0, 0)
    kept = nbformat.read(sample.root / "_build/executed/01_sample.ipynb", as_version=4)
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    assert kept == execute.execute(notebooks.read(sample.path))
    [ran] = book.runs.values()
    assert set(ran.reached) == {"shapes:1", "shapes:2"} and ran.strange == []
    sample.set("recap", source="## Recap\n\nMore.")
    assert seen(Book(sample.root)) == {}    # it changed since


def test_a_cell_prints_where_a_text_is_stored_and_nowhere_else(nbval, sample):
    sample.slim()
    sample.add(code("mute", "x = 1", output="1\n"))
    sample.add(code("loud", "print(1)"))
    sample.add(code("other", "print(2)", output="another number\n"))
    (_, failed, _), book = nbval()
    assert failed == 2 and not book.runs


def test_a_shaken_chapter_draws_other_numbers_and_compares_no_output(
        nbval, sample, capfd):
    seeded = "import torch\ntorch.manual_seed(0)\nfirst = torch.rand(1)\n"
    claim = (f"{seeded}"
             "again = torch.rand(1, generator=torch.Generator().manual_seed(0))\n"
             "print(bool(first == again), torch.get_num_threads())\nfirst")
    sample.slim()
    sample.add(code("drawn", claim, notebooks.CLAIM, output="tensor([0.4963])"))
    sample.add(code("holds", "assert first == again and torch.get_num_threads() == 2"))
    hangs = nbformat.v4.new_notebook(cells=[code("setup", "pass"), code(
        "hangs", f"{seeded}assert round(float(first), 4) == 0.4963")])
    notebooks.write(sample.path.with_name("02_hangs.ipynb"), hangs)
    (_, failed, _), book = nbval(shift=1000)
    assert failed == 1 and "FAILED 02_hangs.ipynb::Cell 1" in capfd.readouterr().out
    assert not book.runs    # nor is the chapter that passed kept


def test_a_wrong_shape_note_fails_in_the_kernel(nbval, sample, capfd):
    sample.drop("figure")
    sample.source("imports", "import matplotlib.pyplot as plt\n", "")
    sample.source("shapes", "# [T, S]", "# [S, T, 1]")
    (_, failed, _), book = nbval()
    assert failed and book.runs == {}
    assert "01_sample.ipynb#shapes:1: the note says" in capfd.readouterr().out
    assert not (sample.root / "_build/executed").exists()


def test_what_the_kernel_saw_is_asked_for(nbval, sample):
    sample.drop("figure")
    sample.source("imports", "import matplotlib.pyplot as plt\n", "")
    sample.source("shapes", "weights =",
                  "if scores is None: scores = 1    # [T]\nweights =")
    sample.add(code("other", "softmax = lambda scores: scores.softmax(-1)"))
    (_, failed, _), book = nbval()
    assert not failed
    [words] = cell_checks.shape_notes_are_checked(book)
    assert "cell shapes: the shape note in line 2 is never checked" in words
    [words] = book_checks.free_names_are_the_modules_own(book)
    assert "cell quote: the quote uses softmax, which is another object" in words


def test_a_notebook_gets_its_outputs_from_an_empty_folder(repository):
    write_notebook(repository / "notebooks/01_one.ipynb",
                   "import os\nlen(os.listdir())")
    build.execute_stale()
    executed = nbformat.read(repository / "_build/executed/01_one.ipynb", as_version=4)
    assert executed.cells[0].outputs[0].data["text/plain"] == "0"


def test_a_failing_cell_is_named_and_the_last_good_site_stays(repository, last_good,
                                                              monkeypatch, capsys):
    monkeypatch.setattr(build, "make_environment", lambda *given, **more: None)
    monkeypatch.setattr(sys, "argv", ["build.py", "book"])
    write_notebook(repository / "notebooks/01_bad.ipynb", "x = 0",
                   "1 / x\nprint('never')")
    with pytest.raises(SystemExit) as ended:
        build.main()
    words = "cell cell-1, which begins '1 / x': ZeroDivisionError: division by zero"
    assert f"01_bad.ipynb: {words}" in str(ended.value)
    assert last_good.read_text() == "last good"
    assert not list((repository / "_build/executed").glob("*.fingerprint"))


def test_nbval_compares_the_tagged_outputs(repository):
    path, claim = repository / "notebooks/01_claims.ipynb", "nbval-check-output"
    write_notebook(path, "6 * 7", "6 * 8", "6 * 9", outputs=["42", "wrong", "wrong"],
                   tags=[claim, claim, ""])
    path.write_text(build.as_if_run(path), "utf-8")
    options = ("--nbval-lax", "--nbval-current-env", "-p", "no:cacheprovider",
               path.name)
    assert build.pytest(*options, cwd=path.parent,
                        stdout=subprocess.DEVNULL) == (2, 1, 0)


@pytest.mark.parametrize("found", [True, False])
def test_the_gpu_is_asked_only_where_there_is_one(
        found, repository, monkeypatch, capfd):
    calls, told = [], subprocess.CompletedProcess([], 0, f"2.13.0 {found}\n")
    monkeypatch.setattr(build, "make_environment", lambda *given, **more: None)
    monkeypatch.setattr(build, "python", lambda *arguments, **settings: told)
    monkeypatch.setattr(build, "run_notebooks", lambda: (5, 0, 0))
    monkeypatch.setattr(
        build, "pytest", lambda *words, cwd, **more: calls.append(words) or (2, 0, 1))
    build.gpu()
    words = capfd.readouterr().out
    if found:
        assert calls == [("tests", "-m", "gpu")] and words.startswith("total: 7 passed")
    else:
        assert calls == [] and words == (
            "Skipped: torch 2.13.0 finds no CUDA GPU on this machine.\n")


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_the_script_of_continuous_integration_refuses_other_words():
    ended = subprocess.run([ROOT / ".ci/run", "--cpu"], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (2, "usage: .ci/run [--gpu]\n")


def test_no_tests_is_a_failure(repository, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")    # it needs none
    assert build.pytest(cwd=repository / "src", stdout=subprocess.DEVNULL) == (0, 1, 0)


def test_a_warning_of_the_engine_names_the_cell(repository):
    write_notebook(repository / "notebooks/01_one.ipynb", "1", "2")
    place = re.match(r"(\S+):(\d+)", "notebooks/01_one.ipynb:20003: WARNING")
    assert build.name_cell(place) == "notebooks/01_one.ipynb, cell cell-1"


# The site -----------------------------------------------------------------------------

GOOD = """<!DOCTYPE html><html lang="en"><head><title>A page</title><link rel="icon" \
href="data:,"></head><body><main>
<h1 id="top">A page</h1><a href="other.html#there">there</a> <a href="#top">up</a> <a \
href="https://softdict.invalid/">out</a>
<img src="dot.svg" alt="A dot."></main></body></html>"""
OTHER = GOOD.replace('id="top"', 'id="there"').replace("#top", "")
DOT = ('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle cx="4" '
       'cy="4" r="4"/></svg>')


def write_site(folder, html=GOOD):
    folder.mkdir(parents=True)
    for name, content in {"index.html": html, "other.html": OTHER,
                          "dot.svg": DOT}.items():
        (folder / name).write_text(content)
    return folder


def test_only_a_good_site_is_put_in_place(repository, last_good, monkeypatch, capfd):
    monkeypatch.setattr(build, "make_environment", lambda *given, **more: None)
    monkeypatch.setattr(build, "stage", lambda *given, **more: None)
    monkeypatch.setattr(build, "fingerprints", lambda *given, **more: {})
    monkeypatch.setenv("CHROMIUM", "none")
    made = {"html": GOOD.replace("other.html", "gone.html")}

    def build_pages(source, output, *given, **more):
        shutil.rmtree(output, ignore_errors=True)
        write_site(output / "_build/html", made["html"])

    monkeypatch.setattr(build, "build_pages", build_pages)
    with pytest.raises(build.Stop, match="last good site is untouched"):
        build.book()
    assert "gone.html#there leads to no file" in capfd.readouterr().out
    assert last_good.read_text() == "last good"
    made["html"] = GOOD
    build.book()
    assert last_good.read_text() == GOOD
    build.book()
    assert "Nothing has changed" in capfd.readouterr().out
    # as if stopped between two renames
    last_good.parent.rename(repository / "_build/html_last")
    build.book()
    assert (last_good.read_text() == GOOD
            and "Nothing has changed" in capfd.readouterr().out)


def two_sites(folder):
    """A site in its place, and a new one; where the old one would go."""
    places = folder / "new/html", folder / "html", folder / "html_last"
    for place, words in zip(places, ("new", "old")):
        place.mkdir(parents=True)
        (place / "index.html").write_text(words)
    return places


@pytest.mark.skipif(os.name == "nt", reason="its folders change places in two steps")
def test_there_is_a_site_at_every_moment(tmp_path, monkeypatch):
    fresh, site, last = two_sites(tmp_path)
    rename = Path.rename

    def watched(path, target):
        rename(path, target)
        assert (site / "index.html").exists(), "there is no site"

    monkeypatch.setattr(Path, "rename", watched)
    build.put_in_place(fresh, site, last)
    assert (site / "index.html").read_text() == "new"


@pytest.mark.parametrize("error", [OSError("in use"), KeyboardInterrupt()])
def test_a_swap_that_fails_leaves_the_old_site(tmp_path, monkeypatch, error):
    fresh, site, last = two_sites(tmp_path)
    rename = Path.rename

    def in_two_steps(*folders, **more):
        raise OSError("not on this system")

    def broken(path, target):
        if path == fresh:
            raise error
        rename(path, target)

    monkeypatch.setattr(build, "exchange", in_two_steps)
    monkeypatch.setattr(Path, "rename", broken)
    with pytest.raises(type(error)):
        build.put_in_place(fresh, site, last)
    assert (site / "index.html").read_text() == "old"
    monkeypatch.setattr(Path, "rename", rename)
    build.put_in_place(fresh, site, last)
    assert (site / "index.html").read_text() == "new"


def test_serve_takes_the_next_free_port(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = pages.local_server(tmp_path, [port, 0])
        assert server.server_port != port
        server.server_close()
        with pytest.raises(OSError, match=f"no port from {port}"):
            pages.local_server(tmp_path, [port])


def test_a_script_is_served_as_one_whatever_the_system_says(tmp_path, monkeypatch):
    # Windows may
    monkeypatch.setattr(mimetypes, "guess_type", lambda path: ("text/plain", None))
    (tmp_path / "page.js").write_text("1")
    server = pages.local_server(tmp_path)
    threading.Thread(target=server.handle_request).start()
    address = f"http://127.0.0.1:{server.server_port}/page.js"
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address) as (
            answer):
        assert answer.headers["Content-Type"] == "text/javascript"
    server.server_close()


# Each check of the pages: what is broken, and what the check says of it
BROKEN_FILES = [
    ("other.html#there", "gone.html", "gone.html leads to no file"),
    ("#there", "#nowhere", "other.html#nowhere leads to no anchor"),
    ("#top", "#bottom", "#bottom leads to no anchor"),
    ("dot.svg", "gone.svg", "gone.svg leads to no file"),
    (' alt="A dot."', "", "the image dot.svg has no words"),
    ("A dot.", "dot.svg", "the image dot.svg has no words"),
    ("</main>", '<script src="https://softdict.invalid/x.js"></script></main>',
     "loads https://softdict.invalid/x.js"),
    ("</head>", '<link rel="stylesheet" href="gone.css"></head>',
     "gone.css leads to no file"),
    ("<title>", '<meta http-equiv="Refresh" content="0; url=gone.html"><title>',
     "gone.html leads to no file"),
    ("</main>", "<pre>findfont: Font family 'A' not found.</pre></main>",
     "matplotlib complains of its fonts"),
    ("<title>", '<meta property="og:site_name" content="Project name not set"/><title>',
     "does not say of which site it is"),
    ("</main>", "<pre>/a/site-packages/tqdm/auto.py:21: TqdmWarning</pre></main>",
     "a warning in an output shows a path of this machine"),
]


@pytest.mark.parametrize("right, wrong, words", BROKEN_FILES)
def test_a_broken_file_is_found(tmp_path, right, wrong, words):
    assert list(pages.file_problems(write_site(tmp_path / "good"))) == []
    found = list(pages.file_problems(write_site(tmp_path / "bad",
                                                GOOD.replace(right, wrong))))
    assert len(found) == 1 and words in found[0]


FOLD = "<details><summary>Why?</summary><p>So.</p></details>"
HELP = ('<details><summary aria-label="{0}, exercise 01-1">{0}</summary></details>')


@pytest.mark.parametrize("article, found", [
    (FOLD + FOLD, []),
    (f"{FOLD}<p>Text.</p>{FOLD}{FOLD}", []),
    (FOLD + FOLD + FOLD, ["3 folds follow each other, from 'Why?': join them"]),
    (f"<section>{FOLD}</section><section>{FOLD}<div>{FOLD}</div></section>",
     ["3 folds follow each other, from 'Why?': join them"]),
    (f'<p></p><div class="lines">{FOLD}</div>{HELP.format("Hint")}'
     + HELP.format("Answer") + FOLD, []),
    (f'{HELP.format("Hint")}{HELP.format("Answer")}{FOLD}{FOLD}',
     ["3 folds follow each other, from 'Hint': join them"])])
def test_a_wall_of_folds_is_found_in_a_chapter(tmp_path, article, found):
    folder = write_site(tmp_path / "site")
    (folder / "notebooks").mkdir()
    (folder / "notebooks/01.html").write_text(f"<article>{article}</article>")
    assert list(pages.file_problems(folder)) == [
        f"notebooks/01.html: {words}" for words in found]


def test_an_address_that_was_published_stays(tmp_path, monkeypatch):
    folder, listed = write_site(tmp_path / "site"), tmp_path / "anchors.txt"
    (folder / "index.html").write_text(GOOD.replace("<main>", (
        '<article><section id="one"></section><section id="id4"></section><dl>'
        '<dt id="term-sum"></dt></dl></article><main>')))
    listed.write_text("index.html#top\n")
    monkeypatch.setattr(pages, "ANCHORS", listed)
    pages.anchors(folder)
    kept = listed.read_text().split()
    assert kept == ["index.html", "index.html#one", "index.html#term-sum",
                    "index.html#top", "other.html"]
    assert not list(pages.gone(folder, kept))
    (folder / "other.html").unlink()
    write_html = GOOD.replace('id="top"', 'id="above"')
    (folder / "index.html").write_text(write_html)
    assert [line.split()[0] for line in pages.gone(folder, kept)] == [
        *kept[1:4], "other.html"]


BROKEN_PAGES = [
    ("</main>", "<script>fetch('https://softdict.invalid/x')</script></main>",
     "asks for https://softdict.invalid/x"),
    ("</main>", "<script>throw new Error('broken')</script></main>", "console: broken"),
    ("</main>", '<div style="width: 900px">wide</div></main>', "scrolls"),
    ("</main>", '<span class="math">\\(x\\)</span></main>',
     "formula not drawn: \\(x\\)"),
    ("</main>", '<p style="color: #bbb; background: #fff">pale</p></main>',
     "axe, light: color-contrast"),
    # beside a text that would look like it
    ("</main>", '<p>seen</p><div style="background: #222"><p>dark</p></div></main>',
     "axe, light: color-contrast"),
    ("</main>", '<p>seen</p><div style="opacity: .3"><p>faint</p></div></main>',
     "axe, light: color-contrast"),
    ("<h1", "<style>[data-theme=dark] h1 {color: #333; background: #000}</style><h1",
     "axe, dark: color-contrast"),
    (' lang="en"', "", "axe, light: html-has-lang"),
    ("</main>", '<dl class="glossary"><dt>sum</dt><dt style="margin-top: -9px">total'
     "</dt><dd>All added.</dd></dl></main>", "one is printed over another: total"),
    ("</main>", '<article class="bd-article"><table style="width: 9px; word-break: '
     'break-all"><tr><td><code>weights</code></table></article></main>',
     "a name is broken: weights"),
    ("</main>", '<article class="bd-article"><div style="overflow-x: auto; width: 99px"'
     ' tabindex="0"><table style="min-width: 200px"><tr><th>cure</table></div>'
     "</article></main>", "at 1280 pixels a table is cut: cure"),
    ("</main>", '<article class="bd-article"><h2 style="width: 3ch">Exercise '
     '<span class="whole">08-3</span>: Add</h2></article></main>',
     "what belongs together is broken: 08-3"),
    ("</main>", '<article class="bd-article"><pre style="width: 99px; overflow-x: auto"'
     ' tabindex="0">scores   <span class="end-note"># [B, T, S]</span></pre></article>'
     "</main>", "a note scrolls sideways: # [B, T, S]"),
    *[("</main>", '<div class="live-figure"><div class="scroll" tabindex="0" style='
       f'"overflow-x: auto; width: 99px" role="region" aria-label="share"><table{kind}>'
       "<tr><td style='min-width: 200px'>1</table></div></div></main>",
       f"at {width} pixels a figure hides columns: share")
      for kind, width in (("", 390), (' class="weights"', 1280))],
]


@pytest.fixture(scope="module")
def browser_findings(tmp_path_factory):
    """What the browser finds: one page for each broken thing, and the good ones."""
    if not pages.browser_path():
        pytest.skip("there is no Chromium or Chrome on this machine")
    folder = write_site(tmp_path_factory.mktemp("pages") / "site")
    for number, (right, wrong, _) in enumerate(BROKEN_PAGES):
        (folder / f"broken-{number}.html").write_text(GOOD.replace(right, wrong))
    return list(pages.browser_problems(folder))


def test_a_good_page_has_no_findings(browser_findings):
    others = [words for words in browser_findings if not words.startswith("broken-")]
    assert others == []


@pytest.mark.parametrize("number", range(len(BROKEN_PAGES)))
def test_a_broken_page_is_found(browser_findings, number):
    found = [finding for finding in browser_findings
             if finding.startswith(f"broken-{number}.html")]
    assert any(BROKEN_PAGES[number][2] in finding for finding in found), found


def test_no_browser_is_said_in_a_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pages, "browser_path", lambda *given, **more: None)
    assert pages.check(write_site(tmp_path / "site")) == 0
    assert "Checks in a browser are skipped" in capsys.readouterr().out


def test_a_browser_that_cannot_start_is_one_sentence(tmp_path):
    (tmp_path / "chromium").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "chromium").chmod(0o755)
    command = [sys.executable, ROOT / "tools/pages.py", "check",
               write_site(tmp_path / "site")]
    ended = subprocess.run(command, capture_output=True, text=True, env={
        **os.environ, "CHROMIUM": str(tmp_path / "chromium")})
    [sentence] = ended.stderr.splitlines()
    assert ended.returncode == 1 and sentence.startswith(
        f"{tmp_path / 'chromium'} does not start: ")
    assert "CHROMIUM=none" in sentence


# Ends of scripts ----------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="signals are others there")
@pytest.mark.parametrize("then", ["1", "import time\ntime.sleep(600)"])
def test_an_interruption_is_a_word(tmp_path, then):
    """The cell interrupts the script that runs it, and ends or goes on."""
    write_notebook(tmp_path / "one/one.ipynb",
                   f"import os, signal\nos.kill(os.getppid(), signal.SIGINT)\n{then}")
    command = [sys.executable, ROOT / "tools/execute.py", tmp_path / "one/one.ipynb",
               tmp_path / "made.ipynb"]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", "\nStopped.\n")
    assert not (tmp_path / "made.ipynb").exists()


@pytest.mark.skipif(os.name == "nt", reason="signals are others there")
@pytest.mark.parametrize("tool, imported", [
    ("execute", "nbclient"), ("pdf", "pypdf"), ("slides", "nbconvert"),
    ("epub", "markdown_it")])
def test_an_interruption_of_an_import_is_the_same_word(tmp_path, tool, imported):
    """A module of this name comes first, and interrupts the tool that imports it."""
    (tmp_path / f"{imported}.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n", "utf-8")
    ended = subprocess.run([sys.executable, ROOT / f"tools/{tool}.py"],
                           capture_output=True, text=True,
                           env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert (ended.returncode, ended.stdout, ended.stderr) == (
        -signal.SIGINT, "", "\nStopped.\n")


@pytest.mark.skipif(os.name == "nt", reason="pipes are others there")
def test_a_closed_pipe_is_quiet(tmp_path):
    broken = GOOD.replace("dot.svg", "gone.svg") * 5000    # more than a pipe holds
    command = [sys.executable, ROOT / "tools/pages.py", "check",
               write_site(tmp_path / "site", broken)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, "CHROMIUM": "none"}) as ended:
        ended.stdout.close()
        assert ended.stderr.read() == b""


@pytest.mark.skipif(os.name == "nt", reason="pipes are others there")
@pytest.mark.parametrize("word", ["", "A reason."])
def test_what_is_left_for_a_closed_pipe_hides_no_reason(word):
    """A few words are printed only when the script ends."""
    script = ("import environment, sys\nsys.stdin.read()\nwith environment.script():\n"
              f"    print('few words')\n    sys.exit({word or 3!r})")
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT / "tools", text=True,
                          env={**os.environ, "PYTHONUNBUFFERED": ""},
                          **dict.fromkeys(("stdin", "stdout", "stderr"),
                                          subprocess.PIPE)) as ended:
        ended.stdout.close()
        ended.stdin.close()
        assert ended.stderr.read().strip() == word
    assert ended.returncode == (1 if word else 3)


@pytest.mark.parametrize("problem, told", [(KeyboardInterrupt, "\nStopped."),
                                           (environment.Stop("A reason."),
                                            "\nA reason.")])
def test_a_command_ends_in_words(repository, monkeypatch, problem, told):
    def ends(*given, **more):
        raise problem

    monkeypatch.setattr(build, "slides", ends)
    monkeypatch.setattr(sys, "argv", ["build.py", "slides"])
    with pytest.raises(SystemExit) as ended, environment.script():
        build.main()
    assert ended.value.code == told


# The repository -----------------------------------------------------------------------


def test_the_code_passes_ruff():
    command = [sys.executable, "-m", "ruff", "check"]    # as CONTRIBUTING says
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout


def test_contributing_names_every_cap():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    width = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    rows = {
        "a code cell": f"{cell_checks.CELL} lines of code",
        "the setup cell": f"{cell_checks.SETUP} lines",
        "the stub of an exercise, and its check cell":
            f"{cell_checks.EXERCISE} lines of code",
        "a quote": f"{cell_checks.QUOTE} lines of code",
        "a sentence": f"{prose_checks.WORDS} words"}
    assert [words for words in rows.items() if "| {} | {} |".format(*words)
            not in text] == []
    assert f"end at column {width['tool']['ruff']['line-length']};" in text


def test_contributing_names_commands_and_files_that_are_there():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    made = set(re.findall(r"`make ([a-z ]+)`", text))
    assert {word for words in made for word in words.split()} <= set(build.COMMANDS)
    folders = r"(?<![\w./-])(?:book|src|tests|notebooks)/"
    files = set(re.findall(rf"{folders}[\w./-]+\w", text))
    gone = {file for file in files    # NN stands for a chapter, PART for a page
            if not re.search("NN|PART", file) and not (ROOT / file).exists()}
    assert gone == set()


def test_the_badges_of_the_readme_are_what_make_quotes_writes():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert notebooks.with_badges(readme) == readme, "run: make quotes"
    rows = [line for line in readme.splitlines() if "[read](" in line]
    names = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert [row.rpartition("/")[2].rstrip(") |") for row in rows] == names
    broken = readme.replace("[read](", "[look](")
    assert notebooks.with_badges(broken) == readme


def test_the_platforms_of_the_readme_are_those_of_the_records():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert platforms.with_platforms(readme, ROOT) == readme, "run: make quotes"
    rows = platforms.TABLE.search(readme)[0].splitlines()[3:-1]
    records = tomllib.loads((ROOT / platforms.FILE).read_text("utf-8"))["platform"]
    assert [row.split(" | ")[0] for row in rows] == [f"| {record['name']}"
                                                    for record in records]
    shallow = subprocess.run(["git", "rev-parse", "--is-shallow-repository"], cwd=ROOT,
                             capture_output=True, text=True).stdout
    if shallow.strip() == "false":    # the whole history is there
        for record in records:
            if record["state"] != "never":
                subprocess.run(["git", "merge-base", "--is-ancestor", record["commit"],
                                "HEAD"], cwd=ROOT, check=True)


@pytest.mark.parametrize("change, told", [
    ({"state": "often"}, "the state of A is 'often'; it must be one of run, rehearsed"),
    ({"date": "2026-11-26"}, "A, run, needs name, state, what, date, commit, versions"),
    ({"state": "never"}, "A, never, needs name, state, what, and nothing else"),
    ({"commit": "main"}, "the commit of A must be 7 to 40 hex digits")])
def test_a_record_of_a_platform_that_says_too_little_is_refused(change, told):
    right = {"name": "A", "state": "run", "what": "all", "commit": "36f136f",
             "date": datetime.date(2026, 11, 26), "versions": "Python 3.11"}
    platforms.check(right)
    with pytest.raises(ValueError, match=told):
        platforms.check(right | change)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_local_links_lead_to_files(name):
    links = re.findall(r"\]\(([^)\s]+)\)", (ROOT / name).read_text("utf-8"))
    local = [link.partition("#")[0] for link in links if "://" not in link]
    assert [link for link in local if not (ROOT / link).exists()] == []


def test_binder_installs_the_versions_of_the_book():
    pins = [line for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines()
            if "==" in line]
    text = (ROOT / "binder/requirements.txt").read_text("utf-8")
    chosen = [line for line in text.splitlines() if "==" in line]
    assert set(chosen) <= set(pins)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = {re.match(r"[\w-]+", line)[0] for line in project["dependencies"]}
    assert needed == {line.partition("==")[0] for line in chosen}


def test_the_dev_container_calls_a_command_that_there_is():
    settings = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text("utf-8"))
    script, name = settings["postCreateCommand"].split()[1:]
    assert script == "tools/build.py" and name in build.COMMANDS


def steps():
    """The steps of all workflows, with the workflow, the job and its permissions."""
    for path in sorted((ROOT / ".github/workflows").glob("*.yml")):
        workflow = yaml.safe_load(path.read_text("utf-8"))
        for name, job in workflow["jobs"].items():
            rights = job.get("permissions", workflow["permissions"])
            for step in job["steps"]:
                yield path.stem, name, rights, step


def test_actions_are_pinned_by_commit_and_named_by_version():
    lines = [line for path in (ROOT / ".github/workflows").glob("*.yml")
             for line in path.read_text("utf-8").splitlines() if "uses:" in line]
    pins = {}
    for line in lines:
        found = re.search(r"uses: ([\w/-]+)@([0-9a-f]{40})    # v\d+\.\d+\.\d+$", line)
        assert found, line
        assert pins.setdefault(found[1], found[2]) == found[2], "two versions of one"


def test_no_token_is_kept_where_code_of_the_book_runs():
    writers = set()
    for workflow, job, rights, step in steps():
        if any(value == "write" for value in rights.values()):
            writers.add((workflow, job))
        else:
            assert rights == {"contents": "read"}
        if step.get("uses", "").startswith("actions/checkout@"):
            kept = step.get("with", {}).get("persist-credentials", True)
            assert kept == ((workflow, job) == ("publish", "executed"))
        assert (workflow, job) not in writers or not re.search(
            r"python|pip|make|jupyter", step.get("run", ""))
    assert writers == {("publish", "pages"), ("publish", "executed")}


def test_requirements_are_exact():
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    assert all(line.count("==") == 1
               for line in lines if line and not line.startswith("#"))


def test_a_progress_bar_is_one_line_of_the_page():
    parts = ["\r  0%|    | 0/2", "\r 50%|##  | 1/2", "\r100%|####| 2/2",
             "\nlast line\n"]
    outputs = [nbformat.v4.new_output("stream", name="stderr", text=part)
               for part in parts]
    outputs += [nbformat.v4.new_output("stream", name="stdout", text="done\n")]
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("train()", outputs=outputs)])
    [cell] = execute.as_seen(notebook).cells
    assert [output.text
            for output in cell.outputs] == ["100%|####| 2/2\nlast line\n", "done\n"]


def test_as_if_run_changes_only_counts(tmp_path):
    write_notebook(tmp_path / "one.ipynb", "1", "2", outputs=["1"])
    before = json.loads((tmp_path / "one.ipynb").read_text("utf-8"))
    after = json.loads(build.as_if_run(tmp_path / "one.ipynb"))
    assert [cell.pop("execution_count") for cell in after["cells"]] == [1, None]
    assert [cell.pop("execution_count") for cell in before["cells"]] == [None, None]
    assert after == before


# make address -------------------------------------------------------------------------


def addresses():
    """A pattern for all places of the book as it stands: repository, Colab, site."""
    old = notebooks.repository(ROOT)[0].removeprefix("https://github.com/")
    return rf"github(\.com)?/{old}|{build.published(old)}"


def test_the_address_moves_everywhere_and_leaves_nothing_behind(tmp_path, monkeypatch):
    for name in ("book", "notebooks", "tests/answers", "tests/wrong_answers",
                 "src/softdict", "one_file"):
        shutil.copytree(ROOT / name, tmp_path / name,
                        ignore=shutil.ignore_patterns("__pycache__", "assets"))
    for name in (*build.ADDRESSED, "CONTRIBUTING.md", "_toc.yml"):
        shutil.copy(ROOT / name, tmp_path)
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(build, "write", lambda *given, **more: notebooks.rewrite_quotes(
        root=tmp_path))
    build.address("Ada/attention")
    left = [path.name for path in tmp_path.rglob("*")
            if path.suffix in (".md", ".ipynb", ".yml", ".cff", ".py")
            and re.search(addresses(), path.read_text("utf-8"))]
    assert left == []
    assert "https://ada.github.io/attention/book/glossary" in (
        tmp_path / "notebooks/07_attention.ipynb").read_text("utf-8")
    first = (tmp_path / "notebooks/01_dictionary.ipynb").read_text("utf-8")
    assert "(https://colab.research.google.com/github/Ada/attention/blob/" in first
    assert "git+" not in first    # code comes from no address before a release
    assert "github/Ada/attention/" in (tmp_path / "README.md").read_text("utf-8")


def test_no_file_of_the_project_has_another_address():
    told = subprocess.run(["git", "grep", "-lIE", addresses()], cwd=ROOT,
                          capture_output=True, text=True)
    known = {*build.ADDRESSED}
    for name in told.stdout.split():
        assert name in known or name.startswith(("book/", "notebooks/")), name


@pytest.mark.parametrize("wanted", ["", "ada", "ada/", "a b/c", "https://x.org/a/b"])
def test_an_address_that_is_none_gets_a_sentence(wanted):
    with pytest.raises(environment.Stop, match="make address wants OWNER/NAME"):
        build.address(wanted)


def test_a_release_has_the_deck_of_cards():
    build_job, other = [[step for workflow, name, _, step in steps()
                         if (workflow, name) == ("publish", job)]
                        for job in ("build", "executed")]
    runs = [step.get("run", "") for step in build_job]
    kept = [step["with"]["path"] for step in build_job
            if step.get("with", {}).get("name") == "executed"]
    target = re.search(r'BUILD / "(\S+\.apkg)"', (ROOT / "tools/build.py").read_text(
        "utf-8"))[1]
    assert "python tools/build.py cards" in runs and f"_build/{target}" in kept[0]
    # it goes to the release, and not into the branch
    words = "\n".join(step.get("run", "") for step in other)
    assert words.index("mv made/*.apkg") < words.index("git add --all")
    assert "gh release upload" in words and '"$RUNNER_TEMP"/*.apkg' in words
    pages = (ROOT / "book/how_to_use.md").read_text("utf-8")
    assert f"repo:releases/latest/download/{target}" in pages


GH = """\
#!/usr/bin/env bash
echo "$*" >> "$HOME/said"
case "$2" in
    view) [ -e "$HOME/$3" ] ;;
    create) touch "$HOME/$3" ;;
esac
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="the workflow's shell")
def test_a_release_can_be_made_twice_and_be_followed_by_another(tmp_path, monkeypatch):
    """The shell steps that publish, against a repository of this machine."""
    home, origin, book = (tmp_path / name for name in ("home", "origin", "book"))
    (home / "bin").mkdir(parents=True)
    (home / "bin/gh").write_text(GH)
    (home / "bin/gh").chmod(0o755)
    for name, value in {
            "HOME": home, "RUNNER_TEMP": home, "GIT_CONFIG_NOSYSTEM": "1",
            "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"}.items():
        monkeypatch.setenv(name, str(value))

    def git(*words, cwd=book):
        return subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=cwd,
            check=True, capture_output=True, encoding="utf-8").stdout.strip()

    git("init", "--quiet", "--bare", str(origin), cwd=tmp_path)
    git("init", "--quiet", str(book), cwd=tmp_path)
    git("remote", "add", "origin", str(origin))
    runs = [step["run"] for workflow, name, _, step in steps()
            if (workflow, name) == ("publish", "executed") and "run" in step]
    for number, tag in enumerate(("v1.0", "v1.0", "v1.1")):
        if number != 1:
            write_notebook(book / "notebooks/01.ipynb", f"{number}")
            (book / f"only-{tag}").touch()
            git("add", "--all")
            git("commit", "--quiet", "--message", tag)
            git("tag", "--annotate", tag, "--message", tag)
            git("push", "--quiet", "origin", tag)
            git("rm", "--quiet", f"only-{tag}")
        runner = tmp_path / f"runner{number}"
        git("clone", "--quiet", "--depth", "1", "--branch", tag, f"file://{origin}",
            str(runner), cwd=tmp_path)
        made = runner / "made"
        for name in ("published/01.ipynb", "published/student/01.ipynb"):
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            (made / name).write_text(f"run {number}")
        for name in ("materials.json", "cards.apkg", "book.epub"):
            (made / name).touch()
        shutil.make_archive(str(made / "site"), "gztar", made / "published")
        monkeypatch.setenv("GITHUB_REF_NAME", tag)
        monkeypatch.setenv("GITHUB_SHA", git("rev-parse", "HEAD", cwd=runner))
        for run in runs:
            subprocess.run(["bash", "-eo", "pipefail", "-c", run], cwd=runner,
                           check=True, capture_output=True)
        assert git("show", "executed:notebooks/01.ipynb", cwd=origin) == f"run {number}"
        files = git("ls-tree", "-r", "--name-only", "executed", cwd=origin).split()
        assert files == ["materials.json", "notebooks/01.ipynb", f"only-{tag}",
                         "student/01.ipynb"]
        assert git("rev-list", "--count", "executed", cwd=origin) == "1"
    said = (home / "said").read_text("utf-8").splitlines()
    assert [line.split()[1:3] for line in said if "upload" not in line] == [
        ["view", "v1.0"], ["create", "v1.0"], ["view", "v1.0"], ["view", "v1.1"],
        ["create", "v1.1"]]
    assert [line.split()[2] for line in said if "upload" in line] == [
        "v1.0", "v1.0", "v1.1"]
