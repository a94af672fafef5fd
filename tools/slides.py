"""Slides of each chapter, made of its executed notebook, for a room without a network.

    python tools/slides.py FOLDER OUT          FOLDER holds executed notebooks; a folder
                                              a chapter in OUT, with all that it needs
    python tools/slides.py check OUT           slides that do not fit, or ask outside

Headings start slides. Figures, short code, outputs and Predict boxes are kept, each
Predict on a slide of its own; of a paragraph, its beginning. The whole text stands in
the speaker's notes (key S). nbconvert writes the slides, and reveal.js, which comes
with the package sphinx-revealjs, shows them.
"""

import importlib.util
import math
import re
import shutil
import sys
import sysconfig
import tempfile
from collections import namedtuple
from pathlib import Path

from environment import ROOT, script    # before nbformat

import nbformat
from nbconvert import SlidesExporter

LONGEST = 12    # lines of code that a slide shows
LONG, MANY = 18, 26    # lines of an output: more than LONG stand smaller
WIDTH, HEIGHT = 1060, 700
ROOM = 545    # of the height, for what stands below the heading
SAID = 190    # letters that a slide keeps of a paragraph, at least a sentence
LEFT_OUT = {"setup", "imports", "sources"}
MATHJAX = ("tex-mml-chtml.js", "output/chtml", "input/tex")
LICENCES = {"reveal": "LICENSE"}

Slide = namedtuple("Slide", "heading depth items notes")
Item = namedtuple("Item", "kind content height")    # kind: text, code or output


# What stands on the slides ------------------------------------------------------------


def slides(notebook, keep_figure):
    """The Slides of a chapter; keep_figure(name, svg) returns the address of a file."""
    made = []
    for cell, text in road(notebook):
        if cell.cell_type == "markdown":
            for block in blocks(text):
                place(made, with_figure(block, keep_figure))
        else:
            for item in items_of_code(cell, keep_figure):
                add(made, item)
    return [slide for slide in made if slide.items or slide.depth == 1]


def road(notebook):
    """The cells that slides are made of, in order; the last may be cut short."""
    of_exercises = set()
    for name in {tag for cell in notebook.cells for tag in tags(cell)
                 if re.fullmatch(r"\w\d-\d", tag)}:
        own = [n for n, cell in enumerate(notebook.cells) if name in tags(cell)]
        of_exercises |= set(range(own[0], own[-1] + 1))    # with what stands between
    for number, cell in enumerate(notebook.cells):
        end = cell.cell_type == "markdown" and re.search(
            r"^##+ (?:Going further|Sources)\b", cell.source, re.MULTILINE)
        if not (number in of_exercises or cell.get("id") in LEFT_OUT
                or {"quiz", "recall", "remove-cell", "hide-cell"} & tags(cell)):
            yield cell, cell.source[:end.start()] if end else cell.source
        if end:
            return


def tags(cell):
    return set(cell.metadata.get("tags", []))


def with_figure(block, keep_figure):
    """A block that is a picture beside the notebooks, as a figure; others as they are.
    """
    drawn = re.fullmatch(r"!\[([^\]]*)\]\((images/([\w-]+)\.svg)\)", block)
    if not drawn:
        return block
    svg = (ROOT / "notebooks" / drawn[2]).read_text("utf-8")
    return figure(keep_figure(drawn[3], svg), drawn[1])


def figure(address, alt, caption=""):
    alt = alt.replace('"', "&quot;")
    return (f'<figure><img src="{address}" alt="{alt}">\n'
            f"<figcaption>{caption}</figcaption></figure>")


def place(made, block):
    """Puts a block of Markdown on the last slide, or on a new one."""
    if heading := re.match(r"(#+) (.*)", block):
        made.append(Slide(plain(heading[2]), min(len(heading[1]), 3), [], []))
    elif block.startswith("> **Predict"):
        made.append(again(made[-1]))
        made[-1].items.append(Item("text", block, 0))
        made.append(again(made[-1]))
    elif block.startswith("<figure>"):
        add(made, Item("text", block, 440))
    elif block.startswith("```"):
        if block.count("\n") - 1 <= LONGEST:
            add(made, Item("text", block, 30 * block.count("\n")))
    elif re.match(r"\$\$|\||[-*] |\d\. ", block):
        add(made, Item("text", plain(block), 52 + 35 * sum(
            math.ceil(len(line) / 70) for line in block.splitlines())))
    else:
        short = beginning(plain(block))
        add(made, Item("text", short, 18 + 34 * math.ceil(len(short) / 78)))
        made[-1].notes.append(plain(block))


