"""Builds, tests and serves the book, on any system: python book/build.py COMMAND (the Makefile only calls this).

Standard library only: environment.py makes `.venv`, and everything else that is made lies in `_build`.
"""

import argparse
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
from pathlib import Path

from environment import BUILD, ROOT, VENV, Stop, digest, make_environment, python, step

MARIAN = "transformers==5.23.0"  # of `make benchmark` alone

# The book -------------------------------------------------------------------------------------------------------------


def book():
    """Executes the stale notebooks, builds the site from them, checks it, and only then puts it in place."""
    make_environment()
    execute_stale()
    site, last, stamp = BUILD / "html", BUILD / "html_last", BUILD / "html.fingerprint"
    if last.exists() and not site.exists():  # a swap was interrupted
        last.rename(site)
    wanted = digest(*sources(), *sorted((BUILD / "executed").glob("*.ipynb")), (VENV / "stamp").read_text("utf-8"))
    if site.exists() and stamp.exists() and stamp.read_text("utf-8") == wanted:
        print("Nothing has changed since the site was built.")
    else:
        fresh = BUILD / "new" / "_build" / "html"
        with step("Building the pages"):
            build_pages(stage(), BUILD / "new")
        with step("Checking the pages"):
            if python(ROOT / "book/pages.py", "check", fresh).returncode:
                raise Stop(f"The new pages did not pass; they lie in {fresh}, and the last good site is untouched.")
        shutil.rmtree(last, ignore_errors=True)
        stamp.unlink(missing_ok=True)
        if site.exists():
            site.rename(last)
        fresh.rename(site)
        stamp.write_text(wanted, "utf-8")
        shutil.rmtree(last, ignore_errors=True)
        shutil.rmtree(BUILD / "new")
    print(f"The book: {site / 'index.html'}\nTo read it: make serve (or python book/build.py serve)")


