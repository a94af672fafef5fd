"""What book/static/page.js does on every page: what is read and where to go on, code
and its buttons, meanings."""

import io
import json
import re
import shutil

import pages
import pytest
from books import ROOT
from PIL import Image

pytestmark = pytest.mark.skipif(not pages.browser_path(), reason="no Chromium here")
PAGE = """<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>First</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="book.css">
<script src="page.js"></script></head><body>
<nav class="bd-links"><a href="book/how_to_use.html">How to use</a>
<a href="notebooks/01_one.html">01 · One</a> <a href="notebooks/02_two.html">02 · Two
</a></nav><main><article class="bd-article"><section>
<h1>First<a class="headerlink" href="#a">#</a></h1>
<p><a class="button first" href="notebooks/01_one.html">Read chapter 01</a></p>
<nav class="road" aria-label="Road"><svg viewBox="0 0 99 9">
<a href="notebooks/01_one.html"><text>01</text><text>One</text><text>Why?</text></a>
<a href="notebooks/02_two.html">
<text>02</text><text>Two</text></a></svg></nav>
<details open><summary>In words</summary><ul><li><a href="notebooks/01_one.html">
01 · One</a> Why?</li><li><a href="notebooks/02_two.html">02 · Two</a></li></ul>
</details>
<div class="highlight"><pre style="overflow: auto" tabindex="0">{}</pre></div>
<div class="highlight"><pre>short</pre></div>
</section></article></main><footer><a class="report" data-version="1.2"
href="https://a.org/new">Report</a>
<a class="ask" href="https://a.org/new">Ask</a></footer></body></html>"""
CHAPTER = """<!doctype html><meta charset="utf-8"><title>Two</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="../book.css">
<script src="../page.js"></script>
<nav class="bd-links"><a href="../book/how_to_use.html">How to use</a>
<a href="01_one.html">01 · One</a> <a href="#">02 · Two</a></nav>"""
SECTIONS = """<section id="two"><h2>Two<a class="headerlink" href="#two">#</a></h2>
<p>Words.</p><section id="three"><h3>Three</h3><div class="cell_input"><pre>
x = 1
y = 2</pre></div></section></section><section id="four"><h2>Four</h2></section>"""
CONTENTS = """<nav id="pst-page-toc-nav"><ul>
<li class="toc-entry"><a href="#two">Two</a>
<ul><li class="toc-entry"><a href="#three">Three</a></li></ul></li>
<li class="toc-entry"><a href="#four">Four</a></li></ul></nav>
<style>#two > p, #three pre, #four h2 { margin-bottom: 2000px !important }</style>"""
QUOTED = """# src/softdict/masks.py
def padding_mask(lengths, size):
    \"\"\"True where a row has words.

    lengths [B]
    \"\"\"
    return 0


def other(x):
    return x"""
HEADS = """<span class="c1" data-defined='{{"Sizes": [3, ""],
"Heads": [7, "    def __init__(self, width):"]}}'># {file}</span>
class Heads(nn.Module):
    ...

    def forward(self, x):
        return x


class Sizes:
    width: int"""
