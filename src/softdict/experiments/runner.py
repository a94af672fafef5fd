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
from softdict.files import write_whole
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

    start(seed) gives a Training and its pairs, finish(training) what came of it
    """
    def first(seed):
        training, pairs = start(seed)
        training.settings = replace(training.settings, updates=5)
        return [record["loss"] for record in train(training, pairs)]

    def result(seed, path):
        training, pairs = start(seed)
        history = train(training, pairs, path=path)
        training.model.eval()
        return {"history": history, **finish(training)}

    return Experiment(name, group, first, result, seeds)


def file_of(experiment, seed):
    return RESULTS / f"{experiment.name}.{seed}.json"


def run(experiment, seed):
    """Runs one experiment with one seed and writes its result; returns its file.

    if the file is there already, at once
    """
    file = file_of(experiment, seed)
    if file.exists():
        return file
    begin, path = time.time(), UNFINISHED / f"{experiment.name}.{seed}.safetensors"
    for folder in (file.parent, path.parent):
        folder.mkdir(parents=True, exist_ok=True)
    result = experiment.result(seed, path)
    history = result.pop("history", None)
    result |= ({"loss": [round(record["loss"], 4) for record in history[9::20]]}
               if history else {})
    record = {
        "experiment": experiment.name, "seed": seed,
        "date": datetime.date.today().isoformat(),
        "command": f"python -m softdict.experiments {experiment.name} --seed {seed}",
        "hardware": hardware(), "versions": versions(),
        "seconds": round(time.time() - begin),
        "first": ([record["loss"] for record in history[:5]]
                  if history else experiment.first(seed)), "result": result}
    write_whole(file, (json.dumps(rounded(record), ensure_ascii=False, indent=1)
                       + "\n").encode("utf-8"))
    path.unlink(missing_ok=True)
    return file


def rounded(value):
    """The same structure with seven digits of every number: enough for any result."""
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(part) for part in value]
    return float(f"{value:.7g}") if isinstance(value, float) else value


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
            for experiment, seed in jobs if not file_of(experiment, seed).exists()]
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
    stored = json.loads(file_of(experiment, seed).read_text(encoding="utf-8"))["first"]
    today = experiment.first(seed)
    if not stored or len(stored) != len(today):
        return math.inf
    if not all(map(math.isfinite, [*stored, *today])):
        return math.inf
    return max(abs(new - old) / max(abs(old), 1e-9) for new, old in zip(today, stored))
