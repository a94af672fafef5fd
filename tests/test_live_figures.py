"""Live figures: where they are placed; their numbers, drawings and keys, in a browser.

The figures of chapters 02 and 11 stand here, and at the end some words and layout of
others; their numbers have files of their own.
"""

import base64
import io
import json
import re
import runpy
import shutil
import subprocess
import sys

import figure_data
import live_figures
import nbformat
import pages
import pytest
import torch
from books import ROOT
from browsing import axe_is_silent, watch
from PIL import Image
from sample import code, markdown
from softdict.attention import attention
from softdict.lookup import cosine, lookup
from softdict.masks import causal_mask, causal_padding_mask, padding_mask
from softdict.transformer import EncoderLayer, TransformerConfig

CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))
WORDS = 25    # the longest sentence of the book


def as_json(*cells):
    return json.loads(nbformat.writes(nbformat.v4.new_notebook(cells=list(cells))))[
        "cells"]


# Placing ------------------------------------------------------------------------------


def figure_cell(name, figure, **more):
    """A cell with a static figure, in whose place the live one is to stand."""
    cell = code(name, "draw()", mystnb={
        "image": {"alt": f"Static {figure}."},
        "figure": {"caption": f"The twin of {figure}.", "name": f"fig-{figure}"}})
    cell.metadata["live"] = {"figure": figure, "move": f"Move {figure}s & look."}
    cell.outputs = [nbformat.v4.new_output("display_data", {"image/svg+xml": (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" width="300" '
        'height="200"></svg>')})]
    return cell


def test_an_element_stands_at_the_end_of_a_text():
    text = markdown("text", "Words.\n\n> A box.")
    text.metadata["live"] = {"figure": "mask"}
    plain = markdown("plain", "More.")
    cells = as_json(figure_cell("draw", "soft-lookup"), text, plain)
    before = json.dumps([cells[0], cells[2]])
    live_figures.place_in_text(cells)
    assert cells[1]["source"] == (
        'Words.\n\n> A box.\n\n<div id="live-mask">\n'
        '<live-mask class="live-figure"></live-mask>\n</div>\n')
    assert json.dumps([cells[0], cells[2]]) == before


@pytest.mark.parametrize("told", (
    {"figure": "gone"}, {"figure": "../mask"}, {"figure": "Mask"}, {}, "mask"))
def test_a_figure_without_a_module_is_named(told):
    [cell] = as_json(figure_cell("draw", "mask"))
    cell["metadata"]["live"] = told
    with pytest.raises(ValueError, match="the cell draw wants a live figure .* no mod"):
        live_figures.place_in_text([cell])


def test_a_code_cell_without_a_twin_is_named():
    [cell] = as_json(figure_cell("draw", "mask"))
    cell["outputs"] = []
    with pytest.raises(ValueError, match="draw has a live figure, and no output"):
        live_figures.place_in_text([cell])


def test_every_live_figure_of_the_book_has_a_module_and_a_twin_with_words():
    placed = []
    for path in CHAPTERS:
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            if "live" in cell["metadata"]:
                placed.append((path.stem, cell["metadata"]["live"]["figure"]))
                assert len(cell["metadata"]["live"]["move"].split()) <= WORDS
                if cell["cell_type"] == "code":
                    assert cell["metadata"]["mystnb"]["image"]["alt"], cell["id"]
                    cell["outputs"] = [{}]
                live_figures.place_in_text([cell])
    assert {("02_soft_lookup", "soft-lookup"), ("11_masking", "mask")} <= set(placed)
    assert len(placed) == len(set(placed))


# On a page ----------------------------------------------------------------------------

