"""What a teacher and a student get: the table, the feedback, the summary of a class."""

import csv
import io
import re
import zipfile
from collections import Counter, defaultdict
from pathlib import Path

from softdict.grading import whose
from softdict.grading.judging import MOST_SHOWN
from softdict.grading.submissions import composed, harmless, number, read_table
from softdict.grading.wire import one_line
from softdict.texts.files import write_whole

BY_HAND = "by_hand", "remark"    # columns of the teacher's own, which every run keeps
QUOTED = 200    # letters of a student's words
LONGEST = 20_000    # letters of one feedback


def table(rows, questions):
    """grades.csv: a row a student, points and codes a question."""
    names = [question.name for question in questions]
    head = ["id", "name", "status", *names, "points", "most", "adjust", *BY_HAND,
            "final", *(f"{name}_code" for name in names), "file", "notes"]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        marks = {mark.question: mark for mark in row["marks"]}
        writer.writerow(map(harmless, [
            row["id"], row["name"], row["status"],
            *(marks[name].points if name in marks else 0 for name in names),
            points(row), sum(question.points for question in questions),
            f"{row['adjust']:g}", *(row[name] for name in BY_HAND), f"{final(row):g}",
            *(marks[name].code if name in marks else "" for name in names),
            row["file"], "; ".join(row["notes"])]))
    return out.getvalue()


def points(row):
    """The points of all questions of a row."""
    return sum(mark.points for mark in row["marks"])


def final(row):
    """Points, what the roster adds and what a teacher added by hand; never below 0."""
    return max(0, points(row) + row["adjust"] + number(row["by_hand"], "by_hand"))


def by_hand(path, students):
    """The cells that a teacher has written into an earlier table: by id, two each.

    raises ValueError where they would be lost, or are no numbers
    """
    path = Path(path)
    if not path.exists():
        return {}
    columns, rows = read_table(path)
    if not set(BY_HAND) & set(columns):
        return {}
    found = {}
    for line, row in rows:
        cells = {name: (row.get(name) or "").strip() for name in BY_HAND}
        if not any(cells.values()):
            continue
        key = (row.get("id") or "").strip().removeprefix("'")
        place = f"{path.name}, line {line}"
        number(cells["by_hand"], f"{place}: by_hand")
        if key not in students or key in found:
            raise ValueError(f"{place} has points or a remark by hand for "
                             f"{key[:40]!r}, which is not one student of the roster; "
                             "nothing was written, so that they are not lost")
        found[key] = cells
    return found


def feedback(row, title):
    """What one student reads, as plain text; words of a student stand behind >."""
    lines = [f"{title}: {row['name'] or row['id']}", ""]
    if row["marks"]:
        most = sum(mark.most for mark in row["marks"])
        lines += [f"{points(row)} of {most} points", ""]
    if number(row["by_hand"], "by_hand"):
        lines += [f"{float(row['by_hand']):+g} points, given by hand", ""]
    if row["remark"]:
        lines += [row["remark"], ""]
    if row["status"] == "missing":
        lines += ["Nothing of yours was found.", ""]
    elif row["status"] != "graded":
        lines += ["It was not graded:", quoted(row["status"]), ""]
    for mark in row["marks"]:
        lines += [f"{mark.question}: {mark.points} of {mark.most}",
                  "Right." if mark.code == "right" else quoted(mark.message), ""]
    if row["broken"]:
        lines += ["Cells that stopped with an error:"]
        lines += [f"code cell {number}:\n{quoted(words)}"
                  for number, words in row["broken"][:MOST_SHOWN]]
        if more := len(row["broken"]) - MOST_SHOWN:
            lines += [f"and {more} more"] if more > 0 else []
        lines += [""]
    lines += map(quoted, row["notes"])
    return "\n".join(lines).rstrip()[:LONGEST] + "\n"


def quoted(words):
    """Words from outside as lines that begin with >, cut, and of one line each."""
    lines = [one_line(line)[:QUOTED] for line in str(words).split("\n")]
    return "\n".join(f"> {line}" for line in lines[:10])


