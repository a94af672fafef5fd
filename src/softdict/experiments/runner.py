"""One experiment, one seed, one process: run it, keep its result, check it later.

A result is a small JSON file among the package's assets. A check repeats the first five
numbers of each: would it still come out?
"""

import datetime
import json
import math
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

import torch

import softdict
from softdict import runtime
from softdict.saving.checkpoint import CorruptFile, begin_anew
from softdict.texts.files import alone, write_whole
from softdict.training import train

RESULTS = Path(softdict.__file__).parent / "assets" / "results"
# checkpoints of trainings under way, and what the processes said
UNFINISHED = Path("_build") / "experiments"
SEEDS = (0, 1, 2)
TOLERANCE = 1e-3


@dataclass(frozen=True)
class Experiment:
    """What the book measures under one name.

    first(seed) is quick and gives five numbers; result(seed, path) gives all
    a result that trains goes on from the checkpoint at `path` and returns the history
    of its updates under "history"
    """

    name: str
    group: str
    first: Callable
    result: Callable
    seeds: tuple = SEEDS


def trained(name, group, start, finish, seeds=SEEDS):
    """An experiment that trains.

    start(seed) gives a TrainingState and its pairs, finish(state) what came of it
    """
    def first(seed):
        state, pairs = start(seed)
        state.settings = replace(state.settings, updates=5)
        return [record["loss"] for record in train(state, pairs)]

    def result(seed, path):
        state, pairs = start(seed)
        history = train(state, pairs, path=path)
        state.model.eval()
        return {"history": history, **finish(state)}

    return Experiment(name, group, first, result, seeds)


def file_of(experiment, seed):
    return RESULTS / f"{experiment.name}.{seed}.json"


def stored(experiment, seed):
    """The record of a result that is there.

    raises ValueError, with one sentence, for one that is empty or damaged
    """
    file = file_of(experiment, seed)
    record = runtime.read_result(file)
    if not record.get("result") or not isinstance(record.get("first"), list):
        raise ValueError(f"{file.name} is empty or damaged")
    return record


def is_done(experiment, seed):
    """True if there is a result that can be read."""
    try:
        return bool(stored(experiment, seed))
    except (OSError, ValueError):
        return False


def run(experiment, seed):
    """Runs one experiment with one seed and writes its result; returns its file.

    if the result is there already, at once
    raises ValueError where another process is at work on it, or nothing came of it
    """
    file, path = (file_of(experiment, seed),
                  UNFINISHED / f"{experiment.name}.{seed}.safetensors")
    if not is_done(experiment, seed):
        for folder in (file.parent, path.parent):
            folder.mkdir(parents=True, exist_ok=True)
        with alone(path):
            measure(experiment, seed, path, file)
    return file


def measure(experiment, seed, path, file):
    """Goes on from the checkpoint at `path`, if there is one, and writes the result."""
    begin, notes = time.time(), path.with_suffix(".seconds")
    earlier = spent(path, notes)
    write_whole(notes, json.dumps([earlier, begin]).encode())
    try:
        result = experiment.result(seed, path)
    except CorruptFile as error:
        print(begin_anew(path, error), file=sys.stderr)
        earlier = 0
        result = experiment.result(seed, path)
    if not result:
        raise ValueError(f"{experiment.name} gave no result with the seed {seed}")
    history = result.pop("history", None)
    result |= ({"loss": [round(record["loss"], 4) for record in history[9::20]]}
               if history else {})
    record = {
        "experiment": experiment.name, "seed": seed,
        "date": datetime.date.today().isoformat(),
        "command": f"python -m softdict.experiments {experiment.name} --seed {seed}",
        "hardware": hardware(), "versions": versions(),
        "seconds": round(earlier + time.time() - begin),
        "first": ([record["loss"] for record in history[:5]]
                  if history else experiment.first(seed)), "result": result}
    write_whole(file, (json.dumps(rounded(record), ensure_ascii=False, indent=1)
                       + "\n").encode("utf-8"))
    for left in (path, notes):
        left.unlink(missing_ok=True)


def spent(path, notes):
    """Seconds of earlier sessions, each up to its last checkpoint: 0 if none is known.

    `notes` holds those before the last session, and when that one began
    """
    try:
        before, begin = json.loads(notes.read_text(encoding="utf-8"))
        return before + max(0, path.stat().st_mtime - begin)
    except (OSError, TypeError, ValueError):
        return 0


def rounded(value, digits=7):
    """The same structure with fewer digits of every number: seven do for any result."""
    if isinstance(value, dict):
        return {key: rounded(part, digits) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(part, digits) for part in value]
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value


def hardware():
    """What the numbers were computed on, in words."""
    lines = (Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
             if os.path.exists("/proc/cpuinfo") else [])
    names = [line.partition(":")[2].strip()
             for line in lines if line.startswith("model name")]
    processor = names[0] if names else platform.processor() or platform.machine()
    graphics = torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU"
    return (f"{processor}, {torch.get_num_threads()} thread, {graphics}, "
            f"{platform.system()}")


def versions():
    """Versions of Python and of what computes."""
    packages = {name: metadata.version(name)
                for name in ("torch", "numpy", "sacrebleu")}
    return {"python": platform.python_version(), "softdict": softdict.__version__,
            **packages}


def run_all(jobs, at_once=2):
    """Runs (experiment, seed) pairs, each in its own process; returns those that fail.
    """
    jobs = [(experiment, seed)
            for experiment, seed in jobs if not is_done(experiment, seed)]
    UNFINISHED.mkdir(parents=True, exist_ok=True)

    def one(job):
        experiment, seed = job
        begin, log = time.time(), UNFINISHED / f"{experiment.name}.{seed}.log"
        with open(log, "w", encoding="utf-8") as words:
            command = [sys.executable, "-m", "softdict.experiments", experiment.name,
                       "--seed", str(seed)]
            environment = {**os.environ, "OMP_NUM_THREADS": "1"}
            code = subprocess.run(command, env=environment, stdout=words, stderr=words,
                                  check=False).returncode
        done = (f"done in {time.time() - begin:.0f} s"
                if code == 0 else f"FAILED, see {log}")
        print(f"{experiment.name} seed {seed}: {done}", flush=True)
        return code

    with ThreadPoolExecutor(at_once) as workers:
        codes = list(workers.map(one, jobs))
    return [job for job, code in zip(jobs, codes) if code]


def difference(experiment, seed):
    """How far the first five numbers are today from the stored ones, relative to them.

    infinitely far if there are more or fewer, or if one of them is no number
    """
    then, today = stored(experiment, seed)["first"], experiment.first(seed)
    if not then or len(then) != len(today):
        return math.inf
    if not all(map(math.isfinite, [*then, *today])):
        return math.inf
    return max(abs(new - old) / max(abs(old), 1e-9) for new, old in zip(today, then))
