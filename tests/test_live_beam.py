"""The beam as a tree in the page: its searches are the package's, what is drawn is what
was found, and it serves keyboard, phone, both themes, paper and a page without scripts.
"""

import json
import math
import shutil
from functools import cache

import figure_data
import live_data
import nbformat
import pages
import pytest
import torch
from books import ROOT
from browsing import axe_is_silent
from softdict import corpus
from softdict.batches import padded
from softdict.decoding import beam_search
from softdict.programs.translator import bundled, words_of
from softdict.vocab import EOS

pytestmark = pytest.mark.skipif(not pages.browser_path(), reason="no Chromium here")
PAGE = """<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Live</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="static/book.css">
<link rel="stylesheet" href="web/live.css">
<link rel="stylesheet" href="web/{name}_figure.css">
<style>body {{ background: var(--pst-color-background); color: var(--ink) }}</style>
<script type="module" src="web/{name}_figure.js"></script></head><body><main>
<article class="bd-article"><h1>Live</h1><div class="cell"><div class="cell_output">
<figure id="twin"><p>The static figure</p></figure>
<live-{name} class="live-figure"></live-{name}></div></div></article></main></body>
</html>"""
SEARCH = """async ([now, width, penalty, longest]) => {
  const { search } = await import("/web/beam_figure.js");
  return search(now.next, width, penalty, longest);
}"""
SOURCES = [*(corpus.split(name)[number].words for name, number in figure_data.HARD),
           *map(words_of, figure_data.TYPED)]


@pytest.fixture(scope="module")
def data():
    return figure_data.beam()


