"""Builds, tests and serves the book, on any system: python tools/build.py COMMAND.

The Makefile only calls this. Standard library only: environment.py makes `.venv`, and
everything else that is made lies in `_build`.
"""

import argparse
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import webbrowser
import xml.etree.ElementTree
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from environment import (
    BUILD, ROOT, VENV, Stop, alone, check_python, digest, make_environment, python,
    script, stamped, step, write_whole)
from lock import renew

MARIAN = "transformers==5.23.0"  # of `make benchmark` alone
NO_NEWS = {"@jupyterlab/apputils-extension:notification":
           {"fetchNews": "false", "checkForUpdates": False}}
ADDRESSED = ("_config.yml", "CITATION.cff", "README.md")    # beside pages, notebooks
SHIFT = 1000    # what `make shaken` adds to each seed

# The book -----------------------------------------------------------------------------


def book():
    """Executes stale notebooks, builds the site, checks it, only then swaps it in."""
    make_environment()
    execute_stale()
    site, last, stamp = BUILD / "html", BUILD / "html_last", BUILD / "html.fingerprint"
    if last.exists() and not site.exists():  # a swap was interrupted
        last.rename(site)
    wanted = digest(*sources(), *sorted((BUILD / "executed").glob("*.ipynb")),
                    stamped(VENV / "stamp"))
    if site.exists() and stamped(stamp) == wanted:
        print("Nothing has changed since the site was built.")
    else:
        fresh = BUILD / "new" / "_build" / "html"
        with step("Building the pages"):
            build_pages(stage(), BUILD / "new")
            python(ROOT / "tools/pages.py", "cards", fresh, check=True)
        with step("Checking the pages"):
            if python(ROOT / "tools/pages.py", "check", fresh).returncode:
                raise Stop(f"The new pages did not pass; they lie in {fresh}, and the "
                           "last good site is untouched.")
        shutil.rmtree(last, ignore_errors=True)
        stamp.unlink(missing_ok=True)
        put_in_place(fresh, site, last)
        write_whole(stamp, wanted.encode())
        shutil.rmtree(last, ignore_errors=True)
        shutil.rmtree(BUILD / "new")
    print(f"The book: {site / 'index.html'}\n"
          "To read it: make serve (or python tools/build.py serve)")


def put_in_place(fresh, site, last):
    """Puts the new site where the old one is: there is one at every moment.

    where the system takes two steps for it, a failed second one undoes the first
    """
    try:
        exchange(fresh, site)
    except (AttributeError, OSError):    # there is none yet, or it is Windows
        if site.exists():
            site.rename(last)
        try:
            fresh.rename(site)
        except BaseException:
            if last.exists():
                last.rename(site)
            raise


def exchange(one, other):
    """Two folders change places in one step; OSError where the system has none."""
    if os.name == "nt":
        raise OSError("Windows has no such call")
    system, (one, other) = ctypes.CDLL(None), map(os.fsencode, (one, other))
    here, swap = -100, 2    # AT_FDCWD; RENAME_EXCHANGE, RENAME_SWAP on macOS
    if (system.renamex_np(one, other, swap) if sys.platform == "darwin"
            else system.renameat2(here, one, here, other, swap)):
        raise OSError("the file system cannot do it")


def sources():
    """The files that the pages are made from, notebooks aside."""
    # the Transformer in the page has its weights and its words from the package
    places = ("book/**/*", "tools/**/*", "notebooks/images/*", "web/*",
              "tests/asked/*.tsv",    # the search knows the askers' words
              "src/softdict/assets/transformer/*",
              "src/softdict/assets/results/*.json", "src/softdict/assets/glosses.json",
              "src/softdict/corpus/*.py", "src/softdict/decoding.py",
              "src/softdict/experiments/maps.py")
    found = [file for place in places for file in ROOT.glob(place)
             if file.is_file() and "__pycache__" not in file.parts]
    return sorted(found) + [ROOT / "_config.yml", ROOT / "_toc.yml"]


ASK = """
import sys
import notebooks
for path in notebooks.paths():
    try:
        print(path, notebooks.fingerprint(path), sep="\\t")
    except Exception as error:
        sys.exit(f"{path} cannot be read: {type(error).__name__}: {error}")
"""


