"""Cells and chapters: each check takes a `Book` and yields one sentence for each thing that is wrong."""

import ast
import contextlib
import io
import itertools
import re
import tokenize

import notebooks as files
import shapes

DRAWING_IS_NOT = {"show", "close", "rc", "rc_context", "style", "switch_backend"}


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


def outputs_are_stored_for_claims_only(book):
    for where, cell in book.cells("code"):
        text = "".join(output.get("text", output.get("data", {}).get("text/plain", "")) for output in cell.outputs)
        if files.CLAIM in files.tags(cell) and not text.strip():
            yield f"{where}: a claim needs its stored output; run make outputs"
        if files.CLAIM not in files.tags(cell) and cell.outputs:
            yield f"{where}: stores an output without the tag {files.CLAIM}"
        if cell.execution_count is not None or any(output.get("execution_count") for output in cell.outputs):
            yield f"{where}: stores a run count"
        if re.search(r"device=|\bat 0x[0-9a-f]+", text):
            yield f"{where}: the stored output names a device or an address in memory"


def cell_ids_are_readable(book):
    for name, notebook in book.notebooks.items():
        seen = set()
        for number, cell in enumerate(notebook.cells):
            slug = cell.get("id", "")
            if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug) or re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f-]+)?", slug):
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
        calls = [plot_call(node) for statement in body if not isinstance(statement, (ast.FunctionDef, ast.ClassDef))
                 for node in ast.walk(statement)]
        draws, shows = set(filter(None, calls)) - DRAWING_IS_NOT, "show" in calls
        meta = cell.metadata.get("mystnb", {})
        figure, alt = meta.get("figure", {}), meta.get("image", {}).get("alt", "")
        if (draws or shows) and not (isinstance(body[-1], ast.Expr) and plot_call(body[-1].value) == "show"):
            yield f"{where}: a figure cell ends with plt.show()"
        if meta and not shows:
            yield f"{where}: describes a figure but shows none"
        if shows:
            if len(alt.split()) < 6 or not alt.rstrip().endswith("."):
                yield f"{where}: the alt text is a sentence that states the finding, with a full stop; got {alt!r}"
            if not figure.get("caption", "").strip():
                yield f"{where}: the figure has no caption"
            if not re.fullmatch(r"fig-[a-z0-9-]+", figure.get("name", "")) or figure["name"] in names:
                yield f"{where}: the figure needs a name of its own, such as fig-weights"
            names.add(figure.get("name"))


def plot_call(node):
    """The X of a call plt.X(...), or draw_X of a call of the book's own drawings, or None."""
    *owner, name = ast.unparse(node.func).split(".") if isinstance(node, ast.Call) else [""]
    return name if owner[-1:] == ["plt"] or name.startswith("draw_") else None


def no_comparison_poses_as_a_test(book):
    for where, cell in book.cells("code"):
        with contextlib.suppress(SyntaxError):
            tree = files.parse(cell.source)
            yield from (f"{where}: {words}" for words in bare_comparisons(tree, tree.body[-1:]))
    for path, tree in book.modules.items():
        yield from (f"{path.name}:{words}" for words in bare_comparisons(tree))
    for path in sorted((book.root / "tests").rglob("*.py")):
        yield from (f"{path.name}:{words}" for words in bare_comparisons(ast.parse(path.read_text(encoding="utf-8"))))


