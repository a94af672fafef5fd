"""Cells and chapters.

Each check takes a `Book` and yields one sentence for each thing that is wrong.
"""

import ast
import contextlib
import io
import itertools
import re
import tokenize

import lengths
import notebooks as files
import shapes
from softdict.checks import GONE

DRAWING_IS_NOT = {"show", "close", "rc", "rc_context", "style", "switch_backend"}
CELL, EXERCISE, QUOTE = 12, 30, 40    # the most lines of code; CONTRIBUTING names them
SETUP = 6    # the most lines of all


# Cells

def every_code_cell_parses(book):
    for where, cell in book.cells("code"):
        try:
            empty = not files.parse(cell.source).body
        except SyntaxError as error:
            yield f"{where}: line {error.lineno} is not Python"
        else:
            if empty:
                yield f"{where}: the cell does nothing"


def outputs_are_stored_text(book):
    for where, cell in book.cells("code"):
        text = "".join(output.get("text", output.get("data", {}).get("text/plain", ""))
                       for output in cell.outputs)
        if files.CLAIM in files.tags(cell) and not text.strip():
            yield f"{where}: a claim needs its stored output; run make outputs"
        if not all(map(files.has_text, cell.outputs)):
            yield f"{where}: stores more than text; run make outputs"
        counts = [part.get("execution_count") for part in [cell, *cell.outputs]]
        if any(count is not None for count in counts):
            yield f"{where}: stores a run count"
        if re.search(r"device=|\bat 0x[0-9a-f]+|(?<!\w)/(root|home|tmp|usr)\b", text):
            yield f"{where}: the stored output names a device, an address or a path"


# lines of a gloss do not wrap: they scroll
GLOSSES = {f"17_search.ipynb, cell {name}" for name in ("own-beam-run", "five")}


def what_is_printed_fits_the_page(book):
    for where, cell in book.cells("code"):
        text = "".join(output.get("text", output.get("data", {}).get("text/plain", ""))
                       for output in cell.outputs)
        wide = [line for line in text.splitlines() if len(line) > 88]
        if wide and where not in GLOSSES:
            yield f"{where}: prints {len(wide[0])} columns, and a page shows 88"


def cell_ids_are_readable(book):
    for name, notebook in book.notebooks.items():
        seen = set()
        for number, cell in enumerate(notebook.cells):
            slug = cell.get("id", "")
            is_slug = re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug)
            if not is_slug or re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f-]+)?", slug):
                yield f"{name}: cell {number} has no readable id, but {slug!r}"
            if slug in seen:
                yield f"{name}: two cells have the id {slug}"
            seen.add(slug)


def figures_have_alt_and_caption(book):
    names = set()
    for where, cell in book.cells("code"):
        try:
            body = files.parse(cell.source).body
        except SyntaxError:
            continue
        calls = [plot_call(node) for statement in body
                 if not isinstance(statement, (ast.FunctionDef, ast.ClassDef))
                 for node in ast.walk(statement)]
        draws, shows = set(filter(None, calls)) - DRAWING_IS_NOT, "show" in calls
        meta = cell.metadata.get("mystnb", {})
        figure, alt = meta.get("figure", {}), meta.get("image", {}).get("alt", "")
        last = body[-1].value if isinstance(body[-1], ast.Expr) else None
        if (draws or shows) and plot_call(last) != "show":
            yield f"{where}: a figure cell ends with plt.show()"
        if meta and not shows:
            yield f"{where}: describes a figure but shows none"
        if shows:
            if len(alt.split()) < 6 or not alt.rstrip().endswith("."):
                yield (f"{where}: the alt text is a sentence that states the finding, "
                       f"with a full stop; got {alt!r}")
            if not figure.get("caption", "").strip():
                yield f"{where}: the figure has no caption"
            name = figure.get("name", "")
            if not re.fullmatch(r"fig-[a-z0-9-]+", name) or name in names:
                yield f"{where}: the figure needs a name of its own (fig-...)"
            names.add(name)


def plot_call(node):
    """X of a call plt.X(...), draw_X of a call of the book's own drawings, or None."""
    called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    *owner, name = called.split(".")
    return name if owner[-1:] == ["plt"] or name.startswith("draw_") else None