def add(made, item):
    """Puts an item on the last slide, or on a new one if there is no room for it."""
    full = sum(other.height for other in made[-1].items) + item.height > ROOM
    if made[-1].items and full:
        made.append(again(made[-1]))
    made[-1].items.append(item)


def again(slide):
    """A further slide under the same heading."""
    return Slide(slide.heading, 3, [], [])


def items_of_code(cell, keep_figure):
    """The code of a cell if it is short, its output, and its figure with a caption."""
    described = cell.metadata.get("mystnb", {})
    lines = cell.source.splitlines()
    hidden = {"hide-input", "remove-input"} & tags(cell) or "figure" in described
    if lines and len(lines) <= LONGEST and not hidden:
        yield Item("code", cell.source, 26 + 26 * len(lines))
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "image/svg+xml" in data:
            name = described.get("figure", {}).get("name", f"fig-{cell.id}")
            address = keep_figure(name, data["image/svg+xml"])
            alt = described.get("image", {}).get("alt", "")
            caption = plain(described.get("figure", {}).get("caption", ""))
            yield Item("text", figure(address, alt, caption), 440)
        elif output.output_type == "stream" and output.name == "stdout":
            yield output_item(output.text)
        elif "text/plain" in data and "text/html" not in data and not hidden:
            yield output_item(data["text/plain"])


def output_item(text):
    """An output as an item: many lines stand smaller, and too many are cut off."""
    lines = text.rstrip("\n").split("\n")
    if len(lines) > MANY:
        lines = [*lines[:MANY - 1], "..."]
    height = 25 if len(lines) <= LONG else 19
    return Item("output", "\n".join(lines), 40 + height * len(lines))


def blocks(text):
    """The blocks of Markdown: headings, paragraphs, fences, formulas, quotations."""
    text = re.sub(r"<details>.*?</details>|<!-- links -->.*?<!-- /links -->|<!--.*?-->",
                  "", text, flags=re.DOTALL)
    found, fence = [[]], ""
    for line in text.splitlines():
        if fence:
            found[-1].append(line)
            if line.rstrip().endswith(fence):
                fence = ""
                found.append([])
        elif not line.strip():
            found.append([])
        elif line.startswith("#"):
            found += [[line], []]
        else:
            if line.startswith(("```", "$$")):
                if line.startswith("```") or not line.rstrip()[2:].endswith("$$"):
                    fence = line[:3].rstrip() if line.startswith("```") else "$$"
                found.append([])
            found[-1].append(line)
    return ["\n".join(lines) for lines in found if lines]


def plain(text):
    """Markdown without addresses: what they lead to is not in the room."""
    return re.sub(r"(?<!!)\[([^\]]+)\]\([^)\s]+\)", r"\1", text)


def beginning(text):
    """The first sentences of a paragraph, about SAID letters, at least one."""
    kept = []
    protected = re.sub(r"`[^`]*`|\$[^$]*\$", lambda part: kept.append(part[0])
                       or f"\0{len(kept) - 1}\0", text)
    protected = re.sub(r"\b(al|e\.g|i\.e|vs|Fig|No)\. ", "\\1.\x01", protected)
    said = ""
    for sentence in re.split(r"(?<=[.!?])(?<!\d\.) +(?=[A-Z(*\0])", protected):
        if said and len(said) + len(sentence) > SAID:
            break
        said = f"{said} {sentence}".strip()
    said = said.replace("\x01", " ")
    if said.count("**") % 2:
        said += "**"
    if said.count("(") > said.count(")"):
        said += ")"
    return re.sub(r"\0(\d+)\0", lambda part: kept[int(part[1])], said)


# The files ----------------------------------------------------------------------------


