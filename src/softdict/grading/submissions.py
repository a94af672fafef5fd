"""The roster, what was handed in, and which student each of it belongs to."""

import csv
import dataclasses
import io
import json
import math
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from softdict.grading import walls, whose
from softdict.grading.reading import NO_NOTEBOOK, NONE_INSIDE
from softdict.grading.wire import one_line

KEPT_APART = "submission_metadata.yml"    # Gradescope's
LARGEST = 2 ** 20    # bytes of it
# a hidden notebook is a student's, but not the Mac's second file of each
OF_TOOLS = re.compile(rf"{KEPT_APART}|__MACOSX|\._.*|\..*(?<!\.ipynb)(?<!\.zip)",
                      re.IGNORECASE)
LONGEST = 200    # bytes of an id, which names a file


@dataclass(frozen=True)
class Student:
    """A row of the roster; adjust is added to the points (late, regraded), platform is
    the number or user name that a platform gives."""

    id: str
    name: str = ""
    adjust: float = 0.0
    platform: str = ""


@dataclass(frozen=True)
class Submission:
    """What one student handed in: its cells, or the reason why there are none.

    shape is that of its functions: "" for short ones, None where none could be found
    """

    file: str
    cells: tuple = ()
    problem: str = ""
    notes: tuple = ()
    claim: str = ""
    shape: str | None = ""


def read_table(path):
    """The rows of a CSV as dicts, and its name; the first line names the columns.

    raises ValueError, with the file's name, for anything else
    """
    path = Path(path)
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} must be UTF-8") from None
    head = text.partition("\n")[0]
    rows = csv.DictReader(io.StringIO(text), delimiter=max(",;\t", key=head.count))
    try:
        return rows.fieldnames or [], [(rows.line_num, row) for row in rows]
    except csv.Error as error:
        raise ValueError(f"{path.name} cannot be read as a CSV: {error}") from None


def read_roster(path):
    """The students of a CSV with the column id, perhaps name, adjust and platform.

    raises ValueError, with file and line, for anything else
    """
    path = Path(path)
    columns, rows = read_table(path)
    if columns.count("id") != 1:
        raise ValueError(f"{path.name}, line 1: a roster names its columns, and one "
                         "of them is id")
    students, taken = {}, set()
    for line, row in rows:
        place, key = f"{path.name}, line {line}", composed(row["id"])
        if not re.fullmatch(r"\w[\w.@+-]{0,99}", key) or len(key.encode()) > LONGEST:
            raise ValueError(f"{place}: an id is letters, digits and . _ @ + -, a name "
                             f"for a file, not {key[:40]!r}")
        platform = composed(row.get("platform"))
        for word in {whose.folded(key), whose.folded(platform)} - {""}:
            if word in taken:
                raise ValueError(f"{place}: the id {word} stands twice")
            taken.add(word)
        students[key] = Student(key, composed(row.get("name")),
                                number(row.get("adjust"), f"{place}: adjust"), platform)
    if not students:
        raise ValueError(f"{path.name} has no students")
    return students


def composed(text):
    """A cell of a table without blanks around it, in NFC."""
    return whose.unicodedata.normalize("NFC", (text or "").strip())


def number(text, place):
    """A cell as a number; nothing is 0. Raises ValueError for anything else."""
    try:
        value = float((text or "").strip() or 0)
        if math.isfinite(value):
            return value
    except ValueError:
        pass
    raise ValueError(f"{place} must be a number, not {text[:40]!r}")


def read_who(path, students, files):
    """What a teacher has settled: a dict from the name of a file to an id, or to ""
    for one that is nobody's. A file that is not there has settled nothing.

    raises ValueError, with file and line, for a file or an id that does not exist
    """
    path = Path(path)
    if not path.exists():
        return {}
    columns, rows = read_table(path)
    if not {"file", "id"} <= set(columns):
        raise ValueError(f"{path.name}, line 1: it has the columns file and id")
    settled = {}
    for line, row in rows:
        place, file, key = f"{path.name}, line {line}", row["file"], composed(row["id"])
        # as it is, or as the table shows it
        named = [one for one in files if one == file] or [
            one for one in files if composed(file) in (composed(one), shown(one))]
        if len(named) != 1:
            raise ValueError(f"{place}: {'nothing' if not named else 'more than one'} "
                             f"with the name {(file or '')[:80]!r} was handed in")
        if key and key not in students:
            raise ValueError(f"{place}: {key[:40]!r} is no id of the roster")
        if settled.setdefault(named[0], key) != key:
            raise ValueError(f"{place}: {file[:80]!r} has another id above")
    return settled


def shown(file):
    """The name of a file as a table shows it: one line, and no formula."""
    return composed(harmless(one_line(file)))


