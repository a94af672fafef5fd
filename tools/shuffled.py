"""Lines in order: a function's lines, shuffled, with a few wrong ones among them; and
the same function with three blanks.

`book/lines/NN.toml` names the function, the wrong answers and the blanks. It may have a
`rule`: what the exercise asks for, and no line of code tells. Here lines and blanks are
cut out of their files, wrapped for a phone, and made into the cell `lines-NN`, which
`make quotes` writes. As an extension of Sphinx, from _config.yml, this adds to the site
what web/puzzle.js needs; without scripts lists and folds stand as in the notebook.
"""

import ast
import io
import json
import random
import re
import tokenize
import tomllib
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
COLUMNS = 41    # of code on a phone
TAG, CELL = "lines", re.compile(r"lines-(\d\d)")
LETTERS = "abcdefghijklmnop"
FILES = "puzzle.js", "blanks.js", "order.js", "order.css"


@dataclass
class Line:
    """A statement, or the first line of one that holds others.

    place is its number in the function, or None; parent is the place of the line in
    whose block it stands. A wrong line has the sentence that says why it is wrong, and
    `instead`, the place of the line that it stands for
    """

    text: str
    indent: int
    place: int | None = None
    parent: int | None = None
    opens: bool = False
    makes: list = field(default_factory=list)
    needs: list = field(default_factory=list)
    says: str = ""
    instead: int | None = None


@dataclass
class Puzzle:
    """Lines as they are shown, and the orders of their places that are right.

    free are pairs of places whose order does not matter. gaps is the whole function
    with `__1__` in place of the first blank; blanks has for each the pieces as they are
    shown, pairs of a text and why it is wrong, which is "" for a right one
    """

    exercise: str
    name: str
    head: str
    lines: list
    orders: list
    free: list
    gaps: str
    blanks: list

    @property
    def right(self):
        """The lines of the function in its own order."""
        return sorted((line for line in self.lines if line.place is not None),
                      key=lambda line: line.place)

    @property
    def wrong(self):
        return [line for line in self.lines if line.place is None]


# Cutting ------------------------------------------------------------------------------


def definition(text, name):
    """The syntax tree of a function or class of a source."""
    for node in ast.parse(text).body:
        if getattr(node, "name", None) == name:
            return node
    raise ValueError(f"there is no {name} to cut lines from")


def cut(text, name):
    """The first line of a definition, and the Lines of its body without docstrings."""
    node, rows = definition(text, name), text.splitlines()
    lines = []

    def header(one):
        return rows[one.lineno - 1:one.body[0].lineno - 1]

    def walk(body, parent, depth):
        for one in body:
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
                continue    # a docstring
            inner = getattr(one, "body", None)
            if inner and (getattr(one, "orelse", None) or hasattr(one, "handlers")
                          or inner[0].lineno == one.lineno):
                raise ValueError(f"{name}: only blocks below their first line, without "
                                 "else or try, can be shuffled")
            part = header(one) if inner else rows[one.lineno - 1:one.end_lineno]
            makes, needs = names(one)
            lines.append(Line(narrow(without_comments(part), COLUMNS - 4 * depth),
                              4 * depth, len(lines), parent, bool(inner), makes, needs))
            if inner:
                walk(inner, len(lines) - 1, depth + 1)

    walk(node.body, None, 0)
    own = {name for line in lines for name in line.makes}
    for line in lines:
        line.needs = [name for name in line.needs if name in own]
    return narrow(without_comments(header(node)), COLUMNS), lines


