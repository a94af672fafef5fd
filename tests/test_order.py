"""Lines in order, and three blanks: lines and pieces against the source, every order
and every piece against the check of the exercise, and the puzzle on a page, in a
browser."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import lengths
import nbformat
import notebooks as files
import pages
import pytest
import shuffled
import test_checks
import torch
from books import ROOT
from browsing import axe_is_silent, watch
from sample import code, markdown
from softdict import transformer
from softdict.masks import causal_mask
from softdict.transformer import EncoderLayer, TransformerConfig

NUMBERS = sorted(path.stem for path in (ROOT / "book/lines").glob("*.toml"))
PUZZLES = {number: shuffled.read(number) for number in NUMBERS}


def told(number):
    return shuffled.told(number)


def program(puzzle, order):
    """The source of the function whose lines stand in this order of numbers."""
    rows = [puzzle.head]
    for number in order:
        rows += ["    " + row for row in shuffled.indented(puzzle.lines[number])]
    return "\n".join(rows) + "\n"


def filled(puzzle, at=None, piece=None):
    """The source of the function with its first right pieces, or another in one blank.
    """
    text = puzzle.gaps
    for number, pieces in enumerate(told(puzzle.exercise[:2])["blank"]):
        text = text.replace(f"__{number + 1}__",
                            piece if number == at else pieces["piece"])
    return f"{text}\n"


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
def test_the_blanks_with_their_pieces_are_the_source(number):
    puzzle = PUZZLES[number]
    text = (ROOT / told(number)["source"]).read_text("utf-8")
    [made] = ast.parse(filled(puzzle)).body
    assert without_docstrings(made) == without_docstrings(
        shuffled.definition(text, puzzle.name))
    assert re.findall(r"__(\d)__", puzzle.gaps) == ["1", "2", "3"]
    for pieces in puzzle.blanks:
        assert 2 <= sum(bool(says) for _, says in pieces) <= 3
        assert len({text for text, _ in pieces}) == len(pieces)
        assert all(re.search(r"\w.*[.?]$", says) for _, says in pieces if says)
    rights = [[not says for _, says in pieces].index(True) for pieces in puzzle.blanks]
    assert len(set(rights)) > 1    # one letter for all would be found


@pytest.mark.parametrize("number", NUMBERS)
def test_a_phone_shows_each_line_whole(number):
    puzzle = PUZZLES[number]
    wide = [row for line in puzzle.lines for row in shuffled.indented(line)
            if len(row) > shuffled.COLUMNS]
    assert sorted(wide) == WIDE.get(number, [])
    wide = [row for row in puzzle.gaps.split("\n") if len(row) > shuffled.COLUMNS + 4]
    assert sorted(wide) == ["    " + row for row in WIDE.get(number, [])]
    assert all(len(f"1a  {piece}") <= shuffled.COLUMNS
               for pieces in puzzle.blanks for piece, _ in pieces)


# these have no bracket further in front to be cut at
WIDE = {"13": ["    self.norm1, self.norm2 = nn.LayerNorm(",
               "    self.self_attention = MultiHeadAttention("]}


TWO = "def two(x):\n    y = x    # [T]\n    return y\n"


@pytest.mark.parametrize("right, wrong, words", [
    (TWO, TWO.replace("y = x", "y = 2 * x"), None),
    (TWO, TWO, "differs in 0 lines; it should in one"),
    (TWO, TWO.replace("y", "z"), "differs in 2 lines; it should in one"),
    (TWO, TWO + "    print(x)\n", "has 3 lines, and not 2"),
    (TWO, "def other(x): pass\n", "there is no two to cut lines from"),
    (TWO.replace("y = x", "if x: y = x"), TWO, "only blocks below their first line"),
    (TWO + "    if x:\n        pass\n    else:\n        x()\n", TWO, "without else"),
    (TWO.replace("y = x", "y = 0"), TWO.replace("y = x", "y = 2"), "stand once"),
    (TWO.replace("y = x", "y = x + x"), TWO.replace("y = x", "y = 2"), "stand once"),
])
def test_what_cannot_be_cut_is_named(tmp_path, right, wrong, words):
    (tmp_path / "book/lines").mkdir(parents=True)
    (tmp_path / "right.py").write_text(right)
    (tmp_path / "wrong.py").write_text(wrong)
    (tmp_path / "book/lines/01.toml").write_text(
        'name = "two"\nsource = "right.py"\n[[wrong]]\nfile = "wrong.py"\n'
        'says = "no."\n[[blank]]\nline = 1\npiece = "x"\n'
        'tempting = [["3 * (x + 1)", "no."], ["2", "no."]]\n')
    if words:
        with pytest.raises(ValueError, match=words):
            shuffled.read("01", tmp_path)
    else:
        puzzle = shuffled.read("01", tmp_path)
        assert [line.text for line in puzzle.right] == ["y = x", "return y"]
        assert [line.needs for line in puzzle.right] == [[], ["y"]]
        [line] = puzzle.wrong
        assert (line.text, line.instead) == ("y = 2 * x", 0)
        assert puzzle.gaps == "def two(x):\n    y = __1__\n    return y"
        [pieces] = puzzle.blanks
        assert sorted(pieces) == [("2", "no."), ("3 * (x + 1)", "no."), ("x", "")]


def chapter(number):
    [path] = [path for path in files.paths() if path.name.startswith(number)]
    return files.read(path)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_puzzle_is_the_first_hint_and_takes_no_minutes(number):
    notebook = chapter(number)
    [at] = [at for at, cell in enumerate(notebook.cells)
            if cell.get("id") == f"lines-{number}"]
    before, cell, behind = notebook.cells[at - 1:at + 2]
    if told(number)["source"].startswith("tests"):
        exercise = Path(told(number)["source"]).name[:4]
        assert {"exercise-check", exercise} <= set(files.tags(before))
        assert {"hint", exercise} <= set(files.tags(behind))
    else:
        assert puzzle_is_shown(PUZZLES[number], behind)
        assert not any(puzzle_is_shown(PUZZLES[number], one)
                       for one in notebook.cells[:at])
    counted = lengths.length(notebook)
    del notebook.cells[at]
    assert lengths.length(notebook) == counted


def puzzle_is_shown(puzzle, cell):
    return any(puzzle.head in text for _, text in files.quotes(cell))


def test_student_copies_have_no_lines_in_order():
    notebook = chapter("01")
    assert any(cell.id == "lines-01" for cell in notebook.cells)
    copy = files.student_copy(notebook)
    assert not any(cell.id.startswith("lines") for cell in copy.cells)
    assert not files.leaks(copy)


# In a browser -------------------------------------------------------------------------

CONFIG = """\
import sys
sys.path.insert(0, {tools!r})
extensions = ["myst_nb", "predicts", "shuffled"]
html_theme, html_static_path = "sphinx_book_theme", [{static!r}]
html_css_files, nb_execution_mode = ["book.css"], "off"
html_context = {{"default_mode": "auto"}}
"""


UNSOLVED = "not solved yet: write the body of the function.\n"


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
            cells += [code("check", "check()", "exercise-check", output=UNSOLVED),
                      markdown(f"lines-{name}", shuffled.markdown(name))]
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
    found = []

    def opened(number, width=1200, scripts=True, touch=False, door="lines in order"):
        page = site.new_page(
            viewport={"width": width, "height": 800}, java_script_enabled=scripts,
            has_touch=touch, is_mobile=touch)
        watch(page, site.address, found)
        page.goto(f"{site.address}notebooks/{number}.html", wait_until="load")
        if scripts and number in NUMBERS:
            page.wait_for_selector(".lines.live")
        if number in NUMBERS:    # a hint stands in a fold
            page.locator(".lines summary").first.click()
            if scripts:
                page.get_by_role("button", name=door).click()
        return page

    yield opened
    site.close_pages()
    assert not found


def letter(number):
    return shuffled.LETTERS[number]


def line(page, number):
    """The button of a line, by its number."""
    return page.locator(".order-line:visible").filter(
        has=page.locator("b", has_text=re.compile(f"^{letter(number)}$")))


def placed(page):
    """The letters of the lines that are placed, in their order."""
    return "".join(page.locator(".order-placed b").all_inner_texts())


def said(page):
    return page.locator(".order-said:visible").inner_text()


def check(page, door="order"):
    page.get_by_role("button", name=f"Check the {door}").click()
    return said(page)


def remembered(page, kind="ordered"):
    return page.evaluate("kind => JSON.parse(localStorage.softdict ?? '{}')[kind]",
                         kind)


def piece(page, number, letter):
    """The button of a piece of a blank, such as 1, "b"."""
    return page.get_by_role("group", name=f"Blank {number}").get_by_role(
        "button", name=re.compile(rf"^(wrong: )?{letter} "))


def letters(puzzle, wrong=()):
    """The letter of a right piece for each blank, of a wrong one for some."""
    return "".join(
        next(letter(at) for at, (_, says) in enumerate(pieces)
             if bool(says) == (number in wrong))
        for number, pieces in enumerate(puzzle.blanks, start=1))


def fill(page, given):
    for number, letter in enumerate(given, start=1):
        piece(page, number, letter).click()


def test_tapped_lines_are_placed_checked_and_kept(opened):
    puzzle, page = PUZZLES["01"], opened("01", 390, touch=True)
    order = in_order(puzzle)
    for number in order:
        line(page, number).tap()
    assert placed(page) == "".join(map(letter, order))
    page.get_by_role("button", name="Check the order").tap()
    assert said(page) == f"In order. That is {puzzle.name}."
    kept = {"01#lines-01": {"placed": placed(page), "tries": 1, "solved": True,
                            "held": True}}
    assert remembered(page) == kept
    for number in (order[0], puzzle.lines.index(puzzle.wrong[0])):
        line(page, number).tap(force=True)    # what is solved stays
        assert placed(page) == "".join(map(letter, order))
        assert remembered(page) == kept
    page.reload()
    page.wait_for_selector(".door-order.solved")
    assert placed(page) == "".join(map(letter, order)) and remembered(page) == kept
    assert said(page) == f"In order. That is {puzzle.name}."
    tray = page.get_by_role("list", name="Lines that are not placed")
    assert tray.get_by_role("listitem").count() == len(puzzle.wrong)
    page.get_by_role("button", name="Start again").tap()
    assert placed(page) == "" and remembered(page)["01#lines-01"]["held"]


def test_the_first_line_that_stands_wrongly_is_named_until_something_changes(opened):
    puzzle, page = PUZZLES["01"], opened("01")
    first, second, third, *_ = in_order(puzzle)
    wrong = puzzle.lines.index(puzzle.wrong[0])
    for number in (first, third, wrong):
        line(page, number).click()
    assert check(page) == (f"Number 2, line {letter(third)}: It needs total, which no "
                           "line above it makes.")
    assert page.locator(".order-line.wrong b").inner_text() == letter(third)
    line(page, second).click()
    assert not page.locator(".order-line.wrong").count()
    assert check(page).endswith("which a later line makes.")
    line(page, third).click()    # taken back
    assert placed(page) == "".join(map(letter, (first, wrong, second)))
    assert check(page) == (f"Number 2, line {letter(wrong)}: It does not belong. "
                           f"{shuffled.sentence(puzzle.wrong[0].says)}")
    line(page, wrong).click()
    assert check(page) == "All is right so far. 5 lines are missing."
    assert remembered(page)["01#lines-01"] == {
        "placed": "".join(map(letter, (first, second))), "tries": 4, "solved": False}


def test_a_line_is_moved_by_its_buttons(opened):
    puzzle, page = PUZZLES["01"], opened("01")
    first, second, third, *_ = in_order(puzzle)
    for number in (second, first, third):
        line(page, number).click()
    assert page.get_by_role(
        "button", name=f"Move line {letter(second)} up").is_disabled()
    page.get_by_role("button", name=f"Move line {letter(second)} down").click()
    assert placed(page) == "".join(map(letter, (first, second, third)))
    assert said(page) == f"Line {letter(second)} is number 2 of 3."
    page.get_by_role("button", name=f"Move line {letter(second)} up").click()
    assert placed(page) == "".join(map(letter, (second, first, third)))


def top(page, number):
    return line(page, number).evaluate("one => one.getBoundingClientRect().top")


def press(page, one):
    """Taps where an element lies on the screen, and waits until all is drawn."""
    x, y = one.evaluate("""one => {
        const { left, top, width, height } = one.getBoundingClientRect();
        return [left + width / 2, top + height / 2]; }""")
    page.touchscreen.tap(x, y)
    page.evaluate("""() => new Promise(drawn =>
        requestAnimationFrame(() => requestAnimationFrame(drawn)))""")
    return x, y


def test_a_finger_stays_on_the_line_that_it_moves(opened):
    puzzle, page = PUZZLES["01"], opened("01", 390, touch=True)
    page.set_viewport_size({"width": 390, "height": 480})
    order = in_order(puzzle)
    for number in order:
        line(page, number).tap()
    for way, number in (("up", order[4]), ("down", order[3])):
        line(page, number).evaluate(
            "one => scrollBy(0, one.getBoundingClientRect().top - 120)")
        before, arrow = top(page, number), f"Move line {letter(number)} {way}"
        x, y = press(page, page.get_by_role("button", name=arrow))
        assert top(page, number) == pytest.approx(before, abs=2)
        assert page.evaluate("([x, y]) => document.elementFromPoint(x, y).ariaLabel",
                             [x, y]) == arrow
    at = placed(page).index(letter(order[3]))
    following = shuffled.LETTERS.index(placed(page)[at + 1])
    before = top(page, order[3])
    press(page, line(page, order[3]))    # taken back: the next one stands there
    assert letter(order[3]) not in placed(page)
    assert top(page, following) == pytest.approx(before, abs=2)


def test_a_finger_that_places_a_line_is_on_the_next_one(opened):
    puzzle, page = PUZZLES["01"], opened("01", 390, touch=True)
    page.set_viewport_size({"width": 390, "height": 480})
    for number in in_order(puzzle)[:4]:
        line(page, number).tap()
    one, other = page.locator(".order-tray .order-line b").all_inner_texts()[1:3]
    one, other = map(shuffled.LETTERS.index, (one, other))
    line(page, one).evaluate(
        "one => scrollBy(0, one.getBoundingClientRect().top - 120)")
    before = top(page, one)
    press(page, line(page, one))
    assert placed(page).endswith(letter(one))
    assert top(page, other) == pytest.approx(before, abs=2)


def test_the_keyboard_alone_solves_it(opened):
    puzzle, page = PUZZLES["01"], opened("01")
    order = in_order(puzzle)
    focus = """document.activeElement.closest(".order") &&
        document.activeElement.textContent"""

    def reach(word):
        for _ in range(60):
            if (page.evaluate(focus) or "").startswith(word):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not reach {word}")

    page.locator(".bd-article h2").first.click()    # where Tab begins
    for number in [order[1], order[0], *order[2:]]:
        for _ in range(len(puzzle.lines) + 3):
            page.keyboard.press("Shift+Tab")
        reach(f"{letter(number)} ")
        page.keyboard.press("Enter")
    for _ in range(len(puzzle.lines) + 3):
        page.keyboard.press("Shift+Tab")
    reach(f"{letter(order[0])} ")
    page.evaluate("""addEventListener("keydown", event => {
        window.scrolls = !event.defaultPrevented })""")
    page.keyboard.press("ArrowUp")
    assert placed(page) == "".join(map(letter, order))
    assert page.evaluate("window.scrolls") is False
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert page.evaluate(focus).startswith(f"{letter(order[0])} ")
    reach("Check the order")
    page.keyboard.press("Space")
    assert said(page) == f"In order. That is {puzzle.name}."


def test_a_screen_reader_is_told_what_lies_where(opened):
    puzzle, page = PUZZLES["01"], opened("01")
    first, *_ = in_order(puzzle)
    line(page, first).click()
    assert page.locator(".order-said[role=status]:visible").inner_text() == (
        f"Line {letter(first)} is placed, number 1.")
    tree = page.locator(".lines").aria_snapshot()
    assert 'list "Your order of list_lookup"' in tree
    assert 'list "Lines that are not placed"' in tree
    assert re.search(rf'button "{letter(first)} matches = \[1.0 if key == query', tree)
    assert f'button "Move line {letter(first)} up" [disabled]' in tree


@pytest.mark.parametrize("number", NUMBERS)
def test_a_phone_scrolls_only_downwards(opened, number):
    puzzle, page = PUZZLES[number], opened(number, 390)
    for place in in_order(puzzle):
        line(page, place).click()
    assert page.evaluate(pages.TOO_WIDE) <= 0
    rows = page.evaluate("""[...document.querySelectorAll(".order-placed code")].map(
        one => Math.round(one.offsetHeight / parseFloat(getComputedStyle(one).lineHeight
        )))""")
    meant = [line.text.count("\n") + 1 for line in puzzle.right]
    extra = sum(rows) - sum(meant)
    assert extra == len(WIDE.get(number, ()))    # no other row is wrapped again
    for name in ("up", "down"):
        box = page.get_by_role("button", name=f"Move line {letter(in_order(puzzle)[0])}"
                                              f" {name}").bounding_box()
        assert min(box["width"], box["height"]) >= 24


def test_axe_finds_nothing_in_both_themes(opened):
    puzzle, page = PUZZLES["01"], opened("01")
    axe_is_silent(page)
    order = in_order(puzzle)
    line(page, order[1]).click()
    check(page)
    axe_is_silent(page)
    line(page, order[1]).click()
    for number in order:
        line(page, number).click()
    check(page)
    axe_is_silent(page)


def test_without_scripts_and_on_paper_list_and_fold_stand(opened):
    still = opened("01", scripts=False)
    shuffle, gaps = still.locator(".lines .highlight-text").all()
    assert shuffle.is_visible() and not gaps.is_visible()
    still.get_by_text("Three blanks", exact=True).click()
    assert gaps.is_visible() and "1a  " in gaps.inner_text()
    assert PUZZLES["01"].gaps in gaps.inner_text()
    assert not still.locator(".lines .highlight-python").is_visible()
    assert not still.locator(".lines button:visible").count()
    page = opened("01")
    texts = page.locator(".lines .highlight-text").all()
    assert not any(text.is_visible() for text in texts)
    assert page.locator(".lines summary:visible").all_inner_texts() == [
        "Three blanks, or lines in order", "The code"]
    assert page.locator(".lines p:visible", has_text="Here are the lines").count() == 1
    page.emulate_media(media="print")
    assert all(text.is_visible() for text in texts)
    assert page.locator(".lines .highlight-python").is_visible()
    assert not page.locator(".order").is_visible()


# Three blanks

BLANKS = "three blanks"


@pytest.mark.parametrize("door", ["three blanks", "lines in order"])
def test_a_rule_that_no_line_tells_stands_above_both_doors(opened, door):
    page, rule = opened("17", door=door), told("17")["rule"]
    assert shuffled.markdown("17").partition("```text")[0].count(rule) == 1
    assert page.get_by_text(rule.replace("`", "")).is_visible()
    assert [number for number in NUMBERS if "rule" in told(number)] == [
        "07", "11", "15", "17", "18", "19", "22"]


def test_tapped_pieces_fill_the_blanks_and_tick_the_exercise(opened):
    puzzle, page = PUZZLES["01"], opened("01", 390, touch=True, door=BLANKS)
    given, tick = letters(puzzle), page.get_by_role("checkbox", name="Exercise 01-1")
    for number, one in enumerate(given, start=1):
        piece(page, number, one).tap()
    assert page.locator(".door-blanks pre").inner_text() == filled(puzzle).strip()
    assert not tick.is_checked()
    page.get_by_role("button", name="Check the blanks").tap()
    assert said(page) == f"All three are right. That is {puzzle.name}."
    kept = {"01#lines-01": {"given": given, "tries": 1, "solved": True, "held": True}}
    assert remembered(page, "filled") == kept and not remembered(page)
    assert remembered(page, "done") == {"01-1": "blanks"} and tick.is_checked()
    assert "Blanks or orders solved: 1 of 1." in page.locator(
        ".predict-end").inner_text()
    piece(page, 1, given[0]).tap(force=True)    # what is solved stays
    page.reload()
    page.wait_for_selector(".door-blanks.solved")
    assert remembered(page, "filled") == kept and tick.is_checked()
    assert said(page) == f"All three are right. That is {puzzle.name}."
    assert page.locator(".door-blanks .order-line:visible").count() == 3
    page.get_by_role("button", name="Start again").tap()
    assert page.locator(".door-blanks pre").inner_text() == puzzle.gaps
    assert remembered(page, "filled")["01#lines-01"]["held"] and tick.is_checked()


@pytest.mark.parametrize("high", (200, 350, 640))
def test_a_verdict_on_the_blanks_is_in_view(opened, high):
    puzzle, page = PUZZLES["10"], opened("10", 390, touch=True, door=BLANKS)
    for number, one in enumerate(letters(puzzle), start=1):
        piece(page, number, one).tap()
    button = page.get_by_role("button", name="Check the blanks")
    button.evaluate("""(one, high) => scrollBy({ behavior: "instant",
        top: one.getBoundingClientRect().top - high })""", high)
    press(page, button)
    box = page.locator(".order-said:visible").bounding_box()
    header = page.locator(".bd-header-article").bounding_box()
    assert header["y"] + header["height"] <= box["y"] <= 800 - box["height"]


def test_a_solved_exercise_is_not_called_unsolved_beside_it(opened):
    puzzle, page = PUZZLES["01"], opened("01", door=BLANKS)
    output = page.locator(".tag_exercise-check .cell_output")
    assert output.inner_text().strip() == UNSOLVED.strip()
    fill(page, letters(puzzle))
    check(page, "blanks")
    assert output.inner_text().strip() == "01-1 is done, by its three blanks."
    page.emulate_media(media="print")
    assert output.inner_text().strip() == UNSOLVED.strip()
    page.emulate_media(media="screen")
    page.get_by_role("checkbox").uncheck()
    assert output.inner_text().strip() == UNSOLVED.strip()
    page.get_by_role("checkbox").check()
    assert output.inner_text().strip() == "01-1 is done."


def test_the_first_blank_that_is_wrong_is_named_until_something_changes(opened):
    puzzle, page = PUZZLES["01"], opened("01", door=BLANKS)
    right, wrong = letters(puzzle), letters(puzzle, {1, 2, 3})
    fill(page, right[0] + wrong[1:])
    says = dict(zip(shuffled.LETTERS, puzzle.blanks[1]))[wrong[1]][1]
    assert check(page, "blanks") == (
        f"Blank 2, piece {wrong[1]}: {shuffled.plain(says)}")
    assert page.locator(".order-line.wrong b").inner_text() == wrong[1]
    assert page.locator("mark.wrong").count() == 1
    piece(page, 2, right[1]).click()
    assert not page.locator(".wrong").count()
    assert check(page, "blanks").startswith(f"Blank 3, piece {wrong[2]}: ")
    piece(page, 3, wrong[2]).click()    # taken out
    assert said(page) == "Blank 3 is empty again."
    assert check(page, "blanks") == "All is right so far. One blank is empty."
    assert remembered(page, "filled")["01#lines-01"] == {
        "given": right[:2] + "-", "tries": 3, "solved": False}
    assert not remembered(page, "done")
    piece(page, 3, right[2]).click()
    check(page, "blanks")
    assert remembered(page, "filled")["01#lines-01"]["held"] is False


def test_the_keyboard_alone_changes_the_door_and_fills_the_blanks(opened):
    puzzle, page = PUZZLES["01"], opened("01")
    page.get_by_role("button", name="lines in order").focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    assert page.locator(".door-blanks").is_visible()
    assert not page.locator(".door-order").is_visible()
    given = letters(puzzle)
    page.keyboard.press("Tab")    # the other door
    for pieces, one in zip(puzzle.blanks, given):
        for letter, _ in zip(shuffled.LETTERS, pieces):
            page.keyboard.press("Tab")
            if letter == one:
                page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert said(page) == f"All three are right. That is {puzzle.name}."


def test_a_screen_reader_is_told_what_is_in_the_blanks(opened):
    puzzle, page = PUZZLES["01"], opened("01", door=BLANKS)
    one = letters(puzzle)[1]
    piece(page, 2, one).click()
    assert page.locator(".order-said[role=status]:visible").inner_text() == (
        f"Piece {one} is in blank 2.")
    tree = page.locator(".lines").aria_snapshot()
    assert 'group "Two ways to solve it"' in tree
    assert 'button "Fill three blanks" [pressed]' in tree
    assert 'button "Put the lines in order"\n' in tree
    assert 'group "Blank 2"' in tree
    assert f'button "{one} match / total" [pressed]' in tree
    assert tree.count("[pressed]") == 2


@pytest.mark.parametrize("number", NUMBERS)
def test_a_phone_shows_the_blanks_without_scrolling_sideways(opened, number):
    puzzle, page = PUZZLES[number], opened(number, 390, door=BLANKS)
    fill(page, letters(puzzle, {1, 2, 3}))
    fill(page, letters(puzzle))
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(pages.TOO_WIDE) <= 0
    inside = page.locator(".door-blanks pre").evaluate(
        "one => one.scrollWidth - one.clientWidth")
    assert inside <= 0
    for one in page.locator(".order-tab, .door-blanks .order-line").all():
        assert one.bounding_box()["height"] >= 44
    check(page, "blanks")
    assert remembered(page, "done") == {puzzle.exercise: "blanks"}


def test_axe_finds_nothing_in_the_blanks_in_both_themes(opened):
    puzzle, page = PUZZLES["01"], opened("01", door=BLANKS)
    for wrong in ({2}, set()):
        fill(page, letters(puzzle, wrong))
        check(page, "blanks")
        axe_is_silent(page)


def test_an_exercise_counts_once_by_the_door_that_came_first(opened):
    puzzle, page = PUZZLES["01"], opened("01")
    tick, end = page.get_by_role("checkbox"), page.locator(".predict-end")
    for number in in_order(puzzle):
        line(page, number).click()
    check(page)
    assert remembered(page, "done") == {"01-1": "order"} and tick.is_checked()
    page.get_by_role("button", name=BLANKS).click()
    fill(page, letters(puzzle))
    check(page, "blanks")
    assert remembered(page, "done") == {"01-1": "order"}
    assert "Exercises done: 1." in end.inner_text()
    assert "Blanks or orders solved: 1 of 1." in end.inner_text()
    tick.uncheck()
    page.reload()
    page.wait_for_selector(".lines.live")
    assert not tick.is_checked() and "Exercises done: 0." in end.inner_text()
    tick.check()
    assert remembered(page, "done") == {"01-1": "written"}


@pytest.mark.parametrize("kept, done", [
    ({"done": {"01-1": True}}, True),
    ({"done": {"01-1": True}, "ordered": {"01#lines-01": {"solved": True}}}, True),
    ({"ordered": {"01#lines-01": {"placed": "a", "solved": True}}}, "order"),
    ({"ordered": {"01#lines-01": {"placed": "a", "solved": False}}}, None),
    ({"done": {"01-1": False}, "ordered": {"01#lines-01": {"solved": True}}}, False),
    ({"done": {"01-1": "somehow"}}, "somehow")])
def test_what_was_kept_before_there_were_doors_stays(opened, kept, done):
    page = opened("01")
    page.evaluate("kept => { localStorage.softdict = JSON.stringify(kept) }", kept)
    page.reload()
    page.wait_for_selector(".lines.live")
    assert (remembered(page, "done") or {}).get("01-1") == done
    assert page.get_by_role("checkbox").is_checked() == (done in (True, "order"))


@pytest.mark.parametrize("kept", ("7", '{"01#lines-01": 3}',
                                  '{"01#lines-01": {"given": 7}}',
                                  '{"01#lines-01": {"given": "z!zzzzz"}}',
                                  '{"01#lines-01": {"given": ["ab"]}}'))
def test_rubbish_in_the_blanks_does_no_harm(opened, kept):
    page = opened("01", door=BLANKS)
    page.evaluate("kept => { localStorage.softdict = `{\"filled\": ${kept}}` }", kept)
    page.reload()
    page.wait_for_selector(".lines.live")
    page.locator(".lines details").first.evaluate("fold => { fold.open = true }")
    piece(page, 2, "a").click()
    assert remembered(page, "filled")["01#lines-01"]["given"][1] == "a"


# Both doors


def test_forgetting_and_another_tab_empty_the_order(opened):
    page = opened("01")
    line(page, in_order(PUZZLES["01"])[0]).click()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Forget all of it").click()
    assert placed(page) == "" and not remembered(page)
    line(page, 0).click()
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(".lines.live")
    assert placed(other) == letter(0)
    line(other, 1).click()
    page.wait_for_function("document.querySelectorAll('.order-placed li').length == 2")


@pytest.mark.parametrize("kept", ("[]", "{", '{"ordered": {"01#lines-01": 3}}',
                                  '{"ordered": {"01#lines-01": {"placed": "zaa!a"}}}',
                                  '{"ordered": {"01#lines-01": {"placed": [7]}}}'))
def test_rubbish_in_the_store_does_no_harm(opened, kept):
    page = opened("01")
    page.evaluate("kept => { localStorage.softdict = kept }", kept)
    page.reload()
    page.wait_for_selector(".lines.live")
    fold, begun = page.locator(".lines details").first, "zaa" in kept
    assert placed(page) == ("a" if begun else "")
    assert (fold.get_attribute("open") is not None) == begun
    fold.evaluate("fold => { fold.open = true }")
    page.get_by_role("button", name="lines in order").click()
    line(page, 1).click()
    assert placed(page).endswith("b")


def test_style_and_script_come_only_with_a_puzzle(site, opened):
    for name, loads in {"01": True, "none": False}.items():
        text = (site.folder / f"notebooks/{name}.html").read_text("utf-8")
        assert ("order.css" in text) == loads
    asked = []
    page = opened("none")
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    page.wait_for_load_state("networkidle")
    assert not [one for one in asked if "order.js" in one]


# Every order, against the check -------------------------------------------------------

ORDERS = """async puzzle => {
  const { judge } = await import("/_static/order.js"), { lines } = puzzle;
  const right = lines.map((_, number) => number).filter(number => !lines[number].says);
  const all = [], told = order => [order, judge(puzzle, order)];
  const go = order => {    // every order that can be reached without a fault
    if (order.length === right.length) return all.push(order);
    for (const next of right)
      if (!order.includes(next) && !judge(puzzle, [...order, next]).why)
        go([...order, next]);
  };
  go([]);
  const [own] = all, moved = own.flatMap(line => own.map(
    (_, to) => own.filter(one => one !== line).toSpliced(to, 0, line)));
  const swapped = all.flatMap(order => order.slice(1).map(
    (_, at) => order.toSpliced(at, 2, order[at + 1], order[at])));
  const wrong = lines.map((_, number) => number).filter(number => lines[number].says);
  const strange = wrong.flatMap(number => own.flatMap(
    (_, at) => [own.toSpliced(at, 0, number), own.toSpliced(at, 1, number)]));
  const others = new Map([...moved, ...swapped].map(order => [String(order), order]));
  return { all, others: [...others.values()].map(told), strange: strange.map(told) };
}"""


@pytest.fixture(scope="module")
def orders(site):
    """For each puzzle all orders that the page takes for right, and others with what it
    says: each line moved to each other place, and each wrong line put in each place or
    in the place of each line."""
    page = site.chromium.new_page()
    page.goto(f"{site.address}index.html")
    return {number: page.evaluate(ORDERS, json.loads(shuffled.as_json(puzzle)))
            for number, puzzle in PUZZLES.items()}


@pytest.fixture(scope="module")
def passes(book):
    """Whether a source is right: what the check of its exercise says of it."""
    def passes(number, source):
        path = ROOT / told(number)["source"]
        if path.is_relative_to(ROOT / "src"):
            return is_the_block(source), "", ""
        name, text = path.name[:4], path.read_text("utf-8")
        imports = text[:text.index(PUZZLES[number].head.partition("(")[0])]
        try:
            answer = test_checks.define(book, name, imports + source)
        except SyntaxError:
            return False, "no Python", ""
        result = test_checks.CHECKS[name](answer)
        return result.passed, result.code, result.message

    return passes


def is_the_block(source):
    """Whether the source defines a layer that does what the package's does."""
    names = dict(vars(transformer))
    try:
        exec(source, names)
        config = TransformerConfig(width=8, heads=2, hidden=12, dropout=0.0)
        layer, right = names["EncoderLayer"](config), EncoderLayer(config)
        chance = torch.Generator().manual_seed(13)
        x, allowed = torch.randn(2, 3, 8, generator=chance), causal_mask(3)
        with torch.no_grad():
            for part in right.parameters():    # one norm differs from the other
                part.add_(torch.randn(part.shape, generator=chance))
            layer.load_state_dict(right.state_dict())
            return torch.allclose(layer(x, allowed), right(x, allowed), atol=1e-5)
    except Exception:    # whatever a wrong order raises
        return False


