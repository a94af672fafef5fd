"""Grades a class: reads what was handed in, runs it shut in, judges it outside.

Each notebook runs once, in a process of its own that holds no tests; what its functions
return is compared here. A stopped run goes on where it was.
"""

import dataclasses
import hashlib
import importlib
import importlib.util
import json
import os
import queue
import random
import re
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

from tqdm import tqdm

from softdict.files import write_whole
from softdict.grading import report, submissions
from softdict.grading.contain import Limits, Nursery, gaps
from softdict.grading.questions import Failure, Mark, Question, cases, judge
from softdict.grading.wire import one_line

ASKED = re.compile(r"\bcheck\(\s*[\"'](\d\d-\d+|C\d-\d+)[\"']\s*,\s*(\w+)\s*\)")
REACHES = {"network": "use the network", "files": "change files",
           "processes": "see and stop other processes",
           "everything": "do whatever the user who grades may do"}


@dataclass(frozen=True)
class Assignment:
    """What is graded: its title, its questions, and the folder that nobody may read."""

    title: str
    questions: tuple
    folder: Path | None = None
    published: bool = False    # a chapter's own exercises, judged by their checks
    digest: str = ""


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
            f"{limits.memory} {limits.contained}")
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


def run_one(cells, asked, exercises, limits, nursery=None):
    """What one notebook's process told; a Failure in place of it."""
    own = nursery or Nursery(limits)
    try:
        return own.run(cells, asked, exercises)
    except RuntimeError as error:
        return Failure(str(error))
    finally:
        if nursery is None:
            own.stop()


def jobs_of(assignment, limits):
    """What every notebook is asked: questions with their cases."""
    if assignment.published:
        return [], []
    rng = random.Random(f"{assignment.title} {limits.seed}")
    given = [cases(question, rng) for question in assignment.questions]
    return given, [(question.function, question.drive, parts)
                   for question, parts in zip(assignment.questions, given)]


def grade(pairs, assignment, limits, jobs=1, scheduler=None, kept=None):
    """A row for each pair (student, submission), in order.

    kept is a file in which the marks of a run that is stopped are found again
    """
    given, asked = jobs_of(assignment, limits)
    keys, known = keys_of(pairs, assignment, limits), finished(kept) if kept else {}
    waiting = {}
    for (_, submission), key in zip(pairs, keys):
        if submission and not submission.problem and key not in known:
            waiting.setdefault(key, submission)
    every = run_on_cluster if scheduler else run_here
    bar = tqdm(total=len(waiting), desc=assignment.title, unit="notebook",
               disable=not waiting)
    with bar, open(kept or os.devnull, "a", encoding="utf-8") as file:
        for key, told in every(waiting, asked, limits, scheduler or jobs):
            record = {"key": key} | outcome(assignment, given, waiting[key], told)
            known[key] = record
            line = record | {"marks": [asdict(mark) for mark in record["marks"]]}
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
        return {"marks": marks, "broken": [], "status": f"stopped: {told.words}"}
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


def run_here(waiting, asked, limits, jobs):
    """Pairs (key, what its process told), from as many nurseries as there are jobs."""
    nurseries = queue.SimpleQueue()
    made = [Nursery(limits, number).start() for number in range(jobs)]
    for nursery in made:
        nurseries.put(nursery)

    def one(submission):
        nursery = nurseries.get()
        try:
            return run_one(submission.cells, asked, exercises_in(submission), limits,
                           nursery)
        finally:
            nurseries.put(nursery)

    pool = ThreadPoolExecutor(jobs)
    try:
        futures = {pool.submit(one, submission): key
                   for key, submission in waiting.items()}
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for nursery in made:
            nursery.stop()


def run_on_cluster(waiting, asked, limits, address):
    """The same from the workers of a dask cluster; the grader only judges."""
    try:
        from dask.distributed import Client
        from dask.distributed import as_completed as finished_first
    except ImportError:
        raise ValueError("--scheduler needs dask: pip install distributed") from None
    from softdict.grading.wire import pack

    packed = pack([list(question) for question in asked])
    with Client(address) as client:
        futures = {client.submit(on_worker, submission.cells, packed,
                                 exercises_in(submission), limits, pure=False): key
                   for key, submission in waiting.items()}
        for future, told in finished_first(futures, with_results=True):
            yield futures[future], told


