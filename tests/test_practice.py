"""Recall: its items, its cells in the notebooks; on the site, in a browser."""

import json
import math
import re
import subprocess
import sys
from fractions import Fraction

import nbformat
import notebooks as files
import pages
import practice
import pytest
import softdict
import torch
from books import ROOT
from browsing import watch
from sample import markdown
from test_predicts import CONFIG

FILE = """\
[[item]]
id = "{chapter}-next"
kind = "choice"
where = "a-sum"
question = \"\"\"
What is $1 + 1$, in chapter
{chapter}?
\"\"\"
answers = [["it is `1`", "That is one of\\nthe two."], ["$2$", "Two ones are two."],
           ["none", "There is one."]]
right = 1

[[item]]
id = "{chapter}-third"
kind = "number"
where = "a-sum"
question = "What is 3/4 of 1, in chapter {chapter}?"
right = ["0.75", "3/4"]
why = "Three of four parts are *taken*."
tempting = [["0.25", "That is what is left."], ["4/3", "The parts were exchanged."]]
computed = "3 / 4"

[[item]]
id = "{chapter}-eighth"
kind = "shape"
where = "a-sum"
question = "Which shape has `a + b`?"
right = ["[2, 5]", "2 x 5"]
why = "A sum has the shape of its terms."
tempting = [["[5, 2]", "Rows come first."]]
computed = "torch.zeros(2, 5).shape"
"""
NAMES = {"01": "01_one", "02": "02_two", "03": "03_three", "04": "04_four"}
TEXT = "# {} · {}\n\nWords.\n\n## A sum\n\nIt adds $1 + 1$."


def small_book(root):
    """Four chapters with a section and three items each; 04 asks of 03 and 01. Puzzles
    belong to exercises of 02 and 03, and to no exercise in 04."""
    (root / "book/practice").mkdir(parents=True)
    (root / "book/lines").mkdir()
    for chapter, source in {"02": "tests/answers/02/02-2.py", "04": "src/four.py",
                            "03": "tests/answers/03/03-2_variant.py"}.items():
        (root / f"book/lines/{chapter}.toml").write_text(
            f'name = "Four"\nsource = "{source}"\n', "utf-8")
    (root / "notebooks").mkdir()
    for chapter in NAMES:
        (root / f"book/practice/{chapter}.toml").write_text(
            FILE.format(chapter=chapter), "utf-8")
    for chapter, name in NAMES.items():
        cells = [markdown("title", TEXT.format(chapter, name)),
                 markdown("recap", "## Recap\n\nSo."),
                 markdown("further", "## Going further\n\n" + "More.\n\n" * 40)]
        path = root / f"notebooks/{name}.ipynb"
        nbformat.write(nbformat.v4.new_notebook(
            metadata={"language_info": {"name": "python"}}, cells=cells), path)
        files.write(path, files.with_recall(files.read(path), path.name, root))
    return root


# The items ----------------------------------------------------------------------------

ITEMS = practice.items()
LAST = 23    # chapter
KEYS = {"choice": {"id", "kind", "where", "question", "answers", "right"},
        **dict.fromkeys(["number", "word", "shape"], {
            "id", "kind", "where", "question", "right", "why", "tempting"})}


def faults(item):
    """What is wrong with an item, a sentence each."""
    name, kind = item.get("id"), item.get("kind")
    if KEYS.get(kind) is None or set(item) - {"computed"} != KEYS[kind]:
        yield f"{name}: a {kind} with the keys {sorted(item)}"
        return
    pairs = item["answers" if kind == "choice" else "tempting"]
    texts = [" ".join(answer.split()) for answer, _ in pairs]
    sentences = [why for _, why in pairs] + [item.get("why", "It is."), ]
    if not re.search(r"\w.*[.?]$", item["question"].strip(), re.DOTALL):
        yield f"{name}: its question is no sentence"
    if item["question"].strip().startswith(("`" * 3, "|", "-")):
        yield f"{name}: its number would stand before a block"
    if not all(re.search(r"\w.*[.?]$", why.strip(), re.DOTALL) for why in sentences):
        yield f"{name}: a reason is no sentence"
    if len(set(texts)) < len(texts) or len({*map(practice.line, sentences)}) < len(
            sentences):
        yield f"{name}: two answers or two reasons are the same"
    if kind == "choice":
        if len(pairs) not in (3, 4) or item["right"] not in range(len(pairs)):
            yield f"{name}: a choice has 3 or 4 answers, and one is right"
    elif not item["right"] or not pairs or set(texts) & set(item["right"]):
        yield f"{name}: nothing is right, nothing tempts, or one thing does both"
    if kind in ("number", "shape") and "computed" not in item:
        yield f"{name}: nothing computes its answer"


@pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS)
def test_an_item_is_complete(item):
    assert not list(faults(item))
    practice.section(item)


def test_each_chapter_asks_its_three_where_there_are_three():
    assert len(ITEMS) == 22 + 20 + 15
    for number in range(1, LAST + 1):
        wanted = [f"{number - back:02}-{name}"
                  for name, back in practice.BACK.items() if number > back]
        found = practice.asked(f"{number:02}")
        assert [item["id"] for item in found] == wanted
    assert practice.asked("C1") == []


