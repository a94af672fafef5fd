"""What the site adds for web/predict.js: where a Predict is asked, and what settles it.

An extension of Sphinx, from _config.yml. The cell of a Predict says which letter is
right, and in which cell the text says so: "predict": {"answer": "d", "until": "why"}.
The box becomes a div. So does all from the text that settles it, the verdict, down to
the next heading: what follows tells the answer too. The code cells right before the
verdict get the tag "settles". Without the script the page looks as it would without
them.
"""

import json
import re
from html import escape
from itertools import takewhile
from pathlib import Path

from docutils import nodes

WEB = Path(__file__).resolve().parent.parent / "web"
FILES = "predict.js", "predict.css"
BOX = re.compile(r"^> \*\*Predict\.\*\*.*(?:\n>.*)*", re.MULTILINE)
VERDICT = re.compile(r"(?:\b[Ii]t is|\bbelongs to|\bOnly|:) \(([a-f])\)")
OPENED = '<div class="verdict">'
ENDED = re.compile(r"[.!?][)*]*(?:\s*\$\$)?$")    # the end of a sentence


def letters(box):
    """The letters of a Predict's answers, as "abc"."""
    return "".join(re.findall(r"^> \(([a-f])\) ", box, re.MULTILINE))


def verdict(text):
    """The letter that a text names as right, or None; and the length of the text up to
    the end of that paragraph, or of the one in which its sentence ends."""
    found = VERDICT.search(text)
    for gap in re.finditer(r"\n\n|\Z", text):
        if gap.start() >= (found.end() if found else 1) and ENDED.search(
                text[:gap.start()]):
            return found and found[1], gap.start()
    raise ValueError(f"no sentence ends in {text[:40]!r}")


def mark(cells):
    """Marks, in the cells of a notebook as JSON, each Predict and what settles it.

    raises ValueError where the metadata name a cell that is not there
    """
    names = [cell.get("id") for cell in cells]
    for number, cell in enumerate(cells):
        if not (told := cell["metadata"].get("predict")):
            continue
        if told["until"] not in names[number:]:
            raise ValueError(f"the Predict of cell {cell['id']} is settled in a cell "
                             f"{told['until']!r}, which does not follow")
        end = names.index(told["until"], number)
        text = "".join(cell["source"])
        box = BOX.search(text)
        div = (f'<div class="predict" id="predict-{escape(cell["id"])}" '
               f'data-answer="{told.get("answer", "")}">')
        head = f"{text[:box.start()]}{div}\n\n{box[0]}\n\n</div>"
        rest = text[box.end():]
        if end == number:
            rest = f"\n\n{OPENED}\n\n" + rest.lstrip("\n")
        else:
            cells[end]["source"] = f"{OPENED}\n\n" + "".join(cells[end]["source"])
        cell["source"] = head + rest
        for one in takewhile(lambda one: one["cell_type"] == "code",
                             cells[end - 1:number:-1]):
            one["metadata"].setdefault("tags", []).append("settles")


def close(tree):
    """Ends each verdict's div in front of the next heading, in the page as docutils has
    it, where a heading begins a section."""
    for opened in [raw for raw in tree.findall(nodes.raw)
                   if raw.astext().strip() == OPENED]:
        parts = opened.parent
        behind = parts[parts.index(opened):]
        length = next((n for n, one in enumerate(behind)
                       if isinstance(one, nodes.section)), len(behind))
        parts.insert(parts.index(opened) + length,
                     nodes.raw("", "</div>", format="html"))


def turn_notebook(app, name, source):
    if name.startswith("notebooks/"):
        content = json.loads(source[0])
        mark(content["cells"])
        source[0] = json.dumps(content)


def load(app, name, template, context, tree):
    """Loads script and style where they have something to do."""
    body, (script, style) = context.get("body", ""), FILES
    if '<div class="predict"' in body or 'id="exercise-' in body:
        app.add_js_file(script, type="module")
        app.add_css_file(style)


def setup(app):
    app.connect("config-inited", lambda app, config: config.html_static_path.extend(
        str(WEB / name) for name in (*FILES, "memory.js")))
    app.connect("source-read", turn_notebook)
    app.connect("doctree-read", lambda app, tree: close(tree))
    app.connect("html-page-context", load)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
