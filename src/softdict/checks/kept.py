"""What a reader has solved, kept from one session to the next.

A check in a notebook that passes keeps the answer as a file, and `progress()` lists all
exercises of the book. Nothing kept is run unless the reader asks for it. A checkout of
the book keeps its own in `work/answers`; where the package is installed without one,
they lie in `softdict-answers` in the home folder. The variable SOFTDICT_PROGRESS names
another folder.
"""

import importlib
import inspect
import json
import linecache
import os
import shutil
import sys
from pathlib import Path

from softdict import __version__, runtime
from softdict.checks.result import source_file
from softdict.texts.files import write_whole

CHAPTERS = sorted(path.stem for path in Path(__file__).parent.glob("ch*.py"))
DRIVE = Path("/content/drive")


def folder():
    """Where answers and points are kept.

    the first time in a checkout, what the home folder has is copied, with a word
    """
    if named := os.environ.get("SOFTDICT_PROGRESS"):
        return Path(named)
    shared, root = Path.home() / "softdict-answers", checkout()
    if root is None:
        return shared
    own = root / "work/answers"
    try:
        if shared.is_dir() and not own.exists():
            fresh = own.with_suffix(".unfinished")
            shutil.copytree(shared, fresh, dirs_exist_ok=True)
            fresh.rename(own)
            print(f"The answers of {shared} were copied to {own}, where this checkout "
                  "keeps its own.")
    except OSError:    # another notebook was faster, or nothing can be copied
        return own if os.path.exists(own) else shared
    return own


def checkout():
    """The reader's own checkout of the book that the package is imported from, or None.

    one that belongs to somebody else, or cannot be written, counts as none
    """
    source = Path(__file__).resolve().parents[2]
    root, settings = source.parent, source.parent / "pyproject.toml"
    if not (source.name == "src" and (root / "notebooks").is_dir()
            and settings.is_file()
            and b'name = "softdict"' in settings.read_bytes()):
        return None
    place = next(filter(os.path.exists, (root / "work/answers", root / "work", root)))
    # on Windows a file has no such number
    mine = not hasattr(os, "getuid") or os.stat(place).st_uid == os.getuid()
    return root if mine and os.access(place, os.W_OK) else None


def points():
    """For each exercise that was passed, its points."""
    file = folder() / "progress.json"
    try:
        passed = json.loads(file.read_text("utf-8"))
        if not isinstance(passed, dict) or not all(
                name == "version" or type(got) is int for name, got in passed.items()):
            raise ValueError("it holds no points")
        return passed
    except FileNotFoundError:
        return {}
    except (ValueError, OSError, RecursionError) as error:
        raise ValueError(f"{file} cannot be read ({error}); if you delete it, your "
                         "points start anew, and your answers stay") from None


def keep(result, answer):
    """Keeps an answer that passed, with its cell, as NAME.py, and its points.

    does nothing outside a notebook; a folder that cannot be written is said once
    """
    if runtime.shell() is None or not result.passed:
        return
    try:
        own = source_file(answer)
        source = (inspect.getsource(answer) if os.path.exists(own)
                  else "".join(linecache.getlines(own)))    # inspect finds no classes
        home = folder()
        home.mkdir(parents=True, exist_ok=True)
        write_whole(home / f"{result.exercise}.py", f"{source.rstrip()}\n".encode())
        passed = {**points(), result.exercise: result.points, "version": __version__}
        text = json.dumps(passed, indent=1, sort_keys=True)
        write_whole(home / "progress.json", f"{text}\n".encode())
    except (OSError, TypeError, ValueError) as error:
        print(f"The answer was not kept in {folder()}: {error}")


def earlier(name):
    """The source of an answer that passed, as text; run it with exec(earlier("07-1")).

    raises ValueError if none was kept
    """
    try:
        return (folder() / f"{name}.py").read_text("utf-8")
    except OSError:
        raise ValueError(f"no answer to {name!r} is kept in {folder()}: one is kept "
                         "when its check passes in a notebook") from None


class Progress(str):
    """A table that shows itself without quotation marks."""

    __repr__ = str.__str__


def progress():
    """A table of all exercises: which are passed, which are open, and the points."""
    passed, rows, total = points(), [], [0, 0]
    for chapter in CHAPTERS:
        module = importlib.import_module(f"softdict.checks.{chapter}")
        checks = sorted((check for check in vars(module).values()
                         if hasattr(check, "exercise")), key=lambda one: one.exercise)
        got = [passed.get(check.exercise, 0) for check in checks]
        marks = " ".join(f"{check.exercise[3:]}{'·✓'[check.exercise in passed]}"
                         for check in checks)
        most = sum(check.points for check in checks)
        rows.append(f"{chapter[2:]}   {sum(got):3d} of {most:2d} points   {marks}")
        total = [total[0] + sum(got), total[1] + most]
    rows.append(f"all {total[0]:3d} of {total[1]} points, kept in {folder()}")
    return Progress("\n".join(rows))


def keep_in_drive():
    """On Colab: asks for your Drive, and keeps answers and checkpoints there.

    elsewhere it says where they are kept
    """
    if "google.colab" in sys.modules:
        from google.colab import drive

        drive.mount(str(DRIVE))
        home = DRIVE / "MyDrive/softdict-answers"
        os.environ["SOFTDICT_PROGRESS"] = str(home)
        home.mkdir(exist_ok=True)
        os.chdir(home)
    print(f"Answers that pass are kept in {folder()}, "
          f"and checkpoints in {Path.cwd()}.")
