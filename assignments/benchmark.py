"""Times the grading of a made-up class: python assignments/benchmark.py [--count 100]

Each submission of the second assignment is put together from the right answers, the
variants and the wrong answers of tests/graded; every twelfth is trouble of some kind.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import nbformat
from softdict.grading import grade, submissions, walls
from softdict.grading.boxes import Limits

HERE = Path(__file__).resolve().parent
NAME = "2_heads_and_masks"
GRADED = HERE.parent / "tests/graded" / NAME
TROUBLE = ("while True: pass", "import os\nos._exit(0)", "print('x' * 50_000_000)",
           "def broken(:", "x = bytearray(2 ** 34)", "raise SystemExit",
           "import os\nwhile os.fork() >= 0: pass")


def answers(questions, rng):
    """Cells with one stored answer for each question, and what they are to get."""
    cells, total = ["import torch"], 0
    for question in questions:
        file = rng.choice(sorted(GRADED.glob(f"{question.name}_*.py")))
        points = file.stem.rpartition("_")[2]
        total += int(points) if points.isdigit() else question.points
        cells.append(file.read_text("utf-8"))
    return cells, total


def make_class(folder, count, questions, seed=0):
    """Writes submissions and a roster; returns the points that each is to get, None
    where the trouble decides."""
    rng, wanted = random.Random(seed), {}
    folder.mkdir()
    for number in range(count):
        cells, total = answers(questions, rng)
        cells[1] += f"\n# {number}\n"    # no two are the same
        if number % 12 == 11:
            cells.insert(1, rng.choice(TROUBLE))
            total = None
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        nbformat.write(notebook, folder / f"s{number:04}_{NAME}.ipynb")
        wanted[f"s{number:04}"] = total
    return wanted


def cpu():
    """Seconds of the processor that this process took, and those that it started: on a
    machine that does much else, they say more than the clock."""
    return sum(os.times()[:4])


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("--count", type=int, default=100)
    reader.add_argument("--jobs", type=int, default=os.cpu_count())
    given = reader.parse_args()
    task = grade.load_assignment(HERE / NAME)
    try:
        wall = walls.find()
    except ValueError as error:
        sys.exit(f"{Path(__file__).name}: {error}")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "in"
        wanted = make_class(made, given.count, task.questions)
        start, used = time.perf_counter(), cpu()
        students = {key: submissions.Student(key) for key in wanted}
        found = submissions.read_all(submissions.find(made), wall, {
            question.function for question in task.questions}, given.jobs)
        pairs = submissions.matched(found, students, task.names)
        read = time.perf_counter()
        rows = grade.grade(pairs, task, Limits(), wall, given.jobs,
                           kept=Path(folder) / "parts.jsonl")
        end, used = time.perf_counter(), cpu() - used
        grade.grade(pairs, task, Limits(), wall, given.jobs,
                    kept=Path(folder) / "parts.jsonl")
        again = time.perf_counter()
    got = {row["id"]: sum(mark.points for mark in row["marks"]) for row in rows}
    wrong = [key for key, points in wanted.items()
             if points is not None and got[key] != points]
    status = Counter(row["status"].partition(":")[0] for row in rows)
    print(f"{given.count} submissions, {given.jobs} at a time: {read - start:.1f} s to "
          f"read, {end - read:.1f} s to grade, {again - end:.1f} s from what was kept")
    print(f"{used:.1f} s of the processor, {used / given.count:.2f} s a submission")
    print(dict(status), f"wrong points: {len(wrong)} {wrong[:5]}")


if __name__ == "__main__":
    main()