CONFIG = """\
import sys
sys.path.insert(0, {tools!r})
extensions = ["myst_nb", "predicts", "live_figures"]
html_theme, html_static_path = "sphinx_book_theme", [{static!r}, "assets"]
html_css_files, nb_execution_mode = ["book.css"], "off"
html_context = {{"default_mode": "auto"}}
"""
FIGURES = "soft-lookup", "mask"
SEEN = """selector => [...document.querySelectorAll(selector)].some(one =>
    one.checkVisibility({ contentVisibilityAuto: true, checkVisibilityCSS: true })
    && one.getBoundingClientRect().height > 20)"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A page for each figure, as Sphinx and the book's theme make it; a page of both,
    in which a Predict veils the first; and one without."""
    if not pages.browser_path():
        pytest.skip("no Chromium here (CHROMIUM can name one)")
    folder = tmp_path_factory.mktemp("site")
    (folder / "notebooks").mkdir()
    shutil.copytree(ROOT / "web", folder / "assets/web")
    ask = markdown("ask", "> **Predict.** Which?\n>\n> (a) this  \n> (b) that")
    ask.metadata["predict"] = {"answer": "a", "until": "why"}
    text = markdown("text", "Text of the other.")
    text.metadata["live"] = {"figure": "mask", "move": "Move the text's."}
    inside = {**{name: [figure_cell("draw", name)] for name in FIGURES},
              "none": [], "both": [ask, figure_cell("draw", "soft-lookup"),
                                   markdown("why", "It is (a).\n\n## On"), text]}
    for name, cells in inside.items():
        last = markdown("last", f"[The figure](#fig-{name})\n\n" + "More.\n\n" * 40)
        nbformat.write(nbformat.v4.new_notebook(
            metadata={"language_info": {"name": "python"}},
            cells=[markdown("title", f"# Page {name}"), *cells, *(
                [last] if name in FIGURES else [])]),
            folder / f"notebooks/{name}.ipynb")
    (folder / "index.md").write_text("# A book\n\n```{toctree}\n" + "\n".join(
        f"notebooks/{name}" for name in inside) + "\nbook/list\n```\n", "utf-8")
    (folder / "book").mkdir()
    (folder / "book/list.md").write_text(f"# List\n\n{live_figures.LIST}\n", "utf-8")
    (folder / "conf.py").write_text(CONFIG.format(
        tools=str(ROOT / "tools"), static=str(ROOT / "book/static")), "utf-8")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", folder, folder / "html"],
                   check=True)
    with pages.Browser(folder / "html") as browser:
        yield browser


@pytest.fixture
def opened(site):
    """Opens a page of the site; nothing may go wrong in it, or be asked from outside.

    MathJax comes from outside here, and from the site itself in the book
    """
    found = []

    def opened(name, width=1200, scripts=True, route=None, anchor=""):
        page = site.new_page(viewport={"width": width, "height": 800},
                             java_script_enabled=scripts)
        watch(page, site.address, found)    # a test that wants some empties it
        if route:
            page.route(*route)
        page.goto(f"{site.address}notebooks/{name}.html{anchor}", wait_until="load")
        if scripts and name in FIGURES and not route:
            page.wait_for_selector(f"live-{name}.drawn")
        return page

    yield opened
    site.close_pages()
    assert not found


def seen(page, *selectors):
    return [page.evaluate(SEEN, selector) for selector in selectors]


def test_modules_and_style_are_loaded_only_where_their_figure_stands(site):
    wanted = {"soft-lookup": (True, False, True), "mask": (False, True, True),
              "both": (True, True, True), "none": (False, False, False)}
    for name, loads in wanted.items():
        text = (site.folder / f"notebooks/{name}.html").read_text("utf-8")
        assert tuple(f"_static/web/{file}" in text for file in (
            "soft_lookup_figure.js", "mask_figure.js", "live.css")) == loads
    text = (site.folder / "notebooks/mask.html").read_text("utf-8")
    assert '<script type="module" src="../_static/web/mask_figure.js' in text


@pytest.mark.parametrize("name", FIGURES)
def test_once_drawn_it_takes_the_place_of_its_twin_and_never_on_paper(opened, name):
    page = opened(name)
    assert seen(page, f"live-{name}", "figure img") == [True, False]
    assert "twin" not in page.locator("main").aria_snapshot()
    page.emulate_media(media="print")
    assert seen(page, f"live-{name}", "figure img") == [False, True]
    page.emulate_media(media="screen")
    assert seen(page, f"live-{name}", "figure img") == [True, False]


@pytest.mark.parametrize("name", FIGURES)
def test_without_scripts_the_twin_stands(opened, name):
    page = opened(name, scripts=False)
    assert page.locator("figure img").is_visible()
    assert page.locator("figcaption").is_visible()
    assert page.locator(f"live-{name}").bounding_box()["height"] < 1


@pytest.mark.parametrize("file", ("maps.js", "mask_figure.js"))
def test_a_module_that_does_not_come_leaves_the_twin(opened, file):
    page = opened("mask", route=(f"**/{file}*", lambda route: route.fulfill(body=(
        "export const make = 0, table = 0, colour = 0; throw new Error('broken')"),
        content_type="text/javascript")))
    page.wait_for_timeout(300)
    assert seen(page, "live-mask", "figure img") == [False, True]
    assert page.problems
    page.problems.clear()


DEFINE = """async () => {
  const { define, near, fetched } = await import("/_static/web/live.js");
  const drawn = [], settle = () => new Promise(done => setTimeout(done, 100));
  define("broken", "Broken", async element => { element.append("half"); await 0;
    throw new Error("no"); });
  define("again", "Again", element => { drawn.push(1); element.append("whole"); });
  define("far", "Far", async element => { await near(element); drawn.push(2); });
  define("lost", "Lost", async () => { await fetched("lost.json"); });
  const place = document.querySelector("article"), made = {};
  for (const name of ["broken", "again", "lost"])
    place.prepend(made[name] = document.createElement(`live-${name}`));
  const space = document.createElement("div");
  space.style.height = "4000px";
  const far = made.far = document.createElement("live-far");
  far.style.display = "block";
  place.append(space, far);
  await settle();
  place.prepend(made.again);
  await settle();
  const before = [...drawn];
  far.scrollIntoView();
  for (let tries = 50; tries && !far.matches(".drawn"); tries--) await settle();
  return [Object.entries(made).map(([name, one]) => [name, one.textContent,
    one.classList.contains("drawn"), one.getAttribute("aria-label")]), before, drawn];
}"""