def fingerprints(only=""):
    """For each notebook, or those of some chapters, the hash of all that a run of it
    depends on."""
    told = python("-c", ASK, cwd=ROOT / "tools", capture_output=True)
    if told.returncode:
        raise Stop(f"{told.stderr.strip().splitlines()[-1]}")
    pairs = (line.split("\t") for line in told.stdout.splitlines())
    found = {Path(path): fingerprint for path, fingerprint in pairs}
    for number in filter(None, only.split(",")):
        if not any(path.name.startswith(f"{number}_") for path in found):
            raise Stop(f"There is no chapter {number!r}; chapters are named as in "
                       "02,07,C1.")
    return {path: fingerprint for path, fingerprint in found.items()
            if not only or path.name.partition("_")[0] in only.split(",")}


def keep(made, notebook, fingerprint):
    """Puts an executed notebook in its place, and what was seen; the stamp comes last.

    `made` is its file; beside it may lie NAME.seen, which tests/every_cell.py leaves.
    """
    target = BUILD / "executed" / notebook.name
    target.parent.mkdir(parents=True, exist_ok=True)
    stamp, seen = target.with_suffix(".fingerprint"), target.with_suffix(".seen")
    for file in (stamp, seen):
        if file.exists():
            file.unlink()
    write_whole(target, made.read_bytes())
    if made.with_suffix(".seen").exists():
        write_whole(seen, made.with_suffix(".seen").read_bytes())
    write_whole(stamp, fingerprint.encode())


def execute_stale():
    """Executes what is out of date, two at a time."""
    executed = BUILD / "executed"
    executed.mkdir(parents=True, exist_ok=True)
    wanted = fingerprints()
    for file in executed.iterdir():
        if file.stem not in {notebook.stem for notebook in wanted}:
            file.unlink()

    def is_stale(notebook):
        if stamped(executed / f"{notebook.stem}.fingerprint") != wanted[notebook]:
            return True
        try:
            return not json.loads(stamped(executed / notebook.name))["cells"]
        except (ValueError, TypeError, KeyError):    # damaged since
            return True

    def execute(notebook):
        start = time.perf_counter()
        made = executed / f"{notebook.name}.unfinished"
        done = python(ROOT / "tools/execute.py", notebook, made, capture_output=True)
        if done.returncode:
            told = done.stdout.strip() or done.stderr.strip()
            return f"{notebook.name}: {told or 'its process was ended'}"
        keep(made, notebook, wanted[notebook])
        made.unlink()
        print(f"    {notebook.name}   {time.perf_counter() - start:.1f} s", flush=True)
        return None

    stale = [notebook for notebook in reversed(wanted) if is_stale(notebook)]
    if not stale:
        print(f"Notebooks: all {len(wanted)} are fresh.")
        return
    words = f"Executing {len(stale)} of {len(wanted)} notebooks, two at a time"
    with step(words), ThreadPoolExecutor(2) as pool:
        failed = next(filter(None, pool.map(execute, stale)), None)
        pool.shutdown(cancel_futures=True)
    if failed:
        raise Stop(f"{failed}\nThe build stopped; the last good site is untouched.")


def stage():
    """Puts together what the engine reads: pages, executed notebooks, MathJax."""
    source = BUILD / "source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "book", source / "book")
    python(ROOT / "tools/live_data.py", source / "book/static/web", check=True)
    shutil.copytree(BUILD / "executed", source / "notebooks",
                    ignore=shutil.ignore_patterns("*.fingerprint", "*.seen"))
    shutil.copytree(ROOT / "notebooks/images", source / "notebooks/images")
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy(ROOT / name, source)
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    found = python("-c", ask, stdout=subprocess.PIPE, check=True).stdout.strip()
    packed = Path(found) / "sphinx-mathjax-offline/static/mathjax"
    served = source / "served/assets/mathjax"  # _config.yml: html_extra_path: [served]
    served.mkdir(parents=True)
    shutil.copy(packed / "tex-mml-chtml.js", served)
    for part in ("output/chtml", "input/tex", "a11y", "sre"):
        shutil.copytree(packed / part, served / part)
    return source


