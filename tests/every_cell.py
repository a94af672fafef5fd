"""A pytest plugin beside nbval: it keeps each notebook whose cells all pass.

With SOFTDICT_SHIFT=1000 every seed of torch is 1,000 more, and torch has two threads.
A cell must print where the notebook stores a text of it, and nowhere else. Beside the
notebooks appear made/NAME.ipynb, as tools/execute.py would execute it, and
made/NAME.seen, with what watch.py saw in the kernel.
"""

import os
import sys
from pathlib import Path

import nbformat
import pytest

TESTS = Path(__file__).resolve().parent
sys.path.append(str(TESTS.parent / "tools"))

from execute import as_seen    # noqa: E402
from ipykernel.ipkernel import IPythonKernel    # noqa: E402
from notebooks import has_text    # noqa: E402

LONG = "05", "06", "07", "08", "15"
OUTPUTS = {"stream", "display_data", "execute_result", "error"}
START = """\
import sys
sys.path += {folders}
import watch
sys.path[-2:] = []
watch.watch = watch.Watch(shell, {path!r})
"""
SHAKE = """\
import torch

class Generator(torch.Generator):
    def manual_seed(self, seed):
        return super().manual_seed(seed + {shift})

def shaken(seed, seeded=torch.manual_seed):
    return seeded(seed + {shift})

torch.manual_seed, torch.Generator = shaken, Generator
torch.set_num_threads(2)
"""
SAVE = "import watch; watch.watch.save({path!r})"


def tell(kernel, code):
    """Runs the code in the kernel, out of the notebook's sight."""
    code = f"exec({code!r}, dict(shell=get_ipython()))"
    request = kernel.kc.execute(code, silent=True)
    while True:
        reply = kernel.get_message("shell", timeout=60)
        if reply["parent_header"].get("msg_id") == request:
            break
    if reply["content"]["status"] != "ok":
        raise RuntimeError(reply["content"]["evalue"])


def pytest_collection_modifyitems(items):
    """Chapters that train for minutes come first, and the short ones fill up."""
    items.sort(key=lambda item: (item.path.name[:2] in LONG, item.path.name),
               reverse=True)
    for file in {item.parent for item in items}:
        file.skip_compare += ("text/html",)    # beside it stands the text, which counts


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    """Before its first cell the notebook's kernel is watched, and listened to."""
    yield
    file = item.parent
    if item.cell_num == 0:
        folders = [str(TESTS), str(TESTS.parent / "tools")]
        tell(file.kernel, START.format(folders=folders, path=str(item.path)))
        if shift := int(os.environ.get("SOFTDICT_SHIFT", 0)):
            tell(file.kernel, SHAKE.format(shift=shift))
        file.heard, file.passed, file.get_message = [], True, file.get_kernel_message

        def listen(**settings):
            file.heard.append(file.get_message(**settings))
            return file.heard[-1]

        file.get_kernel_message = listen


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Whether the cell prints must not differ from what the notebook stores."""
    stored = any(map(has_text, item.cell.outputs))
    yield
    prints = any(map(has_text, outputs_of(item.parent.heard)))
    if prints != stored and not int(os.environ.get("SOFTDICT_SHIFT", 0)):
        words = ("prints a text, and the notebook stores none" if prints
                 else "prints no text, and the notebook stores one")
        raise AssertionError(f"cell {item.cell.get('id')} {words}: run make outputs")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "call":
        file = item.parent
        file.passed = file.passed and report.passed
        fill(item.cell, item.cell_num + 1, file.heard)
        file.heard = []
        if file.passed and item.cell is last_code_cell(file.nb):
            save(file)
    return report


def fill(cell, count, messages):
    """Gives the cell what the kernel sent, and its run count."""
    cell.execution_count = count
    cell.outputs = outputs_of(messages)
    for output in cell.outputs:
        if output.output_type == "execute_result":
            output.execution_count = count


def outputs_of(messages):
    return [nbformat.v4.output_from_msg(message) for message in messages
            if message["msg_type"] in OUTPUTS]


def last_code_cell(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"][-1]


def save(file):
    target = file.path.parent / "made" / file.path.name
    target.parent.mkdir(exist_ok=True)
    tell(file.kernel, SAVE.format(path=str(target.with_suffix(".seen"))))
    file.nb.metadata.language_info = IPythonKernel.language_info
    nbformat.write(as_seen(file.nb), target)
