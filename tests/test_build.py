"""The commands, and the checks of built pages, each proved on something broken on purpose; no network is needed."""

import ast
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import build
import environment
import execute
import nbformat
import notebooks
import pages
import pytest

ROOT = Path(__file__).resolve().parent.parent


def write_notebook(path, *sources, outputs=(), tags=()):
    """A notebook of code cells, their ids being cell-0, cell-1, ..."""
    cells = [nbformat.v4.new_code_cell(source, id=f"cell-{number}") for number, source in enumerate(sources)]
    for cell, text in zip(cells, outputs):
        cell.outputs = [nbformat.v4.new_output("execute_result", data={"text/plain": text})]
    for cell, tag in zip(cells, tags):
        cell.metadata["tags"] = [tag] if tag else []
    path.parent.mkdir(exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """An almost empty repository; its environment counts as made, and is the one that runs the tests."""
    for name, value in {"ROOT": tmp_path, "BUILD": tmp_path / "_build", "VENV": tmp_path / ".venv"}.items():
        monkeypatch.setattr(build, name, value)
        monkeypatch.setattr(environment, name, value)
    monkeypatch.setattr(environment, "PYTHON", Path(sys.executable))
    (tmp_path / "book").mkdir()
    for name in ("notebooks.py", "execute.py", "pages.py"):
        shutil.copy(ROOT / "book" / name, tmp_path / "book")
    (tmp_path / "src/softdict").mkdir(parents=True)
    (tmp_path / "src/softdict/__init__.py").write_text("")
    for name in ("requirements.txt", "pyproject.toml", "_config.yml", "_toc.yml", ".venv/stamp"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path


@pytest.fixture
def last_good(repository):
    """A built site."""
    page = repository / "_build/html/index.html"
    page.parent.mkdir(parents=True)
    page.write_text("last good")
    return page


# What may be missing --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [(3, 10, 4), (3, 14, 0)])
def test_another_python_is_named(repository, monkeypatch, version):
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(build.Stop, match=r"This is Python 3\.1.*PYTHON=python3\.12"):
        environment.make_environment()


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_python_without_venv_is_named(repository, monkeypatch, module):
    find = environment.importlib.util.find_spec
    monkeypatch.setattr(environment.importlib.util, "find_spec", lambda name: None if name == module else find(name))
    with pytest.raises(build.Stop, match=rf"no module {module}.*sudo apt install python3\.\d+-venv"):
        environment.make_environment()


def test_a_full_disk_is_named(repository, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**10, 10**10, 5 * 10**8))
    with pytest.raises(build.Stop, match="The disk has 0.5 GB free"):
        environment.make_environment()


def test_an_index_out_of_reach_is_named(repository, monkeypatch):
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")  # nobody listens there
    monkeypatch.setenv("PIP_RETRIES", "1")
    with pytest.raises(build.Stop, match="index could not be reached: ERROR: .*softdict-is-not-there"):
        environment.pip("softdict-is-not-there")


def test_only_a_finished_environment_counts(repository, monkeypatch):
    monkeypatch.setattr(environment, "PYTHON", repository / ".venv" / environment.PYTHON_IN_VENV)
    (repository / ".venv/stamp").unlink()
    (repository / ".venv/half").write_text("made")
    calls = []

    def interrupted(*arguments):
        raise KeyboardInterrupt

    def counted(*arguments):
        calls.append(arguments)

    monkeypatch.setattr(environment, "pip", interrupted)
    with pytest.raises(KeyboardInterrupt):
        environment.make_environment()
    assert environment.PYTHON.exists() and not (repository / ".venv/stamp").exists()
    monkeypatch.setattr(environment, "pip", counted)
    environment.make_environment()
    assert len(calls) == 2 and not (repository / ".venv/half").exists()
    environment.make_environment()
    assert len(calls) == 2  # nothing to do
    (repository / "requirements.txt").write_text("more==1")
    (repository / ".venv/kept").write_text("")
    environment.make_environment()
    assert len(calls) == 4 and (repository / ".venv/kept").exists()  # new pins go into the same environment


@pytest.mark.parametrize("name", ["build.py", "environment.py"])
def test_an_old_python_can_read_the_sentence(name):
    ast.parse((ROOT / "book" / name).read_text("utf-8"), feature_version=(3, 7))


def test_a_sentence_and_no_traceback(repository):
    script = "import build, environment; environment.OLDEST = (3, 99); build.main()"
    ended = subprocess.run([sys.executable, "-c", script, "book"], cwd=ROOT / "book", capture_output=True, text=True)
    assert ended.returncode == 1 and "This is Python" in ended.stderr and "Traceback" not in ended.stderr


# Notebooks ------------------------------------------------------------------------------------------------------------


def test_only_stale_notebooks_are_executed(repository, capsys):
    (repository / "book/execute.py").write_text("import shutil, sys\nshutil.copy(*sys.argv[1:])")  # quick
    for name in ("01_one", "02_two"):
        write_notebook(repository / f"notebooks/{name}.ipynb", "6 * 7")
    build.execute_stale()
    assert "2 of 2" in capsys.readouterr().out
    build.execute_stale()
    assert "all 2 are fresh" in capsys.readouterr().out
    write_notebook(repository / "notebooks/02_two.ipynb", "6 * 8")
    build.execute_stale()
    told = capsys.readouterr().out
    assert "1 of 2" in told and "02_two.ipynb" in told
    (repository / "notebooks/02_two.ipynb").unlink()
    build.execute_stale()
    assert [file.name for file in (repository / "_build/executed").glob("*.ipynb")] == ["01_one.ipynb"]


def test_a_notebook_gets_its_outputs_from_an_empty_folder(repository):
    write_notebook(repository / "notebooks/01_one.ipynb", "import os\nlen(os.listdir())")
    build.execute_stale()
    executed = nbformat.read(repository / "_build/executed/01_one.ipynb", as_version=4)
    assert executed.cells[0].outputs[0].data["text/plain"] == "0"


def test_a_failing_cell_is_named_and_the_last_good_site_stays(repository, last_good, monkeypatch, capsys):
    monkeypatch.setattr(build, "make_environment", lambda: None)
    monkeypatch.setattr(sys, "argv", ["build.py", "book"])
    write_notebook(repository / "notebooks/01_bad.ipynb", "x = 0", "1 / x\nprint('never')")
    with pytest.raises(SystemExit) as ended:
        build.main()
    assert "01_bad.ipynb: cell cell-1, which begins '1 / x': ZeroDivisionError: division by zero" in str(ended.value)
    assert last_good.read_text() == "last good"
    assert not list((repository / "_build/executed").glob("*.fingerprint"))


def test_nbval_compares_the_tagged_outputs(repository):
    path, claim = repository / "notebooks/01_claims.ipynb", "nbval-check-output"
    write_notebook(path, "6 * 7", "6 * 8", "6 * 9", outputs=["42", "wrong", "wrong"], tags=[claim, claim, ""])
    path.write_text(build.as_if_run(path), "utf-8")
    options = ("--nbval-lax", "--nbval-current-env", "-p", "no:cacheprovider", path.name)
    assert build.pytest(*options, cwd=path.parent, stdout=subprocess.DEVNULL) == (2, 1, 0)


def test_no_tests_is_a_failure(repository):
    assert build.pytest(cwd=repository / "src", stdout=subprocess.DEVNULL) == (0, 1, 0)


def test_a_warning_of_the_engine_names_the_cell(repository):
    write_notebook(repository / "notebooks/01_one.ipynb", "1", "2")
    place = re.match(r"(\S+):(\d+)", "notebooks/01_one.ipynb:20003: WARNING")
    assert build.name_cell(place) == "notebooks/01_one.ipynb, cell cell-1"


# The site -------------------------------------------------------------------------------------------------------------

GOOD = """<!DOCTYPE html><html lang="en"><head><title>A page</title><link rel="icon" href="data:,"></head><body><main>
<h1 id="top">A page</h1><a href="other.html#there">there</a> <a href="#top">up</a> <a href="https://softdict.invalid/">out</a>
<img src="dot.svg" alt="A dot."></main></body></html>"""
OTHER = GOOD.replace('id="top"', 'id="there"').replace("#top", "")
DOT = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle cx="4" cy="4" r="4"/></svg>'


def write_site(folder, html=GOOD):
    folder.mkdir(parents=True)
    for name, content in {"index.html": html, "other.html": OTHER, "dot.svg": DOT}.items():
        (folder / name).write_text(content)
    return folder


def test_only_a_good_site_is_put_in_place(repository, last_good, monkeypatch, capfd):
    monkeypatch.setattr(build, "make_environment", lambda: None)
    monkeypatch.setattr(build, "stage", lambda: None)
    monkeypatch.setattr(build, "fingerprints", lambda: {})
    monkeypatch.setenv("CHROMIUM", "none")
    made = {"html": GOOD.replace("other.html", "gone.html")}

    def build_pages(source, output):
        shutil.rmtree(output, ignore_errors=True)
        write_site(output / "_build/html", made["html"])

    monkeypatch.setattr(build, "build_pages", build_pages)
    with pytest.raises(build.Stop, match="last good site is untouched"):
        build.book()
    assert "gone.html#there leads to no file" in capfd.readouterr().out
    assert last_good.read_text() == "last good"
    made["html"] = GOOD
    build.book()
    assert last_good.read_text() == GOOD
    build.book()
    assert "Nothing has changed" in capfd.readouterr().out
    last_good.parent.rename(repository / "_build/html_last")  # as if stopped between two renames
    build.book()
    assert last_good.read_text() == GOOD and "Nothing has changed" in capfd.readouterr().out


def test_serve_takes_the_next_free_port(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = pages.local_server(tmp_path, [port, 0])
        assert server.server_port != port
        server.server_close()
        with pytest.raises(OSError, match=f"no port from {port}"):
            pages.local_server(tmp_path, [port])


# Each check of the pages: what is broken, and what the check says of it
BROKEN_FILES = [
    ("other.html#there", "gone.html", "gone.html leads to no file"),
    ("#there", "#nowhere", "other.html#nowhere leads to no anchor"),
    ("#top", "#bottom", "#bottom leads to no anchor"),
    ("dot.svg", "gone.svg", "gone.svg leads to no file"),
    (' alt="A dot."', "", "the image dot.svg has no words"),
    ("A dot.", "dot.svg", "the image dot.svg has no words"),
    ("</main>", '<script src="https://softdict.invalid/x.js"></script></main>', "loads https://softdict.invalid/x.js"),
    ("</head>", '<link rel="stylesheet" href="gone.css"></head>', "gone.css leads to no file"),
    ("<title>", '<meta http-equiv="Refresh" content="0; url=gone.html"><title>', "gone.html leads to no file"),
]


@pytest.mark.parametrize("right, wrong, words", BROKEN_FILES)
def test_a_broken_file_is_found(tmp_path, right, wrong, words):
    assert list(pages.file_problems(write_site(tmp_path / "good"))) == []
    found = list(pages.file_problems(write_site(tmp_path / "bad", GOOD.replace(right, wrong))))
    assert len(found) == 1 and words in found[0]


BROKEN_PAGES = [
    ("</main>", "<script>fetch('https://softdict.invalid/x')</script></main>", "asks for https://softdict.invalid/x"),
    ("</main>", "<script>throw new Error('broken')</script></main>", "console: broken"),
    ("</main>", '<div style="width: 900px">wide</div></main>', "scrolls"),
    ("</main>", '<span class="math">\\(x\\)</span></main>', "formula not drawn: \\(x\\)"),
    ("</main>", '<p style="color: #bbb; background: #fff">pale</p></main>', "axe, light: color-contrast"),
    ("<h1", "<style>[data-theme=dark] h1 {color: #333; background: #000}</style><h1", "axe, dark: color-contrast"),
    (' lang="en"', "", "axe, light: html-has-lang"),
]


@pytest.fixture(scope="module")
def browser_findings(tmp_path_factory):
    """What the browser finds: one page for each broken thing, and the good ones."""
    if not pages.browser_path():
        pytest.skip("there is no Chromium or Chrome on this machine")
    folder = write_site(tmp_path_factory.mktemp("pages") / "site")
    for number, (right, wrong, _) in enumerate(BROKEN_PAGES):
        (folder / f"broken-{number}.html").write_text(GOOD.replace(right, wrong))
    return list(pages.browser_problems(folder))


def test_a_good_page_has_no_findings(browser_findings):
    assert [finding for finding in browser_findings if not finding.startswith("broken-")] == []


@pytest.mark.parametrize("number", range(len(BROKEN_PAGES)))
def test_a_broken_page_is_found(browser_findings, number):
    found = [finding for finding in browser_findings if finding.startswith(f"broken-{number}.html")]
    assert any(BROKEN_PAGES[number][2] in finding for finding in found), found


def test_no_browser_is_said_in_a_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pages, "browser_path", lambda: None)
    assert pages.check(write_site(tmp_path / "site")) == 0
    assert "Checks in a browser are skipped" in capsys.readouterr().out


# The repository -------------------------------------------------------------------------------------------------------


def test_the_code_passes_ruff():
    command = [sys.executable, "-m", "ruff", "check", "book", "src", "tests"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout


def test_the_badges_of_the_readme_are_what_make_quotes_writes():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert notebooks.with_badges(readme) == readme, "run: make quotes"
    rows = [line for line in readme.splitlines() if "colab.research.google.com" in line]
    names = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert [row.rpartition("/")[2].rstrip(") |") for row in rows] == names
    broken = readme.replace("/blob/executed/", "/blob/main/")
    assert notebooks.with_badges(broken) == readme


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_local_links_lead_to_files(name):
    links = re.findall(r"\]\(([^)\s]+)\)", (ROOT / name).read_text("utf-8"))
    local = [link.partition("#")[0] for link in links if "://" not in link]
    assert [link for link in local if not (ROOT / link).exists()] == []


def test_requirements_are_exact():
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    assert all(line.count("==") == 1 for line in lines if line and not line.startswith("#"))


def test_a_progress_bar_is_one_line_of_the_page():
    parts = ["\r  0%|    | 0/2", "\r 50%|##  | 1/2", "\r100%|####| 2/2", "\nlast line\n"]
    outputs = [nbformat.v4.new_output("stream", name="stderr", text=part) for part in parts]
    outputs += [nbformat.v4.new_output("stream", name="stdout", text="done\n")]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("train()", outputs=outputs)])
    [cell] = execute.as_seen(notebook).cells
    assert [output.text for output in cell.outputs] == ["100%|####| 2/2\nlast line\n", "done\n"]


def test_as_if_run_changes_only_counts(tmp_path):
    write_notebook(tmp_path / "one.ipynb", "1", "2", outputs=["1"])
    before = json.loads((tmp_path / "one.ipynb").read_text("utf-8"))
    after = json.loads(build.as_if_run(tmp_path / "one.ipynb"))
    assert [cell.pop("execution_count") for cell in after["cells"]] == [1, None]
    assert [cell.pop("execution_count") for cell in before["cells"]] == [None, None]
    assert after == before