def test_a_figure_is_drawn_once_and_fetches_only_when_it_comes_near(opened):
    page = opened("none", route=("**/lost.json", lambda route: route.fulfill(
        status=404, body="no")))
    told, before, drawn = page.evaluate(DEFINE)
    assert told == [["broken", "", False, "Broken"], ["again", "whole", True, "Again"],
                    ["lost", "", False, "Lost"], ["far", "", True, "Far"]]
    assert before == [1] and drawn == [1, 2]
    assert all("404" in problem for problem in page.problems)    # the browser's own
    page.problems.clear()


@pytest.mark.parametrize("name", FIGURES)
def test_axe_finds_nothing_in_either_theme(opened, name):
    axe_is_silent(opened(name))


@pytest.mark.parametrize("name", FIGURES)
def test_a_phone_has_room_for_it(opened, name):
    page = opened(name, width=390)
    assert page.evaluate(pages.TOO_WIDE) <= 0
    small = page.evaluate("""() => [...document.querySelectorAll(
        ".live-figure :is(input, button, select)")].map(one =>
        Math.max(one.getBoundingClientRect().height,
                 one.closest("label")?.getBoundingClientRect().height ?? 0))""")
    assert min(small) >= 24


def test_an_edge_behind_which_more_follows_fades(opened):
    page = opened("soft-lookup")
    faded = """async ([width, share]) => {
        const box = document.querySelector(".live-figure .scroll");
        box.style.width = width;
        const frame = () => new Promise(requestAnimationFrame);
        await frame();
        box.scrollLeft = share * (box.scrollWidth - box.clientWidth);
        await frame();
        await frame();
        return parseFloat(getComputedStyle(box).getPropertyValue("--fade-right"));
    }"""
    assert page.evaluate(faded, ["90px", 0]) > 9
    assert page.evaluate(faded, ["90px", 0.5]) > 9
    assert page.evaluate(faded, ["90px", 1]) == 0
    assert page.evaluate(faded, ["2000px", 0]) == 0


def test_a_veiled_output_veils_its_live_figure_and_text_stays_beside_one(opened):
    page = opened("both")
    page.wait_for_selector("live-mask.drawn")
    assert seen(page, "live-soft-lookup", "figure img", "live-mask") == [
        False, False, True]
    assert page.get_by_text("Text of the other.").is_visible()
    page.get_by_role("button", name="(a) this").click()
    assert seen(page, "live-soft-lookup", "figure img") == [True, False]


def test_a_link_to_the_static_figure_leads_to_the_live_one(opened):
    page = opened("soft-lookup")
    page.get_by_role("link", name="The figure").click()
    page.wait_for_function("""() => {
        const { top } = document.querySelector("live-soft-lookup")
            .getBoundingClientRect();
        return top >= 0 && top < 200; }""", timeout=5000)


def test_a_page_lists_all_live_figures_and_leads_to_each(opened):
    page = opened("../book/list")
    rows = page.locator("article li")
    assert rows.all_inner_texts() == [
        "Page both: Move soft-lookups & look.", "Page both: Move the text's.",
        "Page mask: Move masks & look.", "Page soft-lookup: Move soft-lookups & look."]
    for row in range(4):
        rows.nth(row).get_by_role("link").click()
        page.wait_for_function("""() => [...document.querySelectorAll(".drawn")].some(
            one => { const { top } = one.getBoundingClientRect();
                     return top >= 0 && top < 400 && one.checkVisibility(); })""",
                               timeout=5000)
        page.go_back()


def test_the_book_has_the_list_once_and_with_every_live_figure():
    texts = [path.read_text("utf-8") for path in (ROOT / "book").rglob("*.md")]
    assert sum(text.count(live_figures.LIST) for text in texts) == 1
    made = live_figures.listed(ROOT / "notebooks")
    cells = [cell for path in CHAPTERS
             for cell in json.loads(path.read_text("utf-8"))["cells"]]
    assert made.count("<li>") == sum("live" in cell["metadata"] for cell in cells) > 9
    assert ('<li><a href="../notebooks/02_soft_lookup.html#fig-weights">02, Soft lookup'
            "</a>: Drag the query, ") in made