OWNED = '<a href="https://a.org/b/blob/made/src/softdict/heads.py#L3">{}</a>'
TERMS = """<!doctype html><html lang="en" data-theme="{theme}"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width,
initial-scale=1"><title>Terms</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="book.css"><script src="page.js"></script></head>
<style>body {{ background: var(--page); color: var(--ink) }}
a {{ color: var(--blue) }}</style><body>
<main><article class="bd-article"><section><h1>Terms</h1><p>A
<a class="term" href="glossary.html#term-key">key</a> and
<a href="glossary.html#term-none">no term</a>. It has <code>padding_mask</code>, and
<code>padding_mask</code> again, and <code>lengths</code>.</p><section><h2>Two</h2>
<p><code>other()</code> and <code>padding_mask</code></p></section>
<section><h2>Classes</h2><p><code>Heads</code> <code>Sizes</code></p></section>
<div class="highlight-{kind}"><div class="highlight"><pre>{quoted}</pre></div></div>
<div class="highlight-{kind}"><div class="highlight"><pre>{heads}</pre></div></div>
</section></article></main>
<script type="application/json" id="terms">
{{"term-key": "Rows \\u003c queries."}}</script></body></html>"""
NOTED = """<!doctype html><html lang="en" data-theme="light"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width,
initial-scale=1"><title>Notes</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="book.css"><style>pre { white-space: pre; overflow: auto }
.copybtn { position: absolute }</style>
<script src="page.js"></script></head><body><main><article class="bd-article"><section>
<h1>Notes</h1><a href="#one">first</a>"""
CODE = """<div class="highlight" style="margin-top: 400px"><pre><span></span>
<span class="c1"># a line of its own</span>
scores <span class="o">=</span> query @ key.<span class="n">mT</span>       <span
class="c1"># [B, T, S], a row a query</span>
x = <span class="mi">1</span>   <span class="c1"># [B]</span>
</pre><button class="copybtn">Copy</button></div><a href="#two">between</a>"""
FOLD = "<details><summary>Fold</summary>{}</details>"
LINE = "x = 1    # " + 77 * "-"
WIDE = """<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Wide</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="book.css">
<style>pre { white-space: pre; overflow: auto }</style><script src="page.js"></script>
</head><body><main><article class="bd-article"><section><h1>Wide</h1>
<div class="cell_output"><div class="highlight"><pre tabindex="0">1%s2</pre></div></div>
<div class="pst-scrollable-table-container" tabindex="0"><table><tr><td>%s</td></tr>
</table></div><figure><a class="full" href="figure.svg"><img alt="Nothing."
src="figure.svg" style="min-width: 449px"></a></figure></section></article>
<dialog><a href="#place">A place</a></dialog><p id="place">Here.</p>
<button id="pst-back-to-top">Back to top</button><p class="tooltip">Color mode</p>
</main></body></html>""" % (90 * " ", 90 * "x")
FIGURE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 200" width="300"
height="200"><rect width="300" height="200" fill="#fff"/></svg>"""
CUT = ".cell_output pre", ".pst-scrollable-table-container", "a.full"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    for name in ("book.css", "page.js"):
        shutil.copy(ROOT / "book/static" / name, folder)
    (folder / "index.html").write_text(PAGE.format(LINE), "utf-8")
    (folder / "sections.html").write_text(PAGE.format(LINE).replace(
        "</section></article>", f"{SECTIONS}</section></article>"), "utf-8")
    (folder / "contents.html").write_text(PAGE.format(LINE).replace(
        "</section></article>", f"{SECTIONS}</section></article>{CONTENTS}"), "utf-8")
    (folder / "notebooks").mkdir()
    (folder / "notebooks/02_two.html").write_text(CHAPTER, "utf-8")
    file = "src/softdict/heads.py"    # a fence, nobody's; a cell of an owned repository
    for theme, kind, shown in (("light", "python", file),
                               ("dark", "ipython3", OWNED.format(file))):
        (folder / f"{theme}.html").write_text(TERMS.format(
            theme=theme, kind=kind, quoted=QUOTED, heads=HEADS.format(file=shown)),
            "utf-8")
    (folder / "notes.html").write_text(NOTED + CODE + CODE + FOLD.format(CODE) + CODE,
                                       "utf-8")
    (folder / "wide.html").write_text(WIDE, "utf-8")
    (folder / "figure.svg").write_text(FIGURE, "utf-8")
    (folder / "glossary.html").write_text("<title>Glossary</title>", "utf-8")
    with pages.Browser(folder) as browser:
        yield browser


@pytest.fixture
def phone(browser):
    problems = []
    page = browser.new_page(
        viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(f"{browser.address}index.html")
    yield page
    page.close()
    assert not problems


def test_the_contents_mark_the_section_at_hand_after_a_jump(phone):
    phone.goto(phone.url.replace("index", "contents"))
    marked = """async id => {
        const head = document.querySelector(id)?.querySelector("h2, h3");
        scrollTo({ top: head ? scrollY + head.getBoundingClientRect().top - 40 : 0,
                   behavior: "instant" });
        for (let n = 0; n < 4; n += 1) await new Promise(requestAnimationFrame);
        return [...document.querySelectorAll("nav .active")].map(
            one => one.matches("[aria-current]") ? one.textContent
            : one.querySelector("a").hash); }"""
    for place, found in (("#three", ["#two", "#three", "Three"]),
                         ("#four", ["#four", "Four"]), ("#two", ["#two", "Two"]),
                         ("#four", ["#four", "Four"]), ("none", [])):
        assert phone.evaluate(marked, place) == found


def remember(page, kept):
    text = kept if isinstance(kept, str) else json.dumps(kept)
    page.evaluate("text => localStorage.setItem('softdict', text)", text)


@pytest.mark.parametrize("kept, words, place", [
    (None, "Read chapter 01", "01_one"), ("rubbish", "Read chapter 01", "01_one"),
    ({"read": {"01_one": True}}, "Go on with 02 · Two", "02_two"),
    ({"read": {"02_two": True}}, "Read chapter 01", "01_one"),    # nothing is left
    ({"read": {"01_one": ["a", "b"]}}, "Go on with 01 · One", "01_one.html#b"),
    ({"read": {"01_one": True, "02_two": ["c"]}}, "Go on with 02 · Two",
     "02_two.html#c"),
    ({"read": {"01_one": []}}, "Read chapter 01", "01_one"),
    ({"read": {"01_one": "yes"}}, "Read chapter 01", "01_one")])
def test_who_comes_back_goes_on_behind_the_last_chapter_read(phone, kept, words, place):
    if kept:
        remember(phone, kept)
        phone.reload()
    button, link = phone.locator("a.button.first"), phone.locator("a.onward")
    assert button.inner_text() == words
    place = place if "#" in place else f"{place}.html"
    assert button.get_attribute("href").endswith(f"notebooks/{place}")
    assert link.is_visible() == words.startswith("Go on")
    if link.is_visible():
        assert link.inner_text() == words
        assert link.get_attribute("href") == button.get_attribute("href")
        assert link.evaluate("one => one.matches('nav.bd-links > :first-child')")


@pytest.mark.parametrize("read, said", [
    ({"01_one": True}, "You have read one chapter, 01 · One."),
    ({"02_two": True, "01_one": True, "00_gone": True},
     "You have read 2 chapters, the last of them 02 · Two."),
    ({"01_one": ["a"], "02_two": True}, "You have read one chapter, 02 · Two."),
    ({"01_one": ["a"]}, None)])
def test_the_first_page_says_how_much_is_read(phone, read, said):
    line = phone.get_by_text("You have read")
    assert not line.count()
    remember(phone, {"read": read})
    phone.reload()
    assert line.all_inner_texts() == ([said] if said else [])
    if said:    # behind the button that leads on
        assert line.evaluate(
            "one => one.previousElementSibling.matches(':has(> a.button.first)')")
        phone.emulate_media(media="print")
        assert not line.is_visible()    # what this reader has read
        phone.emulate_media(media="screen")
        assert not list(pages.axe_findings(phone))
    phone.evaluate("localStorage.clear(); dispatchEvent(new Event('storage'))")
    assert not line.count()


def names(page):
    """What assistive technology calls the links of a page."""
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")
    return [one["name"]["value"].strip() for one in tree["nodes"]
            if one.get("role", {}).get("value") == "link"]


def test_what_is_read_is_ticked_in_every_list_and_said(phone):
    remember(phone, {"read": {"01_one": True, "02_two": ["c"]}})
    phone.reload()
    assert phone.locator("a.read").evaluate_all("all => all.map(one => one.closest("
        "'.bd-links, li').className)") == ["bd-links", ""]
    assert sorted(name for name in names(phone) if "One" in name or "Two" in name) == [
        "01 One Why?, read", "01 · One read", "01 · One read", "02 Two", "02 · Two",
        "02 · Two", "Go on with 02 · Two", "Go on with 02 · Two"]
    assert phone.locator(".road text").all_text_contents() == [
        "01", "One ✓", "Why?", "02", "Two"]


def test_a_chapter_ticks_what_is_read_and_leads_on_to_another_page_only(phone):
    remember(phone, {"read": {"01_one": ["a"]}})
    phone.goto(phone.url.replace("index", "notebooks/02_two"))
    link, ticked = phone.locator("a.onward"), phone.locator(".bd-links a.read")
    assert link.evaluate("one => one.href").endswith("/notebooks/01_one.html#a")
    assert link.is_visible() and not ticked.count()
    remember(phone, {"read": {"01_one": True}})
    phone.evaluate("dispatchEvent(new Event('storage'))")
    assert ticked.all_inner_texts() == ["01 · One"] and not link.is_visible()
    remember(phone, {"read": {"02_two": True}})    # and nothing is left
    phone.evaluate("dispatchEvent(new Event('storage'))")
    assert ticked.all_inner_texts() == ["02 · Two"] and not link.is_visible()


def test_what_is_forgotten_is_no_longer_shown(phone):
    remember(phone, {"read": {"01_one": True}})
    phone.reload()
    phone.evaluate("localStorage.clear(); dispatchEvent(new Event('storage'))")
    assert not phone.locator("a.read").count()
    assert not phone.locator("a.onward").is_visible()
    assert "✓" not in phone.content() and "01 One Why?" in names(phone)
    button = phone.locator("a.button.first")
    assert button.inner_text() == "Read chapter 01"
    assert button.get_attribute("href").endswith("notebooks/01_one.html")


def test_a_browser_that_stores_nothing_shows_nothing_and_complains_of_nothing(phone):
    phone.add_init_script("""Object.defineProperty(window, 'localStorage', {
        get() { throw new DOMException('blocked', 'SecurityError') } })""")
    said = []
    phone.on("console", lambda message: "Failed to load" in message.text    # pictures
             or said.append(message.text))
    phone.reload()
    assert not phone.locator("a.read").count() and said == []
    assert not phone.locator("a.onward").is_visible()
    assert phone.locator("a.button.first").inner_text() == "Read chapter 01"


@pytest.mark.parametrize("name, title, end", [
    ("report", "First: First", "What is wrong: "),
    ("ask", "Question: First: First", "My question: ")])
def test_an_issue_comes_filled_in(phone, name, title, end):
    link = phone.locator(f"a.{name}")
    address = link.evaluate("""link => {
        addEventListener("click", event => event.preventDefault());
        link.click();
        return [...new URL(link.href).searchParams];
    }""")
    filled = dict(address)
    assert filled["title"] == title
    assert filled["body"].startswith("http")
    assert filled["body"].endswith(f"\nVersion 1.2\n\n{end}")


def test_a_report_names_exercise_and_cell_in_sight(phone):
    phone.evaluate("""() => {
        document.querySelector("article.bd-article > section").insertAdjacentHTML(
            "beforeend", '<section id="two"><h2>Exercise <span>02-1</span>: Add</h2>' +
            '<div class="cell_input"><pre>\\nx = 1\\ny = 2</pre></div></section>' +
            '<div style="height: 900px"></div>');
        document.querySelector("#two pre").scrollIntoView();
    }""")
    filled = phone.locator("a.report").evaluate("""link => {
        addEventListener("click", event => event.preventDefault());
        link.click();
        return Object.fromEntries(new URL(link.href).searchParams);
    }""")
    assert filled["title"] == "First: Exercise 02-1: Add"
    assert "#two\nBelow the cell that begins: x = 1\nVersion 1.2\n" in filled["body"]


@pytest.fixture(params=["mouse", "finger"])
def sections(browser, request):
    finger = request.param == "finger"
    page = browser.new_page(viewport={"width": 390 if finger else 1000, "height": 800},
                            has_touch=finger, is_mobile=finger)
    page.goto(f"{browser.address}sections.html")
    page.pointed = not finger
    yield page
    page.close()


def test_each_section_has_a_quiet_link_that_reports_it(sections):
    links = sections.get_by_role("link", name="Report this section")
    assert links.evaluate_all("all => all.map(one => one.parentElement.id || "
                              "one.closest('section').id)") == ["two", "three", "four"]
    seen = "one => getComputedStyle(one).opacity"
    assert [one.evaluate(seen) for one in links.all()] == [
        "0" if sections.pointed else "1"] * 3
    if sections.pointed:
        sections.locator("h3").hover()
        assert [one.evaluate(seen) for one in links.all()] == ["0", "1", "0"]
    assert not list(pages.axe_findings(sections))
    filled = links.evaluate_all("""links => {
        addEventListener("click", event => event.preventDefault());
        return links.map(link => {
            link.click();
            return Object.fromEntries(new URL(link.href).searchParams); });
    }""")
    assert [one["title"] for one in filled] == [
        "First: Two", "First: Three", "First: Four"]
    cell = "\nAbove the cell that begins: x = 1"
    for one, place, near in zip(filled, ("two", "three", "four"), (cell, cell, "")):
        assert one["body"].endswith(
            f"sections.html#{place}{near}\nVersion 1.2\n\nWhat is wrong: ")


def test_the_links_of_the_sections_are_one_stop_of_the_tab_key(sections):
    for _ in range(20):
        sections.keyboard.press("Tab")
        if sections.evaluate("() => document.activeElement.textContent") == "Report":
            break
    inside = "() => document.activeElement.closest('section')?.id"
    assert sections.evaluate(inside) == "two"
    assert sections.evaluate(
        "() => getComputedStyle(document.activeElement).opacity") == "1"
    sections.keyboard.press("ArrowDown")
    assert sections.evaluate(inside) == "three"
    sections.keyboard.press("Tab")
    assert sections.evaluate(
        "() => document.activeElement.matches('footer a.report')")


def test_no_section_offers_a_report_where_the_foot_offers_none(browser):
    page = browser.new_page()
    page.goto(f"{browser.address}light.html")
    assert page.locator("h2").all_inner_texts() == ["Two", "Classes"]
    assert not page.get_by_text("Report").count()
    page.close()


def test_a_tap_opens_wide_code_and_turned_it_fits(phone):
    phone.locator("pre", has_text="short").tap()
    assert not phone.locator("dialog").count()
    phone.locator("pre", has_text="x = 1").tap(position={"x": 20, "y": 20})
    whole = phone.get_by_role("dialog", name="Code, as wide as the screen")
    assert whole.locator("pre").inner_text() == LINE
    assert not list(pages.axe_findings(phone))
    phone.set_viewport_size({"width": 844, "height": 390})
    assert whole.evaluate("one => one.scrollWidth <= one.clientWidth")
    whole.get_by_role("button", name="Back to the page").tap()
    phone.locator("dialog").wait_for(state="detached")


def edges(page, selector):
    """Of an element on the screen: how bright its left and its right edge are."""
    picture = Image.open(io.BytesIO(page.locator(selector).screenshot())).convert("L")
    return [picture.getpixel((x, 6)) for x in (5, picture.width - 2)]


def test_no_style_uses_a_property_that_another_registers():
    """A registered length takes no colour: the shade of all figures would be lost."""
    styles = {file.name: file.read_text("utf-8") for folder in ("book/static", "web")
              for file in (ROOT / folder).glob("*.css")}
    registered = {name: file for file, text in styles.items()
                  for name in re.findall(r"@property (--[\w-]+)", text)}
    assert registered
    for name, home in registered.items():
        assert [file for file, text in styles.items()
                if re.search(rf"{name}(?![\w-])", text)] == [home]


@pytest.mark.parametrize("selector", CUT)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_cut_has_a_shade_where_more_follows(phone, selector, theme):
    phone.goto(phone.url.replace("index", "wide"))
    phone.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    box = phone.locator(selector)
    seen = []
    for share in (0, 0.5, 1):
        box.evaluate("""(box, share) => new Promise(drawn => {
            box.scrollLeft = share * (box.scrollWidth - box.clientWidth);
            requestAnimationFrame(() => requestAnimationFrame(drawn)); })""", share)
        seen.append(edges(phone, selector))
    (plain, cut), both, (left, end) = seen
    assert abs(plain - end) <= 8
    for shaded in (cut, *both, left):
        assert abs(shaded - plain) > 20
    assert phone.evaluate(pages.TOO_WIDE) <= 0


def test_a_tap_opens_an_output_that_is_cut(phone):
    phone.goto(phone.url.replace("index", "wide"))
    phone.locator(".cell_output pre").tap()
    whole = phone.get_by_role("dialog", name="Output, as wide as the screen")
    assert whole.locator("pre").inner_text() == f"1{90 * ' '}2"
    whole.get_by_role("button", name="Back to the page").tap()
    phone.locator("dialog.whole").wait_for(state="detached")


def test_a_tapped_figure_is_no_smaller_than_in_the_page(phone):
    phone.goto(phone.url.replace("index", "wide"))
    phone.locator("a.full").tap(position={"x": 20, "y": 20})
    whole = phone.get_by_role("dialog", name="Figure, as wide as the screen")
    assert whole.locator("img").bounding_box()["width"] >= 449
    assert not list(pages.axe_findings(phone))
    phone.set_viewport_size({"width": 844, "height": 390})
    assert 800 < whole.locator("img").bounding_box()["width"] <= 844
    whole.get_by_role("button", name="Back to the page").tap()
    phone.locator("dialog.whole").wait_for(state="detached")
    assert phone.url.endswith("wide.html")


def test_with_a_mouse_a_figure_is_a_link_as_before(browser):
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{browser.address}wide.html")
    assert page.locator(".tooltip").is_visible()
    assert page.locator("#pst-back-to-top").is_visible()
    page.locator("a.full").click()
    page.wait_for_url("**/figure.svg")
    page.close()


@pytest.mark.parametrize("cover", ["#pst-back-to-top", ".tooltip"])
def test_nothing_stays_over_what_a_finger_taps(phone, cover):
    phone.goto(phone.url.replace("index", "wide"))
    for width, height in ((390, 800), (844, 390)):
        phone.set_viewport_size({"width": width, "height": height})
        assert not phone.locator(cover).is_visible()


def test_the_drawer_closes_when_a_place_is_chosen_in_it(phone):
    phone.goto(phone.url.replace("index", "wide"))
    phone.locator("dialog").evaluate("one => one.showModal()")
    phone.get_by_role("link", name="A place").tap()
    assert phone.url.endswith("#place")
    assert not phone.get_by_role("dialog").count()


PLACES = """code => {
    const top = one => one.getBoundingClientRect().top;
    const [own, long, short] = code.querySelectorAll(".c1");
    const sign = code.querySelector(".o");
    return { below: top(long) - top(sign), next: top(short) - top(long),
        height: short.getBoundingClientRect().height,
        wide: code.scrollWidth > code.clientWidth };
}"""
COPIED = """code => {
    getSelection().selectAllChildren(code);
    return [code.cloneNode(true).innerText, getSelection().toString()];
}"""


def test_a_note_that_does_not_fit_drops_below_its_line_and_is_copied_beside_it(phone):
    phone.goto(phone.url.replace("index", "notes"))
    code = phone.locator("pre").first
    found = code.evaluate(PLACES)
    assert not found["wide"] and found["below"] > found["height"] * 0.8
    assert 0.8 < found["next"] / found["height"] < 1.9    # `x = 1` keeps its own
    wanted = ["# a line of its own",
              "scores = query @ key.mT       # [B, T, S], a row a query",
              "x = 1   # [B]"]
    for text in code.evaluate(COPIED):
        assert text.strip().splitlines() == wanted
    phone.set_viewport_size({"width": 1280, "height": 800})
    assert abs(code.evaluate(PLACES)["below"]) < 2


def stops(page):
    """The words of what the tab key reaches, up to the end of the page."""
    found = []
    for _ in range(20):
        page.keyboard.press("Tab")
        words = page.evaluate("() => document.activeElement.textContent")
        if page.evaluate("() => document.activeElement === document.body"):
            return found
        found.append(words)
    raise AssertionError(found)


def test_copy_buttons_are_one_stop_in_view_and_arrows_lead_on(browser):
    page = browser.new_page(viewport={"width": 1280, "height": 560})
    page.goto(f"{browser.address}notes.html")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    first = page.locator(".copybtn").first
    assert first.evaluate("one => one === document.activeElement")
    assert first.evaluate("one => getComputedStyle(one).opacity") == "1"
    for key, place in (("ArrowUp", 0), ("ArrowDown", 1), ("ArrowDown", 3),
                       ("ArrowDown", 3), ("ArrowUp", 1)):    # 2 is in a closed fold
        page.keyboard.press(key)
        assert page.evaluate("""() => [...document.querySelectorAll(".copybtn")]
            .indexOf(document.activeElement)""") == place, key
    page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 1200) }")
    assert not list(pages.axe_findings(page))
    page.reload()
    assert stops(page)[:4] == ["first", "Copy", "between", "between"]
    page.close()


@pytest.fixture(params=["light", "dark"])
def terms(browser, request):
    page = browser.new_page(viewport={"width": 700, "height": 600})
    page.goto(f"{browser.address}{request.param}.html")
    yield page
    page.close()


def test_a_term_that_is_pointed_at_says_what_it_means(terms):
    note, link = terms.get_by_role("tooltip"), terms.locator("a.term")
    assert not note.count()
    link.hover()
    note.wait_for()
    assert note.inner_text() == "Rows < queries."
    assert link.get_attribute("aria-describedby") == note.get_attribute("id")
    assert not list(pages.axe_findings(terms))
    note.hover()    # it stays while the pointer is on it
    terms.wait_for_timeout(400)
    assert note.is_visible()
    terms.keyboard.press("Escape")
    assert not note.count() and not link.get_attribute("aria-describedby")
    terms.get_by_text("no term").hover()    # the glossary does not have it
    terms.wait_for_timeout(400)
    assert not note.count()


def test_the_focus_opens_a_meaning_and_leaves_it(terms):
    terms.keyboard.press("Tab")
    note = terms.get_by_role("tooltip")
    note.wait_for()
    assert note.inner_text() == "Rows < queries."
    terms.keyboard.press("Tab")
    note.wait_for(state="hidden")


def test_a_function_that_the_page_quotes_shows_its_first_lines_once_a_section(terms):
    links = terms.locator("a.quoted-name")
    assert [one.inner_text() for one in links.all()] == [
        "padding_mask", "other()", "padding_mask", "Heads", "Sizes"]
    links.first.hover()
    note = terms.get_by_role("tooltip")
    note.wait_for()
    assert note.locator("pre").inner_text() == QUOTED.partition("\n    return 0")[0]
    links.nth(1).hover()
    terms.get_by_text("def other(x):", exact=False).first.wait_for()
    terms.wait_for_timeout(300)
    assert note.locator("pre").inner_text() == "# src/softdict/masks.py\ndef other(x):"
    links.first.click()
    assert terms.evaluate("location.hash") == "#quoted-padding_mask"


@pytest.mark.parametrize("theme, words, leads", [
    ("light", "The code on this page", "#quoted-{}"),
    ("dark", "The line in the repository",
     "https://a.org/b/blob/made/src/softdict/heads.py#L{}")])
def test_a_class_shows_its_signature_and_the_way_to_its_code(browser, theme, words,
                                                             leads):
    page = browser.new_page(viewport={"width": 700, "height": 600})
    page.goto(f"{browser.address}{theme}.html")
    note, link = page.get_by_role("tooltip"), page.get_by_role("link", name=words)
    for name, line, shown in (
            ("Heads", 7, "class Heads(nn.Module):\n    def __init__(self, width):"),
            ("Sizes", 3, "class Sizes:")):
        page.locator("a.quoted-name", has_text=name).hover()
        note.filter(has_text=name).wait_for()
        assert note.locator("pre").inner_text() == f"# src/softdict/heads.py\n{shown}"
        place = name if theme == "light" else line
        assert link.get_attribute("href") == leads.format(place)
    assert not list(pages.axe_findings(page))
    if theme == "light":
        link.click()
        assert page.evaluate("location.hash") == "#quoted-Sizes"
        assert not note.is_visible()
    page.close()


def test_the_first_tap_on_a_term_says_it_and_the_second_goes_there(phone, browser):
    phone.goto(f"{browser.address}light.html")
    link, note = phone.locator("a.term"), phone.get_by_role("tooltip")
    link.tap()
    note.wait_for()
    assert phone.url.endswith("light.html")
    box = note.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    phone.locator("h1").tap()
    note.wait_for(state="hidden")
    link.tap()
    note.wait_for()
    link.tap()
    phone.wait_for_url("**/glossary.html#term-key")
