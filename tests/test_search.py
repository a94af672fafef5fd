"""The search of the site against queries and links that nobody would type by hand."""

import json
import shutil
from itertools import product
from pathlib import Path

import pages
import pytest

pytestmark = pytest.mark.skipif(not pages.browser_path(), reason="no Chromium here")
ROOT = Path(__file__).resolve().parent.parent
LONG = "<p>Scores of a dot product.</p>" * 60
TALL = f"""<section id="tall"><h2>The width</h2>{LONG}<details><summary>More</summary>
<p>A rare <mark>blank</mark> of width d.</p></details>{LONG}</section>"""
TEXT = "Attention looks up a soft mean of the values. A query meets all keys. " * 40
PAGE = f"""<!DOCTYPE html>
<html lang="en" data-content_root=""><head><meta charset="utf-8"><title>A page</title>
</head><body><article class="bd-article"><section id="one"><h1>One</h1><p>{TEXT}</p>
</section>{TALL}</article><div class="bd-search-container">
<form class="bd-search"><input type="search" name="q"></form></div>
<script src="_static/search.js"></script></body></html>"""
MANY = " ".join("".join(letters) for letters in product("bcdfg", repeat=6))
CHAPTER, TEACHING = "notebooks/09_root.html", "book/teaching.html"
ANSWERS = "book/asked/roots.html"
ROOT_TEXT = "Scores are divided by the square root of the width; MQA shares keys."
INDEX = {"pages": [["page.html", "One"], [CHAPTER, "09 · Attention"],
                   [TEACHING, "Teaching"], [ANSWERS, "Asked"]],
         "sections": [[0, "one", "One", f"{TEXT} 누출", ""],
                      [0, "two", "Two", MANY, ""],
                      [1, "first", "09 · Attention", "The width of a vector.", ""],
                      [1, "why", "Why the root?", ROOT_TEXT, ""],
                      [1, "exercise-09-2", "Exercise 09-2 · Divide", "By what?", ""],
                      [1, "code", "In code", "", "root = width ** 0.5 # root"],
                      [1, "hills", "Hills and their trees", "Where they grow.", ""],
                      [1, "more", "On a hill", "A hill and a tree. " * 90, ""],
                      [1, "share", "Shares", "The division of a tree.", ""],
                      [2, "class", "09 · Attention", f"{ROOT_TEXT} A class. " * 3, ""],
                      [3, "roots", "Roots", "", ""],
                      [3, "root-or-width", "Root or width of a key?",
                       "A square root of the width.", "",
                       "Are its scores shared, attnetion || "
                       "Do trees of hills share roots"],
                      [3, "other", "Why no bias?", "Keys of some width.", ""]],
         "terms": [[["query"], "term-query", "page.html#one", "What is asked."]]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    (folder / "_static").mkdir()
    (folder / "favicon.ico").touch()    # a browser's first page asks for one
    shutil.copy(ROOT / "book/static/search.js", folder / "_static")
    (folder / "_static/search-index.js").write_text(
        f"const bookIndex = {json.dumps(INDEX)};", "utf-8")
    (folder / "page.html").write_text(PAGE, "utf-8")
    return folder


@pytest.fixture(scope="module")
def browser(folder):
    with pages.Browser(folder) as browser:
        yield browser


@pytest.fixture
def opened(browser):
    """Opens the page with what stands behind its address; nothing may go wrong."""
    found = []
    yield lambda behind="": browser.open(f"page.html{behind}", found)
    browser.close_pages()
    assert not found


def marks(page):
    return page.locator("article mark.found").count()


def test_a_query_is_found_and_marked(opened):
    page = opened("?q=soft+mean")
    assert page.locator(".search-hits li").count() == 1
    assert marks(opened("?find=soft%20mean#one")) == 40


@pytest.mark.parametrize("find", ["", "%21%3F", "%20", "of%20the%20how",
                                  "%F0%9F%8E%89"])
def test_a_link_that_asks_for_no_word_marks_none(opened, find):
    assert marks(opened(f"?find={find}#one")) == 0


@pytest.mark.parametrize("query", [
    "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E", "__proto__", "constructor", "%22%27%5C",
    "%ED%A0%80", "%", "%00", "(%3F%3Ca)", "%5B%5D)(*%2B", "a" * 30_000, "%E2%80%AE",
    "zq+" * 10_000, "0-0", "c1-1" * 2000])
def test_a_hostile_query_is_answered_and_runs_nothing(opened, query):
    page = opened(f"?q={query}")
    page.wait_for_function("document.querySelector('.search-said').textContent"
                           " || document.querySelector('.search-hits li')")
    assert page.locator(".search-hits img").count() == 0
    page = opened(f"?find={query}#one")
    assert page.locator("article img").count() == 0
    assert page.locator("article h1").inner_text() == "One"


@pytest.mark.parametrize("name", ["%", "%ED%A0%80", "gone", "", "one%22%5D"])
def test_a_hit_in_no_section_is_marked_all_the_same(opened, name):
    assert marks(opened(f"?find=soft%20mean#{name}")) == 40


def shown(page, selector):
    """Whether it is there, and inside the window."""
    return page.locator(selector).evaluate(
        "part => part.checkVisibility() && part.getBoundingClientRect().top > -1"
        " && part.getBoundingClientRect().bottom <= innerHeight")


def test_a_hit_whose_heading_says_it_opens_at_its_heading(opened):
    page = opened("?find=width#tall")
    page.wait_for_function("scrollY > 0")
    assert shown(page, "#tall h2")


def test_the_rarest_word_of_a_hit_is_in_sight_and_its_fold_is_open(opened):
    page = opened("?find=scores%20rare#tall")
    page.wait_for_function("scrollY > 0")
    assert shown(page, "mark.found:text('rare')")


def test_a_letter_marks_itself_and_no_word_that_begins_with_it(opened):
    page = opened("?find=d%20of%20w#tall")
    assert page.locator("mark.found").all_inner_texts() == ["d"]
    page.keyboard.press("Escape")
    assert page.locator("mark").all_inner_texts() == ["blank"]


@pytest.mark.parametrize("query, place", [
    ("why do we divide by the square root", "why"), ("root", "why"),
    ("what are roots of the width xylophone", "why"), ("square rooot", "why"),
    ("exercise 9.2", "exercise-09-2"), ("9-2", "exercise-09-2"),
    ("tree hills", "hills"), ("dividing trees", "share")])
def test_a_section_that_answers_stands_first(opened, query, place):
    found = opened().evaluate("async query => (await bookSearch(query)).hits", query)
    assert (found[0]["file"], found[0]["anchor"]) == (CHAPTER, place)


@pytest.mark.parametrize("query, file, anchor", [
    ("is it the root or the width of a key?", ANSWERS, "root-or-width"),
    ("are its scores shared", ANSWERS, "root-or-width"),
    ("do trees of hills share roots", ANSWERS, "root-or-width"),
    ("width", CHAPTER, "first"),
    ("why no bias", ANSWERS, "other"),
    ("keys of a width with bias, divided by a root", ANSWERS, "other"),
    ("square root", CHAPTER, "why"), ("roots", CHAPTER, "why"),
    ("why do we divide by the square root", CHAPTER, "why")])
def test_an_answer_stands_first_for_its_question_alone(opened, query, file, anchor):
    found = opened().evaluate("async query => (await bookSearch(query)).hits", query)
    assert (found[0]["file"], found[0]["anchor"]) == (file, anchor)


def test_the_words_of_an_asker_are_no_spelling(opened):
    found = opened().evaluate("async query => await bookSearch(query)", "attnetion")
    assert found["understood"] == "attention"


def test_a_teachers_page_stands_first_for_a_teacher_alone(opened):
    page = opened()
    for query, file in (("divided by the root", CHAPTER),
                        ("divided by the root, in class", TEACHING)):
        hits = page.evaluate("async query => (await bookSearch(query)).hits", query)
        assert hits[0]["file"] == file


@pytest.mark.parametrize("query, understood", [
    ("mha", ""), ("mha of the root", "of the root"), ("mqa", ""), ("rooot", "root"),
    ("how does a square root work", ""), ("누가", "")])
def test_a_known_or_short_word_is_not_corrected(opened, query, understood):
    found = opened().evaluate("async query => await bookSearch(query)", query)
    assert found["understood"] == understood
    assert bool(found["hits"]) == (query not in ("mha", "누가"))


def test_what_is_found_is_announced(opened):
    page = opened("?q=soft+mean")
    said = page.get_by_role("status")
    said.filter(has_text="1 place, best first").wait_for()
    page.locator("input").fill("divided")
    said.filter(has_text="4 places, best first").wait_for()
    page.locator("input").fill("zzqx")
    said.filter(has_text="Nothing in the book fits").wait_for()


def test_a_query_is_compared_with_the_book_up_to_its_200th_letter(opened):
    page = opened()
    for query in ("atention " * 22 + "zzzz", "atention " * 30_000, "x" * 2_000_000):
        understood = page.evaluate(
            "async query => (await bookSearch(query)).understood", query)
        assert len(understood) < 250 and "zzzz" not in understood