def test_a_live_figure_without_a_line_on_what_to_move_is_named(tmp_path):
    cell = figure_cell("draw", "mask")
    del cell.metadata["live"]["move"]
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "one.ipynb")
    with pytest.raises(ValueError, match="the cell draw does not say what to move"):
        live_figures.listed(tmp_path)


SET = """() => [...document.querySelectorAll(".live-figure :is(input, select)")].map(
    one => one.type === "checkbox" ? one.checked : one.value)"""


@pytest.mark.parametrize("name", FIGURES)
def test_who_comes_back_finds_the_controls_as_they_are_drawn(opened, name):
    page = opened(name)
    first, drawn = page.evaluate(SET), page.locator("article").inner_text()
    page.evaluate("""() => {
        const all = document.querySelectorAll(".live-figure :is(input, select)");
        for (const one of all) {
            if (one.type === "checkbox") one.click();
            else if (one.type === "range") one.value = one.max;
            else one.selectedIndex = 2;
            for (const name of ["input", "change"]) one.dispatchEvent(new Event(name));
        } }""")
    assert page.evaluate(SET) != first
    page.goto(page.url.replace(name, "none"))
    page.go_back()    # from no cache, as when a phone has dropped the tab
    page.wait_for_selector(f"live-{name}.drawn")
    page.wait_for_load_state("load")
    assert page.evaluate(SET) == first
    assert page.locator("article").inner_text() == drawn


@pytest.mark.parametrize("name", FIGURES)
def test_its_sentences_are_short(opened, name):
    page = opened(name)
    text = " ".join(page.locator(":is(.caption, .said)").all_inner_texts())
    for sentence in re.split(r"(?<=[.?:])\s", text):
        assert len(sentence.split()) <= WORDS, sentence


def slide(page, label, number):
    """Moves a slider, as a reader does with the arrow keys."""
    page.get_by_label(label).evaluate(
        "(input, number) => { input.value = number;"
        " input.dispatchEvent(new Event('input')) }", number)


def numbers(page, rows):
    """The numbers of a table's cells; an empty cell is None, a hatched one 0."""
    return page.eval_on_selector_all(rows, """rows => rows.map(row =>
        [...row.querySelectorAll("td")].map(one => one.classList.contains("hidden")
            ? 0 : one.textContent ? +one.textContent : null))""")


def close_to(found, wanted, places=2):
    for shown, row in zip(found, wanted, strict=True):
        for number, true in zip(shown, row, strict=True):
            assert (true < 0.005 if number is None
                    else abs(number - true) <= 0.5 * 10 ** -places + 1e-9)


# Chapter 02 ---------------------------------------------------------------------------

TEMPERATURES = 0.01, 0.05, 0.1, 1.0, 10.0
LOOKUP = """async ([queries, keys, values, temperatures]) => {
  const { lookup } = await import("/_static/web/soft_lookup_figure.js");
  return temperatures.map(temperature => queries.map(query => {
    const { weights, answer } = lookup(query, keys, values, temperature);
    return [...weights, ...answer];
  }));
}"""
SHOP = """async () => {
  const made = await import("/_static/web/soft_lookup_figure.js");
  return { keys: made.keys, values: made.values, edges: made.edges,
           query: made.queryAt(0.25, 1.5) };
}"""


def chapter_shop():
    """Keys and values as the chapter's own cells make them."""
    path = ROOT / "notebooks/02_soft_lookup.ipynb"
    cells = {cell["id"]: "".join(cell["source"])
             for cell in json.loads(path.read_text("utf-8"))["cells"]}
    names = {"torch": torch, "F": torch.nn.functional, "lookup": lookup,
             "print": lambda *_: None, "rounded": lambda *_: None}
    for name in ("hook-fails", "features", "one-query", "quote-run"):
        exec(cells[name].partition("try:")[0], names)
    return names


def test_the_shop_is_the_chapters(opened):
    told, names = opened("soft-lookup").evaluate(SHOP), chapter_shop()
    assert told["keys"] == names["key"].tolist()
    assert told["values"] == names["value"].tolist()
    assert told["query"] == [1, 1, 0.25, 1, 1.5]
    keys = torch.tensor(told["keys"]).double()
    pairs = (1, 2), (0, 2), (0, 1)    # computer, dog, cat
    for (one, other), edge in zip(pairs, told["edges"], strict=True):
        for bark, machine in edge:
            query = torch.tensor([[1, 1, bark, 1, machine]]).double()
            scores = cosine(query, keys)[0]
            assert abs(scores[one] - scores[other]) < 1e-6
            assert scores[one] > scores.max() - 1e-6    # the nearest, both of them