def no_comparison_poses_as_a_test(book):
    for where, cell in book.cells("code"):
        with contextlib.suppress(SyntaxError):
            tree = files.parse(cell.source)
            yield from (f"{where}: {words}"
                        for words in bare_comparisons(tree, tree.body[-1:]))
    for path, tree in book.modules.items():
        yield from (f"{path.name}:{words}" for words in bare_comparisons(tree))
    for path in sorted((book.root / "tests").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        yield from (f"{path.name}:{words}" for words in bare_comparisons(tree))


def bare_comparisons(tree, shown=()):
    """Statements that compare and drop the result; a cell's value is none of them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and node not in shown:
            value = getattr(node.value, "operand", node.value)    # of `not x < 1`
            parts = value.values if isinstance(value, ast.BoolOp) else [value]
            if any(isinstance(part, ast.Compare) for part in parts):
                yield f"{node.lineno}: {ast.unparse(node)} compares and asserts nothing"


def setup_comes_first(book):
    for name, notebook in book.notebooks.items():
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        if not code or code[0].get("id") != "setup":
            yield f"{name}: the first code cell must be setup"
        elif len(code[0].source.splitlines()) > SETUP:
            yield f"{name}: the setup cell has more than {SETUP} lines"


def code_lines(source):
    """Numbers of the lines that hold code: no comment, no docstring, nothing blank."""
    source = files.python(source)
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    silent = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT,
              tokenize.DEDENT, tokenize.ENDMARKER)
    lines = {n for token in tokens if token.type not in silent
             for n in range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(ast.parse(source)):
        is_owner = isinstance(node, (ast.FunctionDef, ast.ClassDef))
        if is_owner and ast.get_docstring(node) is not None:
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return lines


def fence_lines(text):
    """The lines of code of a quote in Markdown, which need not be whole Python."""
    text = re.sub(r'^ *[rf]?"""(?:.|\n)*?"""$', "", text, flags=re.MULTILINE)
    return [line for line in text.splitlines()
            if line.strip() not in ("", "...") and not line.lstrip().startswith("#")]


def cells_are_short(book):
    for where, cell in book.cells("code"):
        limit = (QUOTE if files.quoted_file(cell)
                 else EXERCISE if files.exercise(cell) else CELL)
        with contextlib.suppress(SyntaxError, tokenize.TokenError):    # named elsewhere
            length = len(code_lines(cell.source))
            if length > limit:
                yield f"{where}: {length} lines of code; {limit} are enough"
    for where, cell in book.cells("markdown"):
        for file, text in files.quotes(cell):
            if (length := len(fence_lines(text))) > QUOTE:
                yield f"{where}: {length} lines of {file}; {QUOTE} are enough"


def cells_hold_no_tabs_or_semicolons(book):
    for where, cell in book.cells():
        if "\t" in cell.source:
            yield f"{where}: holds a tab"
    for where, cell in book.cells("code"):
        with contextlib.suppress(SyntaxError, tokenize.TokenError):
            read = io.StringIO(files.python(cell.source)).readline
            tokens = [token for token in tokenize.generate_tokens(read)
                      if token.type != tokenize.COMMENT]
            pairs = itertools.pairwise(tokens)
            if any(token.string == ";" and after.type == tokenize.NEWLINE
                   for token, after in pairs):
                yield f"{where}: a line ends in a semicolon"


def shape_notes_are_checked(book):
    for name, ran in book.runs.items():
        for cell in book.notebooks[name].cells:
            if cell.cell_type == "code" and not files.quoted_file(cell):
                for line in shapes.notes(files.python(cell.source)):
                    if f"{cell.id}:{line}" not in ran.reached:
                        yield (f"{name}, cell {cell.id}: the shape note in line {line} "
                               "is never checked")


# Chapters

def table_of_contents_is_complete(book):
    toc = (book.root / "_toc.yml").read_text(encoding="utf-8")
    listed = re.findall(r"file:\s*notebooks/([\w-]+)", toc)
    there = {name.removesuffix(".ipynb") for name in book.notebooks}
    for name in sorted(set(listed) ^ there):
        yield f"_toc.yml: {name} is listed and missing, or there and not listed"
    chapters = [name for name in listed if not name.startswith("C")]
    if chapters != sorted(chapters):
        yield "_toc.yml: the chapters are not in order"


def markdown(cells):
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def chapters_have_their_parts(book):
    for name, notebook in book.notebooks.items():
        number, cells = name[:2], notebook.cells
        text, head = markdown(cells), markdown(cells[:3])
        titled = re.match(rf"# {number} \S", cells[0].source)
        if cells[0].get("id") != "title" or not titled:
            yield f"{name}: the first cell is not a title that begins '# {number} '"
        if "promise" not in head.lower() or not lengths.STATED.search(head):
            yield (f"{name}: opens without a promise or its minutes (Reading takes "
                   "about 0 minutes; make quotes counts them)")
        long = lengths.minutes(notebook)
        if long > lengths.MINUTES:
            yield (f"{name}: its main road takes {long} minutes; {lengths.MINUTES} are "
                   "meant: cut, or move something behind *Going further*")
        objectives = re.findall(r"^\d\. .*(?:\n(?!\n|\d\. ).*)*", head, re.MULTILINE)
        if not objectives or not all(re.search(rf"\b{number}-\d", objective)
                                     for objective in objectives):
            yield f"{name}: opens without objectives that each name an exercise"
        predictions = re.findall(r"^> \*\*Predict\.\*\*(?:.*\n?)(?:^>.*\n?)*", text,
                                 re.MULTILINE)
        if not predictions and not name.startswith("C"):
            yield f"{name}: has no prediction (> **Predict.**)"
        for heading in ("Recap", "Sources"):
            if not re.search(rf"^##+ .*{heading}", text, re.MULTILINE):
                yield f"{name}: has no heading {heading}"
        yield from (f"{name}: {words}" for words in exercise_problems(number, cells))


def exercise_problems(number, cells):
    order = ["exercise-text", "exercise", "exercise-check", "hint", "answer"]
    found = {}
    for cell in cells:
        if files.exercise(cell):
            roles = found.setdefault(files.exercise(cell), [])
            roles += [tag for tag in files.tags(cell) if tag in order]
    if not 3 <= len(found) <= 5:
        yield f"has {len(found)} exercises; 3 to 5 are meant"
    gone = [name for name in GONE if name[:2] == number]    # their numbers stay free
    if sorted([*found, *gone]) != [f"{number}-{k + 1}"
                                   for k in range(len(found) + len(gone))]:
        yield f"the exercises are not numbered from {number}-1 on: {sorted(found)}"
    for name, roles in found.items():
        texts = roles.count("exercise-text")
        if not texts or roles != ["exercise-text"] * texts + order[1:]:
            yield (f"exercise {name} needs text, stub, check, hint and answer in this "
                   f"order; it has {roles}")
    for cell in cells:
        tags = files.tags(cell)
        if "exercise" in tags and "raise NotImplementedError" not in cell.source:
            yield (f"the stub of exercise {files.exercise(cell)} does not raise "
                   "NotImplementedError")
        if "exercise-check" in tags and files.CLAIM not in tags:
            yield (f"the check of exercise {files.exercise(cell)} does not store what "
                   "it says")
    kinds = ["exercise" if "exercise" in files.tags(cell)
             else "quote" if files.quotes(cell) else "" for cell in cells]
    before = kinds[:kinds.index("quote")] if "quote" in kinds else ["exercise"]
    if "exercise" not in before and not number.startswith("C"):
        yield "no exercise stands before the first quote"


def notes_are_finished(book):
    texts = [(where, cell.source) for where, cell in book.cells()]
    texts += [(where, text) for where, _, text in book.pages]
    texts += [(path.name, path.read_text(encoding="utf-8")) for path in book.modules]
    for where, text in texts:
        if word := re.search(r"\b(TODO|FIXME|XXX|TBD)\b|lorem ipsum", text):
            yield f"{where}: holds the placeholder {word[0]}"


CHECKS = [
    every_code_cell_parses, outputs_are_stored_text,
    what_is_printed_fits_the_page, cell_ids_are_readable, figures_have_alt_and_caption,
    no_comparison_poses_as_a_test, setup_comes_first, cells_are_short,
    cells_hold_no_tabs_or_semicolons, shape_notes_are_checked,
    table_of_contents_is_complete, chapters_have_their_parts, notes_are_finished]
