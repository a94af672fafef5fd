"""Predict boxes: their metadata against the text; on a page, in a browser."""

import io
import json
import re
import subprocess
import sys

import nbformat
import pages
import predicts
import pypdf
import pytest
from bs4 import BeautifulSoup
from books import ROOT
from browsing import axe_is_silent, watch
from sample import code, markdown

CHAPTERS = sorted((ROOT / "notebooks").glob("[0-2]*.ipynb"))


# The metadata, against the text -------------------------------------------------------


def problems(cells, unlettered=()):
    """What is wrong with the Predicts of a notebook, given as JSON, a sentence each."""
    names = [cell["id"] for cell in cells]
    free = 0    # the first cell that no earlier Predict reaches into
    for number, cell in enumerate(cells):
        name, text = cell["id"], "".join(cell["source"])
        told = cell["metadata"].get("predict")
        found = list(predicts.BOX.finditer(text))
        if len(found) != text.count("**Predict") or len(found) > 1:
            yield f"{name}: a Predict that is no box, or two in a cell"
        if bool(told) != bool(found):
            yield f"{name}: a Predict without metadata, or metadata without a Predict"
        if not (told and found):
            continue
        if told.get("until") not in names[number:]:
            yield f"{name}: the verdict's cell does not follow"
            continue
        end = names.index(told["until"], number)
        after = "".join(cells[end]["source"])
        after = text[found[0].end():] if end == number else after
        letters = predicts.letters(found[0][0])
        lettered = name not in unlettered
        letter, length = predicts.verdict(after.lstrip("\n"))
        if set(told) != ({"answer", "until"} if lettered else {"until"}):
            yield f"{name}: has the metadata {sorted(told)}"
        elif lettered and (letters not in ("ab", "abc", "abcd")
                           or told["answer"] not in letters):
            yield f"{name}: the answer {told['answer']} is none of {letters}"
        elif lettered and told["answer"] != letter:
            yield f"{name}: the answer is {told['answer']}, the text says {letter}"
        elif not lettered and (letters or letter):
            yield f"{name}: has letters after all"
        if re.search(r"^(#|> |<)", after.lstrip("\n")[:length], re.MULTILINE):
            yield f"{name}: a heading, a box or a fold stands before its verdict"
        if number < free:
            yield f"{name}: asks before the last Predict is settled"
        free = end


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_the_answer_of_every_predict_is_the_one_that_the_text_names(path):
    cells = json.loads(path.read_text("utf-8"))["cells"]
    assert not list(problems(cells))
    assert any("predict" in cell["metadata"] for cell in cells)