def names(statement):
    """Names that a statement binds, and those that it reads, its block left out."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return [statement.name], []
    inside = {id(part) for one in getattr(statement, "body", [])
              for part in ast.walk(one)}
    parts = [part for part in ast.walk(statement) if id(part) not in inside]
    found = sorted((part for part in parts if isinstance(part, ast.Name)),
                   key=lambda part: (part.lineno, part.col_offset))
    loops = {part.id for one in parts if isinstance(one, ast.comprehension)
             for part in ast.walk(one.target) if isinstance(part, ast.Name)}
    loops |= {one.arg for one in parts if isinstance(one, ast.arg)}
    bound = dict.fromkeys(part.id for part in found
                          if isinstance(part.ctx, ast.Store) and part.id not in loops)
    read = dict.fromkeys(part.id for part in found
                         if isinstance(part.ctx, ast.Load) and part.id not in loops)
    if isinstance(statement, ast.AugAssign):
        read |= bound
        bound = {}
    return list(bound), list(read)


def without_comments(rows):
    """The rows, dedented, without comments and what stands before them."""
    text = "\n".join(rows)
    indent = len(text) - len(text.lstrip())
    rows = [row[indent:] for row in rows]
    for token in tokens(io.StringIO("\n".join(rows)).readline):
        if token.type == tokenize.COMMENT:
            number, column = token.start
            rows[number - 1] = rows[number - 1][:column]
    return "\n".join(row.rstrip() for row in rows if row.strip())


# Wrapping -----------------------------------------------------------------------------

OPEN, CLOSED, SIGNS = "([{", ")]}", "+-*@/"


def narrow(text, room):
    """The text in rows of at most `room` columns, if its brackets allow that.

    the source's own rows stay where they fit; else it is cut inside of brackets, into
    few rows, and rather at the outer ones
    """
    if all(len(row) <= room for row in text.split("\n")):
        return text
    whole = in_one_row(text)
    places = {0: (0, 0), **cuts(whole), len(whole): (0, 0)}    # price and depth

    def row(start, end):
        text, depth = whole[start:end].strip(), places[start][1]
        fits = len(text) + 4 * depth <= room
        return " " * 4 * (depth if fits else min(depth, 1)) + text

    best = {}    # columns too many, price of the rows, where it is cut, backwards
    for end, (price, _) in places.items():
        best[end] = min(
            ((over + max(0, len(row(start, end)) - room), paid + 1 + price,
              (-end, *taken)) for start, (over, paid, taken) in best.items()),
            default=(0, 0, (0,)))
    taken = [-place for place in reversed(best[len(whole)][-1])]
    return "\n".join(row(*pair) for pair in zip(taken, taken[1:]))


def in_one_row(text):
    return re.sub(r"\n *", " ", re.sub(r"(?<=[(\[{])\n *", "", text))


def cuts(whole):
    """Where a statement in one row may be cut: the price, and how many brackets are
    open there."""
    found, depth, before, target = {}, 0, "", False
    for token in tokens(io.StringIO(whole).readline):
        word, start, end = token.string or "\n", token.start[1], token.end[1]
        target = word == "for" or target and word != "in"    # for a, b in
        if word in CLOSED:
            depth -= 1
            found.pop(start, None)    # not within an empty pair
        elif word in OPEN:
            depth += 1
            index = word == "[" and (before.isidentifier() or before in CLOSED)
            found[end] = depth + (3 if index else 0.5), depth
        elif depth and word in ("for", "if"):
            found[start] = depth, depth
        elif depth and word in SIGNS and before not in (",", *OPEN):
            found[start] = depth + 2, depth
        elif depth and word == "," and not target:
            found[end] = depth + 1, depth
        before = word
    return found


def tokens(reader):
    """The tokens of a part of a source, which may end before its block."""
    try:
        yield from tokenize.generate_tokens(reader)
    except tokenize.TokenError:
        return


# A puzzle -----------------------------------------------------------------------------


def read(number, root=ROOT):
    """The Puzzle of a chapter, such as "01", shuffled always in the same way.

    raises ValueError for a wrong answer that differs in more, or less, than one line
    """
    about = told(number, root)
    name = about["name"]
    head, lines = cut((root / about["source"]).read_text("utf-8"), name)
    wrong = [wrong_line(one, lines, name, root) for one in about["wrong"]]
    pairs = {(a - 1, b - 1) for group in about.get("free", ())
             for a in group for b in group if a < b}
    orders = [list(range(len(lines))),
              *([place - 1 for place in order] for order in about.get("also", ()))]
    shown, chance = [*lines, *wrong], random.Random(f"lines {number}")
    while [line for line in shown if line.place is not None] == lines:
        chance.shuffle(shown)
    return Puzzle(exercise(number, root), name, head, shown, orders, sorted(pairs),
                  gaps(head, lines, about["blank"]),
                  shuffled_pieces(about["blank"], random.Random(f"fill {number}")))


def told(number, root=ROOT):
    """What book/lines/NN.toml tells of a chapter's puzzle."""
    return tomllib.loads((root / f"book/lines/{number}.toml").read_text("utf-8"))


