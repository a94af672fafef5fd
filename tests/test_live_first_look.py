"""The Transformer on the front page: it fetches nothing before somebody types, and then
writes and looks as the package's does."""

import re
import shutil

import live_data
import pages
import pictures
import pytest
from books import ROOT
from markdown_it import MarkdownIt
from softdict import corpus
from softdict.decoding import translate
from softdict.programs.translator import bundled, words_of

pytestmark = pytest.mark.skipif(not pages.browser_path(), reason="no Chromium here")
INDEX = (ROOT / "book/index.md").read_text("utf-8")
PAGE = """<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>First</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="static/book.css">
<link rel="stylesheet" href="web/live.css">
<link rel="stylesheet" href="web/first_look_figure.css">
<style>img {{ max-width: 100% }}</style>
<script type="module" src="web/first_look_figure.js"></script></head><body><main>
<article class="bd-article"><section>{}</section></article></main></body></html>"""
TYPED = pictures.ENGLISH[1:]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(live_data, "write_figures", lambda *given, **more: None)
        live_data.write_live(folder / "web")
    for name in ("static", "images"):
        shutil.copytree(ROOT / "book" / name, folder / name)
    first = re.search(r'<div class="first-look">.*?</div>', INDEX, re.DOTALL)[0]
    html = MarkdownIt("commonmark").render(re.sub(r"\{width=\w+\}", "", first))
    (folder / "index.html").write_text(PAGE.format(html), "utf-8")
    with pages.Browser(folder) as browser:
        yield browser


@pytest.fixture
def page(browser):
    problems, asked = [], []
    page = browser.open("index.html", problems, 390)
    page.on("request", lambda request: asked.append(request.url.rsplit("/")[-1]))
    page.asked, page.problems = asked, problems
    yield page
    page.close()
    assert not problems


def typed(page, sentence):
    page.fill("#first-look", sentence)
    page.press("#first-look", "Enter")
    return page.get_by_role("status")


def test_nothing_is_fetched_before_somebody_types_and_the_picture_stands(page):
    page.wait_for_selector(".drawn")
    assert page.locator("img").is_visible() and not page.asked
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.press("#first-look", "End")
    page.type("#first-look", " ")    # no key more: it looks by itself
    page.wait_for_selector(".running table")
    assert [name for name in page.asked if name.endswith("safetensors")] == [
        name for name in page.asked if "weights-" in name]
    assert len([name for name in page.asked if "weights-" in name]) == 1
    assert not page.locator("img").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_it_says_and_draws_what_the_static_picture_does(page):
    korean = re.search('<span lang="ko">(.*?)</span>', INDEX)[1]
    said = typed(page, " ".join(TYPED))
    page.wait_for_selector(".running table")
    assert said.locator(".korean").inner_text() == korean
    drawn = pictures.attention_map(pictures.LIGHT, plain=True)
    labels = re.findall(">([^<]+)</text>", drawn)
    rows = page.locator("tbody th").all_inner_texts()
    heads = page.locator("thead th").all_inner_texts()
    assert [*heads, *" ".join(rows).split()] == labels
    assert not re.search("&lt;|[A-Z]{2}", drawn.split(">", 1)[1])
    for row, weights in zip(page.locator("tbody tr").all(), pictures.KOREAN.values()):
        told = [float(text or 0) for text in row.locator("td").all_inner_texts()]
        assert told == pytest.approx(weights, abs=0.011)


def test_another_sentence_is_the_packages(page):
    saved, sentence = bundled(), "two dogs saw three cats"
    said = typed(page, sentence).locator(".korean")
    said.wait_for()
    assert said.inner_text() == corpus.join(translate(
        saved.model, words_of(sentence), saved.source_vocab, saved.target_vocab))


def test_what_it_cannot_read_is_named(page):
    said = typed(page, "the dgo slept")
    said.filter(has_text="not “dgo”. Perhaps dog").wait_for()
    assert page.locator("img").is_visible()
    typed(page, "?")
    said.filter(has_text="Type an English sentence.").wait_for()
    typed(page, "the dog slept")
    page.wait_for_selector(".running table")


def test_signs_that_are_left_out_are_named(page):
    said = typed(page, "(the dog slept)?!")
    said.filter(has_text="and not “(”, “)”, “?”, “!”: left out.").wait_for()
    assert said.locator(".korean").inner_text() == "개는 잤어요"
    typed(page, "the cat slept!")
    said.filter(has_text="고양이는 잤어요").wait_for()
    assert "left out" not in said.inner_text()


def test_without_a_net_it_says_so_and_can_be_asked_again(page):
    page.route("**/words.json", lambda route: route.abort())
    said = typed(page, "the dog slept")
    said.filter(has_text="Are you online?").wait_for()
    page.problems.clear()    # the browser says that it failed, too
    page.unroute("**/words.json")
    typed(page, "the dog slept")
    page.wait_for_selector(".running table")
