"""What runs beside a student's code, behind the wall, in a process that holds no tests.

    python -m softdict.grading.answering    one job on standard input, one answer out

The cells of a notebook run in order, as on its author's screen; then each function that
is asked for gets its inputs, and what it returns goes out as plain values.
"""

import ast
import asyncio
import gc
import inspect
import os
import random
import re
import signal
import sys
import time

from softdict.grading.questions import Failure, copied
from softdict.grading.reading import without_magic
from softdict.grading.wire import LOADED, LONGEST, MOST_TEXT, pack, unpack

CELL = 10    # seconds a cell may take, and all cases of one question
LONGEST_WORDS = 300
FILES = 16 * 2 ** 20    # bytes that one file may have
PROCESSES = 64    # threads of a box, where the kernel counts them for a box alone
COUNTED = "--counted"    # said to a box that has users of its own
COUNTS_FOR_BOX = 5, 14    # of Linux; before, the teacher's own were counted with them


class TooLong(BaseException):
    """A cell took more than its seconds; no `except Exception` stops this."""


def ring(number, frame):
    raise TooLong


def within(seconds, function, *arguments):
    """The function's result; a Failure for what it raises, or if it takes too long."""
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return function(*arguments)
    except TooLong:
        return Failure(f"it ran longer than {seconds:.0f} s")
    except MemoryError:
        return Failure("MemoryError: it needs more memory than an answer may have")
    except BaseException as error:    # SystemExit and KeyboardInterrupt end no grading
        return Failure(f"{type(error).__name__}: {error}"[:LONGEST_WORDS])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def run_cell(source, names, loop):
    """One cell, which may wait for something at its top level, as in Jupyter."""
    code = compile(without_magic(source), "<your notebook>", "exec",
                   ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    if code.co_flags & inspect.CO_COROUTINE:
        loop.run_until_complete(eval(code, names))
    else:
        exec(code, names)


def run(job):
    """The bytes of what all questions of a job got: results for each part, or a
    Failure.

    a job holds cells (sources), asked (function, drive, parts of cases), exercises
    (names and functions of published ones), and seed
    """
    import torch

    random.seed(job["seed"])
    torch.manual_seed(job["seed"])
    names, broken, loop = {"__name__": "__main__"}, [], asyncio.new_event_loop()
    sys.modules["__main__"].__dict__.update(names)
    end = time.monotonic() + job["seconds"] - 1
    for number, source in enumerate(job["cells"], start=1):
        left = min(CELL, end - time.monotonic())
        told = (within(left, run_cell, source, names, loop) if left > 0
                else Failure("the time of the notebook was over"))
        if isinstance(told, Failure):
            broken.append([number, told.words])
    found = [ask(names, *question, end) for question in job["asked"]]
    judged = [check(names, *exercise, end) for exercise in job["exercises"]]
    return pack({"found": found, "judged": judged, "broken": broken})


def ask(names, function, source, parts, end):
    """Results of a function for the cases of each part; a Failure if it is not there.
    """
    if function not in names:
        return Failure(f"there is no function {function!r} in the notebook")
    own = {}
    exec(source, own)

    def results():
        return [[within_case(own["drive"], names[function], case) for case in part]
                for part in parts]

    left = min(CELL, end - time.monotonic())
    return (within(left, results) if left > 0
            else Failure("the time of the notebook was over"))


def within_case(drive, answer, case):
    """One result, or the Failure in its place."""
    try:
        result = drive(answer, *copied(case))
    except Exception as error:
        return Failure(f"{type(error).__name__}: {error}"[:LONGEST_WORDS])
    try:
        content = pack(result)    # one that cannot travel costs no other its way
        if len(content) > LONGEST:
            return Failure("its result is larger than an answer can be")
        return unpack(content, MOST_TEXT)
    except Exception:
        return Failure("it returned something that cannot be judged")


def check(names, exercise, function, end):
    """What the published check of an exercise says: points, code and message."""
    from softdict.checks import check as published

    if function not in names:
        return Failure(f"there is no function {function!r} in the notebook")
    left = min(CELL, end - time.monotonic())
    result = (within(left, published, exercise, names[function]) if left > 0
              else Failure("the time of the notebook was over"))
    return result if isinstance(result, Failure) else [
        result.points, result.most, result.code, result.message]


def limit(seconds, memory, boxed=False):
    """Sets what the kernel counts for this process: memory, time, files; in a box of
    its own, threads as well.

    `memory`, in bytes, is added to what is loaded; no student's line has run yet
    """
    import resource

    counted = boxed and sys.platform.startswith("linux") and tuple(map(
        int, re.findall(r"\d+", os.uname().release)[:2])) >= COUNTS_FOR_BOX

    taken = 2 ** 36
    if sys.platform.startswith("linux"):
        with open("/proc/self/statm") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
    for name, soft, hard in (
            ("CPU", seconds + 1, seconds + 3), ("AS", taken + memory, taken + memory),
            ("CORE", 0, 0), ("FSIZE", FILES, FILES), ("NOFILE", 128, 128),
            *[("NPROC", PROCESSES, PROCESSES)] * counted):
        try:
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (soft, hard))
        except (ValueError, OSError):
            if sys.platform.startswith("linux"):
                raise    # elsewhere a limit may be missing


def write_all(handle, content):
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view):]


def main():
    """Loads what answers need, says so, waits for the job, and answers it."""
    os.environ.update(MPLBACKEND="Agg", CUDA_VISIBLE_DEVICES="",
                      MPLCONFIGDIR="/tmp/matplotlib", SOFTDICT_CACHE="/tmp/softdict")
    gc.disable()    # loading makes no rubbish, and looking for it takes time
    import torch
    from softdict import (    # noqa: F401  for the notebook, which often wants them
        attention, batches, checks, decoding, heads, layers, masks, transformer)

    torch.set_num_threads(1)
    gc.freeze()
    gc.enable()
    out, nowhere = os.dup(1), os.open(os.devnull, os.O_RDWR)
    write_all(out, LOADED)
    job = unpack(sys.stdin.buffer.read())
    limit(job["seconds"], job["memory"], COUNTED in sys.argv)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    write_all(out, run(job))
    os._exit(0)    # threads of a notebook hold nothing up


if __name__ == "__main__":
    main()