@pytest.mark.parametrize("number", NUMBERS)
def test_a_wrong_line_gets_the_sentence_of_the_check(number, passes):
    puzzle = PUZZLES[number]
    assert passes(number, program(puzzle, in_order(puzzle)))[0]
    for about in told(number)["wrong"]:
        [wrong] = [line for line in puzzle.wrong if line.says == about["says"]]
        order = in_order(puzzle)
        order[wrong.instead] = puzzle.lines.index(wrong)
        right, code, message = passes(number, program(puzzle, order))
        assert not right
        if "file" in about:
            assert code == test_checks.mistake(Path(about["file"]))
            assert message == wrong.says


# A check knows those of 17 only by numbers of its run, and of 14 not which norm it is
OWN = {"14": {"norms[0](x), memory"}, "17": {"total - log", "min(total, log)"}}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_piece_is_right_or_gets_the_sentence_of_the_check(number, passes):
    known = {test_checks.mistake(path) for path in test_checks.WRONG
             if test_checks.number(path) == PUZZLES[number].exercise}
    assert passes(number, filled(PUZZLES[number]))[0]
    for at, blank in enumerate(told(number)["blank"]):
        for piece in blank.get("also", ()):
            assert passes(number, filled(PUZZLES[number], at, piece))[0], piece
        for piece, says in blank["tempting"]:
            right, code, message = passes(number, filled(PUZZLES[number], at, piece))
            assert not right, piece
            named = code in known and not code.startswith("wrong_")
            if named and piece not in OWN.get(number, ()):
                assert says == message, piece