@pytest.mark.parametrize("change, words", [
    ({"kind": "riddle"}, "a riddle with the keys"), ({"hint": "So."}, "with the keys"),
    ({"question": "What"}, "its question is no sentence"),
    ({"question": "| a |\n|---|\n\nWhat?"}, "would stand before a block"),
    ({"why": "since"}, "a reason is no sentence"),
    ({"tempting": [["5", "No."], ["5", "So."]]}, "two answers or two reasons"),
    ({"tempting": [["5", "No."], ["6", "No."]]}, "two answers or two reasons"),
    ({"tempting": [["4", "No."]]}, "one thing does both"),
    ({"tempting": []}, "nothing tempts"), ({"right": []}, "nothing is right"),
    ({"kind": "choice", "answers": [["4", "Yes."], ["5", "No."]], "right": 0},
     "a choice has 3 or 4"),
    ({"kind": "choice", "answers": [["4", "A."], ["5", "B."], ["6", "C."]], "right": 3},
     "a choice has 3 or 4"),
    ({"computed": None}, "nothing computes"), ({}, None)])
def test_each_fault_of_an_item_is_found(change, words):
    item = {"id": "01-next", "kind": "number", "where": "a", "question": "What?",
            "right": ["4"], "why": "So.", "tempting": [["5", "No."]], "computed": "2+2"}
    item |= change
    if item["kind"] == "choice":
        del item["why"], item["tempting"]
    item = {key: value for key, value in item.items() if value is not None}
    found = list(faults(item))
    assert any(words in one for one in found) if words else not found


@pytest.mark.parametrize("name", [
    name for name, item in ITEMS.items() if item["kind"] == "choice"])
def test_the_length_of_an_answer_does_not_give_it_away(name):
    """Who knows nothing takes the longest."""
    lengths = [len(practice.line(answer)) for answer, _ in ITEMS[name]["answers"]]
    right = lengths.pop(ITEMS[name]["right"])
    assert right <= 1.2 * max(lengths)


COMPUTED = {name: item for name, item in ITEMS.items() if "computed" in item}


@pytest.mark.parametrize("item", COMPUTED.values(), ids=COMPUTED)
def test_an_answer_is_computed_again(item):
    found = eval(item["computed"].strip(), {
        "torch": torch, "math": math, "softdict": softdict})
    told = item["right"][0]
    if isinstance(found, (torch.Size, tuple, list)):
        assert list(map(int, re.findall(r"\d+", told))) == list(found)
    elif item["kind"] == "word":
        assert str(found) == told
    else:
        digits = len(told.partition(".")[2])
        rounded = 0.5 * 10.0 ** -digits if digits else 1e-4
        assert float(found) == pytest.approx(float(Fraction(told)), abs=rounded)


def test_no_item_stands_in_the_teachers_bank():
    """Runs of eight words, numbers among them, are what two questions must not share.
    """
    def runs(text):
        words = re.findall(r"\w+", text.lower())
        return {tuple(words[k:k + 8]) for k in range(len(words) - 7)}

    bank = runs((ROOT / "book/questions.md").read_text("utf-8"))
    for name, item in ITEMS.items():
        both = runs(item["question"]) & bank
        assert not both, (name, both)


# The cells ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", files.paths(), ids=lambda path: path.stem)
def test_a_recall_stands_between_recap_and_what_goes_further(path):
    cells = files.read(path).cells
    names = [cell.get("id") for cell in cells]
    if not (found := practice.asked(path.name[:2])):
        assert "recall" not in names
        return
    place = names.index("recall")
    assert names[place - 1] == "recap"
    assert re.match("## (Going further|Sources)", cells[place + 1].source)
    assert cells[place].source.count("<summary>Answer</summary>") == len(found)
    assert cells[place].metadata == {"tags": ["recall"]}


def test_every_section_that_an_item_names_was_published():
    published = (ROOT / "tests/anchors.txt").read_text("utf-8").split()
    for item in ITEMS.values():
        stem, _ = practice.section(item)
        assert f"notebooks/{stem}.html#{item['where']}" in published, item["id"]


def test_a_question_reads_well_in_a_notebook(tmp_path):
    root = small_book(tmp_path)
    text = files.read(root / "notebooks/04_four.ipynb").cells[-2].source
    assert text == f"""\
## Recall

{practice.OPENING[2]}

**1.** What is $1 + 1$, in chapter 03?

(a) it is `1`  
(b) $2$  
(c) none

<details>
<summary>Answer</summary>

It is (b). Two ones are two.

- (a) That is one of the two.
- (c) There is one.

[Chapter 03](03_three.ipynb#a-sum) says it, under *A sum*.

</details>

**2.** What is 3/4 of 1, in chapter 01?

<details>
<summary>Answer</summary>

The answer is 0.75. Three of four parts are *taken*.

- 0.25: That is what is left.
- 4/3: The parts were exchanged.

[Chapter 01](01_one.ipynb#a-sum) says it, under *A sum*.

</details>"""
    eighth = practice.as_fold(practice.items(root)["01-eighth"], 3, root)
    assert "The answer is `[2, 5]`. A sum" in eighth and "- `[5, 2]`: Rows" in eighth


