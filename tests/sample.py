"""A small book without faults, in a folder of its own, for tests that break it in one
place."""

import shutil

import nbformat
import notebooks as files
from books import ROOT

ANSWER = """\
def {name}(number):
    '''Returns the number, and {k} more.'''
    larger = number + {k}
    return larger
"""


FIGURE = {"image": {"alt": "A flat line says that nothing changes."},
          "figure": {"caption": "A line.", "name": "fig-line"}}


def markdown(id, source, *tags):
    return nbformat.v4.new_markdown_cell(source, id=id, metadata={"tags": list(tags)}
                                         if tags else {})


def code(id, source, *tags, output=None, **metadata):
    outputs = [nbformat.v4.new_output("stream", name="stdout",
                                      text=output)] if output else []
    metadata = {**metadata, **({"tags": list(tags)} if tags else {})}
    return nbformat.v4.new_code_cell(source, id=id, outputs=outputs, metadata=metadata)


def fence(*names, file="src/softdict/lookup.py"):
    """A quote in Markdown of the named definitions."""
    text = "\n\n\n".join(f"def {name}(): pass" for name in names)
    return f"```python\n# {file}\n{text}\n```"


def sample_exercise(k):
    number, name = f"01-{k}", f"add_{k}"
    stub = f"def {name}(number):\n    raise NotImplementedError"
    unsolved = "not solved yet"
    fold = f"```python\n# tests/answers/01-{k}.py\n```"
    return [
        markdown(f"text-{k}", f"Add {k}.", "exercise-text", number),
        code(f"stub-{k}", stub, "exercise", number),
        code(f"check-{k}", f"print('{unsolved}')", "exercise-check", number,
             files.CLAIM, output=f"{unsolved}\n"),
        markdown(f"hint-{k}", folded("Hint", "Add."), "hint", number),
        markdown(f"answer-{k}", folded("Answer", fold), "answer", number)]


def folded(summary, text):
    return f"<details><summary>{summary}</summary>\n\n{text}\n\n</details>"


PROMISE = """\
**The promise.** You can add.

1. add one (01-1);
2. add two (01-2);
3. add more (01-3).

Reading takes about 2 minutes."""
SHORT = f"""\
## In short

![A row says the word add to those who look, and no more than that.]\
(images/in-short-01.svg)

**Adding**, or **addition**, makes a **sum** of **terms**.{" It adds a term." * 40}

*You need it* where things come together. *It costs* one step a term."""
SHORT_FOLD = """\
<details>
<summary>The formula</summary>

$a + b$

```python
import torch
a = torch.ones(2)
(a + a).sum()
```

</details>"""
DRAWING = """\
from in_short import card, word


def draw():
    return card(40, [word(40, 20, "add")])
"""
IMPORTS = """\
import matplotlib.pyplot as plt
import torch
from softdict.lookup import cosine"""
SHAPES = """\
scores = torch.zeros(2, 3)    # [T, S]
weights = softmax(scores)    # [T, S]"""


def sample_cells():
    return [
        markdown("title", "# 01 · A sample\n\n<!-- links -->\n<!-- /links -->"),
        markdown("promise", PROMISE),
        markdown("in-short", SHORT),
        markdown("in-short-fold", SHORT_FOLD),
        code("setup", "pass"),
        code("imports", IMPORTS),
        markdown("predict", "> **Predict.** What is one and one?\n>\n> (a) 2  (b) 3"),
        code("claim", "print(1 + 1)", files.CLAIM, output="2\n"),
        *sample_exercise(1),
        code("quote", "# src/softdict/lookup.py\n"
                      "def softmax(): pass\n\n\ndef lookup(): pass"),
        markdown("shown", f"It was imported:\n\n{fence('cosine')}"),
        code("shapes", SHAPES),
        code("figure", "plt.plot([1, 1])\nplt.show()", mystnb=FIGURE),
        *sample_exercise(2), *sample_exercise(3),
        markdown("recap", "## Recap\n\nAdding adds."),
        markdown("sources", "## Sources\n\n- [Vaswani et al. 2017]"
                            "(../book/bibliography.md), section 3.")]


class Sample:
    """A small book in a folder of its own."""

    def __init__(self, root):
        self.root, self.path = root, root / "notebooks/01_sample.ipynb"

    def make(self):
        """Writes all its files; a copy of its folder is a sample, too."""
        shutil.copytree(ROOT / "src/softdict", self.root / "src/softdict",
                        ignore=shutil.ignore_patterns("__pycache__", "assets"))
        for k in (1, 2, 3):
            self.write(f"tests/answers/01/01-{k}.py",
                       ANSWER.format(name=f"add_{k}", k=k))
        self.write("pyproject.toml",
                   (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        self.write("requirements.txt", "torch\n")
        self.write("tools/in_short/chapter_01.py", DRAWING)
        self.write("README.md", "<!-- badges -->\n<!-- /badges -->\n")
        self.write("CONTRIBUTING.md", f"# Contributing\n\n{fence('softmax')}\n")
        self.write("_config.yml", "title: A sample\nrepository:\n  url: "
                   "https://github.com/a/b\n  branch: main\nhtml:\n  "
                   "baseurl: https://a.github.io/b/\n")
        self.write("_toc.yml", "chapters:\n  - file: notebooks/01_sample\n")
        self.write("book/bibliography.md", "# Bibliography\n")
        self.write("book/references.bib", "@article{v17,\n  author = {Vaswani, "
                   "Ashish},\n  year = {2017},\n  url = {https://a.org/1},\n}\n")
        files.write(self.path, nbformat.v4.new_notebook(cells=sample_cells()))
        files.rewrite_quotes(root=self.root)

    def write(self, file, text):
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def edit(self, file, old, new):
        text = (self.root / file).read_text(encoding="utf-8")
        assert old in text
        self.write(file, text.replace(old, new))

    def source(self, id, old, new):
        """Replaces words in a cell."""
        def change(cells):
            cell = next(cell for cell in cells if cell.id == id)
            assert old in cell.source
            cell.source = cell.source.replace(old, new)
        self.cells(change)

    def set(self, name, **fields):
        """Sets fields of a cell."""
        self.cells(lambda cells: next(cell for cell in cells if cell.id
                                      == name).update(nbformat.from_dict(fields)))

    def cells(self, change):
        notebook = files.read(self.path)
        change(notebook.cells)
        files.write(self.path, notebook)

    def add(self, cell, at=-2):
        self.cells(lambda cells: cells.insert(at, cell))

    def drop(self, *ids):
        def change(cells):
            cells[:] = [cell for cell in cells if cell.id not in ids]
        self.cells(change)

    def slim(self):
        """Drops the cells for which a kernel loads torch, which takes seconds."""
        self.drop("imports", "quote", "shapes", "figure")
