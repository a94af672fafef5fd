"""The book's full experiments: python -m softdict.experiments NAME --seed 0."""

import argparse
import os
import sys

import torch

from softdict.experiments import EXPERIMENTS
from softdict.experiments.runner import (
    TOLERANCE, UNFINISHED, difference, file_of, is_done, run, run_all)


def main(arguments=None):
    """Runs what the command line asks for; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m softdict.experiments",
                                     description=__doc__)
    parser.add_argument("name", nargs="?", help="an experiment or a group of them")
    parser.add_argument("--seed", type=int, help="this seed only, in this process")
    parser.add_argument("--all", action="store_true",
                        help="everything that has no result yet, two at a time")
    parser.add_argument("--check", action="store_true",
                        help="repeat the first five numbers of every stored result")
    parser.add_argument("--list", action="store_true",
                        help="names, groups and which results there are")
    asked = parser.parse_args(arguments)
    named = [experiment for experiment in EXPERIMENTS.values()
             if asked.name in (None, experiment.name, experiment.group)]
    if not named or not (asked.name or asked.all or asked.check or asked.list):
        groups = dict.fromkeys(experiment.group for experiment in EXPERIMENTS.values())
        return refused(f"Name a group ({', '.join(groups)}) or an experiment "
                       f"({', '.join(EXPERIMENTS)}).")
    jobs = [(experiment, seed) for experiment in named for seed in experiment.seeds
            if asked.seed in (None, seed)]
    if not jobs:
        seeds = sorted({seed for experiment in named for seed in experiment.seeds})
        return refused(f"There is no seed {asked.seed} for {asked.name or 'any'}: "
                       f"choose from {', '.join(map(str, seeds))}.")
    torch.set_num_threads(1)
    if asked.list:
        return show(jobs)
    if asked.check:
        return check(jobs)
    if asked.seed is None:
        return bool(run_all(jobs))
    try:
        for experiment, seed in jobs:
            print(run(experiment, seed))
    except ValueError as error:
        return refused(f"{error}. What is unfinished lies in {UNFINISHED}; deleting it "
                       "begins anew")
    return 0


def refused(sentence):
    """Says what is wrong with a command; returns its exit status."""
    print(sentence, file=sys.stderr)
    return 2


def show(jobs):
    """Prints a line for each experiment and seed."""
    for experiment, seed in jobs:
        done = "done" if is_done(experiment, seed) else "-"
        print(f"{experiment.group:10} {experiment.name:20} seed {seed}  {done}")
    return 0


def check(jobs):
    """Repeats the beginning of every stored result; returns 1 unless all come again."""
    stored = [job for job in jobs if file_of(*job).exists()]
    if not stored:
        print("There is nothing to check: no result is stored.", file=sys.stderr)
        return 1
    stale = 0
    for experiment, seed in stored:
        fits, words = comparison(experiment, seed)
        stale += not fits
        print(f"{experiment.name} seed {seed}: {'' if fits else 'STALE, '}{words}",
              flush=True)
    return int(stale > 0)


def comparison(experiment, seed):
    """Whether the beginning of a result comes again, and words for it."""
    try:
        apart = difference(experiment, seed)
    except ValueError as error:
        return False, str(error)
    except (ArithmeticError, LookupError, RuntimeError, TypeError) as error:
        return False, f"{type(error).__name__}: {error}"
    return apart <= TOLERANCE, f"differs by {apart:.1e}"


def spoken(arguments=None):
    """Calls `main`, and ends the process as its reader expects."""
    try:
        sys.exit(main(arguments))
    except KeyboardInterrupt:
        sys.exit("\nStopped. The same command goes on from where it was.")
    except BrokenPipeError:    # head, less: who reads the pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        file = f"{error.filename}: " if error.filename else ""
        sys.exit(f"python -m softdict.experiments: {file}{error.strerror or error}")


if __name__ == "__main__":
    spoken()
