"""Where code runs, how a run is repeated, and files: results that come with the package, and writing without loss."""

import json
import os
import re
from importlib import resources
from pathlib import Path

import torch

ASSETS = resources.files("softdict") / "assets"


def device():
    """The fastest torch.device present: CUDA, then Apple's MPS, then the CPU."""
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def seed(number):
    """Starts torch's random numbers, on every device, from the same place each time."""
    torch.manual_seed(number)


def asset(name):
    """Text of a file that comes with the package."""
    file = ASSETS / name
    if not file.is_file():
        raise FileNotFoundError(f"softdict carries no asset {name!r}")
    return file.read_text(encoding="utf-8")


def results(experiment):
    """The committed results of an experiment, one for each seed; `softdict.experiments` says how they were made."""
    files = [file for file in (ASSETS / "results").iterdir() if re.fullmatch(rf"{experiment}\.\d+\.json", file.name)]
    if not files:
        raise FileNotFoundError(f"softdict carries no result of {experiment!r}")
    return sorted((json.loads(file.read_text(encoding="utf-8")) for file in files), key=lambda record: record["seed"])


def write_whole(path, content):
    """Writes bytes to a file so that an interruption leaves the old file or the new one, never half of one."""
    path = Path(path)
    part = path.with_name(path.name + ".part")
    try:
        with open(part, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        raise OSError(error.errno, f"{path.name} was not saved, and an earlier one is untouched: "
                                   f"{error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)