def as_notebook(title, found):
    """The slides as a notebook for SlidesExporter, their kinds in its metadata."""
    cells = []

    def add_cell(cell, kind="-"):
        cell.metadata["slideshow"] = {"slide_type": kind}
        cells.append(cell)

    for slide in found:
        heading = ("# " if slide.depth == 1 else "## ") + slide.heading
        kind = "subslide" if slide.depth == 3 else "slide"
        add_cell(nbformat.v4.new_markdown_cell(heading), kind)
        for item in slide.items:
            if item.kind == "text":
                add_cell(nbformat.v4.new_markdown_cell(item.content))
                continue
            cell = nbformat.v4.new_code_cell(
                item.content if item.kind == "code" else "")
            if item.kind == "output":
                cell.metadata["transient"] = {"remove_source": True}
                cell.outputs = [nbformat.v4.new_output(
                    "stream", name="stdout", text=item.content)]
                if item.content.count("\n") >= LONG:
                    cell.metadata["tags"] = ["long"]
            add_cell(cell)
        if slide.notes:
            add_cell(nbformat.v4.new_markdown_cell("\n\n".join(slide.notes)), "notes")
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata.update(title=title, language_info={"name": "python"})
    return notebook


PAGE = """\
{% extends 'base.html.j2' %}
{% block header %}<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{ nb.metadata.title }}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="reveal/dist/reset.css">
<link rel="stylesheet" href="reveal/dist/reveal.css">
{% for css in resources.inlining.css %}<style>{{ css }}</style>{% endfor %}
<style>
:root { --r-main-font-size: 24px }
.reveal { font: 24px/1.4 Charter, Georgia, 'Noto Serif', 'Liberation Serif', serif;
  color: #1a1a1a }
.reveal .slides section { text-align: left; box-sizing: border-box;
  padding: 10px 20px; height: HEIGHTpx }
.reveal h1 { font-size: 44px; line-height: 1.2; margin: 50px 0 24px }
.reveal h2 { font-size: 30px; line-height: 1.2; margin: 4px 0 18px; color: #3b3b3b }
.reveal p, .reveal ul, .reveal ol, .reveal table { margin: 0 0 14px }
.reveal ul, .reveal ol { padding-left: 1.4em }
.reveal ol li { list-style: decimal }  .reveal ul li { list-style: disc }
.reveal strong { font-weight: bold }  .reveal em { font-style: italic }
.reveal pre, .reveal code { font-family: 'DejaVu Sans Mono', Menlo, monospace }
.reveal pre { font-size: 17px; line-height: 1.4; margin: 0 0 12px; padding: 8px 14px;
  background: #f5f5f5; white-space: pre-wrap }
.reveal p code, .reveal li code { font-size: 0.85em }
.reveal .jp-OutputArea pre { background: none; border-left: 4px solid #3299e3 }
.reveal .celltag_long pre { font-size: 14px; line-height: 1.3 }
.reveal blockquote { font-size: 29px; margin: 50px 30px 0; padding: 24px 34px;
  border-left: 8px solid #db3f24; background: #faf6f0; font-style: normal }
.reveal figure { margin: 0 auto 14px; text-align: center }
.reveal figure img { max-width: 100%; max-height: 390px; min-height: 220px }
.reveal figcaption { font-size: 19px; line-height: 1.3; color: #595959 }
.reveal table { border-collapse: collapse; font-size: 20px }
.reveal td, .reveal th { padding: 3px 14px 3px 0; border-bottom: 1px solid #d0d0d0 }
.reveal .slide-number { right: auto; left: 12px; background: none; color: #767676 }
.reveal .jp-InputPrompt, .reveal .jp-OutputPrompt,
.reveal .jp-Collapser, .reveal .jp-Cell-inputCollapser { display: none }
</style></head>{% endblock header %}
{% block body_header %}<body><div class="reveal"><div class="slides">
{% endblock body_header %}
{% block body_footer %}</div></div>{% endblock body_footer %}
{% block footer %}
<script src="reveal/dist/reveal.js"></script>
<script src="reveal/plugin/notes/notes.js"></script>
<script>
Reveal.initialize({ width: WIDTH, height: HEIGHT, margin: 0.03, center: false,
  hash: true, slideNumber: 'c/t', transition: 'none', plugins: [RevealNotes] });
window.MathJax = { tex: { inlineMath: [['$', '$']], displayMath: [['$$', '$$']] },
  chtml: { matchFontHeight: false }, options: { enableMenu: false } };
</script>
<script src="mathjax/tex-mml-chtml.js"></script>
</body></html>{% endblock footer %}
""".replace("HEIGHT", str(HEIGHT)).replace("WIDTH", str(WIDTH))


def reveal():
    """The folder of reveal.js in the package sphinx-revealjs."""
    found = importlib.util.find_spec("sphinx_revealjs")
    if not found:
        raise OSError("reveal.js is not here: requirements.txt has sphinx-revealjs, "
                      "which carries it")
    return Path(found.origin).parent / "_static/revealjs"


