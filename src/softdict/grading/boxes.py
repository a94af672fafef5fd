"""Fresh boxes, started ahead: each has loaded torch, runs one notebook, and ends."""

import os
import queue
import subprocess
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass

from softdict.grading.answering import COUNTED
from softdict.grading.questions import Failure
from softdict.grading.walls import FILES, SCRATCH, children
from softdict.grading.wire import LOADED, LONGEST, pack

LOOK = 0.1    # seconds between two looks at what runs
LOADING = 180    # seconds that loading may take, on a machine that does much else
THREADS = 32    # of one notebook
STARTS, PAUSE = 10, 1.0    # how often a start may fail, and seconds after a failure
TRIES = 2    # a process that was ended from outside is started once more
KILLED = 128 + 9, 128 + 15, -9, -15    # how a process ends that was ended from outside
BESIDE = 2 ** 30    # bytes of a container for Python and torch themselves


@dataclass(frozen=True)
class Limits:
    """What one notebook may use, in seconds and bytes."""

    seconds: int = 60
    memory: int = 2 * 2 ** 30
    seed: int = 0


@dataclass(frozen=True)
class Passing(Failure):
    """A failure that was not the notebook's: the next run tries it again."""


class Box:
    """A process behind a wall. A thread of its own waits for what it says; whoever
    started it must live as long as it does."""

    def __init__(self, wall, limits, events):
        self.wall, self.limits, self.events = wall, limits, events
        self.job, self.given = queue.SimpleQueue(), None
        self.end, self.why, self.status = time.monotonic() + LOADING, "", None
        # in a container, the kernel would count the threads of all of them as one
        counted = [COUNTED] if wall.kind == "bubblewrap" else []
        self.process = wall.start("answering", *counted, memory=limits.memory + BESIDE)
        try:
            threading.Thread(target=self.listen, daemon=True).start()
        except RuntimeError:    # the system has no room for another
            wall.end(self.process)
            self.process.stdout.close()
            raise

    def listen(self):
        """Tells when torch is loaded, hands over the job, tells what came back."""
        loaded = self.process.stdout.read(1) == LOADED
        self.events.put((self, "loaded" if loaded else "failed", b""))
        job = self.job.get()
        if job is not None:
            try:
                self.process.stdin.write(job)
                self.process.stdin.close()
            except OSError:
                pass    # it has ended, which the next line finds
            self.events.put((self, "answered", self.process.stdout.read(LONGEST + 1)))
        self.process.stdout.close()

    def begin(self, given, job):
        """Gives the box its job; `given` is whose it is."""
        self.given, self.end = given, time.monotonic() + self.limits.seconds + 2
        self.job.put(job)

    def look(self):
        """Ends the box if its time is over, or what no limit of the kernel bounds."""
        if time.monotonic() > self.end:
            self.why = f"the notebook ran longer than {self.limits.seconds} s"
        elif self.given and threads(self.process.pid) > THREADS:
            self.why = f"the notebook started more than {THREADS} threads"
        elif self.given and files(self.process.pid) > FILES:
            self.why = f"the notebook made more than {FILES} files"
        if self.why:
            self.wall.end(self.process)

    def finish(self):
        """Ends a box that has said all; `status` is how its process ended by itself."""
        try:
            self.status = self.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            pass    # it has closed its output, and goes on
        self.stop()

    def stop(self):
        """Ends the box, whatever it does."""
        self.wall.end(self.process)
        self.job.put(None)


def threads(process):
    """How many threads a process and what it started have; 0 where nobody counts."""
    try:
        own = len(os.listdir(f"/proc/{process}/task"))
    except OSError:
        return 0    # it has ended, or this is not Linux
    return own + sum(map(threads, children(process)))


def files(process):
    """How many files lie in the scratch folder of what a process has started."""
    for child in children(process):
        with suppress(OSError):    # it has ended, or is not behind its wall yet
            held = os.statvfs(f"/proc/{child}/root{SCRATCH}")
            return held.f_files - held.f_ffree
    return 0


def run_all(jobs, limits, wall, most=1):
    """Pairs (key, what its box told), as they end, of a dict from key to job.

    a job is a dict of cells, asked and exercises; what a box told is bytes that perhaps
    a student wrote, or a Failure
    raises RuntimeError where no box can be started
    """
    events, failed, pause = queue.SimpleQueue(), 0, 0
    waiting = deque((key, job, 1) for key, job in jobs.items())
    fresh, busy, loaded = set(), set(), deque()
    try:
        while waiting or busy:
            while len(fresh) < min(most, len(waiting)) and time.monotonic() >= pause:
                try:
                    fresh.add(Box(wall, limits, events))
                except (BlockingIOError, RuntimeError):
                    # a notebook may have taken all that a user may start: the look at
                    # it, below, goes on
                    failed, pause = failed + 1, time.monotonic() + PAUSE
                    if failed > STARTS * most:
                        raise
            while loaded and waiting and len(busy) < most:
                box, given = loaded.popleft(), waiting.popleft()
                fresh.remove(box)
                busy.add(box)
                box.begin(given, packed(given[1], limits))
            # whoever was kept waiting first hears what has been said meanwhile
            for box in (*fresh, *busy) if events.empty() else ():
                if box not in loaded:
                    box.look()
            try:
                box, what, content = events.get(timeout=LOOK)
            except queue.Empty:
                continue
            if what == "loaded":
                box.end = float("inf")
                loaded.append(box)
                continue
            box.finish()
            if what == "failed":
                fresh.remove(box)
                failed, pause = failed + 1, time.monotonic() + PAUSE
                if failed > STARTS * most:
                    raise RuntimeError("no process behind the wall could load torch")
                continue
            busy.remove(box)
            failed, (key, job, tries) = 0, box.given
            told = told_by(box, content)
            if isinstance(told, Passing) and tries < TRIES:
                waiting.append((key, job, tries + 1))
            else:
                yield key, told
    finally:
        for box in (*fresh, *busy):
            box.stop()


def packed(job, limits):
    """The bytes of a job, as a box reads it."""
    return pack({"cells": list(job["cells"]), "asked": list(job["asked"]),
                 "exercises": list(job["exercises"]), "seed": limits.seed,
                 "seconds": limits.seconds, "memory": limits.memory})


def told_by(box, content):
    """The bytes that a box told; a Failure for a box that was ended."""
    if box.why:
        return Failure(box.why)
    if len(content) > LONGEST:
        return Failure("the results are larger than an answer can be")
    if not content and box.status in KILLED:
        return Passing("the process that ran the notebook was ended from outside")
    return content