def test_each_area_names_its_nearest_key_and_price(opened):
    page, price = opened("soft-lookup"), chapter_shop()["value"][:, 0].tolist()
    for number, (name, bark, machine) in enumerate((
            ("computer", 0.5, 1.72), ("dog", 0.72, 0.7), ("cat", 0.22, 0.7))):
        text = page.get_by_text(f"nearest: {name}, ")
        assert text.text_content() == f"nearest: {name}, {price[number]:g}"
        place = [float(text.get_attribute(axis)) for axis in ("x", "y")]
        assert place == pytest.approx([44 + 280 * bark, 10 + 240 * (1 - machine / 2)])
        weights = shop_rows(bark, machine, 0.01)[2][:3]
        assert max(weights) == weights[number]
    assert page.locator("live-soft-lookup svg rect").count() == 1    # the frame


def test_lookups_equal_the_packages_on_random_vectors(opened):
    torch.manual_seed(0)
    query, key = torch.randn(200, 5).double(), torch.randn(9, 5).double()
    query[7], key[3] = 0, 0    # vectors of zeros
    value = torch.randn(9, 3).double()
    found = opened("soft-lookup").evaluate(LOOKUP, [
        query.tolist(), key.tolist(), value.tolist(), TEMPERATURES])
    for temperature, mine in zip(TEMPERATURES, found, strict=True):
        answers, weights = lookup(query, key, value, temperature=temperature)
        torch.testing.assert_close(torch.tensor(mine).double(),
                                   torch.cat([weights, answers], dim=1),
                                   rtol=0, atol=1e-6)


def shop_rows(bark, machine, temperature):
    """Weights and answers of the puppy, the cat and the place in the plane."""
    names = chapter_shop()
    query = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0], [1, 1, bark, 1, machine]])
    answers, weights = lookup(query.double(), names["key"].double(),
                              names["value"].double(), temperature=temperature)
    return torch.cat([weights, answers], dim=1).tolist()


def test_the_first_drawing_says_what_the_static_figure_says(opened):
    page = opened("soft-lookup")
    shown = numbers(page, ".weights tbody tr")
    close_to(shown, shop_rows(0.5, 1.2, 0.1))
    alt = json.loads((ROOT / "notebooks/02_soft_lookup.ipynb").read_text("utf-8"))
    [alt] = [cell["metadata"]["mystnb"]["image"]["alt"] for cell in alt["cells"]
             if "live" in cell["metadata"]]
    assert re.findall(r"\.\d+", alt) == [".1", ".83", ".17", ".86", ".14"]
    assert shown[0][:3] == [None, 0.83, 0.17] and shown[1][:3] == [None, 0.14, 0.86]
    assert page.locator(".shown").all_inner_texts() == ["0.50", "1.20", "0.10"]
    assert page.locator(".said").inner_text() == (
        "Your query puts .45 of its weight on dog, .40 on cat, .15 on computer, and "
        "costs 3.43. The answer mixes the prices of the keys.")


PLACES = (
    (1, 0, -2, "The nearest key, dog, takes nearly all: this is a dictionary again."),
    (0, 0, -2, "The nearest key, cat, takes nearly all: this is a dictionary again."),
    (0.1, 2, -2, "The nearest key, computer, takes nearly all: this is a dictionary "
                 "again."),
    (0.3, 1, 1, "All keys count nearly alike: the price is close to the mean, 4.67."),
    (0.3, 1.5, -1, "The answer mixes the prices of the keys."))


def test_table_and_sentence_follow_query_and_temperature(opened):
    page = opened("soft-lookup")
    for bark, machine, heat, words in PLACES:
        slide(page, "bark", bark)
        slide(page, "machine", machine)
        slide(page, "temperature", heat)
        rows = shop_rows(bark, machine, 10 ** heat)
        close_to(numbers(page, ".weights tbody tr"), rows)
        told = page.locator(".said").inner_text()
        assert told.endswith(words) and f"costs {rows[2][3]:.2f}." in told
        handle = page.locator(".handle").get_attribute("transform")
        assert list(map(float, re.findall(r"[\d.]+", handle))) == pytest.approx(
            [44 + 280 * bark, 10 + 240 * (1 - machine / 2)])
        assert page.get_by_label("temperature").get_attribute(
            "aria-valuetext") == f"{10 ** heat:.2f}"


def test_each_place_is_shaded_by_its_price(opened):
    page, shop = opened("soft-lookup"), chapter_shop()
    for heat in (-2, -1, 0.5):
        slide(page, "temperature", heat)
        href = page.locator("live-soft-lookup image").get_attribute("href")
        pixels = Image.open(io.BytesIO(base64.b64decode(href.partition(",")[2])))
        assert pixels.size == (28, 24)
        places = [(0, 0), (27, 23), (13, 5), (20, 12), (3, 17)]
        queries = torch.tensor([[1, 1, (j + 0.5) / 28, 1, 2 - 2 * (i + 0.5) / 24]
                                for j, i in places]).double()
        prices = lookup(queries, shop["key"].double(), shop["value"].double(),
                        temperature=10 ** heat)[0][:, 0]
        wanted = page.evaluate("""async shares => (await import(
            "/_static/web/maps.js")).colour && Promise.all(shares.map(async share =>
            (await import("/_static/web/maps.js")).colour(share)))""",
            ((prices - 2) / 7 * 0.55).tolist())
        for place, colour in zip(places, wanted, strict=True):
            assert list(pixels.getpixel(place)[:3]) == pytest.approx(colour, abs=1)


