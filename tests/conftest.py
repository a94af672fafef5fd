"""All tests run the package with its shape notes checked, and without a screen.

After a run of all tests, in one process or several, each note must have been reached.
"""

import os
import shutil
import signal
import sys
from pathlib import Path

import hypothesis
import pytest
import shapes

TESTS = Path(__file__).resolve().parent
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("OMP_NUM_THREADS", "1")    # read when torch is imported
# what a test solves does not lie among a reader's answers
os.environ["SOFTDICT_PROGRESS"] = str(TESTS.parent / "_build/answers")
sys.path.insert(0, str(TESTS.parent / "tools"))    # notebooks.py is a script
# in this order: the files that take longest, so that none of them ends alone
LONG = ("test_grading", "test_build", "test_order", "test_live_page", "test_corpus",
        "test_translator", "test_another_system", "test_practice", "test_experiments",
        "test_results", "test_book", "test_predicts", "test_live_figures", "test_today",
        "test_stopping", "test_search", "test_notebooks", "test_onnx",
        "test_distributed", "test_pretraining", "test_checks", "test_live_chapters",
        "test_stream", "test_live_beam", "test_wiring")
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # a shell that runs the tests behind it ignores Ctrl-C, and so would all they start
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.fsync = lambda file: None    # nothing that a test writes outlives a power cut
# no property has a time to keep: on a busy machine any takes longer
hypothesis.settings.register_profile("untimed", deadline=None, suppress_health_check=[
    hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("untimed")
RECORDER = shapes.Recorder()
shapes.install("softdict", RECORDER)


@pytest.fixture(scope="session")
def recorder():
    return RECORDER


@pytest.fixture(scope="session")
def book():
    """The book itself; what its chapters did when `make test` ran them is in runs."""
    from books import Book, seen

    book = Book(recorder=RECORDER)
    book.runs = seen(book)
    return book


@pytest.fixture(scope="session")
def whole_sample(tmp_path_factory):
    """The folder of a small book without faults."""
    from sample import Sample

    folder = tmp_path_factory.mktemp("sample")
    Sample(folder).make()
    return folder


@pytest.fixture
def sample(tmp_path, whole_sample):
    """A copy of the small book, to be broken."""
    from sample import Sample

    shutil.copytree(whole_sample, tmp_path, dirs_exist_ok=True)
    return Sample(tmp_path)


def pytest_configure(config):
    config.addinivalue_line("markers", "gpu: needs a CUDA GPU")


def pytest_collection_modifyitems(items):
    """The longest files come first, and the short ones fill up."""
    turn = {name: number for number, name in enumerate(LONG)}
    items.sort(key=lambda item: turn.get(item.path.stem, len(turn)))


# Whether each shape note of the package was reached

def pytest_sessionfinish(session, exitstatus):
    """A worker hands over what it reached; the main process asks what is left."""
    config = session.config
    if hasattr(config, "workeroutput"):
        config.workeroutput["reached"] = sorted(RECORDER.reached)
    elif exitstatus in (0, 1) and runs_everything(config):
        config.unreached = shapes.unreached("softdict", RECORDER)
        if config.unreached:
            session.exitstatus = 1


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    RECORDER.reached |= set(getattr(node, "workeroutput", {}).get("reached", []))


def pytest_terminal_summary(terminalreporter, config):
    for place in getattr(config, "unreached", []):
        terminalreporter.write_line(f"FAILED {place}: no test runs this shape note")


def runs_everything(config):
    """Whether the command asked for all tests."""
    choices = ("keyword", "markexpr", "lf", "deselect", "ignore", "collectonly")
    if any(config.getoption(name, None) for name in choices):
        return False
    start = config.invocation_params.dir
    return {Path(start, word).resolve() for word in config.args} == {TESTS}