def exercise(number, root=ROOT):
    """The exercise that a puzzle belongs to; its function, if no exercise asks for it.
    """
    about = told(number, root)
    path = Path(about["source"])
    return path.name[:4] if path.parts[0] == "tests" else f"{number}-{about['name']}"


def gaps(head, lines, blanks):
    """The function with blanks, in rows that fit also when they are filled.

    raises ValueError for a piece that does not stand once in its line
    """
    rows = [head]
    for number, line in enumerate(lines, start=1):
        text = in_one_row(line.text)
        for at, blank in enumerate(blanks, start=1):
            if blank["line"] == number:
                if text.count(blank["piece"]) != 1:
                    raise ValueError(f"{blank['piece']!r} does not stand once in line "
                                     f"{number}")
                longest = max(len(piece) for piece, _ in pieces(blank))
                text = text.replace(blank["piece"], f"__{at}".ljust(longest, "_"))
        rows += [" " * (4 + line.indent) + row
                 for row in narrow(text, COLUMNS - 4 - line.indent).split("\n")]
    return re.sub(r"__(\d)_*", r"__\1__", "\n".join(rows))


def pieces(blank):
    """The pieces of a blank, each with why it is wrong, or ""."""
    return [(piece, "") for piece in (blank["piece"], *blank.get("also", ()))] + [
        (piece, says) for piece, says in blank["tempting"]]


def shuffled_pieces(blanks, chance):
    return [chance.sample(found, len(found)) for found in map(pieces, blanks)]


def wrong_line(told, lines, name, root):
    """The one line in which a wrong answer differs from the lines of the right one."""
    if "line" in told:
        text, place = told["line"], told["instead"] - 1
    else:
        _, others = cut((root / told["file"]).read_text("utf-8"), name)
        if len(others) != len(lines):
            raise ValueError(f"{told['file']} has {len(others)} lines, and not "
                             f"{len(lines)}")
        differ = [(other.text, place) for place, (line, other)
                  in enumerate(zip(lines, others)) if line.text != other.text]
        if len(differ) != 1:
            raise ValueError(f"{told['file']} differs in {len(differ)} lines; it "
                             "should in one")
        [(text, place)] = differ
    for_it = lines[place]
    return Line(narrow(text, COLUMNS - for_it.indent), for_it.indent, says=told["says"],
                parent=for_it.parent, opens=for_it.opens, instead=place)


def as_json(puzzle):
    """What web/puzzle.js needs of a puzzle."""
    lines = [{"text": line.text, "indent": line.indent, "opens": line.opens,
              "place": line.place, "parent": line.parent, "makes": line.makes,
              "needs": line.needs, "says": plain(line.says)}
             for line in puzzle.lines]
    blanks = [[{"text": text, "says": plain(says)} for text, says in one]
              for one in puzzle.blanks]
    return json.dumps({
        "exercise": puzzle.exercise, "name": puzzle.name, "head": puzzle.head,
        "lines": lines, "orders": puzzle.orders, "free": puzzle.free,
        "gaps": puzzle.gaps, "blanks": blanks})


def plain(says):
    return re.sub("[`*]", "", sentence(says))


