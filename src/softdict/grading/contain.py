"""Where answers run: warm parents, and what this system can keep an answer from."""

import os
import subprocess
import sys
from dataclasses import dataclass

from softdict.grading.questions import Failure
from softdict.grading.wire import LENGTH, pack, unpack

PROBE = """\
import os, socket
found = []
try:
    socket.create_connection(("1.1.1.1", 80), timeout=1)
    found.append("network")
except OSError as error:
    if "unreachable" not in str(error): found.append("network")
if [p for p in os.listdir("/proc") if p.isdigit() and int(p) > 8]:
    found.append("processes")
for folder in ("/etc", {prefix!r}):
    try:
        open(folder + "/softdict-probe", "w").close()
        os.remove(folder + "/softdict-probe")
        found.append("files")
    except OSError:
        pass
def probed():
    return found
"""


@dataclass(frozen=True)
class Limits:
    """What one notebook may use, in seconds and bytes; `hidden` are folders that it
    must not read."""

    seconds: int = 60
    memory: int = 2 * 2 ** 30
    hidden: tuple = ()
    contained: bool = True
    seed: int = 0


class Nursery:
    """A warm parent process that runs one notebook at a time, each in a child."""

    def __init__(self, limits, number=0):
        self.limits, self.number, self.process = limits, number, None

    def start(self):
        """Begins loading, and does not wait for its end."""
        variables = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1",
                     "MPLBACKEND": "Agg", "PYTHONHASHSEED": "0"}
        self.process = subprocess.Popen(
            # -P: the folder in which a grader stands is no place of modules
            [sys.executable, "-P", "-m", "softdict.grading.nursery", str(self.number)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=variables, start_new_session=True)
        return self

    def run(self, cells, asked=(), exercises=()):
        """What a notebook's functions gave: a dict with found, judged and broken.

        raises RuntimeError, with a sentence, where the notebook ended its process,
        took too long or wrote too much
        """
        limits = self.limits
        job = pack({"cells": list(cells), "asked": list(asked), "seed": limits.seed,
                    "exercises": list(exercises), "seconds": limits.seconds,
                    "memory": limits.memory, "hidden": list(limits.hidden),
                    "contained": limits.contained, "mapped": os.geteuid() != 0})
        if self.process is None or self.process.poll() is not None:
            self.start()
        try:
            self.process.stdin.write(LENGTH.pack(len(job)) + job)
            self.process.stdin.flush()
            size = LENGTH.unpack(self.process.stdout.read(LENGTH.size))[0]
            told = unpack(self.process.stdout.read(size))
        except Exception:
            self.stop()
            raise RuntimeError("the process that runs notebooks ended") from None
        if told["why"]:
            raise RuntimeError({
                "time": f"the notebook ran longer than {limits.seconds} s",
                "memory": "the notebook's processes used more than "
                          f"{limits.memory // 2 ** 20} MB",
                "size": "the results are larger than an answer can be"}[told["why"]])
        try:
            found = unpack(told["told"].numpy().tobytes()[:told["size"]])
        except ValueError:
            raise RuntimeError("the notebook ended its process before its functions "
                               "could be asked") from None
        if not has_form(found, len(asked), len(exercises)):
            raise RuntimeError("what came back is not what was asked for")
        return found

    def stop(self):
        """Ends the process, and whatever runs below it."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *error):
        self.stop()


def has_form(told, asked, exercises):
    """Whether a message has the form that `answering.run` gives it: an answer may have
    written it."""
    def is_list(value, length=None):
        return isinstance(value, list) and length in (None, len(value))

    return (isinstance(told, dict) and set(told) == {"found", "judged", "broken"}
            and is_list(told["found"], asked) and is_list(told["judged"], exercises)
            and all(isinstance(one, Failure) or is_list(one, 4)
                    for one in told["judged"])
            and is_list(told["broken"]) and all(
                is_list(one, 2) and type(one[0]) is int and type(one[1]) is str
                for one in told["broken"]))


def gaps(limits=Limits()):
    """What a notebook could still reach on this system: network, processes, files.

    it is tried, and not looked up; ["everything"] where no child can be shut in
    """
    source = PROBE.replace("{prefix!r}", repr(sys.prefix))
    with Nursery(limits) as nursery:
        try:
            told = nursery.run([source], [("probed", "def drive(f): return f()",
                                           [[()]])])
        except RuntimeError:
            return ["everything"]
    found = told["found"][0]
    return found[0][0] if isinstance(found, list) else ["everything"]