def test_the_query_is_dragged_with_the_pointer(opened):
    page = opened("soft-lookup")
    page.locator("live-soft-lookup svg").scroll_into_view_if_needed()
    box = page.locator(".handle").bounding_box()
    start = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + 56, start[1] + 60, steps=4)
    assert page.locator(".shown").all_inner_texts()[:2] == ["0.70", "0.70"]
    page.mouse.move(start[0] + 4000, start[1] - 4000)    # out of the plane
    page.mouse.up()
    page.mouse.move(*start)    # let go: it stays
    assert page.locator(".shown").all_inner_texts()[:2] == ["1.00", "2.00"]
    close_to(numbers(page, ".weights tbody tr"), shop_rows(1, 2, 0.1))


def test_the_keyboard_alone_moves_query_and_temperature(opened):
    page = opened("soft-lookup")
    page.get_by_label("bark").focus()
    page.keyboard.press("End")
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    assert page.locator(".shown").all_inner_texts() == ["1.00", "0.00", "0.09"]
    close_to(numbers(page, ".weights tbody tr"), shop_rows(1, 0, 10 ** -1.05))
    tree = page.locator("live-soft-lookup").aria_snapshot()
    for words in ('group "A soft lookup', 'slider "bark', 'slider "temperature',
                  'rowheader "yours"', 'columnheader "price"', "status:"):
        assert words in tree, words


# Chapter 11 ---------------------------------------------------------------------------

STATES = [{"padding": padding, "causal": causal, "ahead": ahead, "layers": layers}
          for padding in (False, True) for causal in (False, True)
          for ahead in (0, 1) for layers in (1, 2, 3)]
MASK = """async states => {
  const made = await import("/_static/web/mask_figure.js");
  const { attention } = await import("/_static/web/transformer.js");
  return [made.x, states.map(state => {
    const allowed = made.allowedBy(state), { x } = made;
    const moved = made.moves(state.layers, x, allowed);
    return { allowed: x.map((_, t) => x.map((_, s) => allowed(t, s))), moved,
             weights: attention(x, x, x, allowed).weights,
             through: made.through(state.layers, x, allowed),
             leaks: made.leaks(moved), said: made.finding(moved, state) };
  })];
}"""


def mask_of(padding, causal, ahead, **_):
    """The same mask from the package's."""
    real = padding_mask(torch.tensor([4]), 6)
    every = torch.ones(6, 6, dtype=torch.bool)
    allowed = (causal_mask(6) if not ahead else every.tril(1)) if causal else every
    return allowed & real if padding else allowed


def through(x, allowed, layers):
    for _ in range(layers):
        x = x + attention(x, x, x, allowed)[0]
    return x


def moves(x, allowed, layers):
    before, change = through(x, allowed, layers), torch.tensor([0.5, -0.5, 0.5, -0.5])
    columns = []
    for s in range(len(x)):
        changed = x.clone()
        changed[s] += change
        columns.append((through(changed, allowed, layers) - before).norm(dim=-1))
    return torch.stack(columns, dim=1)


def test_masks_weights_and_moves_equal_the_packages(opened):
    x, found = opened("mask").evaluate(MASK, STATES)
    x, leaks = torch.tensor(x).double(), runpy.run_path(
        str(ROOT / "tests/answers/11/11-3.py"))["leaks"]
    torch.testing.assert_close(x[4], x[5])
    same = {"rtol": 0, "atol": 1e-6}
    for state, mine in zip(STATES, found, strict=True):
        allowed, layers = mask_of(**state), state["layers"]
        assert mine["allowed"] == allowed.tolist()
        weights, moved = attention(x, x, x, allowed)[1], moves(x, allowed, layers)
        for name, true in (("weights", weights), ("moved", moved),
                           ("through", through(x, allowed, layers))):
            shown = torch.tensor(mine[name]).double()
            torch.testing.assert_close(shown, true, **same)
        assert ((torch.tensor(mine["moved"]) == 0) == (moved == 0)).all()
        caught = leaks(lambda x: through(x, allowed, layers), x)
        assert sorted(map(tuple, mine["leaks"])) == sorted(caught)
    both = STATES.index({"padding": True, "causal": True, "ahead": 0, "layers": 1})
    assert found[both]["allowed"] == causal_padding_mask(
        torch.tensor([4]), 6)[0].tolist()


