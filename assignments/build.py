"""Builds the graded assignments: student notebook, solutions and autograder zip.

    python assignments/build.py [--seed N] [--out DIR]

It runs `otter assign`, so it needs an environment with requirements-assignments.txt.
Two seeds give two classes different numbers, in the text and in the hidden cases.
"""

import argparse
import copy
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
NAMES = "1_lookup", "2_heads_and_masks", "3_block_and_decoding"
NO_OTTER = ("otter is not installed here: pip install -r requirements-assignments.txt, "
            "in an environment of its own.")


class Stop(Exception):
    """What is wrong, in a sentence: the command ends with it and exit code 1."""


def questions_of(name):
    """The module questions.py of an assignment."""
    spec = importlib.util.spec_from_file_location(f"questions_{name}",
                                                  HERE / name / "questions.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def source(cell):
    """The text of a cell, which a file may hold as one string or as lines."""
    return "".join(cell["source"])


def setup_cell():
    """The lines of the chapters' first cell that install the package on Colab."""
    chapter = json.loads((ROOT / "notebooks/01_dictionary.ipynb").read_text("utf-8"))
    cell = next(cell for cell in chapter["cells"] if cell["id"] == "setup")
    lines = source(cell).split("\n")
    last = next(place for place, line in enumerate(lines) if "%pip" in line)
    # a grader leaves lines with % out, and an `if` needs a line that stays
    return "\n".join([*lines[:last + 1], "    import softdict"])


def install_line():
    """What pip installs on the autograder's machine: this commit, by its hash.

    before `make address` the repository is one that nobody can have
    """
    config = (ROOT / "_config.yml").read_text("utf-8")
    url = re.search(r"^ *url: (\S+)", config, re.MULTILINE)[1]
    told = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True,
                          text=True, check=False)
    if told.returncode:
        raise Stop("the autograder installs a commit: build in a clone made by git")
    return f"git+{url}@{told.stdout.strip()}"


def shown(value):
    """A value of a variant as the text says it: 2 for 2.0."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(shown, value))}]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def filled(text, values, code):
    """The text with {{name}} replaced.

    in code a name stands in quotes, which go with it: "{{size}}" becomes 4
    raises Stop for a name without a value
    """
    def value(match):
        if (name := match[1]) not in values:
            raise Stop(f"variant() does not give {name!r}, which a text wants.")
        return shown(values[name])

    def python(match):
        return repr(values[match[1]]) if match[1] in values else match[0]

    text = re.sub(r'"\{\{(\w+)\}\}"', python, text) if code else text
    return re.sub(r"\{\{(\w+)\}\}", value, text)


def rendered(name, seed):
    """The source notebook of an assignment with its variant filled in.

    the hidden test of a question is there once for each part, with the part's points
    """
    from softdict import __version__

    module = questions_of(name)
    notebook = json.loads((HERE / name / "assignment.ipynb").read_text("utf-8"))
    questions = {question.name: question for question in module.QUESTIONS}
    values = {**module.variant(seed), "seed": seed, "version": __version__}
    cells = []
    for cell in notebook["cells"]:
        if cell["id"] == "setup":
            cell["source"] = setup_cell()
        copies = [{}]
        if cell["id"].endswith("-hidden"):
            parts = questions[cell["id"].partition("-")[0]].parts
            copies = [{"part": place, "points": part.points}
                      for place, part in enumerate(parts)]
        for more in copies:
            one = copy.deepcopy(cell)
            one["source"] = filled(source(cell), values | more,
                                   cell["cell_type"] == "code")
            if more:
                one["id"] = f"{cell['id']}-{more['part']}"
                one["source"] = re.sub(r"(def test_\w+_part)", rf"\1_{more['part']}",
                                       one["source"])
            cells.append(one)
    notebook["cells"] = cells
    return notebook


def without_prompt(text):
    """A solution without otter's marks, and without the stub that stood behind it."""
    lines, stub = [], False
    for line in text.split("\n"):
        stub = stub or line.endswith("# BEGIN PROMPT")
        if not stub and not line.strip().startswith(("# BEGIN SOL", "# END SOL")):
            lines.append(line)
        stub = stub and not line.endswith("# END PROMPT")
    return "\n".join(lines)


def write_notebook(path, notebook):
    """Writes a notebook as Jupyter does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", "utf-8")


def assign(name, seed, work, out):
    """Runs otter assign in the folder `work`, and puts what it made into `out`."""
    write_notebook(work / f"{name}.ipynb", rendered(name, seed))
    shutil.copy(HERE / name / "questions.py", work)
    shutil.copy(HERE / "otter_tests.py", work)
    (work / "requirements.txt").write_text(f"torch\nnumpy\n{install_line()}\n", "utf-8")
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "JUPYTER_PREFER_ENV_PATH": "1"}
    command = [sys.executable, "-m", "otter", "assign", f"{name}.ipynb", "made"]
    ran = subprocess.run(command, cwd=work, env=environment, encoding="utf-8",
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if ran.returncode:
        last = ran.stdout.strip().splitlines()[-8:]
        raise Stop(f"otter assign failed for {name}:\n" + "\n".join(last))
    made = work / "made"
    (out / "student").mkdir(parents=True)
    shutil.copy(made / "student" / f"{name}.ipynb", out / "student")
    student = json.loads((made / "student" / f"{name}.ipynb").read_text("utf-8"))
    solutions = json.loads((made / "autograder" / f"{name}.ipynb").read_text("utf-8"))
    for cell in solutions["cells"]:
        cell["source"] = without_prompt(source(cell))
    # its own metadata have the hidden tests
    solutions["metadata"] = student["metadata"]
    write_notebook(out / "solutions" / f"{name}.ipynb", solutions)
    archive, = (made / "autograder").glob("*.zip")
    shutil.copy(archive, out / "autograder.zip")


def build(seed, out):
    """Builds all assignments; the folder `out` is exchanged as a whole at the end."""
    if importlib.util.find_spec("otter") is None:
        raise Stop(NO_OTTER)
    out = Path(out).resolve()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".assignments-") as folder:
        folder = Path(folder)
        for name in NAMES:
            print(f"{name} ...", flush=True)
            (folder / "work" / name).mkdir(parents=True)
            assign(name, seed, folder / "work" / name, folder / "new" / name)
        (folder / "new" / "seed.txt").write_text(f"{seed}\n", "utf-8")
        if out.exists():
            out.rename(folder / "old")
        (folder / "new").rename(out)
    print(f"in {out}, for the seed {seed}")


def main(arguments=None):
    """Reads the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=0,
                        help="a number for each class (default 0)")
    parser.add_argument("--out", default=ROOT / "_build/assignments", metavar="DIR",
                        help="the folder to make (default _build/assignments)")
    chosen = parser.parse_args(arguments)
    try:
        build(chosen.seed, chosen.out)
    except Stop as stop:
        print(stop, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")    # letters of a folder's name
    sys.exit(main())