def build_pages(source, output):
    """Calls Jupyter Book: every warning is an error, and all of them are shown."""
    shutil.rmtree(output, ignore_errors=True)
    start = ("import sys; sys.path.append(sys.argv.pop(1)); "
             "from jupyter_book.cli.main import main; main()")
    built = python(
        "-c", start, ROOT / "tools", "build", source,
        "--path-output", output, "-q", "-W", "--keep-going", "-n",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    told = re.sub(r"\x1b\[[0-9;]*m", "", built.stdout)
    told = told.replace(f"{source}{os.sep}", "").strip()
    (BUILD / "book.log").write_text(told, "utf-8")
    if built.returncode:
        warnings = "\n".join(
            re.sub(r"^(notebooks.\S+\.ipynb):(\d+)", name_cell, line)
            for line in told.splitlines() if "WARNING:" in line or "ERROR:" in line)
        raise Stop(f"{warnings or told}\nWarnings count as errors here; "
                   "the last good site is untouched.")


def name_cell(place):
    """The engine says 540002 for cell 54, line 2: the name of the cell says more."""
    cells = json.loads((ROOT / place[1]).read_text("utf-8"))["cells"]
    number = int(place[2]) // 10000 - 1
    if not 0 <= number < len(cells):
        return place[0]
    return f"{place[1]}, cell {cells[number]['id']}"


# The tests ----------------------------------------------------------------------------


def test(only=""):
    """Every cell of every notebook against the wheel; then unit tests, book checks.

    only: the chapters, as in 02,07, of which every cell is run, and nothing else
    """
    make_environment()
    if only:
        report(run_notebooks(only))
        return
    notebooks = run_notebooks()
    # a file stays in one process, with what its tests share, and tests/conftest.py
    # sends the longest files first
    with step(f"Unit tests and book checks, in {PROCESSES} processes"):
        report(notebooks, pytest("tests", "-n", PROCESSES, "--dist", "loadfile",
                                 "--no-loadscope-reorder", cwd=ROOT))


def gpu():
    """Every cell, and the tests of the GPU, where there is one; else says so."""
    make_environment()
    ask = "import torch; print(torch.__version__, torch.cuda.is_available())"
    told = python("-c", ask, stdout=subprocess.PIPE, check=True).stdout
    version, found = told.split()
    if found != "True":
        print(f"Skipped: torch {version} finds no CUDA GPU on this machine.")
        return
    report(run_notebooks(), pytest("tests", "-m", "gpu", cwd=ROOT))


def shaken(only=""):
    """Every cell once more, with other random numbers and two threads.

    No assert may break: what the text says must not hang on a seed. Stored outputs are
    not compared.
    """
    make_environment()
    report(run_notebooks(only, SHIFT))


def rehearse(only=""):
    """Every cell on a device made in Python: what a GPU would refuse for its device.

    only: the chapters, as in 02,07, or all, which takes an hour or two; with mps in
    front, as in mps,02, the device stands for Apple's, and lacks what that lacks
    """
    make_environment()
    if python("tests/rehearse.py", *only.split(",")).returncode:
        raise Stop("Some chapters stopped: the lines above name the cell.")


def report(*counts):
    """Says how many tests passed, failed and were skipped; stops if some failed."""
    passed, failed, skipped = map(sum, zip(*counts))
    print(f"total: {passed} passed, {failed} failed, {skipped} skipped")
    if failed:
        raise Stop("Some tests failed: the lines above that begin FAILED name them.")


def run_notebooks(only="", shift=0):
    """Runs nbval in an empty folder, some notebooks at a time; returns its counts.

    only: the chapters, as in 02,07, or all

    Notebooks that pass are kept, executed: `make book` takes them as they are. With a
    shift each seed of torch is another, no notebook is kept, and they run one at a
    time, since each has two threads.
    """
    wanted = fingerprints(only)
    wheel = {"PYTHONPATH": str(install_wheel()), "SOFTDICT_SHIFT": str(shift)}
    temporary = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    with step("Every cell of every notebook"), temporary as folder:
        folder = Path(folder)
        check_origin(folder, wheel)
        for notebook in wanted:
            text = as_if_run(notebook, compared=not shift)
            (folder / notebook.name).write_text(text, "utf-8")
        (folder / "conftest.py").write_text(PLUGIN, "utf-8")
        counts = pytest(
            "--nbval-lax", "--nbval-current-env",
            "--nbval-cell-timeout", "3600" if shift else "900",
            "-n", "0" if shift or len(wanted) < 2 else PROCESSES, "--dist", "loadfile",
            "--no-loadscope-reorder", folder, cwd=folder, variables=wheel)
        # nobody edited the sources on the way
        if not shift and fingerprints(only) == wanted:
            for notebook in wanted:
                made = folder / "made" / notebook.name
                if made.exists():
                    keep(made, notebook, wanted[notebook])
    return counts


PLUGIN = f"""\
import sys
sys.path.append({str(ROOT / "tests")!r})
from every_cell import *
"""


QUIET = ("--quiet", "--no-deps", "--disable-pip-version-check")


def install_wheel():
    """Builds the wheel and installs it into a folder of its own, which it returns."""
    site, wheels = BUILD / "site", BUILD / "wheel"
    with step("Building and installing the wheel"):
        shutil.rmtree(site, ignore_errors=True)
        build_wheel(wheels)
        python("-m", "pip", "install", *QUIET, "--no-index", "-t", site,
               *wheels.glob("*.whl"), check=True)
    return site


def build_wheel(folder):
    """Builds the wheel into a folder that holds nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    python("-m", "pip", "wheel", *QUIET, "--no-build-isolation", "-w", folder, ROOT,
           check=True)


def check_origin(folder, wheel):
    """Stops unless the notebooks would import the installed wheel."""
    ask = "import softdict; print(softdict.__file__)"
    found = python("-c", ask, variables=wheel, cwd=folder, capture_output=True).stdout
    if Path(wheel["PYTHONPATH"]) not in Path(found.strip()).parents:
        raise Stop("The notebooks would not run against the installed wheel, but "
                   f"against {found.strip() or 'nothing'}.")


def as_if_run(notebook, compared=True):
    """The notebook with a run count where an output is: nbval compares no others.

    if nothing is to be compared, no cell claims an output
    """
    content = json.loads(notebook.read_text("utf-8"))
    for cell in content["cells"]:
        if cell.get("outputs"):
            cell["execution_count"] = 1
        if not compared and cell["metadata"].pop("tags", None):
            cell["outputs"] = []
    return json.dumps(content)


# one more than there are cores, since some tests wait; each may take a gigabyte
PROCESSES = min(8, 1 + (os.cpu_count() or 1))
PYTEST = ("import sys; sys.path.append(sys.argv.pop(1)); import pytest; "
          "sys.exit(pytest.main())")


def pytest(*arguments, **settings):
    """Runs pytest and returns how many passed, failed and were skipped.

    `environment` comes before nbval, which imports nbformat: it says why
    """
    report = BUILD / "pytest.xml"
    report.unlink(missing_ok=True)
    BUILD.mkdir(exist_ok=True)
    ended = python("-P", "-c", PYTEST, ROOT / "tools", "-p", "environment",
                   f"--junitxml={report}", *arguments, **settings)
    if not report.exists():
        raise Stop(f"pytest could not start (exit code {ended.returncode}).")
    names = ("tests", "failures", "errors", "skipped")
    try:
        suite = xml.etree.ElementTree.parse(report).getroot().find("testsuite")
        tests, failures, errors, skipped = (int(suite.get(name)) for name in names)
    except (xml.etree.ElementTree.ParseError, AttributeError):    # it was cut
        raise Stop(f"pytest did not finish (exit code {ended.returncode}).") from None
    failed = failures + errors or int(ended.returncode != 0)  # no tests: a failure too
    return max(tests - failures - errors - skipped, 0), failed, skipped


# The small commands -------------------------------------------------------------------


def serve(browser=True):
    """Shows the built book at a local address."""
    from pages import local_server

    if not (BUILD / "html/index.html").exists():
        raise Stop("There is no built book yet: make book builds it.")
    server = local_server(BUILD / "html", range(8000, 8020))
    address = f"http://127.0.0.1:{server.server_port}/"
    print(f"The book: {address} (Ctrl+C ends)", flush=True)
    if browser:
        webbrowser.open(address)
    server.serve_forever()


def lab():
    """Opens JupyterLab on copies of the notebooks, in `work`, which stay yours."""
    make_environment()
    write("work")
    settings = VENV / "share/jupyter/lab/settings/overrides.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    write_whole(settings, json.dumps(NO_NEWS).encode())
    options = ["--LabApp.default_url=/lab/tree/01_dictionary.ipynb"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")    # in a container everybody is root
    python("-m", "jupyterlab", *options, cwd=ROOT / "work")


def write(what, only=""):
    """Lets tools/notebooks.py write quotes, student copies or stored outputs."""
    make_environment()
    if python(ROOT / "tools/notebooks.py", what, *filter(None, [only])).returncode:
        raise Stop(f"make {what} did not finish.")


def colab():
    """Makes a folder for Google Drive, package and notebooks, and a zip of it."""
    make_environment()
    folder = BUILD / "colab/softdict"
    with step("Making the folder for a Drive"):
        build_wheel(folder)
        if python(ROOT / "tools/notebooks.py", "drive").returncode:
            raise Stop("The notebooks were not copied.")
        packed = shutil.make_archive(BUILD / "softdict-colab", "zip", folder.parent)
    print(f"For Colab: put the folder {folder} into My Drive; {packed} holds the same")


def address(wanted):
    """Moves the book to another owner and name on GitHub: OWNER/NAME.

    Writes the address of repository, site, badges and install cells anew, everywhere
    """
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", wanted):
        raise Stop("make address wants OWNER/NAME, as in ada/attention; got "
                   f"{wanted!r}.")
    config = (ROOT / "_config.yml").read_text("utf-8")
    old = re.search(r"url: https://github\.com/([\w.-]+/[\w.-]+)", config)[1]
    changes = {f"{site}{old}": f"{site}{wanted}" for site in (
        "https://github.com/", "https://colab.research.google.com/github/")}
    changes[published(old)] = published(wanted)
    texts = [*(ROOT / "book").glob("*.md"), *(ROOT / "notebooks").glob("*.ipynb"),
             *(ROOT / name for name in ADDRESSED)]
    for path in texts:
        text = path.read_text("utf-8")
        new = re.sub("|".join(map(re.escape, changes)), lambda found: changes[found[0]],
                     text)
        if new != text:
            write_whole(path, new.encode())
            print("wrote", path)
    write("quotes")


def published(address):
    """Where GitHub Pages puts the site of OWNER/NAME."""
    owner, name = address.split("/")
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"


def lock():
    """Makes requirements.lock and torch.lock again, from requirements.txt."""
    renew()


def results():
    """Runs the experiments that lack a result, two at a time, from where they were."""
    make_environment()
    if python("-m", "softdict.experiments", "--all", cwd=ROOT).returncode:
        raise Stop("Some experiments failed; _build/experiments has their last words.")


def benchmark():
    """Times the book's Transformer beside PyTorch's and Marian's (fetched for this)."""
    make_environment()
    python("-m", "pip", "install", "--quiet", "--disable-pip-version-check", MARIAN,
           check=True)
    if python("-m", "softdict.experiments.benchmark", cwd=ROOT).returncode:
        raise Stop("The benchmark did not finish.")


def picture():
    """Draws README's picture of a page from the built book."""
    make_environment()
    target = ROOT / "book/images/page.png"
    if python(ROOT / "tools/pages.py", "picture", BUILD / "html", target).returncode:
        raise Stop("No picture could be made: it needs a built book and a Chromium.")


def pdf():
    """Prints the built book as one PDF."""
    make_environment()
    if not (BUILD / "html/index.html").exists():
        raise Stop("There is no built book yet: make book builds it.")
    target = BUILD / "from-dictionary-to-transformer.pdf"
    with step("Printing each page twice: to count, and with its numbers"):
        if python(ROOT / "tools/pdf.py", BUILD / "html", target).returncode:
            raise Stop("The PDF was not made.")


def epub():
    """Binds the built book as one EPUB, formulas as MathML."""
    make_environment()
    if not (BUILD / "html/index.html").exists():
        raise Stop("There is no built book yet: make book builds it.")
    target = BUILD / "from-dictionary-to-transformer.epub"
    with step("Reading each page"):
        if python(ROOT / "tools/epub.py", BUILD / "html", target).returncode:
            raise Stop("The EPUB was not made.")


def cards():
    """Writes the book's cards as a deck for Anki, a subdeck a chapter."""
    make_environment()
    target = BUILD / "from-dictionary-to-transformer.apkg"
    if python(ROOT / "tools/cards.py", target).returncode:
        raise Stop("The deck was not made.")
    print(f"The deck: {target}; Anki imports it, and knows it again when it is newer")


def moodle(seed):
    """Writes recall and examination questions as Moodle's XML: make moodle SEED=3."""
    if not re.fullmatch(r"\d{1,9}", seed):
        raise Stop("make moodle wants the seed of the examination, as in make moodle "
                   f"SEED=3; got {seed!r}.")
    make_environment()
    folder = BUILD / "moodle"
    if python(ROOT / "tools/moodle.py", folder, seed).returncode:
        raise Stop("The questions were not written.")
    print(f"For Moodle's question bank (Import, Moodle XML format): {folder}")


def slides():
    """Makes slides of every chapter, in `_build/slides`, and looks whether they fit."""
    make_environment()
    execute_stale()
    out = BUILD / "slides"
    with step("Making the slides"):
        if python(ROOT / "tools/slides.py", BUILD / "executed", out).returncode:
            raise Stop("The slides were not made.")
        if python(ROOT / "tools/slides.py", "check", out).returncode:
            raise Stop(f"Some slides do not fit; they lie in {out}.")
    print(f"The slides: {out}, a folder a chapter; open its index.html")


def clean():
    """Removes all that was made: the environment and `_build`, never `work`."""
    for folder in (BUILD, VENV):
        if folder.exists():
            print(f"Removing {folder}")
            shutil.rmtree(folder)


COMMANDS = ("book", "test", "shaken", "rehearse", "gpu", "serve", "lab", "quotes",
            "student", "colab", "outputs", "lock", "address", "results", "benchmark",
            "picture", "pdf", "epub", "slides", "cards", "moodle", "clean")


WRITES = {"quotes": "Writes quotes, links and numbers into notebooks and pages.",
          "student": "Writes copies of the notebooks without hints and answers.",
          "outputs": "Runs the notebooks, and stores the text that their cells print."}


def targets():
    """A line for each command: what it does."""
    for name in COMMANDS:
        told = WRITES.get(name) or globals()[name].__doc__.splitlines()[0]
        print(f"make {name:10} {told}")


# these leave the site and the executed notebooks alone, and may take hours
BESIDE = ("serve", "lab", "results", "benchmark", "rehearse")


def main():
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("command", nargs="?", choices=COMMANDS)
    reader.add_argument("to", nargs="?", default="",
                        help="address: the new OWNER/NAME on GitHub; student, test, "
                             "shaken, rehearse: the chapters, as in 02,07, or "
                             "mps,02 for Apple's device; moodle: the seed")
    reader.add_argument("--no-browser", action="store_true",
                        help="serve: print the address only")
    given = reader.parse_args()
    if not given.command:
        return targets()
    start = time.perf_counter()
    try:
        check_python()
        with ExitStack() as held:
            if given.command not in BESIDE:
                held.enter_context(alone(ROOT / "pyproject.toml"))
            if given.command in ("quotes", "student", "outputs"):
                write(given.command, given.to)
            elif given.command == "serve":
                serve(browser=not given.no_browser)
            elif given.command in ("address", "test", "shaken", "rehearse", "moodle"):
                globals()[given.command](given.to)
            else:
                globals()[given.command]()
        print(f"make {given.command}: {time.perf_counter() - start:.1f} s")
    except Stop as problem:
        sys.exit(f"\n{problem}")
    except BrokenPipeError:
        raise    # `script` ends it
    except (OSError, subprocess.CalledProcessError) as problem:
        sys.exit(f"\nThe {given.command} command stopped: {problem}")


if __name__ == "__main__":
    with script():
        main()
