"""Recall: at its end each chapter asks for ideas of earlier ones.

`book/practice/NN.toml` holds the questions about chapter NN, an [[item]] each:

    id          NN-next, NN-third or NN-eighth: how many chapters later it is asked
    kind        choice, number, word or shape
    where       the section of chapter NN that answers it, by its place on the site
    question    Markdown
    answers     of a choice: pairs of an answer and why it is wrong, or right
    right       of a choice: which of them, counted from 0; else a list of spellings
    why         of the others: why it is right
    tempting    of the others: pairs of a wrong answer and why it is wrong
    computed    of the others, if torch can tell: Python that gives the answer

`make quotes` writes them into the notebooks, as questions with folds. As an extension
of Sphinx, from _config.yml, this puts them into the pages for web/chapter_recall.js,
and all of them into the page *Where am I* for web/practice.js.
"""

import functools
import json
import re
import tomllib
from html import escape
from pathlib import Path

import shuffled
from docutils.nodes import make_id

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
FILES = "recall.js", "chapter_recall.js", "practice.js", "recall.css"
BACK = {"next": 1, "third": 3, "eighth": 8}    # chapters between lesson and recall
PAGE = "book/practice"
ALL = "<!-- all questions -->"    # in that page
OPENING = {
    1: "One question about an earlier chapter. Answer it before you look.",
    2: "Two questions about earlier chapters. Answer each before you look.",
    3: "Three questions about earlier chapters. Answer each before you look."}


# From files to questions --------------------------------------------------------------


@functools.cache
def items(root=ROOT):
    """All items by their ids, as the files have them."""
    found = {}
    for path in sorted((root / "book/practice").glob("*.toml")):
        for item in tomllib.loads(path.read_text("utf-8"))["item"]:
            found[item["id"]] = item
    return found


def asked(chapter, root=ROOT):
    """The items that a chapter such as "07" asks; the capstones ask none."""
    if not chapter.isdecimal():
        return []
    names = [f"{int(chapter) - back:02}-{name}" for name, back in BACK.items()]
    return [items(root)[name] for name in names if name in items(root)]


@functools.cache
def headings(chapter, root=ROOT):
    """The file of a chapter, and its headings by their places on the site."""
    [path] = (root / "notebooks").glob(f"{chapter}_*.ipynb")
    text = "\n\n".join("".join(cell["source"]) for cell in json.loads(
        path.read_text("utf-8"))["cells"] if cell["cell_type"] == "markdown")
    found = re.findall(r"^##+ (.*)$", text, re.MULTILINE)
    return path.stem, {make_id(heading): heading for heading in found}


def section(item, root=ROOT):
    """The file and the heading of the section that answers an item.

    raises ValueError if the chapter has no such section
    """
    stem, known = headings(item["id"][:2], root)
    if item["where"] not in known:
        raise ValueError(f"item {item['id']}: {stem} has no section {item['where']!r}")
    return stem, known[item["where"]]


def line(text):
    """A text of a file, where lines are short, as one line."""
    return " ".join(text.split())


def unwrapped(text):
    """Markdown with each paragraph on one line; code and tables as they are."""
    parts = re.split(r"(^```.*?^```$)|\n[ \t]*\n", text.strip(), flags=re.DOTALL
                     | re.MULTILINE)
    return "\n\n".join(part if part.startswith(("```", "|")) else line(part)
                       for part in parts if part and part.strip())


def ended(heading):
    """A heading as the end of a sentence."""
    return f"*{heading}*" if heading.endswith(("?", "!")) else f"*{heading}*."


def whys(item):
    """What an item says of each answer but the right one: pairs of answer, sentence."""
    if item["kind"] == "choice":
        return [("abcd"[number], line(why)) for number, (_, why) in enumerate(
            item["answers"]) if number != item["right"]]
    return [(wrong, line(why)) for wrong, why in item["tempting"]]


def shown(item, answer):
    """An answer as Markdown: "(b)", or what was typed, as code if it looks like it."""
    if item["kind"] == "choice":
        return f"({answer})"
    return f"`{answer}`" if re.search(r"[<\[_*]", answer) else answer


def verdict(item):
    """The right answer, and why it is right."""
    if item["kind"] == "choice":
        right = item["right"]
        return f"It is ({'abcd'[right]}). {line(item['answers'][right][1])}"
    right = shown(item, item["right"][0])
    right = f"*{right}*" if " " in right and "`" not in right else right
    return f"The answer is {right}. {line(item['why'])}"


