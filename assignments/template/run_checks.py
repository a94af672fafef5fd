"""Runs the notebooks of this folder, and says what the check of each exercise says.

    python run_checks.py

It ends with an error as long as one of the exercises that were checked has not passed.
An exercise whose cell stops is not counted. These checks are public: they are for
practice.
"""

import json
import os
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

os.environ["MPLBACKEND"] = "Agg"    # figures are drawn, and not shown

import softdict.checks

FOUND = {}    # exercise: its Result
asked = softdict.checks.check


def check(name, answer):
    FOUND[name] = asked(name, answer)
    return FOUND[name]


def run(path):
    """Runs the code cells of a notebook; one that stops does not stop the next."""
    names = {"__name__": "__main__"}
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            source = re.sub(r"(?m)^( *)[%!].*$", r"\1pass", "".join(cell["source"]))
            place = f"{path.name}, cell {cell.get('id', '')}"
            try:
                with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                    exec(compile(source, place, "exec"), names)
            except Exception as error:
                print(f"{path.name}: a cell stopped: {type(error).__name__}: {error}")


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")    # whatever letters the terminal knows
    softdict.checks.check = check
    for path in sorted(Path().glob("*.ipynb")):
        print(f"{path.name} runs; a chapter that trains takes some minutes", flush=True)
        run(path)
    for name, result in sorted(FOUND.items()):
        print(f"{name}: {'passed' if result.passed else result.message}")
    passed = sum(result.passed for result in FOUND.values())
    print(f"{passed} of {len(FOUND)} exercises passed")
    sys.exit(passed < len(FOUND) or not FOUND)
