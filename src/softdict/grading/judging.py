"""Decodes what notebooks told and judges it, within limits: whoever wrote a notebook
chose the bytes.

    python -m softdict.grading.judging    messages on standard input, a line of each out

It is a process of the teacher's, beside the grader, and runs nothing of a student's.
"""

import hashlib
import importlib
import importlib.util
import json
import os
import re
import signal
import struct
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from softdict.grading.answering import limit, write_all
from softdict.grading.questions import Failure, Mark, Question, judge
from softdict.grading.reading import MOST_CELLS
from softdict.grading.wire import MOST_TEXT, one_line, pack, unpack

SECONDS, MEMORY = 20, 2 * 2 ** 30    # of the processor and in bytes, for one notebook
LONGEST_WORDS = 200    # letters of what a cell said
MOST_SHOWN = 20    # cells whose words are kept; the others are counted
WITHOUT_END = 10 ** 6    # seconds for all notebooks of a class
SIZE = struct.Struct(">Q")


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


def folder_of(name):
    """The folder with questions.py, or of that name in assignments/; nothing is run.

    raises ValueError where there is none
    """
    folder = next((path for path in (Path(name), Path("assignments") / name)
                   if (path / "questions.py").is_file()), None)
    if folder is None:
        raise ValueError(f"{name!r} is no assignment: neither it nor "
                         f"assignments/{name} is a folder with questions.py")
    return folder.resolve()


def load_assignment(name):
    """The Assignment of a folder that `folder_of` finds.

    raises ValueError where it has no questions
    """
    folder = folder_of(name)
    path = folder / "questions.py"
    spec = importlib.util.spec_from_file_location(f"questions_{folder.name}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    found = getattr(module, "QUESTIONS", ())
    if not found or not all(isinstance(one, Question) for one in found):
        raise ValueError(f"{path} must define QUESTIONS, a tuple of Question")
    return Assignment(getattr(module, "TITLE", folder.name), tuple(found),
                      folder, digest=hashlib.sha256(path.read_bytes()).hexdigest())


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


class Judge:
    """The process that judges; a new one where the last was ended by its limits.

    given are the cases of each question
    """

    def __init__(self, assignment, given):
        self.questions, self.process = assignment.questions, None
        self.task = pack({"folder": str(assignment.folder or ""), "given": given,
                          "chapter": assignment.title.split()[-1],
                          "seconds": SECONDS})

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process:
            self.process.kill()
            self.process.communicate()

    def outcome(self, told, exercises):
        """Marks, cells that broke and the status of one notebook, of the bytes that its
        box told, or of a Failure.

        exercises are the names of published ones that it was asked for
        raises RuntimeError where a question itself is at fault
        """
        if isinstance(told, Failure):
            return stopped(self.questions, told.words)
        self.start()
        self.send(json.dumps(exercises).encode(), told)
        if line := self.process.stdout.readline():
            return json.loads(line)
        self.process.communicate()
        code, self.process = self.process.returncode, None
        if code > 0:    # below 0 is the number of the signal that ended it
            raise RuntimeError("judging stopped with the error above")
        return stopped(self.questions, "comparing its results took too much time or "
                       "memory")

    def start(self):
        """Starts the process, if none runs."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "softdict.grading.judging"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.send(self.task)

    def send(self, *contents):
        try:
            for content in contents:
                self.process.stdin.write(SIZE.pack(len(content)) + content)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass    # it has ended, which whoever reads its answer finds


def stopped(questions, words):
    """What is known of a notebook that told nothing."""
    return {"marks": [asdict(Mark(question.name, 0, question.points, "stopped", words))
                      for question in questions],
            "broken": [], "status": f"stopped: {words}"}


def judged(assignment, given, exercises, content):
    """What `Judge.outcome` says, of bytes that perhaps an answer wrote."""
    asked = 0 if assignment.published else len(given)
    told = understood(content, asked, len(exercises))
    if isinstance(told, Failure):
        return stopped(assignment.questions, told.words)
    if assignment.published:
        found = dict(zip(exercises, told["judged"]))
        marks = [published_mark(question, found.get(question.name))
                 for question in assignment.questions]
    else:
        marks = [judged_safely(*one) for one in zip(assignment.questions, given,
                                                    told["found"])]
    return {"marks": [asdict(mark) for mark in marks], "status": "graded",
            "broken": [[number, one_line(words)[:LONGEST_WORDS] * (place < MOST_SHOWN)]
                       for place, (number, words) in enumerate(told["broken"])]}


def understood(content, asked, exercises):
    """What the bytes of a box say, a dict with found, judged and broken; a Failure for
    what is no answer to so many questions and exercises."""
    try:
        found = unpack(content, MOST_TEXT)
    except ValueError:
        return Failure("the notebook ended its process before its functions could be "
                       "asked")
    if not has_form(found, asked, exercises):
        return Failure("what came back is not what was asked for")
    return found


def has_form(told, asked, exercises):
    """Whether a message has the form that `answering.run` gives it: an answer may have
    written it."""
    def is_list(value, length=None):
        return isinstance(value, list) and length in (None, len(value))

    return (isinstance(told, dict) and set(told) == {"found", "judged", "broken"}
            and is_list(told["found"], asked) and is_list(told["judged"], exercises)
            and all(isinstance(one, Failure) or is_list(one, 4)
                    for one in told["judged"])
            and is_list(told["broken"]) and len(told["broken"]) <= MOST_CELLS and all(
                is_list(one, 2) and type(one[0]) is int and type(one[1]) is str
                and 0 < one[0] <= MOST_CELLS for one in told["broken"]))


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
    """`energy_layer`; results of another form than was asked for count as no answer."""
    fits = isinstance(results, Failure) or (
        isinstance(results, list) and len(results) == len(asked) and all(
            isinstance(part, list) and len(part) == len(given)
            for part, given in zip(results, asked)))
    if not fits:
        results = Failure("the results have another form than was asked for")
    try:
        return judge(question, asked, results)
    except (RecursionError, TypeError, ValueError, RuntimeError, OverflowError,
            MemoryError):
        # whatever an answer returned, the next one is graded
        return judge(question, asked, Failure("the results cannot be compared"))


def main():
    """Judges one notebook after another; a limit ends the process."""
    out = os.dup(1)
    os.dup2(2, 1)    # a question may print
    task = unpack(next_content())
    assignment = (load_assignment(task["folder"]) if task["folder"]
                  else chapter_exercises(task["chapter"]))
    bounded = sys.platform != "win32"
    if bounded:
        limit(WITHOUT_END, MEMORY)
    while exercises := next_content():
        content = next_content()
        if bounded:    # SIGPROF ends the process, in C code too
            signal.setitimer(signal.ITIMER_PROF, task["seconds"])
        told = judged(assignment, task["given"], json.loads(exercises), content)
        if bounded:
            signal.setitimer(signal.ITIMER_PROF, 0)
        write_all(out, json.dumps(told).encode() + b"\n")


def next_content():
    """The next content on standard input; nothing at its end."""
    head = sys.stdin.buffer.read(SIZE.size)
    return sys.stdin.buffer.read(SIZE.unpack(head)[0]) if head else b""


if __name__ == "__main__":
    main()