def sources():
    """The files that the pages are made from, notebooks aside."""
    found = [file for file in (ROOT / "book").rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    return sorted(found) + [ROOT / "_config.yml", ROOT / "_toc.yml"]


def fingerprints():
    """For each notebook, the hash of all that a run of it depends on."""
    ask = "import notebooks; [print(path, notebooks.fingerprint(path), sep='\\t') for path in notebooks.paths()]"
    told = python("-c", ask, cwd=ROOT / "book", capture_output=True)
    if told.returncode:
        raise Stop(f"The notebooks could not be read: {told.stderr.strip().splitlines()[-1]}")
    return {Path(path): hash_ for path, hash_ in (line.split("\t") for line in told.stdout.splitlines())}


def execute_stale():
    """Executes the notebooks whose text, package modules, assets or requirements changed, two at a time."""
    executed = BUILD / "executed"
    executed.mkdir(parents=True, exist_ok=True)
    wanted = fingerprints()
    for file in executed.iterdir():
        if file.stem not in {notebook.stem for notebook in wanted}:
            file.unlink()

    def is_stale(notebook):
        stamp = executed / f"{notebook.stem}.fingerprint"
        fresh = stamp.exists() and stamp.read_text("utf-8") == wanted[notebook]
        return not (fresh and (executed / notebook.name).exists())

    def execute(notebook):
        start = time.perf_counter()
        unfinished = executed / f"{notebook.name}.unfinished"
        done = python(ROOT / "book/execute.py", notebook, unfinished, capture_output=True)
        if done.returncode:
            return f"{notebook.name}: {done.stdout.strip() or done.stderr.strip() or 'its process was ended'}"
        unfinished.replace(executed / notebook.name)
        (executed / f"{notebook.stem}.fingerprint").write_text(wanted[notebook], "utf-8")
        print(f"    {notebook.name}   {time.perf_counter() - start:.1f} s", flush=True)
        return None

    stale = [notebook for notebook in wanted if is_stale(notebook)]
    if not stale:
        print(f"Notebooks: all {len(wanted)} are fresh.")
        return
    with step(f"Executing {len(stale)} of {len(wanted)} notebooks, two at a time"), ThreadPoolExecutor(2) as pool:
        failed = next(filter(None, pool.map(execute, stale)), None)
        pool.shutdown(cancel_futures=True)
    if failed:
        raise Stop(f"{failed}\nThe build stopped; the last good site is untouched.")


def stage():
    """Puts together, in `_build/source`, all that the engine reads: pages, executed notebooks, MathJax."""
    source = BUILD / "source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "book", source / "book", ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    shutil.copytree(BUILD / "executed", source / "notebooks", ignore=shutil.ignore_patterns("*.fingerprint"))
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy(ROOT / name, source)
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    installed = Path(python("-c", ask, stdout=subprocess.PIPE, check=True).stdout.strip())
    packed = installed / "sphinx-mathjax-offline/static/mathjax"
    served = source / "served/assets/mathjax"  # `html_extra_path: [served]` in _config.yml
    served.mkdir(parents=True)
    shutil.copy(packed / "tex-mml-chtml.js", served)
    for part in ("output/chtml", "input/tex", "a11y", "sre"):
        shutil.copytree(packed / part, served / part)
    return source


def build_pages(source, output):
    """Calls Jupyter Book: every warning is an error, and all of them are shown."""
    shutil.rmtree(output, ignore_errors=True)
    engine = ("-c", "from jupyter_book.cli.main import main; main()", "build", source, "--path-output", output)
    built = python(*engine, "-q", "-W", "--keep-going", "-n", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    told = re.sub(r"\x1b\[[0-9;]*m", "", built.stdout).replace(f"{source}{os.sep}", "").strip()
    (BUILD / "book.log").write_text(told, "utf-8")
    if built.returncode:
        warnings = "\n".join(
            re.sub(r"^(notebooks.\S+\.ipynb):(\d+)", name_cell, line)
            for line in told.splitlines()
            if "WARNING:" in line or "ERROR:" in line
        )
        raise Stop(f"{warnings or told}\nWarnings count as errors here; the last good site is untouched.")


def name_cell(place):
    """The engine counts cell 54, line 2 of a notebook as its line 540002: the name of the cell says more."""
    cells = json.loads((ROOT / place[1]).read_text("utf-8"))["cells"]
    number = int(place[2]) // 10000 - 1
    return f"{place[1]}, cell {cells[number]['id']}" if 0 <= number < len(cells) else place[0]


# The tests ------------------------------------------------------------------------------------------------------------


def test():
    """Unit tests and book checks; then every notebook, from an empty folder, against the installed wheel."""
    make_environment()
    with step("Unit tests and book checks"):
        counts = [pytest("tests", cwd=ROOT)]
    site, wheels = BUILD / "site", BUILD / "wheel"
    with step("Building and installing the wheel"):
        shutil.rmtree(site, ignore_errors=True)
        shutil.rmtree(wheels, ignore_errors=True)
        quiet = ("--quiet", "--no-deps", "--disable-pip-version-check")
        python("-m", "pip", "wheel", *quiet, "--no-build-isolation", "-w", wheels, ROOT, check=True)
        python("-m", "pip", "install", *quiet, "--no-index", "-t", site, *wheels.glob("*.whl"), check=True)
    with step("Every cell of every notebook"), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for notebook in (ROOT / "notebooks").glob("*.ipynb"):
            (Path(folder) / notebook.name).write_text(as_if_run(notebook), "utf-8")
        wheel = {"PYTHONPATH": str(site)}
        ask = "import softdict; print(softdict.__file__)"
        found = python("-c", ask, variables=wheel, cwd=folder, capture_output=True).stdout.strip()
        if site not in Path(found).parents:
            raise Stop(f"The notebooks would not run against the installed wheel, but against {found or 'nothing'}.")
        nbval = ("--nbval-lax", "--nbval-current-env", "--nbval-cell-timeout", "900", "-n", "2", "--dist", "loadfile")
        counts.append(pytest(*nbval, folder, cwd=folder, variables=wheel))
    passed, failed, skipped = map(sum, zip(*counts))
    print(f"total: {passed} passed, {failed} failed, {skipped} skipped")
    if failed:
        raise Stop("Some tests failed: the lines above that begin with FAILED name them.")


def as_if_run(notebook):
    """The notebook with a run count on each cell that has outputs: nbval compares no others; the files keep none."""
    content = json.loads(notebook.read_text("utf-8"))
    for cell in content["cells"]:
        if cell.get("outputs"):
            cell["execution_count"] = 1
    return json.dumps(content)


def pytest(*arguments, **settings):
    """Runs pytest and returns how many passed, failed and were skipped."""
    report = BUILD / "pytest.xml"
    report.unlink(missing_ok=True)
    BUILD.mkdir(exist_ok=True)
    ended = python("-m", "pytest", f"--junitxml={report}", *arguments, **settings)
    if not report.exists():
        raise Stop(f"pytest could not start (exit code {ended.returncode}).")
    suite = xml.etree.ElementTree.parse(report).getroot().find("testsuite")
    tests, failures, errors, skipped = (int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped"))
    failed = failures + errors or int(ended.returncode != 0)  # no tests at all is a failure too
    return max(tests - failures - errors - skipped, 0), failed, skipped


# The small commands ---------------------------------------------------------------------------------------------------


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
    """Opens JupyterLab on the notebooks."""
    make_environment()
    python("-m", "jupyterlab", cwd=ROOT / "notebooks")


def write(what):
    """Lets book/notebooks.py write quotes, student copies or stored outputs."""
    make_environment()
    if python(ROOT / "book/notebooks.py", what).returncode:
        raise Stop(f"make {what} did not finish.")


def results():
    """Runs the full experiments that have no result yet, two at a time; can be stopped and started again."""
    make_environment()
    if python("-m", "softdict.experiments", "--all", cwd=ROOT).returncode:
        raise Stop("Some experiments failed; their last words are in _build/experiments.")


def benchmark():
    """Times the book's Transformer beside PyTorch's and Marian's; the latter is fetched for this alone."""
    make_environment()
    python("-m", "pip", "install", "--quiet", "--disable-pip-version-check", MARIAN, check=True)
    if python("-m", "softdict.experiments.benchmark", cwd=ROOT).returncode:
        raise Stop("The benchmark did not finish.")


def picture():
    """Draws README's picture of a page from the built book."""
    make_environment()
    if python(ROOT / "book/pages.py", "picture", BUILD / "html", ROOT / "book/images/page.png").returncode:
        raise Stop("The picture could not be made: it needs a built book and a Chromium.")


def clean():
    """Removes all that was made: the environment and `_build`."""
    for folder in (BUILD, VENV):
        if folder.exists():
            print(f"Removing {folder}")
            shutil.rmtree(folder)


def main():
    sys.stdout.reconfigure(errors="replace")
    commands = ("book", "test", "serve", "lab", "quotes", "student", "outputs", "results", "benchmark", "picture", "clean")
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("command", choices=commands)
    reader.add_argument("--no-browser", action="store_true", help="serve: print the address only")
    given = reader.parse_args()
    start = time.perf_counter()
    try:
        if given.command in ("quotes", "student", "outputs"):
            write(given.command)
        elif given.command == "serve":
            serve(browser=not given.no_browser)
        else:
            globals()[given.command]()
    except Stop as problem:
        sys.exit(f"\n{problem}")
    except (OSError, subprocess.CalledProcessError) as problem:
        sys.exit(f"\nThe {given.command} command stopped: {problem}")
    except KeyboardInterrupt:
        sys.exit("\nStopped.")
    print(f"make {given.command}: {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
