"""The quick reference is all *In short*, cannot drift from them, and prints on A3."""

import re
import shutil

import notebooks as files
import pages
import pytest
import quick_reference
import search
from books import ROOT
from in_short import WIDTH

NAMED = {path.stem: files.read(path) for path in files.paths()}
PAGE = (ROOT / quick_reference.PAGE).read_text("utf-8")


def cells(notebook):
    return {cell.id: cell for cell in notebook.cells}


def test_it_holds_every_chapter_once_and_in_order():
    chapters = re.findall(r"^### \[(\d\d) · .+\]\(\.\./notebooks/(\w+)\.ipynb\)$", PAGE,
                          re.MULTILINE)
    assert [name for _, name in chapters] == [name for name in NAMED if name[0] != "C"]
    assert all(name.startswith(number) for number, name in chapters)
    assert re.findall(r"^## (Part \w+)", PAGE, re.MULTILINE) == [
        f"Part {number}" for number in ("I", "II", "III", "IV", "V")]


def test_it_says_what_the_chapters_say():
    """Words, formulas and code; only addresses differ."""
    def without_addresses(text):
        return re.sub(r"\]\([^)]*\)", "]", text)

    said = without_addresses(PAGE)
    for name, notebook in NAMED.items():
        if name[0] == "C":
            continue
        own = cells(notebook)
        for text in (own["in-short"].source.removeprefix("## In short"),
                     own["in-short-fold"].source):
            assert without_addresses(text).strip() in said, name


def test_its_pictures_and_links_lead_to_files():
    for address in re.findall(r"\]\((\.\./[^)#]+)", PAGE):
        assert (ROOT / "book" / address).resolve().exists(), address


@pytest.mark.parametrize("part", ["in-short", "in-short-fold"])
def test_a_changed_chapter_changes_it(part):
    name = "07_attention"
    changed = files.read(ROOT / f"notebooks/{name}.ipynb")
    cells(changed)[part].source = cells(changed)[part].source.replace(
        "encoder", "reader")
    told = quick_reference.page({**NAMED, name: changed}, ROOT)
    assert told != quick_reference.page(NAMED, ROOT)
    section = told[told.index("### [07"):told.index("### [08")]
    assert "reader" in section and "reader" not in PAGE


def test_what_lies_beside_a_chapter_is_found_from_the_page():
    changed = files.read(ROOT / "notebooks/07_attention.ipynb")
    cells(changed)["in-short"].source += "\n\nSee [chapter 08](08_scores.ipynb#s)."
    assert "[chapter 08](../notebooks/08_scores.ipynb#s)" in quick_reference.section(
        "07_attention", changed)


# Built

needs_browser = pytest.mark.skipif(not pages.browser_path(), reason="no Chromium here")


def built(folder, rows):
    """A site with the quick reference alone: two parts, three chapters in each."""
    picture = f'<p><svg width="{WIDTH}" height="300"></svg></p>'
    words = "<p>Words of a chapter.</p>" * rows
    chapter = (f"<section><h3>A name</h3>{picture}{words}"
               "<details><summary>More</summary><pre>x = 1</pre></details></section>")
    part = f"<section><h2>Part</h2>{chapter * 3}</section>"
    (folder / "book").mkdir(parents=True)
    (folder / "_static").mkdir()
    shutil.copy(ROOT / "book/static/book.css", folder / "_static")
    (folder / "book/quick_reference.html").write_text(
        '<!DOCTYPE html><html lang="en" data-theme="light"><head><title>Q</title>'
        '<link rel="stylesheet" href="../_static/book.css"></head><body>'
        '<article class="bd-article"><section id="quick-reference">'
        f"<h1>Quick reference</h1><p>All words.</p>{part * 2}</section></article>"
        "</body></html>", "utf-8")
    return folder


@needs_browser
@pytest.mark.parametrize("rows, right", [(30, True), (150, False)])
def test_each_part_must_fill_one_sheet_of_a3(tmp_path, rows, right):
    problems = list(pages.poster_problems(built(tmp_path, rows)))
    assert (not problems) == right
    if not right:
        assert "2 parts are to fill as many sheets of A3" in problems[0]


@needs_browser
def test_without_its_css_it_is_no_poster(tmp_path):
    folder = built(tmp_path, 30)
    (folder / "_static/book.css").write_text("", "utf-8")
    assert list(pages.poster_problems(folder))


def test_the_search_leads_to_the_chapters_and_not_to_their_copies(tmp_path):
    index = search.index(built(tmp_path, 1))
    assert [(anchor, heading, text) for _, anchor, heading, text, _ in index["sections"]
            ] == [("quick-reference", "Quick reference", "All words.")]