NURSERIES = queue.SimpleQueue()    # of this dask worker: warm ones wait here


def on_worker(cells, packed, exercises, limits):
    """`run_one` on a worker, with a nursery that stays warm."""
    from softdict.grading.wire import unpack

    try:
        nursery = NURSERIES.get_nowait()
    except queue.Empty:
        nursery = Nursery(limits, os.getpid() % 1000)
    nursery.limits = limits
    try:
        return run_one(cells, unpack(packed), exercises, limits, nursery)
    finally:
        NURSERIES.put(nursery)


def row(student, submission, record, assignment):
    """What is known of one student, or of a file that belongs to none."""
    if submission is None:
        status, marks, broken = "missing", [], []
    elif submission.problem:
        status = f"unreadable: {one_line(submission.problem)}"
        marks, broken = [], []
    else:
        status, marks, broken = record["status"], record["marks"], record["broken"]
    if student is None:
        status = f"not on the roster: {status}"
    student = student or submissions.Student("")
    submission = submission or submissions.Submission("")
    return {"id": student.id, "name": student.name, "adjust": student.adjust,
            "status": status, "marks": marks, "broken": broken,
            "notes": submission.notes, "file": one_line(submission.file),
            "cells": submission.cells}


def run(arguments):
    """`python -m softdict grade`: writes table, feedback and summary.

    raises ValueError, with one sentence, for what cannot be graded
    """
    if sys.platform == "win32":
        raise ValueError("Windows cannot fork processes, which grading needs; use WSL, "
                         "Linux or macOS")
    if (arguments.assignment is None) == (arguments.exercises is None):
        raise ValueError("name what is to be graded: --assignment NAME, or "
                         "--exercises 07 for a chapter's published exercises")
    assignment = (load_assignment(arguments.assignment) if arguments.assignment
                  else chapter_exercises(arguments.exercises))
    out = Path(arguments.out)
    if out.suffix != ".csv":
        raise ValueError(f"--out names a table, as in grades.csv; got {out}")
    students = submissions.read_roster(arguments.roster)
    folder = Path(arguments.submissions)
    pairs = submissions.matched(submissions.find(folder), students)
    limits = Limits(arguments.seconds, arguments.memory * 2 ** 20, tuple(
        str(Path(path).resolve()) for path in (
            folder, assignment.folder, out.parent if out.parent != Path(".") else None,
            Path(arguments.roster).parent if Path(arguments.roster).parent != Path(".")
            else None) if path), seed=arguments.seed)
    if assignment.published:
        say("These checks are part of the package, and run beside the answers: take "
            "the points for practice, not for an examination.")
    if found := gaps(limits):
        words = ", ".join(REACHES[gap] for gap in found)
        if not arguments.uncontained:
            raise ValueError(f"on this system an answer could {words}; grade on Linux "
                             "as root or where user namespaces are allowed, or say "
                             "--uncontained if you trust what was handed in")
        say(f"An answer could {words} on this system (--uncontained).")
        limits = dataclasses.replace(limits, contained="everything" not in found)
    say("Answers run without a GPU, one thread each.")
    rows = grade(pairs, assignment, limits, arguments.jobs or os.cpu_count(),
                 arguments.scheduler, out.with_suffix(".parts.jsonl"))
    names = {question.function for question in assignment.questions}
    alike = report.near_copies(rows, names)
    write_whole(out, report.table(rows, assignment.questions).encode("utf-8"))
    report.write_feedback(out.with_suffix(""), rows, assignment.title)
    told = report.summary(rows, assignment.questions, assignment.title, alike)
    write_whole(out.with_suffix(".summary.md"), told.encode("utf-8"))
    if arguments.merge:
        text, count = report.merge(arguments.merge, assignment.title, rows)
        merged = out.with_suffix(".merged.csv")
        write_whole(merged, text.encode("utf-8"))
        say(f"{merged}: {count} students found in {arguments.merge}")
    for path in (out, out.with_suffix(".summary.md"), out.with_suffix("")):
        print(path)


def say(sentence):
    """A sentence for the teacher, beside the output."""
    print(sentence, file=sys.stderr)