def sentence(words):
    """What a check says, with a capital in front, if no name of code stands there."""
    return words[:1].upper() + words[1:] if re.match("[a-z-]+ ", words) else words


# In the notebook ----------------------------------------------------------------------

OTHERS = " (Lines that do not need each other may change places.)"
COUNTED = {1: "one wrong one", 2: "two wrong ones", 3: "three wrong ones"}
TEXT = """\
<details>
<summary>Three blanks, or lines in order</summary>

{why} Fill three blanks of `{name}`, or put its lines in order.{rule}

Here are the lines, shuffled, and {wrong} among them. Which belong, and in which \
order? The indentation is given.

```text
{shuffled}
```

<details>
<summary>Three blanks</summary>

Which piece belongs in each blank? Where two pieces are right, choose either.

```text
{gaps}

{pieces}
```

</details>

<details>
<summary>The code</summary>

Lines in order: {order}.{others} Blanks: {filled}.

```python
{code}
```

{mistakes}

</details>

</details>"""
HINT = "Stuck, or without a keyboard?"
BESIDE = "You can build it before you read it."


def markdown(number, root=ROOT):
    """The source of the cell that shows a puzzle."""
    puzzle, rule = read(number, root), told(number, root).get("rule", "")
    letters = {id(line): letter for letter, line in zip(LETTERS, puzzle.lines)}
    shuffled = [puzzle.head, ""]
    for line in puzzle.lines:
        first, *others = indented(line)
        shuffled += [f"{letters[id(line)]}  {first}", *(f"   {one}" for one in others)]
    code = [puzzle.head, *(f"    {row}" for line in puzzle.right
                           for row in indented(line))]
    mistakes = [f"- {letters[id(line)]} does not belong. {sentence(line.says)}"
                for line in puzzle.wrong]
    blanks = [[(f"{at}{letter}", text, says)
               for letter, (text, says) in zip(LETTERS, blank)]
              for at, blank in enumerate(puzzle.blanks, start=1)]
    mistakes += [f"- {name} is wrong. {sentence(says)}"
                 for blank in blanks for name, _, says in blank if says]
    return TEXT.format(
        name=puzzle.name, rule=rule and f" {rule}",
        wrong=COUNTED[len(puzzle.wrong)], gaps=puzzle.gaps,
        pieces="\n\n".join("\n".join(f"{name}  {text}" for name, text, _ in blank)
                           for blank in blanks),
        filled=", ".join(" or ".join(f"**{name}**" for name, _, says in blank
                                     if not says) for blank in blanks),
        mistakes="\n".join(mistakes),
        why=HINT if told(number, root)["source"].startswith("tests") else BESIDE,
        shuffled="\n".join(shuffled), code="\n".join(code),
        order=" ".join(f"**{letters[id(line)]}**" for line in puzzle.right),
        others=OTHERS if puzzle.free or len(puzzle.orders) > 1 else "")


def indented(line):
    return [" " * line.indent + row for row in line.text.split("\n")]


# On the site --------------------------------------------------------------------------


def turn_notebook(app, name, source):
    if name.startswith("notebooks/"):
        content = json.loads(source[0])
        for cell in content["cells"]:
            if number := CELL.fullmatch(cell.get("id", "")):
                told = escape(as_json(read(number[1])))
                cell["source"] = (f'<div class="lines" id="{cell["id"]}" data-puzzle="'
                                  f'{told}">\n\n{"".join(cell["source"])}\n\n</div>')
        source[0] = json.dumps(content)


def load(app, name, template, context, tree):
    """The style where there is a puzzle; web/predict.js loads the scripts there."""
    if '<div class="lines"' in context.get("body", ""):
        app.add_css_file("order.css")


def setup(app):
    app.connect("config-inited", lambda app, config: config.html_static_path.extend(
        str(WEB / name) for name in FILES))
    app.connect("source-read", turn_notebook)
    app.connect("html-page-context", load)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
