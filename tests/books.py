"""The sources of a book, as the checks see them."""

import ast
import contextlib
import functools
import importlib
import io
import linecache
import tempfile
import traceback
from pathlib import Path

import notebooks as files
import shapes

ROOT = Path(__file__).resolve().parent.parent


class Book:
    """The sources of a book: its chapters, its pages, and what its chapters define when they are run."""

    def __init__(self, root=ROOT, recorder=None):
        self.root, self.recorder, self.failures = root, recorder or shapes.Recorder(), []
        self.notebooks = {path.name: files.read(path) for path in files.paths(root)}

    def cells(self, kind=None):
        """Each cell with the words that say where it stands."""
        for name, notebook in self.notebooks.items():
            for cell in notebook.cells:
                if kind in (None, cell.cell_type):
                    yield f"{name}, cell {cell.get('id')}", cell

    @functools.cached_property
    def pages(self):
        """Place, folder and Markdown of every page and every Markdown cell."""
        chapters = [(where, self.root / "notebooks", cell.source) for where, cell in self.cells("markdown")]
        pages = [(path.name, path.parent, path.read_text(encoding="utf-8"))
                 for path in sorted((self.root / "book").glob("*.md"))]
        return chapters + pages

    @functools.cached_property
    def modules(self):
        """Each source file of the package and its syntax tree."""
        return {path: ast.parse(path.read_text(encoding="utf-8"))
                for path in sorted((self.root / "src/softdict").rglob("*.py"))}

    @functools.cached_property
    def runs(self):
        """What each chapter defines when its cells run, shape notes checked; those that stop are in failures."""
        ended = {}
        for name, notebook in self.notebooks.items():
            try:
                ended[name] = run(name, notebook, self.recorder)
            except Exception as error:
                lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if "#" in frame.filename]
                place = f"{error.__notes__[-1]}, line {lines[-1] if lines else 1}"
                self.failures.append(f"{place}: {type(error).__name__}: {error}")
        return ended


def run(name, notebook, recorder):
    """Runs the cells in this process and an empty folder.

    Returns their names, pairs of a quoted object and the module's own, and the names before each exercise.
    """
    import matplotlib.pyplot
    import torch

    namespace = {"__name__": "__main__", "display": print}
    twins, before = [], {}
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.chdir(stack.enter_context(tempfile.TemporaryDirectory())))
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(torch.random.fork_rng(devices=[]))
        stack.enter_context(matplotlib.rc_context())
        for cell in notebook.cells:
            if cell.cell_type != "code" or cell.get("id") == "setup":
                continue
            if files.exercise(cell):
                before.setdefault(files.exercise(cell), dict(namespace))
            source, file = files.python(cell.source), f"{name}#{cell.get('id')}"
            linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
            try:
                shapes.run(source, namespace, file, recorder)
            except Exception as error:
                error.add_note(file)
                raise
            matplotlib.pyplot.close("all")
            if quoted := files.quoted_file(cell):
                module = importlib.import_module(dotted(quoted))
                twins += [(namespace[name], getattr(module, name)) for name, _, _ in files.definitions(source)]
    return namespace, twins, before


def dotted(file):
    """The module of a path: src/softdict/lookup.py is softdict.lookup."""
    return Path(file).with_suffix("").as_posix().removeprefix("src/").replace("/", ".").removesuffix(".__init__")
