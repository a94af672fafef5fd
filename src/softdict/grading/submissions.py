"""Finding and reading what students handed in: notebooks, folders, zips of any kind."""

import csv
import io
import json
import lzma
import math
import re
import stat
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path

LARGEST = 20 * 2 ** 20    # bytes of a notebook
MOST_FILES = 500          # in a zip or a folder
NAMED = re.compile(r"^[ \t]*(name|student_id)[ \t]*=[ \t]*[\"']([^\"'\n]{0,100})[\"']",
                   re.MULTILINE)


@dataclass(frozen=True)
class Student:
    """A row of the roster; adjust is added to the points (late, regraded)."""

    id: str
    name: str = ""
    adjust: float = 0.0


@dataclass(frozen=True)
class Submission:
    """What one student handed in: its cells, or the reason why there are none."""

    file: str
    cells: tuple = ()
    problem: str = ""
    notes: tuple = field(default=())


def read_roster(path):
    """The students of a CSV with the column id, perhaps name and adjust.

    raises ValueError, with file and line, for anything else
    """
    path = Path(path)
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} must be UTF-8") from None
    rows = csv.DictReader(io.StringIO(text))
    try:
        return students_of(rows, path)
    except csv.Error as error:
        raise ValueError(f"{path.name} cannot be read as a CSV: {error}") from None


def students_of(rows, path):
    """The students of the rows of a roster; ValueError for one that is none."""
    if "id" not in (rows.fieldnames or []):
        raise ValueError(f"{path.name}, line 1: a roster names its columns, and one "
                         "of them is id")
    students = {}
    for row in rows:
        place, key = f"{path.name}, line {rows.line_num}", (row["id"] or "").strip()
        if not re.fullmatch(r"[\w.@+-]{1,100}", key):
            raise ValueError(f"{place}: an id is letters, digits and . _ @ + -, not "
                             f"{key[:40]!r}")
        if key in students:
            raise ValueError(f"{place}: the id {key} stands twice")
        try:
            adjust = float(row.get("adjust") or 0)
            if not math.isfinite(adjust):
                raise ValueError
        except ValueError:
            raise ValueError(f"{place}: adjust must be a number, not "
                             f"{row['adjust'][:40]!r}") from None
        students[key] = Student(key, (row.get("name") or "").strip(), adjust)
    if not students:
        raise ValueError(f"{path.name} has no students")
    return students


def find(folder):
    """The entries of a folder of submissions: files and folders, links left out."""
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder")
    return sorted((entry for entry in folder.iterdir()
                   if not entry.name.startswith(".")), key=lambda entry: entry.name)


def read(entry):
    """The Submission of a notebook file, a folder or a zip that holds one."""
    try:
        content, notes = notebook_bytes(Path(entry))
        cells, more = cells_of(content)
        return Submission(entry.name, cells, notes=(*notes, *more))
    except (ValueError, OSError) as error:
        return Submission(entry.name, problem=str(error))


def notebook_bytes(entry):
    """The content of the one notebook of an entry, and what is to be said of it."""
    if entry.is_symlink():
        raise ValueError("a link, which is not followed")
    if entry.is_dir():
        found = [path for path in sorted(entry.rglob("*"))[:MOST_FILES]
                 if path.suffix == ".ipynb" and path.is_file()
                 and ".ipynb_checkpoints" not in path.parts
                 and not any(part.is_symlink() for part in (path, *path.parents)
                             if part.is_relative_to(entry))]
        return chosen(found, lambda path: path.stat().st_size,
                      lambda path: path.read_bytes(), lambda path: path.name)
    if entry.suffix.lower() == ".zip":
        try:
            return from_zip(entry)
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError,
                RuntimeError, EOFError):
            raise ValueError("a zip that cannot be opened") from None
    if entry.suffix != ".ipynb":
        raise ValueError("neither a notebook (.ipynb) nor a folder or zip with one")
    if not stat.S_ISREG(entry.stat().st_mode):
        raise ValueError("no regular file")
    if entry.stat().st_size > LARGEST:
        raise ValueError(f"larger than {LARGEST // 2 ** 20} MB")
    return entry.read_bytes(), ()


def from_zip(entry):
    """The notebook of a zip; nothing is unpacked onto the disk."""
    with zipfile.ZipFile(entry) as archive:
        infos = archive.infolist()[:MOST_FILES]
        for info in infos:
            if ".." in re.split(r"[/\\]", info.filename) or info.filename[:1] in "/\\":
                raise ValueError("a zip with a name that leads out of it: "
                                 f"{info.filename[:60]!r}")
        found = [info for info in infos if info.filename.endswith(".ipynb")
                 and "__MACOSX" not in info.filename
                 and ".ipynb_checkpoints" not in info.filename
                 and not stat.S_ISLNK(info.external_attr >> 16)]
        return chosen(found, lambda info: info.file_size,
                      lambda info: archive.open(info).read(LARGEST + 1),
                      lambda info: info.filename)


def chosen(found, size, content, name):
    """The largest of the notebooks: the others are copies or checkpoints."""
    if not found:
        raise ValueError("no notebook (.ipynb) in it")
    largest = max(found, key=size)
    if size(largest) > LARGEST:
        raise ValueError(f"larger than {LARGEST // 2 ** 20} MB")
    notes = () if len(found) == 1 else (
        f"{len(found)} notebooks; graded was {name(largest)[:80]!r}, the largest",)
    return content(largest), notes


def cells_of(content):
    """The sources of the code cells of a notebook, and what is to be said of them.

    ids, tags and other metadata are not looked at: they may be lost or copied
    """
    try:
        notebook = json.loads(content.decode("utf-8-sig"))
        cells = notebook["cells"]
        sources = [cell["source"] if isinstance(cell["source"], str)
                   else "".join(cell["source"])
                   for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError("no notebook: it cannot be read as one") from None
    if not any(source.strip() for source in sources):
        raise ValueError("a notebook without code")
    return tuple(sources), ()


def signed(cells):
    """The name and student_id that a notebook's own first lines give."""
    return {key: value.strip() for source in cells[:5]
            for key, value in NAMED.findall(source)}


def matched(entries, students):
    """Pairs (student or None, Submission, key): by the name of the file, else by what
    is written in the notebook. Of several by one student the newest counts."""
    found, strangers = {}, []
    for entry in entries:
        submission = read(entry)
        student = (by_name(entry.name, students)
                   or students.get(signed(submission.cells).get("student_id", "")))
        if student is None:
            strangers.append((None, submission))
            continue
        when = entry.lstat().st_mtime
        found.setdefault(student.id, []).append((when, entry.name, submission))
    pairs = []
    for student in students.values():
        mine = sorted(found.get(student.id, []), key=lambda one: one[:2])
        if not mine:
            pairs.append((student, None))
            continue
        *older, (_, _, newest) = mine
        notes = newest.notes + tuple(f"{name!r} was handed in before, and not graded"
                                     for _, name, _ in older)
        pairs.append((student, Submission(newest.file, newest.cells, newest.problem,
                                          notes)))
    return pairs + strangers


def by_name(name, students):
    """The student whose id stands in a file's name between other signs; the longest id
    counts."""
    fitting = [key for key in students if key in name and    # first what is quick
               re.search(rf"(?<![A-Za-z0-9]){re.escape(key)}(?![A-Za-z0-9])", name)]
    return students[max(fitting, key=len)] if fitting else None
