"""All tests run the package with its shape notes checked (shapes.py) and without a screen."""

import os
import sys
from pathlib import Path

import pytest
import shapes

os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("OMP_NUM_THREADS", "1")    # read when torch is imported
sys.path.insert(0, str(Path(__file__).parent.parent / "book"))    # notebooks.py is a script, not a package
RECORDER = shapes.Recorder()
shapes.install("softdict", RECORDER)


@pytest.fixture(scope="session")
def recorder():
    return RECORDER


@pytest.fixture(scope="session")
def book():
    """The book itself; its chapters are run once for all tests."""
    from books import Book

    return Book(recorder=RECORDER)


@pytest.fixture
def sample(tmp_path):
    """A small book without faults, to be broken."""
    from sample import Sample

    return Sample(tmp_path)


def pytest_collection_modifyitems(session, config, items):
    """Tests marked `last` ask what all the others have reached; they are skipped where not all of them run."""
    last = [item for item in items if item.get_closest_marker("last")]
    items[:] = [item for item in items if item not in last] + last
    ran = {item.path for item in items}
    parts = [config.option.keyword, config.option.markexpr, config.getoption("lf", False),
             os.environ.get("PYTEST_XDIST_WORKER"),
             any("::" in argument for argument in config.args), set(Path(__file__).parent.glob("test_*.py")) - ran]
    if any(parts):
        for item in last:
            item.add_marker(pytest.mark.skip(reason="asks about a run of all tests in one process"))


def pytest_configure(config):
    config.addinivalue_line("markers", "last: runs after all other tests, and only if all of them run")
