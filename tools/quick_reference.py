"""The quick reference: all *In short* as one page of the site, a section a chapter.

`make quotes` writes it, from the cells `in-short` and `in-short-fold`; the parts are
those of _toc.yml. The look on the screen and as a poster is that of book.css.
"""

import re

PAGE = "book/quick_reference.md"
HEAD = """\
<!-- Written by make quotes, from the chapters: tools/quick_reference.py. -->
# Quick reference

This is the book's cheat sheet. Each chapter begins with *In short*: a picture, the \
usual technical names, when you need the thing, and what it costs. Here are all of \
them. A click opens each fold: it has the formulas, and code that runs in an empty \
notebook.

To make a poster, print this page: each part of the book fills one sheet of A3, with \
its folds open.
"""
PART = re.compile(r"^  - caption: (Part .+)\n    chapters:\n((?:      - file: .+\n?)+)",
                  re.MULTILINE)
FILE = re.compile(r"file: notebooks/(\w+)")
BESIDE = re.compile(r"\]\((?=images/|\w+\.ipynb)")    # what lies beside a notebook


def parts(root):
    """Each part's name, and the names of its chapters without .ipynb, from the toc."""
    toc = (root / "_toc.yml").read_text(encoding="utf-8")
    return [(name, FILE.findall(files)) for name, files in PART.findall(toc)]


def section(name, notebook):
    """The section of a chapter; "" for one that has no *In short*."""
    cells = {cell.get("id"): cell.source for cell in notebook.cells}
    if "in-short" not in cells:
        return ""
    title = cells["title"].partition("\n")[0].removeprefix("# ")
    text, fold = (BESIDE.sub("](../notebooks/", cells[name]).strip()
                  for name in ("in-short", "in-short-fold"))
    return (f"### [{title}](../notebooks/{name}.ipynb)\n\n"
            f"{text.removeprefix('## In short').strip()}\n\n{fold}\n")


def page(notebooks, root):
    """The page's Markdown; "" if no chapter has *In short*.

    notebooks are the chapters, by their names without .ipynb
    """
    text = []
    for part, names in parts(root):
        told = [section(name, notebooks[name]) for name in names if name in notebooks]
        if any(told):
            text += [f"## {part}\n", *filter(None, told)]
    return "\n".join([HEAD, *text]) if text else ""
