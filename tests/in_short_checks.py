"""The section *In short*: one picture, the field's names, and a fold that runs.

A chapter has it if tools/in_short has its picture. Each check takes a `Book` and yields
one sentence for each thing that is wrong; tests/test_in_short.py runs the folds.
"""

import ast
import re

import in_short
import lengths
import notebooks as files

LEAST, MOST = 150, 350    # words in the open part: two minutes with the picture
LINES, COLUMNS = 15, 41    # of code in the fold
NAMES = 4    # at least so many of the field's names stand in bold
HEAD = ["title", "promise", "in-short", "in-short-fold", "setup"]
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)]*)\)")


def shorts(book):
    """For each chapter: place, number, the cells named in-short and in-short-fold."""
    for name, notebook in book.notebooks.items():
        found = {cell.get("id"): cell for cell in notebook.cells}
        yield name, name[:2], found.get("in-short"), found.get("in-short-fold")


def in_short_stands_where_its_picture_is(book):
    drawn = set(in_short.modules(book.root))
    for name, number, opened, fold in shorts(book):
        if number in drawn:
            head = [cell.get("id") for cell in book.notebooks[name].cells]
            if head[:len(HEAD)] != HEAD:
                yield f"{name}: opens with {head[:len(HEAD)]}, not with {HEAD}"
        elif opened or fold:
            yield f"{name}: In short has no picture, tools/in_short/chapter_{number}.py"
        drawn.discard(number)
    for number in sorted(drawn):
        yield f"tools/in_short/chapter_{number}.py: there is no chapter {number}"


def in_short_shows_one_picture(book):
    for path, svg in in_short.drawings(book.root).items():
        if not path.exists() or path.read_text(encoding="utf-8") != svg:
            yield f"{path.name}: not what tools/in_short draws; run make quotes"
        if f'width="{in_short.WIDTH}"' not in svg.partition("\n")[0]:
            yield f"{path.name}: must be {in_short.WIDTH} units wide, as a phone is"
        sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"', svg)]
        if min(sizes, default=0) < in_short.SMALLEST:
            yield (f"{path.name}: holds letters below {in_short.SMALLEST} units, or no "
                   "words")
    for name, number, opened, _ in shorts(book):
        if opened:
            images = IMAGE.findall(opened.source)
            wanted = in_short.file(number).removeprefix("notebooks/")
            if [address for _, address in images] != [wanted]:
                yield f"{name}: In short needs one picture, ({wanted})"
            for alt, _ in images:
                if len(alt.split()) < 12 or not alt.endswith("."):
                    yield (f"{name}: the picture's words are whole sentences that say "
                           f"what it shows; got {alt!r}")


def in_short_says_what_is_needed(book):
    for name, _, opened, _ in shorts(book):
        if not opened:
            continue
        text = IMAGE.sub("", opened.source)
        if not text.startswith("## In short\n"):
            yield f"{name}: In short does not begin with its heading, ## In short"
        if not LEAST <= (words := len(text.split())) <= MOST:
            yield f"{name}: In short has {words} words; {LEAST} to {MOST} are meant"
        bold = set(re.findall(r"\*\*([^*]+)\*\*", text))
        if len(bold) < NAMES:
            yield f"{name}: In short has {len(bold)} names in bold; {NAMES} are few"
        for phrase in ("*You need it*", "*It costs*"):
            if text.count(phrase) != 1:
                yield f"{name}: In short says {phrase} {text.count(phrase)} times"
        if "```" in text or "<details>" in text or "Predict" in text:
            yield f"{name}: In short is open: folds, code and questions go elsewhere"


def in_short_has_its_fold(book):
    for name, _, opened, fold in shorts(book):
        if not (opened or fold):
            continue
        text = fold.source if fold else ""
        codes = files.SHORT_CODE.findall(text)
        if not re.fullmatch(r"<details>\n<summary>.+</summary>\n\n.*</details>", text,
                            re.DOTALL) or text.count("<details>") > 1:
            yield f"{name}: in-short-fold is one <details> with a summary"
        if "$" not in files.SHORT_CODE.sub("", text):
            yield f"{name}: the fold of In short has no formula"
        if len(codes) != 1 or text.count("```") != 2:
            yield (f"{name}: the fold of In short has {len(codes)} blocks of Python, "
                   "not 1")
        for code in codes:
            yield from (f"{name}: {words}" for words in code_faults(code))
        if fold and lengths.length_of_text(text) != (0, 0, 0, 0, 0):
            yield f"{name}: all of in-short-fold belongs into the fold"


def code_faults(code):
    """What is wrong with the code of a fold; whether it is right, a run says."""
    lines = code.splitlines()
    if len(lines) > LINES:
        yield f"the code of In short has {len(lines)} lines; {LINES} are enough"
    if wide := [line for line in lines if len(line) > COLUMNS]:
        yield (f"a phone shows {COLUMNS} columns of In short; {wide[0]!r} has "
               f"{len(wide[0])}")
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        yield f"line {error.lineno} of In short is not Python"
        return
    others = {found.partition(".")[0] for found in files.imports(tree)} - {
        "torch", "math"}
    if others:
        yield f"the code of In short imports {sorted(others)}; torch and math are meant"
    if not isinstance(tree.body[-1], ast.Expr):
        yield "the code of In short ends on no value and prints nothing"


CHECKS = [in_short_stands_where_its_picture_is, in_short_shows_one_picture,
          in_short_says_what_is_needed, in_short_has_its_fold]
