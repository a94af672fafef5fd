"""Grades a class: reads what was handed in, runs it behind a wall, judges it outside.

Each notebook runs once, in a process of its own that holds no tests; what its functions
return is compared here. A stopped run goes on where it was.
"""

import hashlib
import importlib
import importlib.util
import json
import os
import random
import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from tqdm import tqdm

from softdict.files import write_whole
from softdict.grading import boxes, report, submissions, walls
from softdict.grading.boxes import Limits, Passing
from softdict.grading.questions import Failure, Mark, Question, cases, judge
from softdict.grading.walls import Wall
from softdict.grading.wire import one_line, unpack

ASKED = re.compile(r"\bcheck\(\s*[\"'](\d\d-\d+|C\d-\d+)[\"']\s*,\s*(\w+)\s*\)")
WHO = "who.csv"    # beside the table: whose a file is, where its name does not say it


@dataclass(frozen=True)
class Assignment:
    """What is graded: its title, its questions, and the folder where they lie."""

    title: str
    questions: tuple
    folder: Path | None = None
    published: bool = False    # a chapter's own exercises, judged by their checks
    digest: str = ""

    @property
    def names(self):
        """The names that its files may have, in which no student is looked for."""
        folder = self.folder.name if self.folder else self.title.split()[-1]
        return self.title, folder, re.sub(r"^\d+_", "", folder)