def test_what_depends_on_what_is_as_in_the_books_encoder(opened):
    _, found = opened("mask").evaluate(MASK, STATES)
    torch.manual_seed(0)
    small = TransformerConfig(width=12, heads=3, hidden=24, dropout=0.0)
    layers, x = [EncoderLayer(small).double() for _ in range(3)], torch.randn(6, 12)
    x = x.double().requires_grad_()
    for state, mine in zip(STATES, found, strict=True):
        new = x[None]
        for layer in layers[:state["layers"]]:
            new = layer(new, mask_of(**state))
        aimed = new[0] @ torch.randn(12).double()
        depends = torch.stack([torch.autograd.grad(one, x, retain_graph=True)[0]
                               .norm(dim=-1) > 0 for one in aimed])
        assert torch.equal(torch.tensor(mine["moved"]) > 1e-9, depends), state


SWITCHED = (
    ((False, True, 0, 3), "No square is outlined: no word depends on a later one, and "
                          "a writer may learn with this mask. No pad reaches a word."),
    ((False, True, 1, 1), "5 outlined squares: this mask leaks. A word depends on what "
                          "comes up to 1 place later. Pads reach words: the words move "
                          "with the length of a neighbour."),
    ((True, True, 1, 2), "5 outlined squares: this mask leaks. A word depends on what "
                         "comes up to 2 places later. No pad reaches a word."),
    ((True, False, 0, 1), "6 outlined squares: words see what comes later. A reader "
                          "may, a writer may not. No pad reaches a word."),
    ((False, False, 1, 1), "15 outlined squares: words see what comes later. A reader "
                           "may, a writer may not. Pads reach words: the words move "
                           "with the length of a neighbour."))


def test_switches_redraw_maps_outlines_and_sentence(opened):
    page = opened("mask")
    for state, words in SWITCHED:
        state = dict(zip(("padding", "causal", "ahead", "layers"), state))
        page.get_by_label("causal mask").check()
        page.get_by_label("one ahead").set_checked(bool(state["ahead"]))
        page.get_by_label("padding mask").set_checked(state["padding"])
        page.get_by_label("causal mask").set_checked(state["causal"])
        page.get_by_label("layers").select_option(str(state["layers"]))
        assert page.locator(".said").inner_text() == words
        assert page.get_by_label("one ahead").is_disabled() == (not state["causal"])
        shown(page, state)


def shown(page, state):
    """The two large maps against the package."""
    x = torch.tensor(page.evaluate(MASK, [])[0]).double()
    allowed = mask_of(**state)
    moved = moves(x, allowed, state["layers"])
    large = ".live-figure > .panels:not(.small) > div:nth-child({}) tbody tr"
    close_to(numbers(page, large.format(1)), attention(x, x, x, allowed)[1].tolist())
    close_to(numbers(page, large.format(2)), (moved / moved.max()).tolist())
    marked = page.eval_on_selector_all(large.format(2), """rows => rows.map(row =>
        [...row.querySelectorAll("td")].map(one => one.matches(".marked")))""")
    assert marked == ((moved > 1e-9).triu(1)).tolist()


def test_the_small_maps_are_the_three_of_the_static_figure(opened):
    page = opened("mask")
    titles = ["causal, two layers", "one ahead, one layer", "one ahead, two layers"]
    path = ROOT / "notebooks/11_masking.ipynb"
    cells = {cell["id"]: "".join(cell["source"])
             for cell in json.loads(path.read_text("utf-8"))["cells"]}
    assert re.findall(r'"([\w, ]+)": \(\d', cells["leak-run"]) == titles
    assert page.locator(".small button").all_inner_texts() == titles
    assert page.locator(".small [aria-pressed=true]").all_inner_texts() == titles[2:]
    for place, (ahead, layers) in enumerate(((0, 2), (1, 1), (1, 2))):
        patterns = page.eval_on_selector_all(
            f".small > div:nth-child({place + 1}) tbody tr", """rows => rows.map(row =>
            [...row.querySelectorAll("td")].map(one => one.className))""")
        reach = ahead * layers
        assert patterns == [["hidden" if s > t + reach else "marked" if s > t else ""
                             for s in range(6)] for t in range(6)]
        page.locator(".small button").nth(place).click()
        assert page.locator(".small [aria-pressed=true]").all_inner_texts() == [
            titles[place]]
        shown(page, {"padding": False, "causal": True, "ahead": ahead,
                     "layers": layers})
    page.get_by_label("padding mask").check()
    assert not page.locator(".small [aria-pressed=true]").count()


