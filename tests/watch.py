"""Inside a notebook's kernel: checks the shape notes of the cells that nbval runs.

Quotes run as they stand: their notes are the package's, and its own tests check them.
"""

import json
from pathlib import Path

import books
import notebooks as files
import shapes
from IPython.core.error import InputRejected


class Watch:
    """Sees each code cell before and after it runs; IPython lets it change the tree."""

    def __init__(self, shell, path):
        self.shell, self.name, self.notebook = shell, Path(path).name, files.read(path)
        self.cells = (cell for cell in self.notebook.cells if cell.cell_type == "code")
        self.cell, self.recorder, self.twins = None, shapes.Recorder(), []
        shell.events.register("pre_run_cell", self.before)
        shell.events.register("post_run_cell", self.after)
        shell.ast_transformers.append(self)

    def before(self, info):
        self.cell = next(self.cells)

    def visit(self, tree):
        """The tree of a cell with checks where it has shape notes."""
        if self.cell is None or files.quoted_file(self.cell):
            return tree
        self.shell.user_ns.update(__shapes__=self.recorder, __sizes__=shapes.Sizes())
        file, source = f"{self.name}#{self.cell.id}", files.python(self.cell.source)
        try:
            return shapes.Instrument(file, source, tree).visit(tree)
        except shapes.ShapeError as error:
            raise InputRejected(str(error)) from error

    def after(self, result):
        if result.success:
            self.twins += books.quoted_twins(self.cell, self.shell.user_ns)
        self.cell = None

    def save(self, path):
        """Writes what was seen, once the last cell has run."""
        ran = books.ended(self.name, self.notebook, self.recorder, self.shell.user_ns,
                          self.twins)
        Path(path).write_text(json.dumps(ran._asdict()), encoding="utf-8")