@pytest.mark.parametrize("number", NUMBERS)
def test_the_page_takes_for_right_what_the_check_takes_for_right(
        number, passes, orders):
    puzzle, found = PUZZLES[number], orders[number]
    assert in_order(puzzle) in found["all"]
    for order in found["all"]:
        assert passes(number, program(puzzle, order))[0], program(puzzle, order)
    for order, fault in found["others"]:
        if order not in found["all"]:
            assert not passes(number, program(puzzle, order))[0], (
                fault, program(puzzle, order))


@pytest.mark.parametrize("number", NUMBERS)
def test_every_wrong_order_gets_a_sentence(number, orders):
    puzzle, found = PUZZLES[number], orders[number]
    assert len(found["others"]) > len(puzzle.right)
    for order, fault in found["others"]:
        if order in found["all"]:
            assert fault == {"at": len(order), "why": "", "left": 0}
        else:
            assert re.fullmatch(REASON, fault["why"]), fault
            assert fault["at"] < len(order)
    assert found["strange"]
    for order, fault in found["strange"]:
        [wrong] = [number for number in order if puzzle.lines[number].says]
        assert fault["at"] <= order.index(wrong)
        if fault["at"] == order.index(wrong):
            assert fault["why"].startswith("It does not belong. ")
        else:
            assert re.fullmatch(REASON, fault["why"])


REASON = (r"It needs \w+, which (a later line makes|no line above it makes)\."
          r"|It stands too early: a line that comes before it (stands below"
          r"|is not placed)\."
          r"|It stands too early: .+ first needs a line inside\."
          r"|It stands too late: the lines inside .+ have ended\.")
