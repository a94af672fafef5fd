"""Makes up a class, to try the way from a download to grades before term begins:

    python assignments/made_up_class.py FOLDER [--platform moodle] [--count 200]

FOLDER gets handed_in, as a download of the platform unpacks; roster.csv; export.csv,
the platform's own table; and wanted.csv, with the points that each student is to get.
Every twentieth student hands in nothing, and one writes no name that anybody knows.
"""

import argparse
import csv
import random
import sys
from pathlib import Path

import nbformat
from benchmark import NAME, answers
from softdict.grading.judging import load_assignment

FIRST = ("Ada", "Jiwoo", "Minsu", "José", "Zoë", "Anne-Marie", "Kofi", "서연", "Ines",
         "Jan")
LAST = "Kim", "Lee", "García Núñez", "O'Neil", "Müller", "van der Berg", "박", "Mensah"
TABLES = {    # the columns that each platform exports, as far as they matter here
    "moodle": ["Identifier", "Full name", "Email address", "Status", "Grade",
               "Maximum Grade", "Grade can be changed", "Last modified (submission)",
               "Last modified (grade)", "Feedback comments"],
    "canvas": ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]}


def students(count, rng):
    """Dicts with id, name and the number that a platform gives."""
    names = [f"{first} {last}" for last in LAST for first in FIRST]
    names = [f"{name} {turn}".strip() for turn in ["", *"BCDEFGHIJ"] for name in names]
    numbers = rng.sample(range(60_000, 70_000), count)
    return [{"id": f"2026{place:04}", "name": name, "number": number}
            for place, (name, number) in enumerate(zip(rng.sample(names[:count], count),
                                                       numbers), start=1)]


def download(student, platform, late):
    """The name that a platform gives to a student's notebook, ahead of its own."""
    if platform == "moodle":
        return f"{student['name']}_{student['number']}_assignsubmission_file"
    first, _, last = student["name"].lower().partition(" ")
    plain = "".join(sign for sign in last + first if sign.isalnum())
    return f"{plain}{'_LATE' * late}_{student['number']}_{student['number'] + 900_000}"


def exported(student, platform, title):
    """A student's line of the platform's table."""
    if platform == "moodle":
        return [f"Participant {student['number']}", student["name"],
                f"{student['id']}@example.org", "Submitted for grading", "", "20.00",
                "Yes", "-", "-", ""]
    first, _, last = student["name"].partition(" ")
    return [f"{last}, {first}", student["number"], "", f"{student['id']}@example.org",
            "1", ""]


def write_table(path, head, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])


def make_class(folder, count, platform, different, seed=0):
    """Writes the four things; returns how many handed something in."""
    assignment = load_assignment(Path(__file__).parent / NAME)
    rng, out = random.Random(seed), folder / "handed_in"
    out.mkdir(parents=True)
    drawn = [answers(assignment.questions, rng) for _ in range(different)]
    everybody, wanted = students(count, rng), []
    for place, student in enumerate(everybody, start=1):
        cells, points = rng.choice(drawn)
        wanted.append([student["id"], points if place % 20 else 0])
        if place % 20 == 0:
            continue
        start = download(student, platform, late=place % 7 == 0)
        if place == 1:    # whom a teacher has to find
            start = f"somebody_1_{'assignsubmission_file' * (platform == 'moodle')}"
        path = out / f"{start}_{NAME}.ipynb"
        if platform == "moodle":    # a folder each
            path = out / start / f"{NAME}.ipynb"
        path.parent.mkdir(exist_ok=True)
        nbformat.write(nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell) for cell in cells]), path)
    head, rows = TABLES[platform], [exported(student, platform, assignment.title)
                                    for student in everybody]
    if platform == "canvas":
        head = [*head, f"{assignment.title} (4711)"]
        rows = [["    Points Possible", "", "", "", "", "20"], *rows]
    write_table(folder / "export.csv", head, rows)
    write_table(folder / "roster.csv", ["id", "name"],
                [[student["id"], student["name"]] for student in everybody])
    write_table(folder / "wanted.csv", ["id", "points"], wanted)
    return len([*out.iterdir()])


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")    # letters of a folder's name
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("folder", type=Path)
    reader.add_argument("--platform", choices=TABLES, default="moodle")
    reader.add_argument("--count", type=int, default=200)
    reader.add_argument("--different", type=int, default=40,
                        help="how many notebooks are drawn from (default 40)")
    given = reader.parse_args()
    if given.folder.exists():
        reader.error(f"{given.folder} is there already")
    print(f"{make_class(given.folder, given.count, given.platform, given.different)} "
          f"of {given.count} have handed in; see {given.folder}")
