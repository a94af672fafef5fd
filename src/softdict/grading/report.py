"""What a teacher and a student get: the table, the feedback, the summary of a class."""

import ast
import csv
import io
import keyword
import re
import tokenize
from collections import Counter, defaultdict
from pathlib import Path

from softdict.files import write_whole

SHORTEST = 150    # tokens: shorter code is alike without anybody's copying


def table(rows, questions):
    """grades.csv: a row a student, points and codes a question."""
    names = [question.name for question in questions]
    head = ["id", "name", "status", *names, "points", "most", "adjust", "final",
            *(f"{name}_code" for name in names), "file", "notes"]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        marks = {mark.question: mark for mark in row["marks"]}
        points = sum(mark.points for mark in row["marks"])
        writer.writerow(map(harmless, [
            row["id"], row["name"], row["status"],
            *(marks[name].points if name in marks else 0 for name in names), points,
            sum(question.points for question in questions), f"{row['adjust']:g}",
            f"{max(0, points + row['adjust']):g}",
            *(marks[name].code if name in marks else "" for name in names),
            row["file"], "; ".join(row["notes"])]))
    return out.getvalue()


def harmless(value):
    """A cell that no spreadsheet takes for a formula."""
    text = str(value)
    number = re.fullmatch(r"-?\d+(\.\d+)?", text)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") and not number \
        else text


def feedback(row, title):
    """What one student reads, as Markdown."""
    points = sum(mark.points for mark in row["marks"])
    most = sum(mark.most for mark in row["marks"])
    lines = [f"# {title}: {row['name'] or row['id'] or row['file']}", ""]
    if row["marks"]:
        lines += [f"**{points} of {most} points**", ""]
    if row["status"] != "graded":
        lines += [f"Not graded: {row['status']}.", ""]
    for mark in row["marks"]:
        lines += [f"## {mark.question}: {mark.points} of {mark.most}", "",
                  mark.message, ""]
    if row["broken"]:
        lines += ["## Cells that stopped with an error", ""]
        lines += [f"- code cell {number}: {words}" for number, words in row["broken"]]
    lines += [f"- {note}" for note in row["notes"]]
    return "\n".join(lines).rstrip() + "\n"


def summary(rows, questions, title, alike):
    """What the teacher reads of a class: points, and which mistake how often."""
    graded = [row for row in rows if row["marks"]]
    status = Counter(row["status"].partition(":")[0] for row in rows)
    totals = sorted(sum(mark.points for mark in row["marks"]) for row in graded)
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
    return "\n".join(lines) + "\n"


def near_copies(rows, names):
    """Groups of students whose functions are the same up to names and layout."""
    groups = defaultdict(list)
    for row in rows:
        shape = shape_of(row["cells"], names)
        if len(shape) >= SHORTEST:
            groups[shape].append(row["id"] or row["file"])
    return [group for group in groups.values() if len(group) > 1]


def shape_of(cells, names):
    """The tokens of the functions of these names, with every own name numbered."""
    found = {}
    for source in cells:
        try:
            found |= {part.name: ast.unparse(part) for part in ast.parse(source).body
                      if isinstance(part, (ast.FunctionDef, ast.ClassDef))
                      and part.name in names}
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue    # what Python cannot read, or only with much effort
    numbers, shape = {}, []
    for name in sorted(found):
        for token in tokenize.generate_tokens(io.StringIO(found[name]).readline):
            if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
                shape.append(numbers.setdefault(token.string, len(numbers)))
            elif token.type in (tokenize.OP, tokenize.NUMBER, tokenize.NAME):
                shape.append(token.string)
    return tuple(shape)


def merge(path, column, rows):
    """The CSV of a learning platform with a column of final points: Canvas or Moodle.

    rows are found by the platform's id column; returns the text and how many got points
    raises ValueError where the file has no such column
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
    if column not in head:
        head.append(column)
    final = {row["id"]: max(0, sum(mark.points for mark in row["marks"])
                            + row["adjust"]) for row in rows if row["id"]}
    count, place = 0, head.index(column)
    for line in table[1:]:
        line += [""] * (len(head) - len(line))
        key = next((line[one].strip() for one in places if line[one].strip() in final),
                   None)
        if key is not None:
            line[place], count = f"{final[key]:g}", count + 1
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(table)
    return out.getvalue(), count


def write_feedback(folder, rows, title):
    """A file a student; its name is the id, or the file of who has none."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for row in rows:
        name = re.sub(r"[^\w.@+-]", "_", row["id"] or f"unknown_{row['file']}")
        write_whole(folder / f"{name}.md", feedback(row, title).encode("utf-8"))