def summary(rows, questions, title, alike):
    """What the teacher reads of a class: points, and which mistake how often."""
    graded = [row for row in rows if row["marks"]]
    status = Counter(row["status"].partition(":")[0] for row in rows)
    totals = sorted(map(points, graded))
    lines = [f"# {title}", "", ", ".join(
        f"{count} {name}" for name, count in status.most_common()) + ".", ""]
    if totals:
        lines += [f"Median {totals[len(totals) // 2]} of "
                  f"{sum(question.points for question in questions)} points, from "
                  f"{totals[0]} to {totals[-1]}.", ""]
    lines += ["| question | right | points, mean | most common mistakes |",
              "|---|---|---|---|"]
    for question in questions:
        marks = [mark for row in graded for mark in row["marks"]
                 if mark.question == question.name]
        codes = Counter(mark.code for mark in marks if mark.code != "right")
        mean = sum(mark.points for mark in marks) / max(1, len(marks))
        lines.append(f"| {question.name} | {len(marks) - sum(codes.values())} | "
                     f"{mean:.1f} of {question.points} | " + ", ".join(
                         f"{code} ({count})" for code, count in codes.most_common(4))
                     + " |")
    if alike:
        lines += ["", "## Code that is the same up to names and layout", ""]
        lines += [f"- {', '.join(group)}" for group in alike]
    unseen = [row["id"] or row["file"] for row in rows if row["shape"] is None]
    if unseen:
        lines += ["", "## Code that could not be compared with others': read it", ""]
        lines += [f"- {name}" for name in unseen]
    return "\n".join(lines) + "\n"


def near_copies(rows):
    """Groups of students whose functions are the same up to names and layout."""
    groups = defaultdict(list)
    for row in rows:
        if row["shape"]:
            groups[row["shape"]].append(row["id"] or row["file"])
    return [group for group in groups.values() if len(group) > 1]


def merge(path, column, totals, numbers=None, most=0, students=None):
    """The CSV of a learning platform with final points, as it takes it back.

    totals is a dict from id to points, numbers one from a platform's own numbers to
    ids, most the points of all questions, and students the roster. Points stand in the
    column that the platform reads: Moodle's Grade, Canvas's column of that assignment,
    or a new one. Returns the text and how many got points. The column with the most ids
    of the roster, or the most numbers, says whose a line is, and else the full name
    raises ValueError where the file has no such column, or an id in it twice
    """
    path = Path(path)
    try:
        table = list(csv.reader(io.StringIO(path.read_text("utf-8-sig"))))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path.name} is no CSV in UTF-8: {error}") from None
    head = table[0] if table else []
    places = [head.index(name) for name in (
        "SIS User ID", "SIS Login ID", "ID number", "Identifier", "Email address",
        "Username", "ID", "id") if name in head]
    if not places:
        raise ValueError(f"{path.name} has no column with ids, as Canvas (SIS User ID, "
                         "ID) and Moodle (ID number, Email address) write it")
    column = column_of(head, column)
    if column not in head:
        head.append(column)
    for line in table:
        line += [""] * (len(head) - len(line))
    cells = [[composed(line[place]) for line in table[1:]] for place in places]
    own = [[(numbers or {}).get(re.sub(r"^\D* ", "", cell), "") for cell in column]
           for column in cells]    # Moodle writes "Participant 4711"
    keys = max(cells + own, key=lambda keys: len(totals.keys() & keys))
    for name in {"Full name", "Student"} & set(head):
        keys = named_too(keys, [line[head.index(name)] for line in table[1:]], totals,
                         students or {})
    for line, key in zip(table[1:], keys):
        if key in totals:
            if keys.count(key) > 1:
                raise ValueError(f"{path.name} has the id {key} in two lines")
            line[head.index(column)] = f"{totals[key]:g}"
        elif line[0].strip() == "Points Possible" and most:    # Canvas, second line
            line[head.index(column)] = line[head.index(column)] or f"{most:g}"
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(table)
    return out.getvalue(), len(totals.keys() & keys)


def named_too(keys, names, totals, students):
    """The keys of lines, with ids for the lines that only a full name tells: one that
    one student has and one line."""
    named = [whose.named(name, students) for name in names]
    return [next(iter(found)) if key not in totals and len(found) == 1
            and not found & set(keys) and named.count(found) == 1 else key
            for key, found in zip(keys, named)]


def column_of(head, title):
    """The column of a platform's table that gets the points of an assignment."""
    if {"Identifier", "Grade"} <= set(head):    # Moodle's grading worksheet
        return "Grade"
    canvas = [name for name in head if re.fullmatch(rf"{re.escape(title)} \(\d+\)",
                                                    name)]
    return canvas[0] if canvas else title


def for_platform(rows, title):
    """A zip of the feedback as Moodle and Canvas take it back, and how many files.

    both know a student by the beginning of the name that they gave to the download
    """
    out, named = io.BytesIO(), {}
    for row in rows:
        if row["id"] and (start := whose.beginning(row["file"])):
            named[f"{start}_feedback.txt"] = feedback(row, title)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in named.items():
            packed.writestr(name, text.encode("utf-8", "replace"))
    return out.getvalue(), len(named)


def write_feedback(folder, rows, title):
    """A file for each student of the roster; its name is the id."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for row in rows:
        if row["id"]:
            write_whole(folder / f"{row['id']}.txt",
                        feedback(row, title).encode("utf-8", "replace"))