def test_what_make_quotes_writes_is_stable_and_follows_the_items(tmp_path):
    root = small_book(tmp_path)
    notebook = files.read(root / "notebooks/04_four.ipynb")
    again = files.with_recall(nbformat.from_dict(notebook), "04_four.ipynb", root)
    assert [cell.source for cell in again.cells] == [
        cell.source for cell in notebook.cells]
    for chapter in ("01", "03"):
        (root / f"book/practice/{chapter}.toml").unlink()
    practice.items.cache_clear()
    without = files.with_recall(notebook, "04_four.ipynb", root)
    assert [cell.id for cell in without.cells] == ["title", "recap", "further"]


@pytest.mark.parametrize("cells", [
    [markdown("title", "# 04 · Four")],
    [markdown("recap", "## Recap\n\nSo.\n\n## Going further\n\nMore.")]])
def test_a_chapter_without_room_for_its_recall_is_named(tmp_path, cells):
    root = small_book(tmp_path)
    notebook = nbformat.v4.new_notebook(cells=cells)
    with pytest.raises(ValueError, match="04_four.ipynb: needs a cell recap that ends"):
        files.with_recall(notebook, "04_four.ipynb", root)


def test_a_section_that_is_not_there_is_named(tmp_path):
    root = small_book(tmp_path)
    item = {**practice.items(root)["01-next"], "where": "a-product"}
    with pytest.raises(ValueError, match="01-next: 01_one has no section 'a-product'"):
        practice.section(item, root)


def test_a_students_copy_asks_without_answers(tmp_path):
    root = small_book(tmp_path)
    copy = files.student_copy(files.read(root / "notebooks/04_four.ipynb"))
    text = "".join(cell.source for cell in copy.cells)
    assert "What is $1 + 1$" in text and "Two ones" not in text and "det" not in text


