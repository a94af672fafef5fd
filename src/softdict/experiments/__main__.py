"""The book's full experiments: python -m softdict.experiments NAME --seed 0."""

import argparse
import sys

import torch

from softdict.experiments import EXPERIMENTS
from softdict.experiments.runner import TOLERANCE, difference, file_of, run, run_all


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
    for experiment, seed in jobs:
        print(run(experiment, seed))
    return 0


def refused(sentence):
    """Says what is wrong with a command; returns its exit status."""
    print(sentence, file=sys.stderr)
    return 2


def show(jobs):
    """Prints a line for each experiment and seed."""
    for experiment, seed in jobs:
        done = "done" if file_of(experiment, seed).exists() else "-"
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
        apart = difference(experiment, seed)
        fits = apart <= TOLERANCE
        stale += not fits
        print(f"{experiment.name} seed {seed}: "
              f"{'' if fits else 'STALE, '}differs by {apart:.1e}", flush=True)
    return int(stale > 0)


if __name__ == "__main__":
    sys.exit(main())