def load_assignment(name):
    """The Assignment of a folder with questions.py, or of that name in assignments/.

    raises ValueError where there is none
    """
    folder = next((path for path in (Path(name), Path("assignments") / name)
                   if (path / "questions.py").is_file()), None)
    if folder is None:
        raise ValueError(f"{name!r} is no assignment: neither it nor "
                         f"assignments/{name} is a folder with questions.py")
    path = folder / "questions.py"
    spec = importlib.util.spec_from_file_location(f"questions_{folder.name}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    found = getattr(module, "QUESTIONS", ())
    if not found or not all(isinstance(one, Question) for one in found):
        raise ValueError(f"{path} must define QUESTIONS, a tuple of Question")
    return Assignment(getattr(module, "TITLE", folder.name), tuple(found),
                      folder.resolve(),
                      digest=hashlib.sha256(path.read_bytes()).hexdigest())


def chapter_exercises(chapter):
    """The published exercises of a chapter as an Assignment: practice, no examination.

    raises ValueError for a chapter without checks
    """
    try:
        module = importlib.import_module(f"softdict.checks.ch{chapter}")
    except ImportError:
        raise ValueError(f"there is no chapter {chapter!r} with exercises; its number "
                         "looks like 07") from None
    found = [check for name, check in sorted(vars(module).items())
             if name.startswith("check_") and hasattr(check, "exercise")]
    questions = tuple(Question(check.exercise, "", None, (Points(check.points),))
                      for check in found)
    return Assignment(f"Chapter {chapter}", questions, published=True)


@dataclass(frozen=True)
class Points:
    """In place of a Part: a published exercise has points and no cases of its own."""

    points: int


def keys_of(pairs, assignment, limits):
    """For each submission a text that changes with all that its grade hangs on."""
    base = (f"{assignment.title} {assignment.digest} {limits.seed} {limits.seconds} "
            f"{limits.memory}")
    return [submission and hashlib.sha256(
        f"{base} {submission.cells!r}".encode("utf-8", "replace")).hexdigest()
        for _, submission in pairs]


def finished(path):
    """The marks that an interrupted run has kept: a dict from key to record."""
    found = {}
    if path.exists():
        for line in path.read_text("utf-8", "replace").splitlines():
            try:
                record = json.loads(line)
                record["marks"] = [Mark(**mark) for mark in record["marks"]]
                found[record["key"]] = record
            except (ValueError, TypeError, KeyError, RecursionError):
                pass    # the line at which the run was stopped
    return found


def marks_of(assignment, asked, told):
    """The Mark of each question, of what a notebook's process told."""
    if assignment.published:
        judged = dict(told)
        return [published_mark(question, judged.get(question.name))
                for question in assignment.questions]
    return [judged_safely(question, given, results) for question, given, results
            in zip(assignment.questions, asked, told)]


def published_mark(question, told):
    """The Mark of a published exercise, of what its check said."""
    if told is None or isinstance(told, Failure):
        words = told.words if told else "its check is not in the notebook"
        return Mark(question.name, 0, question.points, "no_answer", words)
    points, most, code, message = told
    points = points if type(points) is int and 0 <= points <= question.points else 0
    return Mark(question.name, points, question.points,
                "right" if points == question.points else one_line(code)[:60],
                "\n".join(map(one_line, str(message)[:1000].split("\n"))))


def judged_safely(question, asked, results):
    """`judge`; results of another form than was asked for count as no answer."""
    fits = isinstance(results, Failure) or (
        isinstance(results, list) and len(results) == len(asked) and all(
            isinstance(part, list) and len(part) == len(given)
            for part, given in zip(results, asked)))
    if not fits:
        results = Failure("the results have another form than was asked for")
    try:
        return judge(question, asked, results)
    except (RecursionError, TypeError, ValueError, RuntimeError, OverflowError):
        # whatever an answer returned, the next one is graded
        return judge(question, asked, Failure("the results cannot be compared"))


def jobs_of(assignment, limits):
    """What every notebook is asked: questions with their cases."""
    if assignment.published:
        return [], []
    rng = random.Random(f"{assignment.title} {limits.seed}")
    given = [cases(question, rng) for question in assignment.questions]
    return given, [(question.function, question.drive, parts)
                   for question, parts in zip(assignment.questions, given)]


def grade(pairs, assignment, limits, wall, jobs=1, scheduler=None, kept=None):
    """A row for each pair (student, submission), in order.

    kept is a file in which the marks of a run that is stopped are found again; what
    failed for a passing reason does not stand in it, and so is run again
    """
    given, asked = jobs_of(assignment, limits)
    keys, known = keys_of(pairs, assignment, limits), finished(kept) if kept else {}
    waiting = {}
    for (_, submission), key in zip(pairs, keys):
        if submission and not submission.problem and key not in known:
            waiting.setdefault(key, submission)
    asking = {key: {"cells": submission.cells, "asked": asked,
                    "exercises": exercises_in(submission)}
              for key, submission in waiting.items()}
    every = run_on_cluster if scheduler else boxes.run_all
    bar = tqdm(total=len(waiting), desc=assignment.title, unit="notebook",
               disable=not waiting)
    with bar, open(kept or os.devnull, "a", encoding="utf-8") as file:
        for key, told in every(asking, limits, wall, scheduler or jobs):
            record = {"key": key} | outcome(assignment, given, waiting[key], told)
            known[key] = record
            line = record | {"marks": [asdict(mark) for mark in record["marks"]]}
            if not isinstance(told, Passing):
                file.write(json.dumps(line) + "\n")
                file.flush()
            bar.update()
    return [row(student, submission, known.get(key), assignment)
            for (student, submission), key in zip(pairs, keys)]


def outcome(assignment, given, submission, told):
    """Marks, cells that broke and the status of one notebook."""
    if isinstance(told, Failure):
        marks = [Mark(question.name, 0, question.points, "stopped", told.words)
                 for question in assignment.questions]
        again = "; the same command runs it again" if isinstance(told, Passing) else ""
        return {"marks": marks, "broken": [], "status": f"stopped: {told.words}{again}"}
    if assignment.published:
        found = dict(zip((name for name, _ in exercises_in(submission)),
                         told["judged"]))
        marks = marks_of(assignment, None, found)
    else:
        marks = marks_of(assignment, given, told["found"])
    broken = [[number, one_line(words)] for number, words in told["broken"]]
    return {"marks": marks, "broken": broken, "status": "graded"}


def exercises_in(submission):
    """Pairs (exercise, function) for which a notebook calls a published check."""
    return sorted(dict(pair for source in submission.cells
                       for pair in ASKED.findall(source)).items())


def run_on_cluster(jobs, limits, wall, address):
    """The same from the workers of a dask cluster; the grader only judges."""
    try:
        from dask.distributed import Client
        from dask.distributed import as_completed as finished_first
    except ImportError:
        raise ValueError("--scheduler needs dask: pip install distributed") from None
    with Client(address) as client:
        futures = {client.submit(on_worker, boxes.packed(job, limits), limits,
                                 wall.kind == "none", pure=False): key
                   for key, job in jobs.items()}
        for future, told in finished_first(futures, with_results=True):
            yield futures[future], told


def on_worker(packed, limits, bare):
    """What the box of one job told, behind the worker's own wall."""
    wall = Wall("none") if bare else walls.find()
    (_, told), = boxes.run_all({"": unpack(packed)}, limits, wall)
    return told


def row(student, submission, record, assignment):
    """What is known of one student, or of a file that belongs to nobody yet."""
    marks, broken = [], []
    if submission is None:
        status = "missing"
    elif submission.problem:
        status = one_line(submission.problem)
        if not status.startswith("to be settled"):
            status = f"unreadable: {status}"
    else:
        status, marks, broken = record["status"], record["marks"], record["broken"]
    student = student or submissions.Student("")
    submission = submission or submissions.Submission("")
    return {"id": student.id, "name": student.name, "adjust": student.adjust,
            "status": status, "marks": marks, "broken": broken, "by_hand": "",
            "remark": "", "notes": tuple(map(one_line, submission.notes)),
            "file": one_line(submission.file), "shape": submission.shape}


def run(arguments):
    """`python -m softdict grade`: writes table, feedback and summary.

    raises ValueError, with one sentence, for what cannot be graded
    """
    if (arguments.assignment is None) == (arguments.exercises is None):
        raise ValueError("name what is to be graded: --assignment NAME, or "
                         "--exercises 07 for a chapter's published exercises")
    assignment = (load_assignment(arguments.assignment) if arguments.assignment
                  else chapter_exercises(arguments.exercises))
    out = Path(arguments.out)
    if out.suffix != ".csv":
        raise ValueError(f"--out names a table, as in grades.csv; got {out}")
    students = submissions.read_roster(arguments.roster)
    entries = submissions.find(arguments.submissions)
    settled = submissions.read_who(out.parent / WHO, students,
                                   [entry.name for entry in entries])
    own = report.by_hand(out, students)
    wall = wall_of(arguments.uncontained)
    out.parent.mkdir(parents=True, exist_ok=True)
    if assignment.published:
        say("These checks are part of the package, and run beside the answers: take "
            "the points for practice, not for an examination.")
    say("Answers run without a GPU, one thread each.")
    jobs = arguments.jobs or os.cpu_count()
    read = submissions.read_all(
        entries, wall, {question.function for question in assignment.questions}, jobs)
    pairs = submissions.matched(read, students, assignment.names, settled,
                                submissions.metadata(arguments.submissions))
    limits = Limits(arguments.seconds, arguments.memory * 2 ** 20, arguments.seed)
    rows = grade(pairs, assignment, limits, wall, jobs, arguments.scheduler,
                 out.with_suffix(".parts.jsonl"))
    rows = [row | own.get(row["id"], {}) for row in rows]
    write_whole(out, report.table(rows, assignment.questions).encode("utf-8"))
    report.write_feedback(out.with_suffix(""), rows, assignment.title)
    told = report.summary(rows, assignment.questions, assignment.title,
                          report.near_copies(rows))
    write_whole(out.with_suffix(".summary.md"), told.encode("utf-8"))
    if arguments.merge:
        text, count = report.merge(arguments.merge, assignment.title, rows)
        merged = out.with_suffix(".merged.csv")
        write_whole(merged, text.encode("utf-8"))
        say(f"{merged}: {count} students found in {arguments.merge}")
    if count := sum(row["status"].startswith("to be settled") for row in rows):
        say(f"{count} to be settled, with the reasons in {out}: write "
            f"{out.parent / WHO} with the columns file and id, and give the same "
            "command again.")
    for path in (out, out.with_suffix(".summary.md"), out.with_suffix("")):
        print(path)


def wall_of(uncontained):
    """The wall of this system; none where there is none and a teacher says so.

    raises ValueError where there is none and nobody said so
    """
    try:
        return walls.find()
    except ValueError as error:
        if not uncontained:
            raise ValueError(f"{error}; or say --uncontained, if you trust what was "
                             "handed in with all that you may do yourself") from None
        if sys.platform == "win32":
            raise ValueError("Windows can run answers in a container or in WSL alone: "
                             f"{error}") from None
        say(f"--uncontained: {error}. An answer can do whatever you may do.")
        return Wall("none")


def say(sentence):
    """A sentence for the teacher, beside the output."""
    print(sentence, file=sys.stderr)
