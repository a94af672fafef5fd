"""The sources of a book, as the checks see them."""

import ast
import builtins
import collections
import contextlib
import functools
import importlib
import io
import json
import linecache
import symtable
import tempfile
import traceback
from pathlib import Path

import notebooks as files
import shapes

ROOT = Path(__file__).resolve().parent.parent

# Of a chapter that ran: the shape notes that were reached, as "cell:line", and what is
# wrong with the names that its quotes use
Ran = collections.namedtuple("Ran", "reached strange")


@functools.cache
def parsed(source):
    """The syntax tree of a source, to be read alone: samples share most of them."""
    return ast.parse(source)


class Book:
    """The sources of a book: its chapters, its pages, its package."""

    def __init__(self, root=ROOT, recorder=None):
        self.root, self.recorder = root, recorder or shapes.Recorder()
        self.failures = []
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
        chapters = [(where, self.root / "notebooks", cell.source)
                    for where, cell in self.cells("markdown")]
        pages = [(path.name, path.parent, path.read_text(encoding="utf-8"))
                 for pattern in ("*.md", "asked/*.md")
                 for path in sorted((self.root / "book").glob(pattern))]
        return chapters + pages

    @functools.cached_property
    def modules(self):
        """Each source file of the package and its syntax tree."""
        return {path: parsed(path.read_text(encoding="utf-8"))
                for path in sorted((self.root / "src/softdict").rglob("*.py"))}

    @functools.cached_property
    def runs(self):
        """A `Ran` for each chapter; those that stop are in failures instead."""
        ended = {}
        for name, notebook in self.notebooks.items():
            try:
                ended[name] = run(name, notebook, self.recorder)
            except Exception as error:
                frames = traceback.extract_tb(error.__traceback__)
                lines = [frame.lineno for frame in frames if "#" in frame.filename]
                place = f"{error.__notes__[-1]}, line {lines[-1] if lines else 1}"
                self.failures.append(f"{place}: {type(error).__name__}: {error}")
        return ended

    @functools.cache
    def known(self, exercise):
        """Names that a chapter imports and defines before an exercise.

        Nothing else of the chapter is run: an answer can need no more.
        """
        [chapter] = [name for name in self.notebooks if name.startswith(exercise[:2])]
        namespace = {"__name__": "__main__"}
        for cell in self.notebooks[chapter].cells:
            if files.exercise(cell) == exercise:
                return namespace
            if cell.cell_type == "code" and cell.get("id") != "setup":
                tree = files.parse(cell.source)
                tree.body = [node for node in tree.body if makes_names_only(node)]
                exec(compile(tree, f"{chapter}#{cell.id}", "exec"), namespace)
        raise KeyError(f"{chapter} has no exercise {exercise}")


def seen(book):
    """A `Ran` for each chapter that `make test` has run since its sources changed."""
    found = {}
    for path in files.paths(book.root):
        record = book.root / "_build/executed" / f"{path.stem}.seen"
        stamp = record.with_suffix(".fingerprint")
        if record.exists() and stamp.exists():
            if stamp.read_text(encoding="utf-8") == files.fingerprint(path, book.root):
                found[path.name] = Ran(**json.loads(record.read_text(encoding="utf-8")))
    return found


def makes_names_only(node):
    """Whether a statement imports or defines, or names a value that it writes out."""
    if isinstance(node, ast.Assign):
        with contextlib.suppress(ValueError):
            ast.literal_eval(node.value)
            return files.is_definition(node)
        return False
    imports = (ast.Import, ast.ImportFrom)
    return isinstance(node, imports) or files.is_definition(node)


def run(name, notebook, recorder):
    """Runs the cells in this process and an empty folder, shape notes checked."""
    import matplotlib.pyplot
    import torch

    namespace, twins = {"__name__": "__main__", "display": print}, []
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        stack.enter_context(contextlib.chdir(folder))
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(torch.random.fork_rng(devices=[]))
        stack.enter_context(matplotlib.rc_context())
        for cell in notebook.cells:
            if cell.cell_type != "code" or cell.get("id") == "setup":
                continue
            source, file = files.python(cell.source), f"{name}#{cell.get('id')}"
            lines = source.splitlines(keepends=True)
            linecache.cache[file] = len(source), None, lines, file
            try:
                shapes.run(source, namespace, file, recorder)
            except Exception as error:
                error.add_note(file)
                raise
            matplotlib.pyplot.close("all")
            twins += quoted_twins(cell, namespace)
    return ended(name, notebook, recorder, namespace, twins)


def ended(name, notebook, recorder, namespace, twins):
    """What there is to say of a chapter after its last cell."""
    reached = {place.removeprefix(f"{name}#")
               for place in recorder.reached if place.startswith(f"{name}#")}
    return Ran(sorted(reached), list(strange_names(notebook.cells, namespace, twins)))


def quoted_twins(cell, namespace):
    """Pairs of an object that a quote has defined and the module's own."""
    if not files.quoted_file(cell):
        return []
    module = importlib.import_module(dotted(files.quoted_file(cell)))
    return [(namespace[name], getattr(module, name))
            for name, _, _ in files.definitions(files.python(cell.source))]


def strange_names(cells, namespace, twins):
    """What is wrong with the names that quotes use: they must be the module's own."""
    twin = {id(mine): theirs for mine, theirs in twins}
    for cell in cells:
        if file := files.quoted_file(cell):
            module = vars(importlib.import_module(dotted(file)))
            for free in sorted(free_names(cell.source) & set(module)):
                mine = namespace.get(free, builtins)
                if mine is builtins:
                    yield (f"cell {cell.id}: the quote uses {free}, which the notebook "
                           "does not know")
                elif mine is not module[free] is not twin.get(id(mine)):
                    yield (f"cell {cell.id}: the quote uses {free}, which is another "
                           f"object in {file}")


def free_names(source):
    """Names that the definitions look up outside themselves."""
    def look(table):
        for symbol in table.get_symbols():
            is_free = table.get_type() == "module" and symbol.is_referenced()
            if symbol.is_global() or is_free:
                yield symbol.get_name()
        for child in table.get_children():
            yield from look(child)

    text = "\n".join(files.texts(source).values())
    return set(look(symtable.symtable(text, "quote", "exec")))


def dotted(file):
    """The module of a path: src/softdict/lookup.py is softdict.lookup."""
    name = Path(file).with_suffix("").as_posix().removeprefix("src/")
    return name.replace("/", ".").removesuffix(".__init__")
