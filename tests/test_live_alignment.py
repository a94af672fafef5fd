"""Maps of trained models in the page: what is drawn and said is what was stored, and
what the package counts; and it serves keyboard, phone, both themes and paper.
"""

import json
import shutil

import figure_data
import live_data
import pages
import pytest
import torch
from books import ROOT
from browsing import axe_is_silent
from softdict import corpus, runtime, scoring
from softdict.experiments import maps
from softdict.experiments.measures import found_content

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
COUNT = """async ([weights, links]) => {
  const { hits, linked, mass } = await import("/web/alignment_figure.js");
  return [hits(weights, links), linked(links).length, mass(weights, links)];
}"""
LONG = -1    # the last sentence is the longest


@pytest.fixture(scope="module")
def data():
    return figure_data.alignment()


@pytest.fixture(scope="module")
def browser(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(live_data.WEB, folder / "web")
    shutil.copytree(ROOT / "book/static", folder / "static")
    (folder / "web/alignment.json").write_text(json.dumps(data), "utf-8")
    for name in ("alignment", "scores"):
        (folder / f"{name}.html").write_text(PAGE.format(name=name), "utf-8")
    with pages.Browser(folder) as browser:
        yield browser


@pytest.fixture
def opened(browser):
    """Opens a page, the figure drawn; nothing may go wrong, or be asked from outside.
    """
    problems, made = [], []

    def opened(width=1200, name="alignment"):
        page = browser.open(f"{name}.html", problems, width)
        made.append(page)
        page.wait_for_selector(f"live-{name}.drawn")
        return page

    yield opened
    for page in made:
        page.close()
    assert not problems


def shares(rows):
    """Stored rows as a tensor [T, S]."""
    return torch.tensor([[int(part) / 10_000 for part in row.split()] for row in rows])


# What is counted ----------------------------------------------------------------------


def test_hits_and_mass_are_the_packages(opened, data):
    page = opened()
    torch.manual_seed(0)
    for one in data["sentences"]:
        links = [tuple(link) for link in one["links"]]
        stored = [shares(rows) for rows in one["weights"].values()]
        drawn = torch.rand(len(one["pieces"]), len(one["source"])).softmax(dim=-1)
        for weights in (*stored, drawn):
            [(found, linked)] = scoring.hits([weights], [links])
            [(weight, _)] = scoring.masses([weights], [links])
            mine = page.evaluate(COUNT, [weights.tolist(), links])
            assert mine[:2] == [found, linked]
            assert mine[2] == pytest.approx(weight, abs=1e-6)


def test_the_data_are_the_stored_ones(data):
    examples = maps.chosen()
    assert [one["source"] for one in data["sentences"]] == [
        example.source for example in examples]
    assert {one["size"] for one in data["sentences"]} == set(data["sizes"])
    for name in data["sentences"][0]["written"]:
        [record] = runtime.results(f"map-{name}")
        lines = [line.split() for line in record["result"]["written"]]
        told = [one["written"][name] for one in data["sentences"]]
        assert [tuple(one["content"]) for one in told] == found_content(examples, lines)
        for one, line, example in zip(told, lines, examples):
            found, every = one["content"]
            assert len(one["lost"]) == every - found
            assert one["text"] == corpus.join(line)
            assert bool(one["lost"]) <= (line != example.target)
    for name in data["sentences"][0]["weights"]:
        for one in data["sentences"]:
            weights = shares(one["weights"][name])
            assert weights.shape == (len(one["pieces"]), len(one["source"]))
            assert (weights.sum(dim=-1) - 1).abs().max() < 0.002    # rounded
    for name, model in figure_data.MODELS.items():
        seeds = [record["result"]["by length"]["21-24"]["content"][0]
                 for record in runtime.results(model)[:3]]
        assert data["content"][name][4] == pytest.approx(sum(seeds) / 3, abs=1e-3)


def test_a_rerun_begins_as_the_chapters_model_did():
    """The same model, seed and order of batches: the first five losses are equal."""
    for experiment in maps.EXPERIMENTS:
        model = figure_data.MODELS[experiment.name.removeprefix("map-")]
        [mine], theirs = runtime.results(experiment.name), runtime.results(model)[0]
        assert mine["first"] == pytest.approx(theirs["first"], rel=1e-3)


def test_what_is_fetched_is_small(data):
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    assert len(text.encode()) < 200_000


# The page -----------------------------------------------------------------------------

CELLS = """() => [...document.querySelectorAll('table.weights tbody tr')].map(row =>
    [...row.querySelectorAll('td')].map(cell => [
        cell.textContent, cell.style.background, cell.className]))"""


def chosen(page, number):
    page.get_by_role("combobox", name="sentence").select_option(str(number))


def half_up(share):
    return int(100 * share + 0.5)


def said(page):
    return page.locator(".said").inner_text()


def test_it_begins_with_the_chapters_sentence_and_the_word_that_moves_furthest(
        opened, data):
    one = data["sentences"][data["start"]]
    some = next(pair for pair in corpus.split("iid")
                if 9 <= pair.length <= 10 and "that" in pair.words)
    assert one["source"] == some.words
    page = opened()
    assert page.locator("tr.chosen th").inner_text() == "mid believe"
    assert said(page).startswith("To write mid (believe) it puts ")
    assert said(page).endswith(" of its weight on “believes”: a gold link.")
    assert page.evaluate("document.querySelector('tr.chosen').rowIndex") == 15


def test_what_is_drawn_is_what_was_stored(opened, data):
    page = opened(name="scores")
    for number in (data["start"], 0, len(data["sentences"]) + LONG):
        one = data["sentences"][number]
        chosen(page, number)
        for name, rows in one["weights"].items():
            page.get_by_role("combobox", name="score").select_option(name)
            weights, cells = shares(rows), page.evaluate(CELLS)
            assert len(cells) == len(one["pieces"])
            for t, row in enumerate(cells):
                for s, (text, _, kind) in enumerate(row):
                    assert abs(float(text or 0) - weights[t, s]) < 0.00501
                    assert ("marked" in kind) == ([s, t] in one["links"])
                dark = [255 - int(back[4:].split(",")[0]) for _, back, _ in row]
                assert dark[int(weights[t].argmax())] == max(dark)
            found, linked, weight = page.evaluate(
                COUNT, [weights.tolist(), one["links"]])
            told = (f"{linked} pieces have a gold link. For {found} of them the "
                    f"heaviest word is a linked one, and {half_up(weight / linked)} %")
            assert told in page.locator("live-scores").inner_text()


def test_every_row_is_told_rightly(opened, data):
    page, number = opened(), len(data["sentences"]) + LONG
    one = data["sentences"][number]
    chosen(page, number)
    weights = shares(one["weights"]["dot"])
    for t in range(0, len(one["pieces"]), 5):
        page.get_by_role("slider").fill(str(t + 1))
        letters, gloss = one["pieces"][t]
        top = int(weights[t].argmax())
        gold = [s for s, piece in one["links"] if piece == t]
        assert said(page).startswith(
            f"To write {letters} ({gloss}) it puts {half_up(weights[t, top].item())} % "
            f"of its weight on “{one['source'][top]}”")
        assert said(page).endswith("no gold link.") == (not gold)
        assert said(page).endswith(": a gold link.") == (top in gold)
        seen = page.evaluate("""top => {
          const box = document.querySelector('.upright').getBoundingClientRect();
          const cell = document.querySelector('tr.chosen').cells[top + 1]
              .getBoundingClientRect();
          return cell.left < box.right && cell.right > box.left
              && cell.top < box.bottom && cell.bottom > box.top; }""", top)
        assert seen, "the heaviest word is scrolled out of the map"


def test_translations_and_lengths_are_told(opened, data):
    page, number = opened(), len(data["sentences"]) + LONG - 1
    one = data["sentences"][number]
    chosen(page, number)
    text = page.locator(".written").inner_text()
    assert one["right"] in text
    shown = [name for name in ("dot", "rnn") if name in one["written"]]
    for told in (one["written"][name] for name in shown):
        found, every = told["content"]
        assert f"{found} of {every}" in text and told["text"] in text
        assert ", ".join(told["lost"]) in text
    heads = page.locator(".lengths th.here").all_inner_texts()
    assert heads == [one["size"]]
    place = data["sizes"].index(one["size"])
    assert page.locator(".lengths td.here").all_inner_texts() == [
        str(int(data["content"][name][place] + 0.5)) for name in ("dot", "rnn")]


def test_the_keyboard_alone_does_everything_and_a_click_chooses_a_row(opened):
    page = opened()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert page.get_by_role("combobox", name="sentence").input_value() == "6"
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    first = said(page)
    page.keyboard.press("ArrowRight")
    assert said(page) != first
    assert page.get_by_role("slider").get_attribute("aria-valuetext").endswith(
        f"2 of {page.locator('table.weights tbody tr').count()}")
    page.keyboard.press("Tab")    # the map scrolls by keys
    assert page.evaluate("document.activeElement.className").startswith("scroll")
    page.locator("table.weights tbody tr").nth(3).click()
    assert page.get_by_role("slider").input_value() == "4"


def test_axe_finds_nothing(opened):
    axe_is_silent(opened())


def test_a_phone_has_room_for_it(opened, data):
    page = opened(390)
    for number in (0, len(data["sentences"]) + LONG):
        chosen(page, number)
        assert page.evaluate(pages.TOO_WIDE) <= 0


def test_the_static_figure_stands_on_paper_and_where_no_script_runs(opened, browser):
    page = opened()
    twin, live = page.locator("#twin"), page.locator("live-alignment")
    assert not twin.is_visible() and live.is_visible()
    page.emulate_media(media="print")
    assert twin.is_visible() and not live.is_visible()
    context = browser.chromium.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(f"{browser.address}alignment.html")
    assert plain.locator("#twin").is_visible()
    assert not plain.locator("live-alignment").is_visible()
    context.close()


def test_chapter_08_begins_with_the_score_that_hits_and_looks_elsewhere_too(
        opened, data):
    page = opened(name="scores")
    assert page.get_by_role("combobox", name="score").input_value() == "scaled"
    found = {}
    for name in ("dot", "scaled"):
        rows = [shares(one["weights"][name]) for one in data["sentences"]]
        links = [[*map(tuple, one["links"])] for one in data["sentences"]]
        linked = sum(count for _, count in scoring.hits(rows, links))
        found[name] = [sum(n for n, _ in measure(rows, links)) / linked
                       for measure in (scoring.hits, scoring.masses)]
    assert min(hits for hits, _ in found.values()) > 0.9
    assert found["scaled"][1] < 0.65 < 0.9 < found["dot"][1]


def test_the_chapters_place_it():
    placed = {}
    for name in ("07_attention", "08_scores"):
        text = (ROOT / f"notebooks/{name}.ipynb").read_text("utf-8")
        placed |= {cell["id"]: cell["metadata"]["live"]["figure"]
                   for cell in json.loads(text)["cells"] if "live" in cell["metadata"]}
    assert placed == {"map-figure": "alignment", "align-read": "scores"}
