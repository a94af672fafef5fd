"""The environment of the book, `.venv`, made with the standard library alone."""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:    # Windows
    import msvcrt

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
VENV = ROOT / ".venv"
PYTHON_IN_VENV = "Scripts/python.exe" if os.name == "nt" else "bin/python"
PYTHON = VENV / PYTHON_IN_VENV
OLDEST, NEWEST = (3, 11), (3, 14)
ROOM = 4    # GB: the environment takes 1.5 (CUDA: 5.3), and pip's files as much again
# With this module jsonschema, which nbformat imports, would tell whether an address has
# its form. To import it takes a second, more than all else that the tools import, and
# nobody asks: so a tool imports `environment` before nbformat.
sys.modules.setdefault("rfc3987_syntax", None)


class Stop(SystemExit):
    """What is wrong, in a sentence: a script ends with it and exit code 1."""


@contextmanager
def alone(file):
    """Holds a lock on a file of the repository: of two commands, the second stops.

    the system takes the lock back when its process ends, however it ends
    """
    with open(file, "r+b", buffering=0) as held:
        try:
            if os.name == "nt":
                held.seek(2 ** 30)    # far behind its end: everybody may read it
                msvcrt.locking(held.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            raise Stop("Another make is at work in this folder: wait until it has "
                       "ended, or stop it.") from None
        except OSError:
            pass    # a file system without locks
        yield


@contextmanager
def script():
    """Ends a script as its reader expects: Ctrl+C in a word, a closed pipe without;
    a letter that the output does not know, as of a folder's name, is a question mark.
    """
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    try:
        yield
    except KeyboardInterrupt:
        sys.exit("\nStopped.")
    except BrokenPipeError:    # head, less: who reads the pipe has seen enough
        pass
    finally:    # what sys.exit leaves unprinted, too
        try:
            print(end="", flush=True)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def interrupted(kind, error, place):
    """Ctrl+C before `script` has begun, while a tool still imports: the same word."""
    if kind is KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, place)


sys.excepthook = interrupted


def write_whole(path, content):
    """Writes bytes; an error leaves the old file as it was, never half of the new."""
    part = path.with_name(path.name + ".part")
    try:
        with open(part, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        raise OSError(f"{path.name} was not written, and the old one is untouched: "
                      f"{error.strerror or error}") from error
    finally:
        if part.exists():
            part.unlink()


@contextmanager
def step(words):
    """Says what is being done, and afterwards how long it took."""
    print(f"{words} ...", flush=True)
    start = time.perf_counter()
    yield
    print(f"    {time.perf_counter() - start:.1f} s", flush=True)


def digest(*parts):
    """One hash of texts and of files; a path counts with its name and its content."""
    total = hashlib.sha256()
    for part in parts:
        content = str(part).encode()
        if isinstance(part, Path):
            name = part.relative_to(ROOT).as_posix()
            content = name.encode() + b"\0" + part.read_bytes()
        total.update(hashlib.sha256(content).digest())
    return total.hexdigest()


def python(*arguments, **settings):
    """Runs the environment's Python, one thread a process: torch's would collide."""
    variables = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1",
                 "JUPYTER_PREFER_ENV_PATH": "1",
                 "SOFTDICT_CACHE": str(BUILD / "cache"),
                 # another Python's list of fonts would make matplotlib complain
                 "MPLCONFIGDIR": str(BUILD / "matplotlib")}
    for name in ("PYTHONPATH", "PYTHONIOENCODING"):    # what is read here is UTF-8
        variables.pop(name, None)
    variables.update(settings.pop("variables", {}))
    return subprocess.run([str(PYTHON), *map(str, arguments)], env=variables,
                          encoding="utf-8", **settings)


def check_python():
    """The version of this Python, if the book runs with it."""
    version = ".".join(map(str, sys.version_info[:3]))
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        needed = ("the book needs Python 3.11 to 3.14: set PYTHON, as in make book "
                  "PYTHON=python3.12")
        raise Stop(f"This is Python {version}; {needed}.")
    return version


def stamped(file):
    """What a stamp says; nothing if it is missing or damaged: all is made again."""
    try:
        return file.read_text("utf-8")
    except (OSError, ValueError):
        return ""


def requirements_hash():
    """The hash of requirements.txt that the lock names, however its lines end."""
    return digest((ROOT / "requirements.txt").read_text("utf-8"))


