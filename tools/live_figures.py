"""Puts live figures into the pages: an extension of Sphinx, from _config.yml.

A cell says in its metadata which figure moves there, and what a reader can move in it:
"live": {"figure": "soft-lookup", "move": "Drag the query."}
On the site the element <live-soft-lookup> then stands behind the outputs of that cell,
or behind its text, and the page loads web/soft_lookup_figure.js, web/live.css, and the
figure's own web/soft_lookup_figure.css if there is one. Once the element has drawn
itself, live.css hides the cell's outputs, but not on paper. A page that has the line
<!-- moving figures --> gets the list of them all there.
"""

import json
import re
from html import escape
from pathlib import Path

from docutils import nodes

WEB = Path(__file__).resolve().parent.parent / "web"
NAME = re.compile(r"[a-z]+(-[a-z]+)*")
LIST = "<!-- moving figures -->"
ROW = '<li><a href="../notebooks/{0}.html#{1}">{2}</a>: {3}</li>'
PLACED = re.compile(r'<live-([a-z-]+) class="live-figure">')


def module(figure):
    """The file in web/ that draws a figure: soft_lookup_figure.js for soft-lookup."""
    return f"{figure.replace('-', '_')}_figure.js"


def element(figure):
    return f'<live-{figure} class="live-figure"></live-{figure}>'


def place_in_text(cells):
    """Puts the elements of text cells at their ends, in a notebook's cells as JSON.

    raises ValueError where a figure has no module, or a code cell no output to replace
    """
    for cell in cells:
        if "live" not in cell["metadata"]:
            continue
        told, name = cell["metadata"]["live"], cell["id"]
        figure = told.get("figure", "") if isinstance(told, dict) else ""
        if not NAME.fullmatch(figure) or not (WEB / module(figure)).is_file():
            raise ValueError(f"the cell {name} wants a live figure {told!r}, and web/ "
                             "has no module for it")
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"]).rstrip()
            cell["source"] = (f'{text}\n\n<div id="live-{figure}">\n'
                              f"{element(figure)}\n</div>\n")
        elif not cell.get("outputs"):
            raise ValueError(f"the cell {name} has a live figure, and no output that "
                             "could stand in its place")


def place_in_outputs(tree):
    """Puts the elements of code cells behind their outputs, in the page as docutils
    has it: as one output more, it would get the figure's caption again."""
    for cell in tree.findall(nodes.container):
        live = cell.get("cell_metadata", {}).get("live")
        if live and cell.get("nb_element") == "cell_code":
            cell.children[-1].append(
                nodes.raw("", element(live["figure"]), format="html"))


def listed(folder):
    """A list of all live figures in a folder of notebooks, in HTML: chapter, what to
    move, and a link to the figure.

    raises ValueError where a cell does not say what to move
    """
    rows = []
    for file in sorted(folder.glob("*.ipynb")):
        cells = json.loads(file.read_text("utf-8"))["cells"]
        title = "".join(cells[0]["source"]).partition("\n")[0].partition(":")[0]
        for cell in cells:
            if live := cell["metadata"].get("live"):
                if "move" not in live:
                    raise ValueError(f"the cell {cell['id']} does not say what to move "
                                     "in its live figure")
                twin = cell["metadata"].get("mystnb", {}).get("figure", {})
                place = twin.get("name", f"live-{live['figure']}")
                words = escape(title.removeprefix("# ").replace(" ·", ","))
                rows.append(ROW.format(file.stem, place, words, escape(live["move"])))
    return "\n".join(["<ul>", *rows, "</ul>"])


def turn_page(app, name, source):
    if LIST in source[0]:
        source[0] = source[0].replace(LIST, listed(Path(app.srcdir) / "notebooks"))
    if name.startswith("notebooks/"):
        content = json.loads(source[0])
        place_in_text(content["cells"])
        source[0] = json.dumps(content)


def load(app, name, template, context, tree):
    """Loads modules and style where a figure stands, and nowhere else."""
    figures = dict.fromkeys(PLACED.findall(context.get("body", "")))
    styles = [Path(module(figure)).with_suffix(".css").name for figure in figures]
    for figure in figures:
        app.add_js_file(f"web/{module(figure)}", type="module")
    for style in (["live.css", *styles] if figures else []):
        if (WEB / style).is_file():
            app.add_css_file(f"web/{style}")


def setup(app):
    app.connect("source-read", turn_page)
    app.connect("doctree-read", lambda app, tree: place_in_outputs(tree))
    app.connect("html-page-context", load)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
