"""Grades a class: reads what was handed in, runs it behind a wall, judges it outside.

Each notebook runs once, in a process of its own that holds no tests; what its functions
return is compared in another. A stopped run goes on where it was.
"""

import hashlib
import json
import os
import random
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tqdm import tqdm

from softdict.grading import boxes, report, submissions, walls, whose
from softdict.grading.boxes import Limits, Passing
from softdict.grading.judging import (
    Judge, chapter_exercises, folder_of, load_assignment)
from softdict.grading.questions import Mark, cases
from softdict.grading.walls import Wall
from softdict.grading.wire import one_line, unpack
from softdict.texts.files import write_whole

ASKED = re.compile(r"\bcheck\(\s*[\"'](\d\d-\d+|C\d-\d+)[\"']\s*,\s*(\w+)\s*\)")
WHO = "who.csv"    # beside the table: whose a file is, where its name does not say it


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
                record = with_marks(json.loads(line))
                found[record["key"]] = record
            except (ValueError, TypeError, KeyError, RecursionError):
                pass    # the line at which the run was stopped
    return found


def with_marks(record):
    """A record as it is kept, its marks made Marks."""
    return record | {"marks": [Mark(**mark) for mark in record["marks"]]}


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

    def finish(key, told):
        names = [name for name, _ in asking[key]["exercises"]]
        record = {"key": key} | judge.outcome(told, names)
        if isinstance(told, Passing):
            record["status"] += "; the same command runs it again"
        else:
            file.write(json.dumps(record) + "\n")
            file.flush()
        known[key] = with_marks(record)
        bar.update()

    # boxes are looked at while others are judged
    with (bar, open(kept or os.devnull, "a", encoding="utf-8") as file,
          Judge(assignment, given) as judge, ThreadPoolExecutor(1) as pool):
        if waiting:    # ahead of any student's line, which may take every process
            pool.submit(judge.start)
        done = [pool.submit(finish, key, told) for key, told in
                every(asking, limits, wall, scheduler or jobs)]
    for one in done:
        one.result()
    return [row(student, submission, known.get(key), assignment)
            for (student, submission), key in zip(pairs, keys)]


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
    folder = arguments.assignment and folder_of(arguments.assignment)
    out = Path(arguments.out)
    if out.suffix != ".csv":
        raise ValueError(f"--out names a table, as in grades.csv; got {out}")
    keep_apart(arguments, out, folder)
    assignment = (load_assignment(folder) if folder
                  else chapter_exercises(arguments.exercises))
    students = submissions.read_roster(arguments.roster)
    if arguments.merge:    # what is wrong with it is said before anything runs
        report.merge(arguments.merge, assignment.title, dict.fromkeys(students, 0))
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
        text, count = report.merge(
            arguments.merge, assignment.title, {
                row["id"]: report.final(row) for row in rows if row["id"]},
            numbers_of(rows, students), sum(
                question.points for question in assignment.questions), students)
        merged, packed = out.with_suffix(".merged.csv"), out.with_suffix(
            ".feedback.zip")
        write_whole(merged, text.encode("utf-8"))
        say(f"{merged}: {count} students found in {arguments.merge}")
        content, count = report.for_platform(rows, assignment.title)
        write_whole(packed, content)
        say(f"{packed}: {count} feedback files, named as the platform names them")
    if count := sum(row["status"].startswith("to be settled") for row in rows):
        say(f"{count} to be settled, with the reasons in {out}: write "
            f"{out.parent / WHO} with the columns file and id, and give the same "
            "command again.")
    for path in (out, out.with_suffix(".summary.md"), out.with_suffix("")):
        print(path)


def numbers_of(rows, students):
    """A platform's own numbers, as its downloads or the roster have them: to ids."""
    found = [(whose.number_of(row["file"]), row["id"]) for row in rows if row["id"]]
    found += [(student.platform, key) for key, student in students.items()]
    return {number: key for number, key in found
            if number and {one for other, one in found if other == number} == {key}}


def keep_apart(arguments, out, folder):
    """Raises ValueError where what students handed in would be taken for the teacher's,
    or a file of the teacher's would be written over."""
    handed_in = Path(arguments.submissions).resolve()
    feedback = out.with_suffix("").resolve()
    for place, what in ((out.parent.resolve(), "--out"), (feedback, "the feedback"),
                        (Path.cwd(), "the current folder"),
                        (folder, "the assignment"),
                        (Path(arguments.roster).resolve(), "the roster")):
        if place and place.is_relative_to(handed_in):
            raise ValueError(f"{what} must not lie among what was handed in, which "
                             f"is {handed_in}")
    if handed_in.is_relative_to(feedback):
        raise ValueError(f"--out would write the feedback into {feedback}, where what "
                         "was handed in lies")
    for path in (arguments.roster, arguments.merge, out.parent / WHO):
        if path and Path(path).resolve() == out.resolve():
            raise ValueError(f"--out would write over {path}")


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