# On the site, in a browser ------------------------------------------------------------


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The small book as Sphinx and the book's theme make it, with the page that shows
    where a reader is."""
    if not pages.browser_path():
        pytest.skip("no Chromium here (CHROMIUM can name one)")
    folder = small_book(tmp_path_factory.mktemp("site"))
    listed = "\n".join(f"notebooks/{name}" for name in NAMES.values())
    (folder / "index.md").write_text(
        f"# A book\n\n```{{toctree}}\n{listed}\nbook/practice\n```\n", "utf-8")
    (folder / "book/practice.md").write_text(
        (ROOT / "book/practice.md").read_text("utf-8"), "utf-8")
    config = CONFIG.format(tools=str(ROOT / "tools"), static=str(ROOT / "book/static"))
    (folder / "conf.py").write_text(
        config.replace('"predicts"', '"predicts", "practice"'), "utf-8")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", folder, folder / "html"],
                   check=True)
    with pages.Browser(folder / "html") as browser:
        yield browser


@pytest.fixture
def page(site):
    """A page that remembers nothing yet, on a Wednesday; nothing may go wrong."""
    page = site.new_page()
    page.clock.set_fixed_time("2026-12-02T10:00:00")
    watch(page, site.address)
    page.address = site.address
    yield page
    site.close_pages()
    assert not page.problems


def opened(page, name, kept=None, day="2026-12-02"):
    """Opens a chapter, or "practice", on a day, with what is remembered; else with what
    this browser has kept."""
    page.clock.set_fixed_time(f"{day}T10:00:00")
    folder = "book" if name == "practice" else "notebooks"
    if kept:
        page.goto(f"{page.address}index.html")
        page.evaluate("all => { localStorage.softdict = JSON.stringify(all) }", kept)
    page.goto(f"{page.address}{folder}/{NAMES.get(name, name)}.html", wait_until="load")
    return page


def read(*chapters, **kept):
    """What a device remembers on which these chapters were read."""
    return {"read": {NAMES[one]: True for one in chapters}, **kept}


def answered(last="2026-12-02", on="02_two", **changed):
    return {"given": "b", "right": True, "row": 1, "wrong": 0, "last": last, "on": on,
            **changed}


def memory(page):
    return page.evaluate("JSON.parse(localStorage.softdict ?? '{}')")


def item(page, name):
    return page.locator(f"#recall-{name}")


def shown(page):
    """The ids of the questions in sight."""
    return [one.get_attribute("id").removeprefix("recall-") for one in
            page.locator(".recall").all() if one.is_visible()]


def test_a_choice_is_answered_first_and_then_explained(page):
    opened(page, "02", read("01"))
    one = item(page, "01-next")
    assert shown(page) == ["01-next"]
    assert not page.get_by_text("Two ones are two.").is_visible()
    assert 'group "1. What is' in one.aria_snapshot()
    one.get_by_role("button", name="(a) it is 1").click()
    said = one.get_by_role("status").inner_text()
    assert said.startswith(
        "Not right.\n\n(a) That is one of the two.\n\nIt is (b). Two ones are two.")
    assert "Chapter 01 says it, under A sum." in said
    assert one.get_by_role("link").get_attribute("href").endswith(
        "notebooks/01_one.html#a-sum")
    assert one.locator(".chosen").inner_text().startswith("(a)")
    assert one.locator(".right").inner_text().startswith("(b)")
    assert not page.get_by_text("There is one.").is_visible()
    one.get_by_text("Why the other answers are wrong").click()
    assert page.get_by_text("(c) There is one.").is_visible()
    one.get_by_role("button", name="(b)").click(force=True)    # too late
    one.get_by_role("button", name="(a)").press("Enter")
    assert memory(page)["recalled"] == {"01-next": {
        "given": "a", "right": False, "row": 0, "wrong": 1, "last": "2026-12-02",
        "on": "02_two"}}


def test_a_number_is_typed_and_a_mistake_is_told_by_its_name(page):
    opened(page, "04", read("01", "02", "03"))
    assert shown(page) == ["03-next", "01-third"]
    one = item(page, "01-third")
    field = one.get_by_role("textbox", name="Your answer: a number")
    field.press("Enter")    # nothing is typed yet
    assert memory(page).get("recalled") is None
    field.fill(" 1.333333333333 ")
    field.press("Enter")
    said = one.get_by_role("status").inner_text()
    assert said.startswith(
        "Not right.\n\n4/3: The parts were exchanged.\n\nThe answer is 0.75. Three")
    assert not field.is_editable() and field.input_value() == "1.333333333333"
    assert field.evaluate("field => field === document.activeElement")
    assert not one.get_by_role("button").count()
    one.get_by_text("Other answers that tempt").click()
    assert one.locator("details").inner_text().endswith("That is what is left.")


def test_who_does_not_know_is_told_and_asked_again_the_next_day(page):
    opened(page, "02", read("01"))
    item(page, "01-next").get_by_role("button", name="I do not know").click()
    said = item(page, "01-next").get_by_role("status").inner_text()
    assert said.startswith("Here it is.\n\nIt is (b).")
    assert memory(page)["recalled"]["01-next"]["wrong"] == 1
    opened(page, "02", day="2026-12-03")
    assert item(page, "01-next").get_by_role("button", name="(b)").is_enabled()


def test_an_answer_may_be_spelled_in_many_ways(page):
    rows = [
        ("number", "0.75", ".75"), ("number", "0.75", "3/4"),
        ("number", "0.75", "0,75"), ("number", "3/4", "0.750"),
        ("number", "-0.8", "−0.8"), ("number", "0.8", "+.8"),
        ("number", "1200", "1,200"), ("number", "1,200", "1200"),
        ("word", "<eos>", "EOS"), ("word", "cross-attention", " Cross attention."),
        ("word", "query", "the query"), ("word", "query", "“Query”"),
        ("shape", "[2, 5]", "2,5"), ("shape", "[2, 5]", "(2, 5)"),
        ("shape", "[2, 5]", "2 x 5"), ("shape", "[2, 5]", "2×5"),
        ("shape", "[2, 5]", "torch.Size([2, 5])"), ("shape", "[B, T, S]", "b t s")]
    told = same(opened(page, "02"), rows)
    assert [row for row, found in zip(rows, told) if not found] == []


def test_another_answer_is_not_taken_for_the_right_one(page):
    rows = [
        ("number", "0.75", "0.25"), ("number", "0.75", "?"), ("number", "0.75", ""),
        ("number", "8", "0.8"), ("number", "0.8", "-0.8"), ("number", "0", "nothing"),
        ("word", "query", "key"), ("word", "query", "..."), ("word", "eos", "bos"),
        ("shape", "[2, 5]", "[5, 2]"), ("shape", "[2, 5]", "25"),
        ("shape", "[2, 5]", "?"), ("shape", "[2, 5]", "[2, 5, 1]")]
    told = same(opened(page, "02"), rows)
    assert [row for row, found in zip(rows, told) if found] == []


def same(page, rows):
    """What recall.js says of kind, right answer and typed one, row by row."""
    return page.evaluate("""async rows => {
        const { same } = await import("/_static/recall.js");
        return rows.map(row => same(...row)); }""", rows)


def test_no_item_takes_a_tempting_answer_for_a_right_one(page):
    """Nor one tempting answer for another: each has its own sentence."""
    rows = []
    for item in ITEMS.values():
        if item["kind"] == "choice":
            continue
        wrong = [answer for answer, _ in item["tempting"]]
        rows += [(item["kind"], left, right) for left in wrong
                 for right in [*item["right"], *wrong] if left != right]
    assert len(rows) > 300
    told = same(opened(page, "02"), rows)
    assert [row for row, found in zip(rows, told) if found] == []


def test_what_readers_typed_is_taken_for_right(page):
    """Who knew the answer wrote it in ways that the files may not name."""
    rows = [
        ("02-next", "9:1"), ("04-next", "EOS"), ("04-next", "the end token"),
        ("04-third", "[1, 32, 192]"), ("07-eighth", "luong's Attention"),
        ("02-eighth", "0,27"), ("10-next", "2×4×10×16"), ("02-eighth", "0.27%"),
        ("12-third", "Sinusoidal"), ("13-eighth", "skip"), ("13-eighth", "a bypass"),
        ("13-eighth", "Residual-connection"), ("13-next", "−1"), ("15-third", "eval()"),
        ("15-third", ".eval"), ("19-third", "2/4"), ("19-third", "50%"),
        ("20-next", "Induction head")]
    opened(page, "02")
    refused = [(name, one) for name, one in rows if not any(same(page, [
        (ITEMS[name]["kind"], right, one) for right in ITEMS[name]["right"]]))]
    assert refused == []


def test_the_keyboard_alone_answers(page):
    opened(page, "02", read("01"))
    item(page, "01-next").get_by_role("button", name="(a)").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert item(page, "01-next").get_by_role("status").inner_text().startswith("Right.")
    assert page.evaluate("document.activeElement.textContent.trim()").startswith("(b)")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Chapter 01"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.get_by_text("(a) That is one of the two.").is_visible()


# When a question comes back


def test_a_question_is_due_after_a_day_a_week_and_a_month(page):
    opened(page, "02")
    for row, day, due in [
            (0, "2026-12-02", False), (0, "2026-12-03", True),
            (1, "2026-12-02", False), (1, "2026-12-03", True),
            (2, "2026-12-08", False), (2, "2026-12-09", True),
            (3, "2026-12-31", False), (3, "2027-01-01", True),
            (9, "2026-12-31", False), (9, "2027-01-01", True),
            (9, "2026-12-01", True)]:    # the clock went back: better asked than lost
        page.clock.set_fixed_time(f"{day}T23:59:59")
        assert page.evaluate("""async record => {
            const { isDue } = await import("/_static/recall.js");
            return isDue(record); }""", answered(row=row)) == due, (row, day)


def test_a_question_that_is_due_is_asked_anew(page):
    kept = read("01", recalled={"01-next": answered(row=2, wrong=1)})
    opened(page, "02", kept, "2026-12-08")
    right = item(page, "01-next").get_by_role("button", name="(b)")
    assert not right.is_enabled()
    opened(page, "02", day="2026-12-09")
    right.click()
    assert memory(page)["recalled"]["01-next"] == answered(
        "2026-12-09", row=3, wrong=1)


def test_a_wrong_answer_begins_the_row_anew(page):
    kept = read("01", recalled={"01-next": answered(row=3, wrong=1)})
    opened(page, "02", kept, "2027-03-01")
    item(page, "01-next").get_by_role("button", name="(c)").click()
    record = memory(page)["recalled"]["01-next"]
    assert (record["row"], record["wrong"], record["right"]) == (0, 2, False)


def test_who_comes_back_finds_what_is_due_on_top(page):
    names = ["01-next", "01-third", "01-eighth", "02-next"]
    kept = {name: answered(f"2026-12-0{day}") for day, name in enumerate(names, 1)}
    kept |= {"03-next": answered("2026-12-01")}    # stands on the page itself
    opened(page, "04", read("01", "02", "03", recalled=kept), "2026-12-04")
    fold = page.locator(".recall-due")
    top = "Due today: 2 questions"    # 01-third stands on the page, too
    assert fold.locator("summary").first.inner_text() == top
    assert fold.evaluate("fold => fold.previousElementSibling.tagName") == "H1"
    assert not item(page, "01-next").count()    # nothing is fetched before
    fold.locator("summary").first.click()
    item(page, "01-next").wait_for()
    assert shown(page) == ["01-next", "01-eighth", "03-next", "01-third"]
    item(page, "01-next").get_by_role("button", name="(a)").click()
    assert fold.locator("summary").first.inner_text() == "Due today: 1 question"
    shape = item(page, "01-eighth")
    shape.get_by_role("textbox", name="Your answer: a shape").fill("2×5")
    shape.get_by_role("button", name="Answer").click()
    assert fold.locator("summary").first.inner_text() == "Answered for today"
    assert memory(page)["recalled"]["01-eighth"]["row"] == 2
    assert shape.get_by_role("link").get_attribute("href").endswith(
        "/notebooks/01_one.html#a-sum")
    opened(page, "04", day="2026-12-04")
    assert not fold.count()


def test_at_most_three_stand_on_top_the_oldest_first(page):
    kept = {f"01-{name}": answered("2026-12-01") for name in ("next", "eighth")}
    kept |= {"02-next": answered("2026-11-01"), "02-third": answered("2026-11-02")}
    opened(page, "03", read("01", "02", recalled=kept), "2026-12-04")
    page.locator(".recall-due summary").first.click()
    item(page, "01-eighth").wait_for()
    found = page.locator(".recall-due .recall").all()
    assert [one.get_attribute("id") for one in found] == [
        "recall-02-third", "recall-01-eighth", "recall-01-next"]


# Only of chapters that were opened


def test_a_device_that_has_opened_nothing_is_asked_nothing(page):
    opened(page, "04")
    assert shown(page) == []
    page.get_by_role("button", name="Ask them all the same").click()
    assert shown(page) == ["03-next", "01-third"]
    assert not page.get_by_text("are left out here").is_visible()


@pytest.mark.parametrize("kept", [
    {"read": {"03_three": True}}, {"done": {"03-2": True}},
    {"predicted": {"03_three#predict-a": {"choice": "a", "held": False}}}])
def test_what_was_opened_is_asked_and_for_the_others_another(page, kept):
    opened(page, "04", kept)
    page.locator("#recall").scroll_into_view_if_needed()
    item(page, "03-third").wait_for()    # stands for 01-third
    assert shown(page) == ["03-next", "03-third"]
    assert item(page, "03-third").locator("p").first.inner_text().startswith("2. ")
    item(page, "03-third").get_by_role("textbox").fill("3/4")
    item(page, "03-third").get_by_role("textbox").press("Enter")
    assert memory(page)["recalled"]["03-third"]["on"] == "04_four"
    opened(page, "04")
    page.locator("#recall").scroll_into_view_if_needed()
    item(page, "03-third").wait_for()    # the same again, with its answer
    item(page, "03-third").get_by_text("Right.").wait_for()
    page.get_by_role("button", name="Ask them all the same").click()
    assert shown(page) == ["03-next", "01-third"]


@pytest.mark.parametrize("kept", [
    {"read": {"03_three": "yes"}}, {"done": {"03-2": False}}, {"done": {"30-2": True}},
    {"predicted": {"03_threes#a": {}}}, {"ordered": {"03": True}}])
def test_what_was_not_opened_is_not_asked(page, kept):
    opened(page, "04", kept)
    page.locator("#recall").scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    assert shown(page) == []


def test_rubbish_in_the_memory_counts_as_never_answered(page):
    rubbish = ["b", None, 7, [], {}, {"given": "b"}, answered(row=-1),
               answered(row="1"), answered(right="yes"), answered(wrong=0.5),
               answered(given=None)]
    opened(page, "02", read("01", recalled={"01-next": rubbish[7], "9": rubbish[0]}))
    assert page.evaluate("""async records => {
        const { recordOf } = await import("/_static/recall.js");
        return records.filter(one => recordOf("a", { recalled: { a: one } }));
    }""", [*rubbish, answered()]) == [answered()]
    item(page, "01-next").get_by_role("button", name="(b)").click()
    assert memory(page)["recalled"]["01-next"] == answered()


def test_a_day_that_is_none_makes_a_question_due(page):
    opened(page, "02", read("01", recalled={"01-next": answered("yesterday")}))
    assert item(page, "01-next").get_by_role("button", name="(b)").is_enabled()


def test_a_browser_that_stores_nothing_still_asks(page):
    page.add_init_script("""Object.defineProperty(window, 'localStorage', {
        get() { throw new DOMException('blocked', 'SecurityError') } })""")
    opened(page, "02")
    page.get_by_role("button", name="Ask them all the same").click()
    item(page, "01-next").get_by_role("button", name="(b)").click()
    assert item(page, "01-next").get_by_role("status").inner_text().startswith("Right.")
    page.problems.clear()    # the theme's own scripts complain


def test_two_tabs_know_of_each_other(page):
    opened(page, "02", read("01"))
    other = page.context.new_page()
    other.clock.set_fixed_time("2026-12-02T10:00:00")
    other.goto(page.url)
    other.locator("#recall-01-next").get_by_role("button", name="(b)").click()
    item(page, "01-next").get_by_text("Right.").wait_for()
    other.close()


# Without scripts, on paper, on a phone


def test_without_scripts_the_folds_hold_the_answers(site):
    context = site.chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.address}notebooks/04_four.html")
    assert shown(page) == ["03-next", "01-third"]
    assert page.get_by_text("(a) it is 1").is_visible()
    page.get_by_text("Answer", exact=True).first.click()
    assert page.get_by_text("(a) That is one of the two.").is_visible()
    page.goto(f"{site.address}book/practice.html")
    assert page.get_by_text("This page needs JavaScript").is_visible()
    assert shown(page) == []
    assert page.locator("article p").filter(visible=True).count() == 2
    context.close()


def test_on_paper_the_questions_stand_there_and_the_answers_at_the_end(page):
    opened(page, "04", read("03", recalled={
        "03-next": answered(given="a", right=False)}))
    page.locator("#recall").scroll_into_view_if_needed()
    item(page, "03-third").wait_for()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert shown(page) == ["03-next", "01-third"]
    text = item(page, "03-next").inner_text()
    assert "(a) it is" in text and "Two ones" not in text and "know" not in text
    last = page.locator(".printed-answers")
    assert " ".join(last.inner_text().split()).startswith(
        "Hints and answers Question 1 of the recall: answer It is (b). Two ones are "
        "two. (a) That is one of the two. (c) There is one. Chapter 03")
    assert "0.25: That is what is left." in last.inner_text()
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert item(page, "03-next").get_by_role("status").inner_text().startswith("Not")
    assert not last.count()


MODE = """async ([kind, right]) => {
  const { build } = await import("/_static/recall.js");
  const root = document.createElement("div");
  root.id = "recall-01-new";
  Object.assign(root.dataset, { kind, from: "01", right: JSON.stringify(right) });
  root.innerHTML =
    "<p>What?</p><details><summary aria-label='Answer'></summary></details>";
  document.querySelector("article").append(root);
  return build(root).field.inputMode;
}"""


@pytest.mark.parametrize("kind, right, mode", [
    ("number", ["801"], "decimal"), ("number", ["2.99"], "decimal"),
    ("number", ["-1"], ""), ("number", ["0.5", "1/2"], ""), ("shape", ["[2, 5]"], "")])
def test_a_phone_shows_keys_with_which_the_answer_can_be_typed(page, kind, right, mode):
    opened(page, "01")
    assert page.evaluate(MODE, [kind, right]) == mode


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["04", "practice"])
def test_it_can_be_used_in_both_themes_and_on_a_phone(page, theme, name):
    kept = {"01-next": answered("2026-11-01", given="a", right=False, wrong=2),
            "03-next": answered(given="c", right=False),
            "02-third": answered("2026-01-01")}
    opened(page, name, read("01", "02", "03", recalled=kept))
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    page.emulate_media(color_scheme=theme)
    for fold in page.locator(".recall-due > summary").all():
        fold.click()
    if name == "04":
        item(page, "02-third").wait_for()
    assert not [one for one in pages.axe_findings(page, theme == "dark")
                if "recall" in one or "practice" in one]
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(pages.TOO_WIDE) <= 0


# Where am I


def test_the_page_shows_what_this_device_remembers(page):
    opened(page, "practice", read(
        "01", "03", done={"03-3": True, "C1-1": True, "03-1": "order", "03-2": False,
                          "04-Four": "blanks", "03-4": "x"}, predicted={
            "01_one#predict-a": {"choice": "a", "held": True},
            "01_one#predict-b": {"choice": "b", "held": False},
            "01_one#predict-c": {"choice": ""}},
        ordered={"02_two#lines-02": {"placed": "BA"}, "04_fours#lines-1": {},
                 "03_three#lines-03": {"solved": True}},
        recalled={"01-next": answered(), "02-third": "rubbish",
                  "02-next": answered(right=False, row=0, wrong=2)}))
    rows = [row.inner_text().split("\t") for row in page.locator("tbody tr").all()]
    assert rows == [["01 · 01_one (read)", "1 of 2", "1 of 1", "–"],
                    ["02 · 02_two", "–", "0 of 1", "2 (begun)"],
                    ["03 · 03_three (read)", "–", "–", "1 (order), 3 (written)"],
                    ["04 · 04_four", "–", "–", "Four (blanks)"]]
    assert page.locator("#practice-twice li").all_inner_texts() == [
        "Chapter 02 says it, under A sum. Wrong 2 times."]
    assert "The next question is due on December 3." in page.locator(
        "#practice-due").inner_text()
    assert not page.get_by_text("This page needs JavaScript").is_visible()


@pytest.mark.parametrize("kept, words", [
    ({"ordered": {"02_two#lines-02": {"solved": True}}}, "2 (order)"),
    ({"filled": {"02_two#lines-02": {"given": "a--"}},
      "ordered": {"02_two#lines-02": {"placed": "a"}}}, "2 (begun)"),
    ({"done": {"02-2": True}, "ordered": {"02_two#lines-02": {"solved": True}}},
     "2 (written)")])
def test_a_puzzle_and_its_exercise_are_one(page, kept, words):
    opened(page, "practice", kept)
    [row] = page.locator("tbody tr").all()
    assert row.inner_text().split("\t")[-1] == words


@pytest.mark.parametrize("sections, words", [
    (["a"], "02 · 02_two (1 section read)"),
    (["a", "b"], "02 · 02_two (2 sections read)")])
def test_a_chapter_half_read_is_remembered(page, sections, words):
    opened(page, "practice", {"read": {"02_two": sections}})
    [row] = page.locator("tbody tr").all()
    assert row.inner_text().split("\t")[0] == words


def test_a_new_device_is_told_that_nothing_is_remembered(page):
    opened(page, "practice")
    assert page.get_by_text("This device remembers nothing yet.").is_visible()
    assert page.get_by_text("You have not answered a recall yet.").is_visible()
    assert not page.locator("#practice-twice").is_visible()


def test_what_is_due_is_answered_on_the_page(page):
    opened(page, "practice", {"recalled": {
        name: answered() for name in ("01-next", "02-third", "17-next")}}, "2026-12-03")
    assert shown(page) == ["01-next", "02-third"]
    item(page, "01-next").get_by_role("button", name="(b)").click()
    item(page, "02-third").get_by_role("textbox").fill("0.75")
    item(page, "02-third").get_by_role("button", name="Answer").click()
    assert shown(page) == ["01-next", "02-third"]    # with their answers
    assert "due on December 10." in page.locator("#practice-due").inner_text()
    assert memory(page)["recalled"]["01-next"] == answered(
        "2026-12-03", "practice", row=2)


def exported(page):
    with page.expect_download() as told:
        page.get_by_role("button", name="Export").click()
    assert told.value.suggested_filename == "softdict-practice-2026-12-02.json"
    return json.loads(open(told.value.path(), encoding="utf-8").read())


def imported(page, content, name="file.json"):
    """What the page says of a file."""
    page.locator("#practice-import").set_input_files({
        "name": name, "mimeType": "application/json", "buffer": content.encode()})
    told = page.locator("#practice-file [role=status]")
    told.get_by_text(re.compile(".")).or_(told.filter(has_text=".")).first.wait_for()
    return told.inner_text()


def test_a_file_carries_all_to_another_device_and_is_joined_there(page, site):
    there = {"read": {"01_one": True},
             "done": {"01-1": True, "02-1": "blanks", "02-2": "blanks"},
             "predicted": {"01_one#predict-a": {"choice": "a", "held": True}},
             "recalled": {"01-next": answered("2026-12-01", row=3),
                          "02-next": answered("2026-11-01")},
             "ordered": {"01_one#lines-01": {"placed": "AB", "solved": True}},
             "filled": {"02_two#lines-02": {"given": "abc", "solved": True}}}
    opened(page, "practice", there)
    content = exported(page)
    assert content == {"softdict": "practice", **there}
    here = {"done": {"02-1": "written", "02-3": "written"},
            "predicted": {"01_one#predict-a": {"choice": "b", "held": False}},
            "ordered": {"01_one#lines-01": {"placed": "A", "solved": False}},
            "recalled": {"01-next": answered("2026-11-30"),
                         "02-next": answered("2026-12-02", row=2)}}
    opened(page, "practice", here)
    assert imported(page, json.dumps(content)) == "Imported: 6 entries are new here."
    assert memory(page) == {
        "predicted": here["predicted"], "read": there["read"],
        "done": {**there["done"], **here["done"]}, "filled": there["filled"],
        "ordered": there["ordered"], "recalled": {
            "01-next": there["recalled"]["01-next"],
            "02-next": here["recalled"]["02-next"]}}
    assert page.locator("tbody tr").count() == 2    # drawn anew
    assert imported(page, json.dumps(content)) == "Nothing in the file is new here."


def test_a_file_is_chosen_by_a_button_of_the_book_with_the_keyboard_too(page):
    asked = []
    page.on("filechooser", lambda one: asked.append(one))    # now, or it may be missed
    opened(page, "practice", {})
    button, box = map(page.locator, (".practice-buttons label", "#practice-import"))
    style = """one => ["color", "minHeight", "borderRadius", "font"].map(name =>
        getComputedStyle(one)[name])"""
    assert button.evaluate(style) == page.get_by_role(
        "button", name="Export").evaluate(style)
    assert box.evaluate("one => getComputedStyle(one).opacity") == "0"
    page.get_by_role("button", name="Export").focus()
    page.keyboard.press("Tab")
    assert box.evaluate("one => one === document.activeElement")
    assert button.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    button.scroll_into_view_if_needed()
    assert button.evaluate("""one => {
        const { x, y, width, height } = one.getBoundingClientRect();
        return document.elementFromPoint(x + width / 2, y + height / 2).id;
    }""") == "practice-import"    # a click meets it
    page.keyboard.press("Enter")
    for _ in range(600):
        if not asked:
            page.wait_for_timeout(50)
    assert asked


def test_what_the_package_keeps_of_solved_exercises_is_ticked(page, tmp_path,
                                                             monkeypatch):
    monkeypatch.setenv("SOFTDICT_PROGRESS", str(tmp_path))
    text = json.dumps({"01-1": 1, "01-2": 2, "C1-3": 5, "version": "1.0"})
    (tmp_path / "progress.json").write_text(text, "utf-8")
    assert "1✓ 2✓" in softdict.progress()    # it is that file
    opened(page, "practice", {"done": {"01-1": True}})
    assert imported(page, text, "progress.json") == "Imported: 2 entries are new here."
    assert memory(page)["done"] == {"01-1": True, "01-2": True, "C1-3": True}


@pytest.mark.parametrize("content, words", [
    ("{", "file.json was not imported: it is no JSON."), ("", "it is no JSON"),
    ("[1]", "it holds neither an export of this page nor a progress.json"),
    ("null", "it holds neither"), ('{"version": "1.0"}', "it holds neither"),
    ('{"01-1": "yes", "x": 1}', "it holds neither"),
    ('{"read": {}}', "it holds neither"),
    (" " * 1_000_001, "it is too large"),
    ('{"softdict": "practice", "read": 7, "done": {"01-1": "x"}, "recalled": '
     '{"01-next": {"given": 1}}, "predicted": {"a": 7}, "other": {"a": 1}}',
     "Nothing in the file is new here.")])
def test_another_file_changes_nothing_and_is_told(page, content, words):
    kept = {"recalled": {"01-next": answered()}}
    opened(page, "practice", kept)
    assert words in imported(page, content)
    assert memory(page)["recalled"] == kept["recalled"]
    assert not any(memory(page)[kind] for kind in ("read", "done", "predicted")
                   if kind in memory(page))


def test_all_is_forgotten_on_request(page):
    opened(page, "practice", {"recalled": {"01-next": answered()}})
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Forget all of it").click()
    assert page.evaluate("localStorage.softdict === undefined")
    assert page.get_by_text("This device remembers nothing yet.").is_visible()