def test_the_keyboard_alone_switches_masks(opened):
    page = opened("mask")
    page.locator(".small button").first.focus()
    page.keyboard.press("Enter")
    assert page.locator(".said").inner_text().startswith("No square is outlined")
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")    # the padding mask
    page.keyboard.press("Tab")
    page.keyboard.press("Space")    # the causal mask; tril(1) is skipped, it is off
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    shown(page, {"padding": True, "causal": False, "ahead": 0, "layers": 3})
    tree = page.locator("live-mask").aria_snapshot()
    for words in ('group "Masks', 'checkbox "padding mask" [checked]',
                  'combobox "layers"', 'table "Dependence after 3 layers"',
                  'table "one ahead, one layer"', "status:"):
        assert words in tree, words


# Other chapters -----------------------------------------------------------------------


def put(page, name):
    """Puts one more figure on a page, as it stands in its chapter."""
    for style in sorted((ROOT / "web").glob(f"{name}_figure.css")):
        page.add_style_tag(path=style)
    page.evaluate("""async name => {
      await import(`/_static/web/${name}_figure.js`);
      const made = document.createElement(`live-${name}`);
      made.className = "live-figure";
      document.querySelector("article").prepend(made);
    }""", name)
    page.wait_for_selector(f"live-{name}.drawn")
    return page.locator(f"live-{name}")


@pytest.mark.parametrize("width", (320, 390, 1200))
def test_the_hands_of_chapter_12_stand_left_and_right(opened, width):
    drawings = put(opened("mask", width), "turn").locator("svg")
    left, right = (drawings.nth(number).bounding_box() for number in (0, 1))
    assert left["y"] == right["y"] and left["x"] + left["width"] < right["x"]


def test_the_cache_counts_one_key_and_says_what_is_hatched(opened):
    figure = put(opened("mask"), "cache")
    slide(figure, "words so far", 1)
    assert "So far 1 key against 1, and 1 score against 1." in figure.inner_text()
    slide(figure, "words so far", 4)
    assert figure.locator("td.marked.hidden").count() == 6
    caption = figure.locator(".caption").inner_text()
    assert "striped ones are made, and then hidden by the mask" in caption
    assert not re.search("left|right", caption)    # on a phone one is below the other


def test_the_words_of_chapter_10_are_true_of_blocks_below_each_other(opened):
    figure = put(opened("mask", 390), "split")
    words, *others = [one.bounding_box()["y"] for one in figure.locator(
        ".panels > div").all()]
    assert min(others) > words    # no block stands in the middle
    assert not re.search("left|right|middle", figure.locator(".caption").inner_text())
    cells = json.loads((ROOT / "notebooks/10_multi_head.ipynb").read_text("utf-8"))
    [text] = ["".join(cell["source"]) for cell in cells["cells"]
              if cell["id"] == "view-read"]
    assert not re.search("[Ll]eft|middle|on the right|On the right", text)


def test_row_names_stay_while_a_map_is_scrolled(opened):
    figure = put(opened("mask", 320), "root")
    name = figure.locator("tbody th").first
    before = name.bounding_box()["x"]
    figure.locator(".scroll").evaluate("one => { one.scrollLeft = 1000 }")
    assert figure.locator(".scroll").evaluate("one => one.scrollLeft") > 20
    assert name.bounding_box()["x"] == pytest.approx(before, abs=3)


FOUND = """async () => {
  const { finding, search } = await import("/_static/web/beam_figure.js");
  const now = { words: [["the end"], ["rain"]], right: "rain",
                next: { "": [[1, -0.1], [0, -4]], 1: [[0, -0.2], [1, -3]] } };
  const { steps, found } = search(now.next, 1, 0, 9);
  return steps.map((_, t) => finding(now, steps, t + 1, found[0]));
}"""


def test_a_search_says_why_it_ends_with_words_that_are_kept(opened):
    first, last = opened("none").evaluate(FOUND)
    assert "ends" not in first and last == (
        "Step 2 of 2 keeps rain (−3.10). 1 ended. The search ends: what goes on cannot "
        "come among the best. The best so far has log p −0.30, and is right. Greedy "
        "writes the same.")


def test_the_map_of_chapter_07_says_what_its_rows_are_as_its_twin_does(opened):
    data = json.dumps(figure_data.alignment())
    page = opened("mask", route=("**/alignment.json", lambda route: route.fulfill(
        body=data, content_type="application/json")))
    figure = put(page, "alignment")
    told = ("Rows are the pieces of the right translation, which the model reads as in "
            "training; columns are the English words. Light is little and dark is "
            "much, from 0 to 1.")
    caption = figure.locator(".caption").inner_text()
    assert caption.startswith(told) and "click" not in caption
    assert told in (ROOT / "notebooks/07_attention.ipynb").read_text("utf-8")
    assert figure.locator(".written p").first.inner_text() == (
        "What each writes by itself, with the content words found in it, wherever they "
        "stand:")