def bare_comparisons(tree, shown=()):
    """Statements that compare and drop the result; those shown as a cell's value are left out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and node not in shown:
            value = node.value.operand if isinstance(node.value, ast.UnaryOp) else node.value
            parts = value.values if isinstance(value, ast.BoolOp) else [value]
            if any(isinstance(part, ast.Compare) for part in parts):
                yield f"{node.lineno}: {ast.unparse(node)} compares and asserts nothing"


def setup_comes_first(book):
    for name, notebook in book.notebooks.items():
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        if not code or code[0].get("id") != "setup":
            yield f"{name}: the first code cell must be setup"
        elif len(code[0].source.splitlines()) > 6:
            yield f"{name}: the setup cell has more than 6 lines"


def code_lines(source):
    """Numbers of the lines that hold code: no comment, no docstring, nothing blank."""
    source = files.python(source)
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    silent = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    lines = {n for token in tokens if token.type not in silent for n in range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node, clean=False) is not None:
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return lines


def cells_are_short(book):
    for where, cell in book.cells("code"):
        limit = 30 if files.quoted_file(cell) or files.exercise(cell) else 12
        with contextlib.suppress(SyntaxError, tokenize.TokenError):    # another check names it
            length = len(code_lines(cell.source))
            if length > limit:
                yield f"{where}: {length} lines of code; {limit} are enough"


def cells_hold_no_tabs_or_semicolons(book):
    for where, cell in book.cells():
        if "\t" in cell.source:
            yield f"{where}: holds a tab"
    for where, cell in book.cells("code"):
        with contextlib.suppress(SyntaxError, tokenize.TokenError):
            tokens = [token for token in tokenize.generate_tokens(io.StringIO(files.python(cell.source)).readline)
                      if token.type != tokenize.COMMENT]
            pairs = itertools.pairwise(tokens)
            if any(token.string == ";" and after.type == tokenize.NEWLINE for token, after in pairs):
                yield f"{where}: a line ends in a semicolon"


def shape_notes_are_checked(book):
    for name in book.runs:
        for cell in book.notebooks[name].cells:
            if cell.cell_type == "code" and not files.quoted_file(cell):
                for line in shapes.notes(files.python(cell.source)):
                    if f"{name}#{cell.id}:{line}" not in book.recorder.reached:
                        yield f"{name}, cell {cell.id}: the shape note in line {line} is never checked"


# Chapters

def table_of_contents_is_complete(book):
    listed = re.findall(r"file:\s*notebooks/([\w-]+)", (book.root / "_toc.yml").read_text(encoding="utf-8"))
    for name in sorted(set(listed) ^ {name.removesuffix(".ipynb") for name in book.notebooks}):
        yield f"_toc.yml: {name} is listed and missing, or there and not listed"
    if listed != sorted(listed):
        yield "_toc.yml: the chapters are not in order"


def chapters_have_their_parts(book):
    for name, notebook in book.notebooks.items():
        number, cells = name[:2], notebook.cells
        text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        head = "\n\n".join(cell.source for cell in cells[:3] if cell.cell_type == "markdown")
        if cells[0].get("id") != "title" or not re.match(rf"# {number} \S", cells[0].source):
            yield f"{name}: the first cell is not a title that begins '# {number} '"
        if "promise" not in head.lower() or "minutes" not in head:
            yield f"{name}: opens without a promise or its minutes"
        objectives = re.findall(r"^\d\. .*(?:\n(?!\n|\d\. ).*)*", head, re.MULTILINE)
        if not objectives or not all(re.search(rf"\b{number}-\d", objective) for objective in objectives):
            yield f"{name}: opens without objectives that each name an exercise"
        predictions = re.findall(r"^> \*\*Predict\.\*\*(?:.*\n?)(?:^>.*\n?)*", text, re.MULTILINE)
        if not predictions:
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
            found.setdefault(files.exercise(cell), []).extend(tag for tag in files.tags(cell) if tag in order)
    if not 3 <= len(found) <= 5:
        yield f"has {len(found)} exercises; 3 to 5 are meant"
    if sorted(found) != [f"{number}-{k + 1}" for k in range(len(found))]:
        yield f"the exercises are not numbered from {number}-1 on: {sorted(found)}"
    for name, roles in found.items():
        texts = roles.count("exercise-text")
        if not texts or roles != ["exercise-text"] * texts + order[1:]:
            yield f"exercise {name} needs text, stub, check, hint and answer in this order; it has {roles}"
    for cell in cells:
        tags = files.tags(cell)
        if "exercise" in tags and "raise NotImplementedError" not in cell.source:
            yield f"the stub of exercise {files.exercise(cell)} does not raise NotImplementedError"
        if "exercise-check" in tags and files.CLAIM not in tags:
            yield f"the check of exercise {files.exercise(cell)} does not store what it says"
    first = [("exercise" in files.tags(cell), bool(files.quoted_file(cell))) for cell in cells]
    if (False, True) in first and (True, False) not in first[:first.index((False, True))]:
        yield "no exercise stands before the first quote"


def notes_are_finished(book):
    texts = [(where, cell.source) for where, cell in book.cells()]
    texts += [(where, text) for where, _, text in book.pages]
    texts += [(path.name, path.read_text(encoding="utf-8")) for path in book.modules]
    for where, text in texts:
        if word := re.search(r"\b(TODO|FIXME|XXX|TBD)\b|lorem ipsum", text):
            yield f"{where}: holds the placeholder {word[0]}"


CHECKS = [
    every_code_cell_parses, outputs_are_stored_for_claims_only, cell_ids_are_readable, figures_have_alt_and_caption,
    no_comparison_poses_as_a_test, setup_comes_first, cells_are_short,
    cells_hold_no_tabs_or_semicolons, shape_notes_are_checked, table_of_contents_is_complete,
    chapters_have_their_parts, notes_are_finished]