def harmless(value):
    """A cell of which no spreadsheet takes a part for a formula, where columns end at
    semicolons or tabs, too."""
    text = str(value)
    return text if re.fullmatch(r"-?\d+(\.\d+)?", text) else re.sub(
        r"(^|[;\t])(?=[=+\-@\t\r])", r"\1'", text)


def find(folder):
    """The entries of a folder of submissions, without what tools have put there."""
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder")
    return sorted((entry for entry in folder.iterdir() if not OF_TOOLS.fullmatch(
        entry.name)), key=lambda entry: entry.name)


def metadata(folder):
    """What Gradescope says of whose each submission is, if it says something."""
    path = Path(folder) / KEPT_APART
    if not path.is_file() or path.stat().st_size > LARGEST:
        return {}
    return whose.gradescope_keys(path.read_text("utf-8", "replace"))


def read_all(entries, wall, names=(), jobs=1):
    """The Submission of each entry, in order, read behind the wall."""
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda entry: read(entry, wall, names), entries))


def read(entry, wall, names=()):
    """The Submission of a notebook file, a folder or a zip that holds one; names are
    those of the functions whose shape is told."""
    if entry.is_symlink():
        return Submission(entry.name, problem="a link, which is not followed")
    if not (entry.is_dir() or stat.S_ISREG(entry.stat().st_mode)):
        return Submission(entry.name, problem="no regular file")
    lines = walls.read(wall, entry, names).split(b"\n")
    try:
        told = json.loads(lines[0])
    except ValueError:
        return Submission(entry.name, problem="reading it took too much time or memory")
    if "problem" in told:
        return Submission(entry.name, problem=told["problem"])
    try:
        shape = json.loads(lines[1])["shape"]
    except (ValueError, IndexError):
        shape = None
    return Submission(entry.name, tuple(told["cells"]), notes=tuple(told["notes"]),
                      claim=composed(told["claim"]), shape=shape)


def matched(read, students, titles=(), settled=None, keys=None):
    """Pairs (student or None, Submission or None): one a student, in the order of the
    roster, then what is to be settled, with the reason as its problem.

    read are Submissions; settled is what `read_who` gives, keys what `metadata` gives
    """
    settled, found, open_, doubted = settled or {}, {}, [], {}
    chosen = set(settled.values())
    for submission in read:
        if submission.file in settled:
            key = settled[submission.file]
            if key:
                found.setdefault(key, []).append(("", submission))
            continue
        known = whose.owner(submission.file, students, titles, keys)
        reason = known.reason or contradiction(submission.claim, known.id, students)
        if reason:
            if submission.claim and not known.id:
                reason += f"; inside it stands {one_line(submission.claim)[:40]}"
            open_.append((None, to_settle(submission, reason)))
            if known.date and known.of:
                doubted.setdefault(known.of, []).append(known.date)
        elif known.id not in chosen:    # else a teacher has named the one that counts
            found.setdefault(known.id, []).append((known.date, submission))
    return [(student, of_several(found.get(student.id, []),
                                 max(doubted.get(student.id, []), default="")))
            for student in students.values()] + open_


def contradiction(claim, key, students):
    """A sentence if a notebook says that it is another student's."""
    others = {one.id for one in students.values() if whose.folded(claim) in
              (whose.folded(one.id), whose.folded(one.platform))} if claim else set()
    if others - {key}:
        return f"its name says {key}, inside it stands {one_line(claim)[:40]}"
    return ""


def to_settle(submission, reason):
    """A Submission that counts for nobody until a teacher has said whose it is."""
    return dataclasses.replace(submission, cells=(), shape="",
                               problem=f"to be settled: {reason}")


def of_several(mine, doubted=""):
    """The Submission that counts: the newest by the platform's own date; without dates
    a teacher settles which, and so where the newest is itself to be settled, of the
    date doubted. What is no notebook counts only where nothing else is."""
    nothing = NO_NOTEBOOK, NONE_INSIDE
    notebooks = [one for one in mine if one[1].problem not in nothing]
    if notebooks and len(notebooks) < len(mine):
        chosen = of_several(notebooks, doubted)
        return dataclasses.replace(chosen, notes=chosen.notes + tuple(
            f"{one_line(one.file)[:80]!r} is no notebook"
            for _, one in mine if (_, one) not in notebooks)[:5])
    *older, (date, newest) = sorted(mine, key=lambda one: one[0]) or [("", None)]
    if date and date < doubted:
        return to_settle(newest, "a newer attempt of this student's is to be settled")
    if not older:
        return newest
    dated = older[0][0] and older[-1][0] < date
    if not dated and any(one.cells != newest.cells for _, one in older):
        names = ", ".join(one_line(one.file)[:80] for _, one in mine[:5])
        return to_settle(newest, f"{len(mine)} files are this student's: {names}")
    return dataclasses.replace(newest, notes=newest.notes + tuple(
        f"{one_line(one.file)[:80]!r} was handed in before, and not graded"
        for _, one in older[:5]))
