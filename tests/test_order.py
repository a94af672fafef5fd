"""Lines in order: their lines against the source, every order against the check of the
exercise, and the puzzle on a page, in a browser."""

import ast
import re
import subprocess
import sys

import nbformat
import notebooks as files
import pages
import pytest
import shuffled
from books import ROOT
from sample import code, markdown

NUMBERS = sorted(path.stem for path in (ROOT / "book/lines").glob("*.toml"))
PUZZLES = {number: shuffled.read(number) for number in NUMBERS}
CELLS = {number: next(cell for cell in files.read(path).cells
                      if cell.get("id") == f"lines-{number}")
         for number in NUMBERS for path in files.paths()
         if path.name.startswith(number)}


def told(number):
    return shuffled.told(number)


def program(puzzle, order):
    """The source of the function whose lines stand in this order of numbers."""
    rows = [puzzle.head]
    for number in order:
        rows += ["    " + row for row in shuffled.indented(puzzle.lines[number])]
    return "\n".join(rows) + "\n"


def without_docstrings(node):
    for one in ast.walk(node):
        if isinstance(one, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(one):
            del one.body[0]
    return ast.dump(node)


def in_order(puzzle, places=None):
    """The numbers of the right lines, in their own order or in that of some places."""
    numbers = {line.place: number for number, line in enumerate(puzzle.lines)}
    return [numbers[place] for place in (range(len(puzzle.right)) if places is None
                                         else places)]


# Lines, and where they come from ------------------------------------------------------


@pytest.mark.parametrize("number", NUMBERS)
def test_the_lines_in_order_are_the_source(number):
    puzzle = PUZZLES[number]
    text = (ROOT / told(number)["source"]).read_text("utf-8")
    [made] = ast.parse(program(puzzle, in_order(puzzle))).body
    assert without_docstrings(made) == without_docstrings(
        shuffled.definition(text, puzzle.name))
    assert in_order(puzzle) != sorted(in_order(puzzle))
    assert 5 <= len(puzzle.right) <= 10 and 2 <= len(puzzle.wrong) <= 3


@pytest.mark.parametrize("number", NUMBERS)
def test_a_phone_shows_each_line_whole(number):
    wide = [row for line in PUZZLES[number].lines for row in shuffled.indented(line)
            if len(row) > shuffled.COLUMNS]
    assert wide == WIDE.get(number, [])


WIDE = {}    # these have no bracket to be cut at


# In a browser -------------------------------------------------------------------------

CONFIG = """\
import sys
sys.path.insert(0, {tools!r})
extensions = ["myst_nb", "predicts", "shuffled"]
html_theme, html_static_path = "sphinx_book_theme", [{static!r}]
html_css_files, nb_execution_mode = ["book.css"], "off"
html_context = {{"default_mode": "auto"}}
"""
THEBE = "THEBE_JS_URL"    # said twice, until tools/finish.py has taken it out


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A page for each puzzle, as Sphinx and the book's theme make it; one without."""
    if not pages.browser_path():
        pytest.skip("no Chromium here (CHROMIUM can name one)")
    folder = tmp_path_factory.mktemp("site")
    (folder / "notebooks").mkdir()
    for name in [*NUMBERS, "none"]:
        cells = [markdown("title", f"# Page {name}"),
                 markdown("text", f"## Exercise {name}-1 · Write it\n\nDo."),
                 code("stub", "pass")]
        if name in NUMBERS:
            cells.append(markdown(f"lines-{name}", shuffled.markdown(name)))
        cells.append(markdown("last", "## Sources\n\n" + "More.\n\n" * 40))
        nbformat.write(nbformat.v4.new_notebook(
            metadata={"language_info": {"name": "python"}}, cells=cells),
            folder / f"notebooks/{name}.ipynb")
    (folder / "index.md").write_text("# A book\n\n```{toctree}\n" + "\n".join(
        f"notebooks/{name}" for name in [*NUMBERS, "none"]) + "\n```\n", "utf-8")
    (folder / "conf.py").write_text(CONFIG.format(
        tools=str(ROOT / "tools"), static=str(ROOT / "book/static")), "utf-8")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", folder, folder / "html"],
                   check=True)
    with pages.Browser(folder / "html") as browser:
        yield browser


@pytest.fixture
def opened(site):
    """Opens a page that remembers nothing; nothing may go wrong in it, or be asked from
    outside."""
    found, contexts = [], []

    def opened(number, width=1200, scripts=True, touch=False):
        context = site.chromium.new_context(
            viewport={"width": width, "height": 800}, java_script_enabled=scripts,
            has_touch=touch, is_mobile=touch)
        contexts.append(context)
        page = context.new_page()

        def keep_inside(asked):
            if asked.request.url.startswith((site.address, "data:")):
                return asked.continue_()
            if "mathjax" not in asked.request.url.lower():
                found.append(f"asks for {asked.request.url}")
            return asked.abort()

        page.route("**/*", keep_inside)
        page.on("console", lambda message: message.type == "error"
                and THEBE not in message.text
                and "mathjax" not in str(message.location).lower()
                and found.append(message.text))
        page.on("pageerror", lambda error: THEBE in str(error)
                or found.append(str(error)))
        page.goto(f"{site.address}notebooks/{number}.html", wait_until="load")
        if scripts and number in NUMBERS:
            page.wait_for_selector(".lines.live")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not found


def letter(number):
    return shuffled.LETTERS[number]


def line(page, number):
    """The button of a line, by its number."""
    return page.locator(".order-line").filter(
        has=page.locator("b", has_text=re.compile(f"^{letter(number)}$")))


def placed(page):
    """The letters of the lines that are placed, in their order."""
    return "".join(page.locator(".order-placed b").all_inner_texts())


def said(page):
    return page.locator(".order-said").inner_text()


def test_tapped_lines_are_placed_checked_and_kept(opened):
    puzzle, page = PUZZLES["01"], opened("01", 390, touch=True)
    order = in_order(puzzle)
    for number in order:
        line(page, number).tap()
    assert placed(page) == "".join(map(letter, order))
    page.get_by_role("button", name="Check the order").tap()
    assert said(page) == f"In order. That is {puzzle.name}."
