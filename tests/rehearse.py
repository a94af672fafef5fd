"""Chapters on the second device: `python tests/rehearse.py 02 07`, or all of them.

Each cell runs as on a GPU that nobody has at hand. What a GPU would refuse for its
device ends the chapter with its cell and line. With the word mps in front, what Apple's
MPS lacks ends it too.

A training ends after a few updates, since later ones ask nothing new of a device. Such
models have not learned: asserts are left out, and a cell that divides by a number of
right words, or draws or asks for later updates, is named, and the chapter goes on.
"""

import contextlib
import io
import linecache
import re
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

import matplotlib
import second_device

from softdict import runtime

matplotlib.use("agg")
from matplotlib import pyplot  # noqa: E402  # the drawing without a screen first

ROOT = Path(__file__).resolve().parent.parent
UPDATES = "4"    # of a training


def run(notebook, python):
    """Runs each cell in this process and an empty folder; an error notes its cell.

    returns the cells that a model which has not learned stopped, with their errors
    """
    namespace, unlearned = {"__name__": "__main__", "display": print}, []
    with (tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder),
          contextlib.redirect_stdout(io.StringIO())):
        for cell in notebook.cells:
            if cell.cell_type == "code" and cell.get("id") != "setup":
                name = f"cell {cell.get('id')}"
                source = re.sub(r"(?<=\bupdates=)\d[\d_]*", UPDATES,
                                python(cell.source))
                # where inspect finds the source of what a cell defines
                linecache.cache[name] = len(source), None, source.splitlines(True), name
                try:
                    exec(compile(source, name, "exec", optimize=1), namespace)
                except (ArithmeticError, LookupError, ValueError) as error:
                    unlearned.append(f"{cell.get('id')} ({type(error).__name__})")
                except Exception as error:
                    error.add_note(name)
                    raise
                pyplot.close("all")
    return unlearned


def main(wanted):
    """Runs the chapters whose names begin so; returns how many have stopped.

    wanted: beginnings; mps before them, or alone, lets the device stand for Apple's
    """
    stopped, mps = 0, wanted[:1] == ["mps"]
    wanted = wanted[mps:] or [""]
    if mps and not second_device.OPERATIONS.is_file():
        sys.exit("This torch does not bring native_functions.yaml, the list of what "
                 "MPS computes.")
    with second_device.present(mps) as device:
        runtime.device = lambda: device
        sys.path.append(str(ROOT / "tools"))
        import notebooks

        for path in notebooks.paths(ROOT):
            name = path.stem
            if not name.startswith(tuple(wanted)):
                continue
            start = time.time()
            try:
                unlearned = run(notebooks.read(path), notebooks.python)
                word = ", ".join(["runs", *unlearned])
            except Exception as error:
                stopped += 1
                last = traceback.extract_tb(error.__traceback__)[-1]
                word = (f"stops in {error.__notes__[-1]}, {last.filename}:"
                        f"{last.lineno}, {type(error).__name__}: {error}")
            print(f"{name} {word} ({time.time() - start:.0f} s)", flush=True)
    return stopped


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main(sys.argv[1:]))