def mathjax():
    """The folder of MathJax in the package sphinx-mathjax-offline, as on the site."""
    place = Path(sysconfig.get_path("purelib"))
    return place / "sphinx-mathjax-offline/static/mathjax"


def write_chapter(path, out):
    """Makes the slides of an executed notebook, in a folder of their own, whole or not
    at all; returns how many."""
    notebook = nbformat.read(path, as_version=4)
    title = notebook.cells[0].source.partition("\n")[0].removeprefix("# ")
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as folder:
        folder = Path(folder) / path.stem
        folder.mkdir()

        def keep_figure(name, svg):
            (folder / f"{name}.svg").write_text(svg, "utf-8")
            return f"{name}.svg"

        found = slides(notebook, keep_figure)
        exporter = SlidesExporter(raw_template=PAGE, exclude_input_prompt=True,
                                  exclude_output_prompt=True,
                                  exclude_anchor_links=True)
        html, _ = exporter.from_notebook_node(as_notebook(title, found))
        (folder / "index.html").write_text(html, "utf-8")
        source = reveal()
        for part in ("dist/reset.css", "dist/reveal.css", "dist/reveal.js",
                     "plugin/notes/notes.js", "LICENSE"):
            target = folder / "reveal" / part
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / part, target)
        for part in MATHJAX:
            target = folder / "mathjax" / part
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (mathjax() / part).is_dir()
             else shutil.copyfile)(mathjax() / part, target)
        shutil.rmtree(out / path.stem, ignore_errors=True)
        folder.rename(out / path.stem)
    return len(found)


# In a browser -------------------------------------------------------------------------

OVERFLOW = """() => {
    const found = [], limit = Reveal.getConfig().height;
    Reveal.getSlides().forEach((slide, number) => {
        const { h, v } = Reveal.getIndices(slide);
        Reveal.slide(h, v);
        const scale = Reveal.getScale(), top = slide.getBoundingClientRect();
        const words = (slide.querySelector('h1, h2')?.textContent || '').trim();
        for (const part of slide.querySelectorAll('p, pre, li, img, table, figcaption,'
                                                  + ' blockquote, h1, h2, mjx-math')) {
            if (part.closest('aside')) continue;
            const box = part.getBoundingClientRect();
            const below = Math.round((box.bottom - top.top) / scale - limit);
            const beside = Math.round(Math.max(
                (box.right - top.right) / scale, part.scrollWidth - part.clientWidth
                    - (part.tagName === 'PRE' ? 0 : 1e6)));
            if (below > 2 || beside > 2) {
                found.push(`slide ${number + 1} (${words}): a ${part.tagName} ends `
                           + (below > 2 ? `${below} below` : `${beside} beside`));
                break;
            }
        }
    });
    return found;
}"""
SETTLED = """() => Promise.all([document.fonts.ready, ...[...document.images].map(
    image => { image.loading = 'eager'; return image.decode().catch(() => 0); })])"""


def overflowing(browser, name):
    """What does not fit its slide, asks outside or goes wrong, a sentence each."""
    problems = []
    page = browser.open(name, problems, width=1280)
    page.evaluate(SETTLED)
    problems += page.evaluate(OVERFLOW)
    page.close()
    return problems


def check(out):
    """Prints every problem of the slides in a folder; returns how many there are."""
    from pages import Browser, browser_path

    if not browser_path():
        print("    Checks in a browser are skipped: no Chromium or Chrome is here "
              "(CHROMIUM can name one).")
        return 0
    count = 0
    with Browser(out) as browser:
        for page in sorted(Path(out).glob("*/index.html")):
            for problem in overflowing(browser, f"{page.parent.name}/index.html"):
                print(f"    {page.parent.name}: {problem}")
                count += 1
    return count


def main(folder, out):
    if folder == "check":
        return check(out)
    paths = sorted(Path(folder).glob("*.ipynb"))
    if not paths:
        print(f"There is no executed notebook in {folder}: make book makes them.")
        return 1
    for path in paths:
        print(f"    {path.stem}: {write_chapter(path, Path(out))} slides", flush=True)
    return 0


if __name__ == "__main__":
    with script():
        try:
            sys.exit(main(*sys.argv[1:]) and 1)
        except OSError as problem:
            sys.exit(f"The slides were not made: {problem}.")