def notebook():
    """A page with a Predict of each kind, and an exercise."""
    ask = markdown("ask", "Add.\n\n> **Predict.** What is *1 + 2*?\n>\n> (a) 2  \n"
                   "> (b) the code `3`  \n> (c) an error")
    add = code("add", "1 + 2", output="three\n")
    why = markdown("why", "Look.\n\nIt is (b): [one](#exercise-01-1-add) and two.\n\n"
                   "Text that goes on.\n\n> **Predict.** And $1 + 1$?")
    two = markdown("two", "It is two.\n\n## Exercise 01-1 · Add\n\n★ · 2 minutes\n\n"
                   "Then [look](#fig-sum).")
    ask3 = markdown("ask-3", "> **Predict.** And 2 + 2?\n>\n> (a) 4  \n> (b) 5\n\nSo:")
    sure = code("sure", "assert 2 + 2 == 4", "hide-input")
    draw = code("draw", "2 + 2", mystnb={
        "image": {"alt": "Four."}, "figure": {"caption": "A sum.", "name": "fig-sum"}})
    draw.outputs = [nbformat.v4.new_output("display_data", {"image/svg+xml": (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"></svg>')})]
    four = markdown("four", "In sum it is (a), as\n\n$$2 + 2$$\n\nis 4.\n\nThe end.")
    ask.metadata["predict"] = {"answer": "b", "until": "why"}
    why.metadata["predict"] = {"until": "two"}
    ask3.metadata["predict"] = {"answer": "a", "until": "four"}
    language = {"language_info": {"name": "python"}}
    return nbformat.v4.new_notebook(metadata=language, cells=[
        markdown("title", "# 01 · Sums"), ask, add, why, two, ask3, sure, draw, four,
        markdown("last", "## Sources\n\n" + "Much more to read.\n\n" * 40),
        markdown("notes", "## Notes\n\n" + "Much more to read.\n\n" * 40),
        markdown("further", "## Going further\n\n" + "Even more.\n\n" * 40)])


def as_json(made):
    return json.loads(nbformat.writes(made))["cells"]


@pytest.mark.parametrize("change, words", [
    (lambda c: None, None),
    (lambda c: c["ask"]["metadata"].update(predict={"answer": "c", "until": "why"}),
     "ask: the answer is c, the text says b"),
    (lambda c: c["why"].update(source=c["why"]["source"].replace("It is (b)", "Yes")),
     "ask: the answer is b, the text says None"),
    (lambda c: c["ask"]["metadata"].update(predict={"answer": "d", "until": "why"}),
     "ask: the answer d is none of abc"),
    (lambda c: c["ask"]["metadata"].update(predict={"answer": "b", "until": "title"}),
     "ask: the verdict's cell does not follow"),
    (lambda c: c["ask"]["metadata"].update(predict={"answer": "b", "until": "two"}),
     "why: asks before the last Predict is settled"),
    (lambda c: c["ask"]["metadata"].pop("predict"),
     "ask: a Predict without metadata, or metadata without a Predict"),
    (lambda c: c["two"]["metadata"].update(predict={"until": "four"}),
     "two: a Predict without metadata, or metadata without a Predict"),
    (lambda c: c["why"]["metadata"].update(predict={"answer": "a", "until": "two"}),
     "why: has the metadata ['answer', 'until']"),
    (lambda c: c["four"].update(source="# Four\n\nIt is (a)."),
     "ask-3: a heading, a box or a fold stands before its verdict"),
    (lambda c: c["ask"].update(source=c["ask"]["source"] + "\n\n**Predict.** Again?"),
     "ask: a Predict that is no box, or two in a cell"),
])
def test_each_fault_of_the_metadata_is_found(change, words):
    cells = as_json(notebook())
    for cell in cells:
        cell["source"] = "".join(cell["source"])
    change({cell["id"]: cell for cell in cells})
    found = list(problems(cells, {"why"}))
    assert (words in found) if words else not found


# The page -----------------------------------------------------------------------------


def test_box_output_and_verdict_are_marked_and_nothing_else_is_changed():
    cells = as_json(notebook())
    before = {cell["id"]: "".join(cell["source"]) for cell in cells}
    predicts.mark(cells)
    after = {cell["id"]: "".join(cell["source"]) for cell in cells}
    plain = {name: re.sub(r'(?:<div class="(?:predict|verdict)"[^>]*>\n\n|\n\n</div>)',
                          "", text) for name, text in after.items()}
    assert plain == before
    assert [cell["id"] for cell in cells
            if "settles" in cell["metadata"].get("tags", [])] == ["add", "sure", "draw"]
    assert after["ask"].startswith(
        'Add.\n\n<div class="predict" id="predict-ask" data-answer="b">\n\n> **Predict')
    assert after["why"].startswith('<div class="verdict">\n\nLook.')
    assert after["four"].endswith("is 4.\n\nThe end.")


def test_a_verdict_may_stand_in_the_cell_of_its_question():
    cell = markdown("both", "> **Predict.** Which?\n>\n> (a) this  \n> (b) that\n\n"
                    "It is (b). So.\n\nMore.")
    cell.metadata["predict"] = {"answer": "b", "until": "both"}
    [cell] = as_json(nbformat.v4.new_notebook(cells=[cell]))
    predicts.mark([cell])
    assert cell["source"].endswith('</div>\n\n<div class="verdict">\n\n'
                                   'It is (b). So.\n\nMore.')


def test_a_verdict_that_is_nowhere_is_named():
    cells = as_json(notebook())
    cells[1]["metadata"]["predict"]["until"] = "gone"
    with pytest.raises(ValueError, match="cell ask is settled in a cell 'gone'"):
        predicts.mark(cells)


# In a browser -------------------------------------------------------------------------

CONFIG = """\
import sys
sys.path.insert(0, {tools!r})
extensions = ["myst_nb", "predicts"]
html_theme, html_static_path = "sphinx_book_theme", [{static!r}]
html_css_files, nb_execution_mode = ["book.css"], "off"
html_js_files = ["page.js", ("search.js", {{"defer": "defer", "priority": 900}})]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
html_context = {{"default_mode": "auto"}}
suppress_warnings = ["myst.xref_missing"]
"""
ANSWER, VERDICT = "three", "one and two"
SEEN = """text => [...document.querySelectorAll('main :is(p, pre, figure)')]
    .some(one => one.textContent.includes(text) && one.checkVisibility(
        { contentVisibilityAuto: true, checkVisibilityCSS: true }))"""

SHOWN = """id => { document.getElementById(id).scrollIntoView();
    return new Promise(done => new IntersectionObserver(() => done())
        .observe(document.getElementById(id))); }"""
ABOVE_END = "scrollY + innerHeight < document.documentElement.scrollHeight - 1"
READ = "JSON.parse(localStorage.softdict ?? '{}').read?.['01_sums']"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The notebook, as Sphinx and the book's theme make a page of it."""
    if not pages.browser_path():
        pytest.skip("no Chromium here (CHROMIUM can name one)")
    folder = tmp_path_factory.mktemp("site")
    (folder / "notebooks").mkdir()
    nbformat.write(notebook(), folder / "notebooks/01_sums.ipynb")
    (folder / "index.md").write_text(
        "# A book\n\n```{toctree}\nnotebooks/01_sums\n```\n", "utf-8")
    (folder / "conf.py").write_text(CONFIG.format(
        tools=str(ROOT / "tools"), static=str(ROOT / "book/static")), "utf-8")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", folder, folder / "html"],
                   check=True)
    (folder / "html/favicon.ico").touch()    # a browser's first page asks for one
    with pages.Browser(folder / "html") as browser:
        yield browser


def watched(page, site):
    watch(page, site.address)
    page.address = f"{site.address}notebooks/01_sums.html"
    return page


@pytest.fixture
def page(site):
    """The page in a browser that remembers nothing yet; nothing may go wrong."""
    page = watched(site.new_page(), site)
    yield page
    site.close_pages()
    assert not page.problems


def opened(page, anchor=""):
    page.goto(page.address + anchor, wait_until="load")
    return page


def seen(page, *texts):
    return [page.evaluate(SEEN, text) for text in texts]


def test_all_from_the_verdict_to_the_next_heading_is_one_part_of_the_page(site):
    text = (site.folder / "notebooks/01_sums.html").read_text("utf-8")
    first, second, third = BeautifulSoup(text, "html.parser").select(".verdict")
    assert second in first.descendants and third not in first.descendants
    for part, begins, ends in ((first, "Look.", "It is two."),
                               (second, "It is two.", "It is two."),
                               (third, "In sum", "The end.")):
        words = part.get_text().strip()
        assert words.startswith(begins) and words.endswith(ends)
        assert not part.select("section, h2")


def test_the_script_is_loaded_only_where_it_has_something_to_do(site):
    wanted = {"index.html": False, "notebooks/01_sums.html": True}
    for name, loads in wanted.items():
        text = (site.folder / name).read_text("utf-8")
        assert ("predict.js" in text, "predict.css" in text) == (loads, loads)
    assert '<script type="module" src="../_static/predict.js' in text


def test_without_scripts_nothing_is_veiled(site):
    context = site.chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.route("**/*", lambda route: route.continue_())
    page.goto(f"{site.address}notebooks/01_sums.html")
    assert not page.locator("button:visible", has_text="(a)").count()
    assert not page.locator(".bd-article [hidden]").count()
    for text in (ANSWER, VERDICT, "It is two.", "is 4.", "(b) the code 3"):
        assert page.get_by_text(text).first.is_visible(), text
    context.close()


def test_a_box_veils_output_and_verdict_until_a_choice_and_then_marks_it(page):
    opened(page)
    assert seen(page, ANSWER, "Look.", VERDICT, "Text that goes on.", "Add.") == [
        False, False, False, False, True]
    tree = page.locator("main").aria_snapshot()
    assert not any(words in tree for words in (ANSWER, VERDICT, "Text that goes on"))
    assert 'group "Predict. What is 1 + 2?"' in tree and 'button "(a) 2"' in tree
    page.get_by_role("button", name="(a) 2").click()
    assert seen(page, ANSWER, "Look.", VERDICT, "Text that goes on.", "It is two.") == [
        True, True, True, True, False]
    assert page.get_by_role("status").first.inner_text().startswith(
        "Your prediction (a) did not hold; it is (b).")
    assert "(b) the code 3" in page.locator(".right").inner_text()
    page.get_by_role("button", name="(c) an error").click(force=True)    # too late
    assert page.locator(".chosen").inner_text().startswith("(a)")


def test_a_wrong_prediction_can_be_tried_again_and_the_first_one_counts(page):
    opened(page)
    box, again = page.locator(".predict").first, page.get_by_role(
        "button", name="Try again")
    said, end = box.get_by_role("status"), page.locator(".predict-end")
    counts = "Your first prediction (a) stays the one that counts."
    assert not again.count()
    box.get_by_role("button", name="(a) 2").press("Enter")
    again.press("Enter")
    assert page.evaluate("document.activeElement.textContent.trim()") == "(a) 2"
    assert said.inner_text() == f"Choose again. {counts}"
    assert seen(page, ANSWER, VERDICT) == [True, True]
    assert not box.locator(".chosen, .right").count() and not again.count()
    assert box.get_by_role("button").all_inner_texts() == [
        "(a) 2", "(b) the code 3", "(c) an error"]
    box.get_by_role("button", name="(c) an error").click()
    assert said.inner_text() == (
        f"Your new prediction (c) did not hold; it is (b). {counts}")
    again.click()
    box.get_by_role("button", name="(b) the code").click()
    assert said.inner_text() == f"Your new prediction (b) held. {counts}"
    assert box.locator(".chosen.right").inner_text().startswith("(b)")
    assert not again.count() and "held: 0 of 1 on this page" in end.inner_text()
    kept = page.evaluate("JSON.parse(localStorage.softdict).predicted")
    assert kept == {"01_sums#predict-ask": {"choice": "a", "held": False}}
    page.get_by_role("button", name="(a) 4").click()    # right at once, in the next box
    assert not again.count()
    opened(page, "?another-day")    # where the first choice stands, and can be tried
    assert said.inner_text().startswith("Your prediction (a) did not hold")
    again.click()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Forget").click()
    assert (said.inner_text(), seen(page, VERDICT)) == ("", [False])
    box.get_by_role("button", name="(b) the code").click()
    assert "held: 1 of 1 on this page" in end.inner_text()


def test_figures_and_folded_checks_are_veiled_with_the_outputs(page):
    opened(page)
    assert page.locator("div.tag_hide-input").is_hidden()
    assert seen(page, "A sum.", "is 4.") == [False, False]
    assert seen(page, "So:", "The end.", "Much more to read.") == [True, False, True]
    page.get_by_role("button", name="(a) 4").click()
    assert seen(page, "A sum.", "is 4.", "The end.") == [True, True, True]
    assert page.locator("div.tag_hide-input").is_visible()
    assert "Your prediction (a) held." in page.get_by_role("status").last.inner_text()


def test_the_keyboard_alone_chooses_and_goes_on(page):
    opened(page)
    page.locator(".predict").first.evaluate("box => box.scrollIntoView()")
    page.locator("p", has_text="Add.").first.click()    # where Tab begins
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent.trim()"))
    assert reached.index("(a) 2") < reached.index("(b) the code 3") < reached.index(
        "Show without a prediction") and VERDICT not in " ".join(reached)
    assert "one" not in reached    # the link in the veiled verdict
    for _ in range(12 - reached.index("(b) the code 3") - 1):
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    assert seen(page, VERDICT) == [True]
    focus = "document.activeElement.textContent.trim()"
    assert page.evaluate(focus) == "(b) the code 3"
    page.keyboard.press("Tab")
    while page.evaluate(focus) in ("Copy", ""):    # the theme's buttons
        page.keyboard.press("Tab")
    assert page.evaluate(focus) == "one"


def test_what_is_shown_without_a_prediction_is_not_counted(page):
    opened(page)
    page.get_by_role("button", name="Show without").first.click()
    page.get_by_role("button", name="Show the answer").click()
    assert seen(page, VERDICT, "It is two.") == [True, True]
    assert "held: 0 of 0 on this page" in page.locator(".predict-end").inner_text()


def test_all_of_a_page_is_shown_at_once_and_stays_shown(page):
    opened(page)
    page.get_by_role("button", name="(a) 2").click()
    page.get_by_role("button", name="Show all of this page").first.click()
    assert all(seen(page, ANSWER, VERDICT, "A sum.", "is 4."))
    assert not page.get_by_role("button", name="Show all").filter(visible=True).count()
    page.reload()
    assert all(seen(page, ANSWER, VERDICT, "A sum.", "is 4."))
    said = page.get_by_role("status").first.inner_text()
    assert said.startswith("Your prediction (a)")    # the others count for none


def test_choices_ticks_and_chapters_are_remembered_and_forgotten(page):
    opened(page)
    page.get_by_role("button", name="(b) the code").click()
    page.get_by_role("button", name="(b) 5").click()
    page.get_by_role("checkbox", name="Exercise 01-1 done").check()
    page.evaluate("""() => { const all = JSON.parse(localStorage.softdict);
        all.predicted['02_other#predict-x'] = { choice: 'a', held: true };
        all.read = { '01_sums': true, '02_other': ['one'] };
        all.recalled = { a: { right: true }, b: { right: false }, c: 7 };
        all.ordered = { x: { solved: false }, y: {} };
        all.filled = { x: { solved: true }, z: null };
        localStorage.softdict = JSON.stringify(all) }""")
    opened(page, "?again")
    assert seen(page, ANSWER, VERDICT, "It is two.", "is 4.") == [
        True, True, False, True]
    assert page.get_by_role("checkbox").is_checked()
    assert page.locator(".predict-end p").first.inner_text() == (
        "Predictions that held: 1 of 2 on this page, 2 of 3 in the book. Recalls that "
        "were right: 1 of 2. Blanks or orders solved: 1 of 3. Chapters read: 1. "
        "Exercises done: 1. This device alone remembers it.")
    assert page.evaluate("JSON.parse(localStorage.softdict).done") == {
        "01-1": "written"}
    assert page.locator(".bd-links a.read").count() == 1
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Forget").click()
    assert page.evaluate("localStorage.softdict === undefined")
    assert seen(page, ANSWER, VERDICT, "is 4.") == [False] * 3
    assert not page.get_by_role("checkbox").is_checked()
    assert page.get_by_role("button", name="(b) the code").is_enabled()


def test_a_chapter_is_read_when_its_sections_were_in_view_long_enough(site):
    context = site.chromium.new_context()    # which the clock stays in
    page = watched(context.new_page(), site)
    page.clock.install(time="2026-01-01")
    page.clock.pause_at("2026-01-02")    # from here time goes as the test says
    opened(page)
    page.keyboard.press("End")
    while page.evaluate(ABOVE_END):    # a key scrolls smoothly, past each section
        pass
    page.evaluate(SHOWN, "going-further")
    page.clock.run_for(60_000)
    assert page.evaluate(READ) is None
    page.evaluate("""() => document.getElementById('sources').prepend(
        document.querySelectorAll('.verdict')[2])""")
    page.evaluate(SHOWN, "sources")
    page.clock.run_for(60_000)
    assert page.evaluate(READ) is None    # a veil is in it
    page.get_by_role("button", name="(a) 4").press("Enter")
    page.evaluate(SHOWN, "sources")
    page.clock.run_for(10_000)    # 172 words, 15 a second
    assert page.evaluate(READ) is None
    page.clock.run_for(2_000)
    assert page.evaluate(READ) == ["sources"]
    opened(page, "?another-day")
    assert not page.locator(".bd-links a.read").count()
    page.evaluate(SHOWN, "notes")
    page.clock.run_for(12_000)
    assert page.evaluate(READ) is True
    assert page.locator(".bd-links a.read").count() == 1
    assert "Chapters read: 1." in page.locator(".predict-end").inner_text()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Forget").click()
    page.clock.run_for(5_000)
    assert page.evaluate(READ) is None and not page.problems
    context.close()


def test_two_tabs_know_of_each_other(page):
    opened(page)
    late = page.get_by_role("button", name="(c) an error")
    late.focus()
    other = page.context.new_page()
    other.goto(page.address)
    other.get_by_role("button", name="(b) the code").click()
    page.wait_for_function(SEEN, arg=VERDICT, timeout=5000)
    other.close()
    late.press("Enter")    # it has the focus, but comes too late
    assert page.locator(".chosen").inner_text().startswith("(b)")


@pytest.mark.parametrize("stored", [
    "{", "null", "7", '"text"', "[1]", '{"predicted": 7, "done": null, "read": []}',
    '{"predicted": {"01_sums#predict-ask": {"choice": "z", "held": 1}, "x": null}}',
    '{"predicted": {"01_sums#predict-ask": "b"}, "done": {"01-1": "yes"}}'])
def test_rubbish_in_the_memory_is_as_good_as_nothing(page, stored):
    page.add_init_script(f"localStorage.softdict ??= {json.dumps(stored)}")
    opened(page)
    assert seen(page, VERDICT) == [False]
    assert "held: 0 of 0 on this page, 0 of 0 " in page.locator(
        ".predict-end").inner_text()
    page.get_by_role("button", name="(b) the code").click()
    assert "held: 1 of 1 on this page, 1 of 1 " in page.locator(
        ".predict-end").inner_text()


def test_a_browser_that_stores_nothing_still_serves_the_page(page):
    page.add_init_script("""Object.defineProperty(window, 'localStorage', {
        get() { throw new DOMException('blocked', 'SecurityError') } })""")
    opened(page)
    page.get_by_role("button", name="(b) the code").click()
    page.get_by_role("checkbox").check()
    assert seen(page, VERDICT, "It is two.") == [True, False]
    assert "held: 1 of 1" in page.locator(".predict-end").inner_text()
    page.problems.clear()    # the theme's own scripts complain


def test_an_address_that_leads_into_veiled_text_unveils_it(page):
    opened(page, "#fig-sum")
    assert seen(page, "A sum.", VERDICT) == [True, False]
    assert page.locator("#fig-sum").evaluate(
        "one => { const { top } = one.getBoundingClientRect();"
        " return top >= 0 && top < innerHeight }")


@pytest.mark.parametrize("anchor, text, opens", [
    ("#predict-why", "Text that goes on.", [True, False]),
    ("#deep", "It is two.", [True, True]),
    ("#:~:text=It%20is%20two", "It is two.", [True, True])])
def test_what_stands_below_two_veils_opens_both(page, anchor, text, opens):
    opened(page)
    page.evaluate("""anchor => {
        document.querySelectorAll('.verdict')[1].id = 'deep';
        const link = document.createElement('a');
        link.href = anchor;
        link.textContent = 'go';
        document.querySelector('.bd-article p').prepend(link);
    }""", anchor)
    page.get_by_role("link", name="go", exact=True).click()
    page.wait_for_function(SEEN, arg=text, timeout=5000)
    assert seen(page, VERDICT, "It is two.") == opens


@pytest.mark.parametrize("anchor", [
    "#%", "#%E0%A4%A", "#<img src=x>", "#" + "a" * 9999])
def test_a_broken_address_is_the_whole_page(page, anchor):
    """The fixture's page reports what goes wrong."""
    opened(page, anchor)
    assert seen(page, "A sum.", VERDICT) == [False, False]


def test_a_link_on_the_page_unveils_and_back_goes_back(page):
    opened(page)
    page.get_by_role("link", name="look", exact=True).click()
    page.wait_for_function(SEEN, arg="A sum.", timeout=5000)
    assert seen(page, "A sum.", "is 4.", VERDICT) == [True, True, False]
    page.go_back()
    assert page.url == page.address
    page.get_by_role("button", name="(b) the code").click()
    page.goto(f"{page.address}/../../index.html")
    page.go_back()
    assert seen(page, VERDICT, "A sum.", "It is two.") == [True, True, False]


def test_a_browser_that_knows_no_until_found_is_served_as_well(page):
    page.add_init_script("""Object.defineProperty(HTMLElement.prototype, 'hidden', {
        get() { return this.hasAttribute('hidden'); },
        set(value) { this.toggleAttribute('hidden', Boolean(value)); } })""")
    opened(page)
    assert seen(page, "A sum.", VERDICT) == [False, False]
    page.get_by_role("link", name="look", exact=True).click()
    page.wait_for_function(SEEN, arg="A sum.", timeout=5000)
    assert seen(page, "A sum.", VERDICT) == [True, False]
    page.evaluate("localStorage.clear()")
    opened(page, "?again#fig-sum")
    assert seen(page, "A sum.", VERDICT) == [True, False]
    page.emulate_media(media="print")
    assert seen(page, ANSWER, VERDICT) == [True, True]


def test_find_in_page_unveils(page):
    opened(page)    # a link to a text is found as Ctrl+F finds it
    page.evaluate("""() => {
        const link = document.createElement('a');
        link.href = '#:~:text=one%20and%20two';
        link.textContent = 'go';
        document.querySelector('.bd-article p').prepend(link);
    }""")
    page.get_by_role("link", name="go", exact=True).click()
    page.wait_for_function(SEEN, arg=VERDICT, timeout=5000)
    assert seen(page, ANSWER, "It is two.") == [True, False]    # the whole box, no more


def test_a_hit_of_the_search_is_unveiled(page):
    opened(page, "?find=Look#sums")
    assert page.locator(".verdict mark").first.inner_text() == "Look"
    assert seen(page, VERDICT, "It is two.") == [True, False]


def test_on_paper_nothing_is_veiled_and_no_button_shows(page):
    opened(page)
    page.get_by_role("button", name="(a) 2").click()
    page.emulate_media(media="print")
    assert seen(page, ANSWER, VERDICT, "It is two.", "A sum.", "is 4.") == [True] * 5
    assert page.locator("div.tag_hide-input").is_visible()
    height = page.locator(".verdict").last.evaluate("one => one.offsetHeight")
    assert height > 30
    for name in ("predict-show", "predict-said", "predict-again", "predict-note",
                 "predict-end", "exercise-done"):
        assert not page.locator(f".{name}:visible").count(), name
    assert page.locator(".predict-answer").first.is_visible()    # as plain lines
    page.emulate_media(media="screen")
    assert seen(page, ANSWER, "It is two.") == [True, False]


def test_on_paper_a_verdict_stands_on_another_page_than_its_question(page):
    opened(page)
    sheets = [sheet.extract_text() for sheet in pypdf.PdfReader(
        io.BytesIO(page.pdf())).pages]

    def first(words):
        return next(n for n, sheet in enumerate(sheets) if words in sheet)

    assert first("(a) 2") < first("It is two.")
    assert first("(a) 4") < first("is 4.")


def test_axe_finds_nothing_before_and_after_a_choice(page):
    axe_is_silent(opened(page))
    page.get_by_role("button", name="(a) 2").click()
    page.get_by_role("button", name="(a) 4").click()
    page.get_by_role("button", name="Show the answer").click()
    axe_is_silent(page)


def test_a_phone_has_room_for_it(page):
    page.set_viewport_size({"width": 390, "height": 800})
    opened(page)
    assert page.evaluate(pages.TOO_WIDE) <= 0
    for button in page.locator(".predict-answer").all():
        assert button.bounding_box()["height"] >= 44


def test_a_finger_meets_the_tick_of_an_exercise(site):
    context = site.chromium.new_context(viewport={"width": 390, "height": 800},
                                        has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{site.address}notebooks/01_sums.html")
    assert page.locator(".exercise-done").first.bounding_box()["height"] >= 28
    context.close()