def make_environment():
    """Makes `.venv` with all that the locks name; its stamp is written last."""
    stamp, made_by = VENV / "stamp", f"{check_python()} {ROOT}\n"
    locks = [ROOT / "requirements.lock", ROOT / "torch.lock"]
    if requirements_hash() not in stamped(locks[0]):
        raise Stop("requirements.txt has changed since requirements.lock was made from "
                   "it: make lock (or python tools/build.py lock) makes it again.")
    wanted = made_by + digest(*locks, ROOT / "pyproject.toml")
    found = stamped(stamp) if PYTHON.exists() else ""
    if found != wanted:
        with alone(ROOT / "requirements.txt"):
            renew_environment(stamp, found.startswith(made_by), wanted)


def renew_environment(stamp, goes_on, wanted):
    """Installs what is wanted: into the environment that is there, or a new one."""
    for module in ("venv", "ensurepip"):
        if importlib.util.find_spec(module) is None:
            raise Stop(
                f"This Python has no module {module}, so no environment can be made; "
                "on Debian or Ubuntu: sudo apt install "
                f"python{sys.version_info[0]}.{sys.version_info[1]}-venv.")
    free = shutil.disk_usage(ROOT).free / 1e9
    if free < ROOM:
        raise Stop(f"The disk has {free:.1f} GB free; the environment needs {ROOM} GB, "
                   "or 9 with PyTorch's CUDA build.")
    stamp.unlink(missing_ok=True)
    with step(f"Making the environment in {VENV.name} (some minutes; pip's own words "
              "go to _build/pip.log)"):
        if not goes_on:
            shutil.rmtree(VENV, ignore_errors=True)
            made = subprocess.run([sys.executable, "-m", "venv", str(VENV)],
                                  capture_output=True, encoding="utf-8")
            if made.returncode:
                last = (made.stdout + made.stderr).strip().splitlines()[-1:]
                raise Stop(f"python -m venv could not make {VENV}: {' '.join(last)}")
        pip("--require-hashes", "--no-deps", "--only-binary", ":all:",
            "-r", ROOT / "requirements.lock")
        install_torch()
        pip("--no-build-isolation", "--no-deps", "-e", ROOT)
        # pip compiles on one core; what cannot be compiled is a template or a test
        python("-m", "compileall", "-q", "-j", "0", VENV,
               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        stamp.write_text(wanted, "utf-8")


def install_torch():
    """Installs the torch that pip finds for this machine, if torch.lock knows it.

    one version has several builds, and only some need NVIDIA's libraries: pip wants
    all of a list with hashes or nothing. So the hashes are compared after the wheels
    are unpacked and before anything of them runs
    """
    lock = (ROOT / "torch.lock").read_text("utf-8")
    report, versions = BUILD / "torch.json", BUILD / "torch.txt"
    BUILD.mkdir(exist_ok=True)
    versions.write_text("\n".join(re.findall(r"^\w.*==[^\\\n]*", lock, re.M)), "utf-8")
    pip("--only-binary", ":all:", "-c", versions, "--report", report, "torch")
    for package in json.loads(report.read_text("utf-8"))["install"]:
        found = package["download_info"]["archive_info"]["hashes"]["sha256"]
        if f"sha256:{found}" not in lock:
            shutil.rmtree(VENV)
            name = "{name} {version}".format(**package["metadata"])
            raise Stop(f"{name} came as a file that torch.lock does not know, so the "
                       "environment was removed: make it with PyTorch's builds for "
                       "CPU or of the package index. Another build can be put in with "
                       "pip afterwards.")


def pip(*arguments):
    """Installs; says a line now and then, and pip's last error; pip.log has all."""
    BUILD.mkdir(exist_ok=True)
    command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check",
               "--progress-bar", "off", "--no-compile"]
    command += map(str, arguments)
    start, collected, error, retried = time.perf_counter(), 0, "", False
    words = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT,
             "encoding": "utf-8", "errors": "replace"}
    log = open(BUILD / "pip.log", "a", encoding="utf-8")
    with log, subprocess.Popen(command, **words) as process:
        for line in process.stdout:
            log.write(line)
            collected += line.startswith("Collecting ")
            retried = retried or "WARNING: Retrying" in line
            error = line.strip() if re.match(r"\s*(ERROR|\w+Error): ", line) else error
            if line.startswith("Collecting ") and collected % 25 == 0:
                print(f"    {collected} packages fetched, "
                      f"{time.perf_counter() - start:.0f} s", flush=True)
            elif line.startswith("Installing collected") and collected:
                print(f"    unpacking all {collected}, "
                      f"{time.perf_counter() - start:.0f} s", flush=True)
    if process.returncode:
        reason = ("The package index could not be reached"
                  if retried else "pip could not install the packages")
        raise Stop(f"{reason}: {error or 'no error was named.'} (All its words: "
                   "_build/pip.log)")