def said(item, answer, why):
    """A wrong answer and what is said of it, in a line."""
    return f"{shown(item, answer)}{'' if item['kind'] == 'choice' else ':'} {why}"


def choices(item):
    """The answers of a choice as lines; none for the others."""
    return "  \n".join(f"({letter}) {line(answer)}" for letter, (answer, _) in zip(
        "abcd", item.get("answers", [])))


# In a notebook ------------------------------------------------------------------------


def as_fold(item, number, root=ROOT):
    """A question of a notebook, with its answer in a fold."""
    stem, heading = section(item, root)
    wrong = "\n".join(f"- {said(item, answer, why)}" for answer, why in whys(item))
    place = (f"[Chapter {item['id'][:2]}]({stem}.ipynb#{item['where']}) says it, under "
             f"{ended(heading)}")
    parts = [f"**{number}.** {unwrapped(item['question'])}", choices(item),
             "<details>\n<summary>Answer</summary>", verdict(item), wrong, place,
             "</details>"]
    return "\n\n".join(filter(None, parts))


def cell_text(chapter, written=as_fold, root=ROOT):
    """The Markdown of a chapter's recall, or None if it asks nothing."""
    if not (found := asked(chapter, root)):
        return None
    return "\n\n".join(["## Recall", OPENING[len(found)],
                        *(written(item, number, root=root)
                          for number, item in enumerate(found, start=1))])


# On the site --------------------------------------------------------------------------


def as_form(item, number=None, root=ROOT):
    """The same for web/recall.js, which makes a form of it; numbered or not."""
    stem, heading = section(item, root)
    choice = item["kind"] == "choice"
    right = ["abcd"[item["right"]]] if choice else item["right"]
    label = (f"Answer, question {number} of the recall" if number else
             f"Answer, question {item['id']}")
    parts = [
        f'<div class="recall" id="recall-{item["id"]}" data-kind="{item["kind"]}" '
        f'data-from="{stem}" data-right="{escape(json.dumps(right))}">',
        f"**{number}.** {unwrapped(item['question'])}" if number else
        unwrapped(item["question"]),
        f'<div class="recall-choices">\n\n{choices(item)}\n\n</div>' if choice else "",
        f'<details>\n<summary aria-label="{label}">Answer</summary>',
        f'<div class="recall-reason">\n\n{verdict(item)}\n\n</div>',
        *(f'<div class="recall-why" data-answer="{escape(answer)}">\n\n'
          f"{said(item, answer, why)}\n\n</div>" for answer, why in whys(item)),
        f'<div class="recall-place">\n\n<a class="reference internal" '
        f'href="../notebooks/{stem}.html#{item["where"]}">Chapter {item["id"][:2]}</a> '
        f"says it, under {ended(heading)}\n\n</div>",
        "</details>", "</div>"]
    return "\n\n".join(filter(None, parts))


def turn(app, name, source):
    """Puts the forms into a chapter, and all of them into the page *Where am I*."""
    root = Path(app.srcdir)
    if name == PAGE:
        forms = "\n\n".join(as_form(item, root=root) for item in items(root).values())
        source[0] = source[0].replace(
            ALL, f'<div class="recall-all" hidden>\n\n{forms}\n\n</div>')
        puzzles = {path.stem: shuffled.exercise(path.stem, root)
                   for path in (root / "book/lines").glob("*.toml")}
        place = 'id="practice-chapters"'
        source[0] = source[0].replace(
            place, f'{place} data-puzzles="{escape(json.dumps(puzzles))}"')
    elif name.startswith("notebooks/"):
        content = json.loads(source[0])
        for cell in content["cells"]:
            if cell.get("id") == "recall":
                chapter = name.removeprefix("notebooks/")[:2]
                cell["source"] = cell_text(chapter, as_form, root)
        source[0] = json.dumps(content)


def load(app, name, template, context, tree):
    """Loads the script of chapters, or that of *Where am I*."""
    if name.startswith("notebooks/") or name == PAGE:
        script = "practice.js" if name == PAGE else "chapter_recall.js"
        app.add_js_file(script, type="module")
        for style in ("predict.css", "recall.css"):    # both have buttons of answers
            app.add_css_file(style)


def setup(app):
    app.connect("config-inited", lambda app, config: config.html_static_path.extend(
        str(WEB / name) for name in FILES))
    app.connect("source-read", turn)
    app.connect("html-page-context", load)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
