"""Where code runs, how a run is repeated, and what comes with the package."""

import json
import os
import re
import sys
from importlib import resources

import torch

ASSETS = resources.files("softdict") / "assets"


def device():
    """The torch.device that computes: CUDA where there is a GPU, else the CPU.

    the variable SOFTDICT_DEVICE chooses another: cuda, mps or cpu. Apple's MPS is
    never chosen by itself: nobody has run the book on it yet
    on CUDA, RNNs are told to multiply in float32: by default they round to TF32
    raises ValueError for another word, or where that device is not there
    """
    there = {"cuda": torch.cuda.is_available(),
             "mps": torch.backends.mps.is_available(), "cpu": True}
    wanted = os.environ.get("SOFTDICT_DEVICE") or ("cuda" if there["cuda"] else "cpu")
    if not there.get(wanted):
        raise ValueError(f"SOFTDICT_DEVICE is {wanted!r}; this machine has "
                         f"{', '.join(name for name in there if there[name])}")
    if wanted == "cuda":
        torch.backends.cudnn.allow_tf32 = False
    return torch.device(wanted)


def shell():
    """IPython's shell where code runs in a notebook, else None: none is started."""
    return getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()


def seed(number):
    """Starts torch's random numbers, on every device, from the same place each time.

    raises ValueError for a number that is negative or too large for 63 bits
    """
    if not 0 <= number < 2 ** 63:
        raise ValueError(f"a seed has 63 bits: from 0 to {2 ** 63 - 1}; got {number}")
    torch.manual_seed(number)


def asset(name):
    """Text of a file that comes with the package; FileNotFoundError for another."""
    file = ASSETS / name
    if not file.is_file():
        raise FileNotFoundError(f"softdict carries no asset {name!r}")
    return file.read_text(encoding="utf-8")


def results(experiment):
    """The committed results of an experiment, one for each seed.

    `softdict.experiments` says how they were made
    raises FileNotFoundError for an experiment without results; see `read_result`
    """
    files = [file for file in (ASSETS / "results").iterdir()
             if re.fullmatch(rf"{experiment}\.\d+\.json", file.name)]
    if not files:
        raise FileNotFoundError(f"softdict carries no result of {experiment!r}")
    return sorted(map(read_result, files), key=lambda record: record["seed"])


def read_result(file):
    """The record in the file of a result; ValueError if it is empty or damaged."""
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(record["seed"], int):
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{file.name} is empty or damaged") from None
    return record