@pytest.fixture(scope="module")
def browser(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(live_data.WEB, folder / "web")
    shutil.copytree(ROOT / "book/static", folder / "static")
    (folder / "web/beam.json").write_text(json.dumps(data), "utf-8")
    (folder / "index.html").write_text(PAGE.format(name="beam"), "utf-8")
    with pages.Browser(folder) as browser:
        yield browser


@pytest.fixture
def opened(browser):
    """Opens the page, the figure drawn; nothing may go wrong, or be asked from outside.
    """
    problems, made = [], []

    def opened(width=1200):
        page = browser.open("index.html", problems, width)
        made.append(page)
        page.wait_for_selector("live-beam.drawn")
        return page

    yield opened
    for page in made:
        page.close()
    assert not problems


@pytest.fixture(scope="module")
def page(browser):
    """A page for what computes and changes nothing."""
    with browser.chromium.new_page() as page:
        page.goto(f"{browser.address}index.html")
        yield page


def pieces(now, words):
    return [now["words"][word][0] for word in words]


def written(hypothesis):
    forms = bundled().target_vocab.tokens(hypothesis.ids)
    return [corpus.romanise(form) for form in forms]


@cache
def the_packages(width, penalty):
    """What the package's search finds for each of the sentences."""
    ids = [bundled().source_vocab.ids(words) for words in SOURCES]
    return beam_search(bundled().model, padded(ids), torch.tensor([*map(len, ids)]),
                       width, penalty, figure_data.LONGEST)


# The search ---------------------------------------------------------------------------


@pytest.mark.parametrize("width, penalty", ((1, 0.0), (2, 0.0), (2, 0.6), (3, 1.0),
                                            (4, 0.3), (5, 0.0), (5, 0.6), (5, 1.0)))
def test_every_search_is_the_packages(page, data, width, penalty):
    sentences = data["sentences"][1:]
    for now, theirs in zip(sentences, the_packages(width, penalty), strict=True):
        mine = page.evaluate(SEARCH, [now, width, penalty, data["longest"]])["found"]
        assert [pieces(now, one["words"]) for one in mine] == [*map(written, theirs)]
        assert [one["total"] for one in mine] == pytest.approx(
            [one.log_probability for one in theirs], abs=1e-4)
        assert [one["score"] for one in mine] == pytest.approx(
            [one.score for one in theirs], abs=1e-4)


def test_the_tiny_writer_is_the_chapters_and_its_search_finds_what_the_chapter_finds(
        page, data):
    cells = nbformat.read(ROOT / "notebooks/17_search.ipynb", 4).cells
    [source] = [cell.source for cell in cells if cell.id == "tree"]
    names = {}
    exec(source, names)
    assert figure_data.WRITER == names["tree"]
    now = data["sentences"][0]
    run = page.evaluate(SEARCH, [now, 2, 0, data["longest"]])
    assert [(pieces(now, one["words"]), round(math.exp(one["total"]), 6))
            for one in run["found"]] == [(["there", "is", "rain"], 0.45),
                                         (["it", "rains"], 0.22)]
    states = [{pieces(now, box["words"])[-1]: box["state"] for box in step["boxes"]}
              for step in run["steps"]]
    assert states[1] == {"is": "kept", "rains": "kept", "rained": "pruned",
                         "poured": "pruned"}
    assert len(states) == 4 and states[2]["the end"] == "ended"


def test_the_sentences_show_what_they_are_chosen_for(data):
    """Greedy loses all but the last; of the first six four are right in the end."""
    best = [found[0] for found in the_packages(5, 0.6)]
    plain = [found[0] for found in the_packages(1, 0.0)]
    same = [one.ids == other.ids for one, other in zip(best, plain, strict=True)]
    assert same == [False] * 7 + [True]
    right = [" ".join(written(one)) == now.get("right")
             for one, now in zip(best, data["sentences"][1:])]
    assert sum(right[:6]) == 4
    sums, scores = (the_packages(2, penalty)[6] for penalty in (0.0, 0.6))
    assert sums[0].ids == scores[1].ids    # here the length penalty decides


def test_no_line_crosses_another(page, data):
    for number in (0, 3):
        boxes = page.evaluate("""async ([now, longest]) => {
          const { rows, search } = await import("/web/beam_figure.js");
          const { steps } = search(now.next, 5, 0, longest), places = rows(steps);
          return steps.map(({ boxes }, t) => boxes.map((one, n) =>
            [one.words.slice(0, -1).join(" "), one.words.join(" "), places[t][n]]));
        }""", [data["sentences"][number], data["longest"]])
        before = {"": 0}
        for step in boxes:
            step = sorted(step, key=lambda one: one[2])
            assert [place for _, _, place in step] == [*range(len(step))]
            parents = [before[parent] for parent, _, _ in step]
            assert parents == sorted(parents)
            before = {key: place for _, key, place in step}


def test_every_word_fits_into_its_box(opened, data):
    page = opened()
    # among the widest fonts that systems have
    page.add_style_tag(content="live-beam svg text { font-family: "
                               "'DejaVu Sans', Verdana !important }")
    for number in range(len(data["sentences"])):
        chosen(page, number)
        slid(page, "beam size", 5)
        wide = page.evaluate("""() => [...document.querySelectorAll('live-beam svg g')]
            .flatMap(group => [...group.querySelectorAll('text:not(.log)')]
            .filter(one =>
              one.getBBox().width > group.querySelector('rect').getBBox().width - 8))
            .map(one => one.textContent)""")
        assert not wide


def test_in_the_tiny_tree_each_log_p_stands_on_its_own_line_alone(opened):
    """The text of a label, and how many lines go through it."""
    page = opened()
    assert page.evaluate("""() => {
      const lines = [...document.querySelectorAll('live-beam svg path')];
      return [...document.querySelectorAll('live-beam svg .log')].map((label, n) => {
        const { x, y, width, height } = label.getBBox();
        const through = lines.map(line => Array.from({ length: 101 }, (_, i) =>
          line.getPointAtLength(line.getTotalLength() * i / 100)).some(at =>
            at.x > x && at.x < x + width && at.y > y + 2 && at.y < y + height - 2));
        return through[n] && through.filter(Boolean).length === 1;
      });
    }""") == [True] * 9


def test_what_is_fetched_is_small(data):
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    assert len(text.encode()) < 200_000 and EOS not in data["sentences"][0]["words"]


# The page -----------------------------------------------------------------------------

DRAWN = """() => [...document.querySelectorAll('live-beam svg g')].map(g => [
    g.getAttribute('class'), g.querySelectorAll('rect').length,
    ...[...g.querySelectorAll('text')].map(one => one.textContent)])"""


def chosen(page, number):
    page.get_by_role("combobox", name="sentence").select_option(str(number))


def slid(page, name, value):
    page.get_by_role("slider", name=name).fill(str(value))


def said(page):
    return page.locator(".said").inner_text()


def minus(number):
    return f"{0 if abs(number) < 0.005 else number:.2f}".replace("-", "−")


def test_it_shows_its_point_at_the_start_and_says_it(opened):
    page = opened()
    assert said(page) == (
        "Step 4 of 4 keeps nothing. 1 ended. The best so far has log p −0.80. Greedy "
        "writes another, with −1.51.")
    drawn = {one[3] + one[4]: one for one in page.evaluate(DRAWN)}
    assert drawn["there−0.80"][0] == "kept first" and drawn["it−0.60"][0] == "kept"
    assert drawn["rained−1.80"][:3] == ["pruned", 1, "−1.20"]
    assert drawn["the end−0.80"][:2] == ["ended first", 2]
    items = page.locator(".best li").all_inner_texts()
    assert items == ["there is rain log p −0.80, length 4, score −0.80",
                     "it rains log p −1.51, length 3, score −1.51"]
    slid(page, "beam size", 1)
    assert said(page).endswith("log p −1.51. Greedy writes the same.")


def test_what_is_drawn_is_what_was_found(opened, data):
    page = opened()
    for number, width, penalty, step in ((2, 3, 0.6, 12), (4, 5, 1, 9), (7, 2, 0, 5)):
        now = data["sentences"][number]
        chosen(page, number)
        slid(page, "beam size", width)
        slid(page, "length penalty", penalty)
        run = page.evaluate(SEARCH, [now, width, penalty, data["longest"]])
        whole = run["steps"][-1]["found"]
        assert page.locator(".best li").all_inner_texts() == [
            f"{' '.join(pieces(now, one['words']))} log p {minus(one['total'])}, "
            f"length {one['length']}, score {minus(one['score'])}".replace("-", "‑")
            for one in whole]
        slid(page, "step", step)
        boxes = [box for one in run["steps"][:step] for box in one["boxes"]]
        drawn = page.evaluate(DRAWN)
        assert [[kind.split()[0], frames, log, *rest]
                for kind, frames, log, *rest in drawn] == [
            [box["state"], 1 + (box["state"] == "ended"), minus(box["log"]),
             *filter(None, now["words"][box["words"][-1]]), minus(box["total"])]
            for box in boxes]
        kept = [box for box in run["steps"][step - 1]["boxes"]
                if box["state"] == "kept"]
        assert said(page).startswith(
            f"Step {step} of {len(run['steps'])} keeps "
            + ", ".join(f"{pieces(now, one['words'])[-1]} ({minus(one['total'])})"
                        for one in kept) + ". ")


def test_it_says_whether_the_best_is_right(opened, data):
    page = opened()
    for number, right in ((2, True), (4, False)):
        chosen(page, number)
        slid(page, "beam size", 5)
        assert (", and is right." in said(page), ", and is wrong." in said(page)) == (
            right, not right)
    chosen(page, 8)    # nobody has said what is right
    assert "right" not in said(page) and "wrong" not in said(page)


def test_the_keyboard_alone_does_everything(opened):
    page = opened()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert page.locator("select").input_value() == "1"
    for label in ("beam size", "length penalty", "step"):
        page.keyboard.press("Tab")
        assert page.get_by_role("slider", name=label).evaluate(
            "one => one === document.activeElement")
        before = said(page), page.locator(".best").inner_text()
        page.keyboard.press("ArrowLeft" if label != "length penalty" else "End")
        assert (said(page), page.locator(".best").inner_text()) != before
    page.keyboard.press("Home")
    assert said(page) == "Step 0: nothing is written yet."
    assert not page.locator("svg g").count()
    page.keyboard.press("Tab")    # the tree scrolls by keys
    assert page.evaluate("document.activeElement.className") == "scroll"


def test_a_step_that_is_drawn_is_seen(opened):
    page = opened(390)
    chosen(page, 6)
    slid(page, "step", 20)
    seen = page.evaluate("""() => {
      const box = document.querySelector('live-beam .scroll').getBoundingClientRect();
      const last = [...document.querySelectorAll('live-beam svg g')].at(-1);
      const { left, right } = last.querySelector('rect').getBoundingClientRect();
      return left < box.right && right > box.left; }""")
    assert seen


def test_axe_finds_nothing(opened):
    page = opened()
    chosen(page, 3)
    axe_is_silent(page)


def test_a_phone_has_room_for_it(opened):
    page = opened(390)
    for number in (0, 7):
        chosen(page, number)
        slid(page, "beam size", 5)
        assert page.evaluate(pages.TOO_WIDE) <= 0
    sizes = page.evaluate("""() => [...document.querySelectorAll('live-beam svg text')]
        .map(one => one.getBoundingClientRect().height)""")
    assert min(sizes) > 11


def test_the_static_figure_stands_on_paper_and_where_no_script_runs(opened, browser):
    page = opened()
    twin, live = page.locator("#twin"), page.locator("live-beam")
    assert not twin.is_visible() and live.is_visible()
    page.emulate_media(media="print")
    assert twin.is_visible() and not live.is_visible()
    context = browser.chromium.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(f"{browser.address}index.html")
    assert plain.locator("#twin").is_visible()
    assert not plain.locator("live-beam").is_visible()
    context.close()


def test_without_its_data_the_static_figure_stays(browser):
    page = browser.chromium.new_page()
    page.route("**/beam.json", lambda route: route.abort())
    page.goto(f"{browser.address}index.html", wait_until="networkidle")
    assert page.locator("#twin").is_visible()
    assert not page.locator("live-beam").inner_text()
    page.close()


def test_the_data_are_fetched_only_near_the_screen(browser):
    page, asked = browser.chromium.new_page(), []
    page.set_viewport_size({"width": 900, "height": 700})
    page.on("request", lambda request: asked.append(request.url.split("/")[-1]))
    text = PAGE.format(name="beam").replace(
        '<div class="cell">', '<div style="height: 4000px"></div><div class="cell">')
    page.route("**/far.html", lambda route: route.fulfill(
        body=text, content_type="text/html"))
    page.goto(f"{browser.address}far.html", wait_until="networkidle")
    assert "beam_figure.js" in asked and "beam.json" not in asked
    page.locator("#twin").scroll_into_view_if_needed()
    page.wait_for_selector("live-beam.drawn")
    assert "beam.json" in asked
    page.close()


def test_the_chapter_places_it_on_the_figure_of_the_tree():
    cells = json.loads((ROOT / "notebooks/17_search.ipynb").read_text("utf-8"))["cells"]
    placed = {cell["id"]: cell["metadata"]["live"]["figure"] for cell in cells
              if "live" in cell["metadata"]}
    assert placed == {"tree-figure": "beam"}
