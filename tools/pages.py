"""Checks the built pages: first as files, then in a real browser, if there is one.

    python tools/pages.py check FOLDER              every problem on a line;
                                                   exit code 1 if there is one
    python tools/pages.py anchors FOLDER            adds its addresses to the list
                                                   of those that stay
    python tools/pages.py cards FOLDER              pictures for shared links
    python tools/pages.py picture FOLDER FILE.png   a picture of one page, for README
"""

import io
import os
import re
import shutil
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

from environment import Stop, script

QUERIES = Path(__file__).resolve().parent.parent / "tests/queries.tsv"
ANCHORS = QUERIES.with_name("anchors.txt")    # addresses that were published
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
            "chrome", "msedge")
APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
LOADED = {"stylesheet", "icon", "preload"}    # kinds of links
EMBEDDED = {"img", "script", "iframe", "source", "video", "audio"}
ENGINE_AXE = {  # what axe finds in the engine's own markup: rule, and excused part
    "label-content-name-mismatch": "search-button",
    "region": "logo__title",
    "aria-allowed-role": "doc-biblioentry",
    "aria-deprecated-role": "doc-biblioentry",
    "aria-required-children": "citation-list",
}


# As files -----------------------------------------------------------------------------


class Page(HTMLParser):
    """What one HTML file links to, loads, offers as anchors, and shows as images."""

    def __init__(self, html):
        super().__init__()
        self.links, self.loads, self.anchors, self.images = [], [], set(), []
        self.feed(html)

    def handle_starttag(self, tag, pairs):
        found = dict(pairs)
        self.anchors |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        elif tag == "link" and LOADED & set(found.get("rel", "").split()):
            self.loads.append(found["href"])
        elif tag == "meta" and found.get("http-equiv", "").lower() == "refresh":
            self.links.append(found["content"].partition("url=")[2])
        elif tag in EMBEDDED and found.get("src"):
            self.loads.append(found["src"])
        if tag == "img":
            self.images.append((found.get("src", ""), found.get("alt")))


def html_files(folder):
    """The pages; the theme leaves its templates below _static."""
    files = folder.rglob("*.html")
    return sorted(file for file in files if "_static" not in file.parts)


def file_problems(folder):
    """Links, anchors and files that lead nowhere, loads from outside, and images
    without words."""
    folder = Path(folder).resolve()
    pages = {file: Page(file.read_text("utf-8")) for file in html_files(folder)}
    for file, page in pages.items():
        name = file.relative_to(folder).as_posix()
        for address in [*page.links, *page.loads]:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if address in page.loads and parts.scheme != "data":
                    yield f"{name}: loads {address} from outside"
                continue
            path, anchor = urldefrag(address)
            path = unquote(path.partition("?")[0])
            base = folder if path.startswith("/") else file.parent
            target = (base / path.lstrip("/")).resolve() if path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                yield f"{name}: {address} leads to no file"
            elif (anchor and target in pages
                  and unquote(anchor) not in pages[target].anchors):
                yield f"{name}: {address} leads to no anchor"
        text = file.read_text("utf-8")
        if "findfont:" in text:
            yield f"{name}: matplotlib complains of its fonts in an output"
        if "Project name not set" in text:
            yield f"{name}: it does not say of which site it is (og:site_name)"
        if "site-packages/" in text:
            yield f"{name}: a warning in an output shows a path of this machine"
        for source, alt in page.images:
            if alt is None or alt and alt in source:
                yield f"{name}: the image {source[:60]} has no words (alt)"
        if name.startswith("notebooks/"):
            yield from (f"{name}: {words}" for words in walls(text))


IN_A_ROW = 2    # folds without open text between them
SHOWN = ["p", "pre", "figure", "img", "table", "blockquote", "h1", "h2", "h3"]


def walls(text):
    """Folds of a page that follow each other without open text, if they are too many;
    the help of an exercise counts as one."""
    from bs4 import BeautifulSoup

    article = BeautifulSoup(text, "html.parser").article or []
    row, before = [], None
    for part in article and article.find_all(["details", *SHOWN]) + [None]:
        if part and part.find_parent("details"):
            continue
        if part and part.name == "details":
            is_help = (part.find_parent(class_="lines") or
                       ", exercise" in (part.summary or {}).get("aria-label", ""))
            if not (is_help and before):
                row.append(part.summary.get_text(" ", strip=True))
            before = is_help
            continue
        if len(row) > IN_A_ROW:
            yield f"{len(row)} folds follow each other, from {row[0]!r}: join them"
        row, before = [], None


PLACES = "section[id], dt[id], li[id], figure[id], .predict[id], span[id]"


def addresses(folder):
    """Every page of a built site, and every place on it that a link may lead to."""
    from bs4 import BeautifulSoup

    for file in html_files(Path(folder)):
        name = file.relative_to(folder).as_posix()
        page = BeautifulSoup(file.read_text("utf-8"), "html.parser")
        names = [place["id"] for place in page.select(f"article :is({PLACES})")]
        yield name
        # id1, id2: the engine counts them anew in each build
        yield from (f"{name}#{one}" for one in dict.fromkeys(names)
                    if not re.fullmatch(r"id\d+", one))


def gone(folder, published):
    """The published addresses that lead nowhere any more."""
    folder, known = Path(folder), {}
    for address in published:
        name, _, anchor = address.partition("#")
        if name not in known:
            file = folder / name
            known[name] = (Page(file.read_text("utf-8")).anchors if file.exists()
                           else None)
        if known[name] is None or anchor and anchor not in known[name]:
            yield (f"{address} was published and is gone: a page needs a line under "
                   'redirects in _config.yml, a place <span id="..."></span>')


def anchors(folder):
    """Adds the addresses of a built site to the list of those that stay."""
    kept = dict.fromkeys([*ANCHORS.read_text("utf-8").split(), *addresses(folder)])
    ANCHORS.write_text("\n".join(sorted(kept)) + "\n", "utf-8", newline="\n")


# In a browser -------------------------------------------------------------------------


def browser_path():
    """A Chromium on this machine, or None; the variable CHROMIUM names another, or is
    "none"."""
    if os.environ.get("CHROMIUM") == "none":
        return None
    named = [os.environ.get("CHROMIUM", ""), *map(shutil.which, BROWSERS),
             *APPLICATIONS]
    return next((path for path in named if path and Path(path).exists()), None)


class Quiet(SimpleHTTPRequestHandler):
    # Windows may say of .js that it is plain text, and a browser runs no such module
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}

    def end_headers(self):
        if self.path.partition("?")[0].endswith((".html", "/")):
            self.send_header("Cache-Control", "no-store")    # it may be built anew
        super().end_headers()

    def log_message(self, *arguments):
        pass


class Server(ThreadingHTTPServer):
    allow_reuse_address = os.name != "nt"    # there two servers would share a port


def local_server(folder, ports=(0,)):
    """A server of the folder on the first free port of this machine; nothing outside
    can reach it."""
    for port in ports:
        try:
            return Server(("127.0.0.1", port), partial(Quiet, directory=str(folder)))
        except OSError:
            continue
    raise OSError(f"no port from {ports[0]} to {ports[-1]} is free")


class Browser:
    """A headless Chromium that shows the pages of a folder from a local server, and
    knows no other."""

    def __init__(self, folder):
        self.folder, self.kept = Path(folder), {}

    def __enter__(self):
        from playwright.sync_api import Error, sync_playwright

        self.server = local_server(self.folder)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}/"
        self.playwright = sync_playwright().start()
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking",
                 "--disable-component-update", "--no-proxy-server",
                 "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                 # pages share a process, whose start takes longer than a page
                 "--renderer-process-limit=1", "--disable-site-isolation-trials"]
        path = browser_path()
        try:
            self.chromium = self.playwright.chromium.launch(executable_path=path,
                                                            args=flags)
        except Error as error:
            self.close()
            raise Stop(f"{path or 'A Chromium'} does not start: "
                       f"{error.message.partition(chr(10))[0]} CHROMIUM can name "
                       "another, and CHROMIUM=none leaves it out.") from None
        return self

    def __exit__(self, *error):
        self.chromium.close()
        self.close()

    def close(self):
        """Ends what `__enter__` began beside the browser."""
        self.playwright.stop()
        self.server.shutdown()
        self.server.server_close()

    def new_page(self, **kind):
        """A page that remembers nothing, of a kind, as playwright's new_context has it.

        Pages of a kind share a context: they start at once, and read files from its
        cache. An empty page is kept, so that their process stays.
        """
        kind = {"viewport": {"width": 1200, "height": 800}, **kind}
        name = repr(sorted(kind.items()))
        if name not in self.kept:
            self.kept[name] = self.chromium.new_context(**kind).new_page()
            self.kept[name].goto(f"{self.address}none")
        page = self.kept[name].context.new_page()
        page.context.new_cdp_session(page).send("Storage.clearDataForOrigin", {
            "origin": self.address, "storageTypes": "all"})
        return page

    def close_pages(self):
        """Closes all pages but the kept ones."""
        for context in self.chromium.contexts:
            for page in context.pages:
                if page not in self.kept.values():
                    page.close()

    def open(self, name, problems, width=1200):
        """The page, its formulas drawn; what goes wrong on the way is added to the
        problems."""
        page = self.new_page(viewport={"width": width, "height": 800},
                             color_scheme="light")

        def asked(request):
            if not request.url.startswith((self.address, "data:", "blob:")):
                problems.append(f"asks for {request.url}")

        def hear(message):
            if message.type == "error":
                problems.append(f"console: {message.text} "
                                f"{message.location.get('url', '')}")

        page.on("request", asked)
        page.on("console", hear)
        page.on("pageerror", lambda error: problems.append(f"console: {error}"))
        page.goto(self.address + name, wait_until="load")
        page.evaluate("async () => { await window.MathJax?.startup?.promise }")
        return page


FORMULAS = """() => [...document.querySelectorAll('.math')]
    .filter(math => !math.querySelector('mjx-container')
                    || math.querySelector('mjx-merror'))
    .map(math => math.textContent.trim())"""
OPEN_FOLDS = """() => {
    document.querySelectorAll('.predict-show, .recall-note button')
        .forEach(one => one.click());
    document.querySelectorAll('details').forEach(fold => { fold.open = true });
}"""
TOO_WIDE = """() => document.documentElement.scrollWidth
    - document.documentElement.clientWidth"""
CUT_CODE = """() => [...document.querySelectorAll('.bd-article pre')]
    .filter(code => !code.closest('.cell_output'))
    .filter(code => code.scrollWidth > code.clientWidth)
    .map(code => code.textContent.trim().split('\\n')[0])"""
# a formula does not break: its table may scroll
CUT_TABLES = """() => [...document.querySelectorAll('.bd-article table')]
    .filter(table => !table.querySelector('.math'))
    .filter(table => table.parentElement.scrollWidth
        > table.parentElement.clientWidth + 1)
    .map(table => table.rows[0].textContent.trim().replace(/\\s+/g, ' '))"""
# what a phone shows on top of each other, breaks within a name, or hides in a figure
OVERPRINTED = """() => {
    const parts = [...document.querySelectorAll('dl.glossary > *')];
    return parts.slice(1).filter((part, i) => part.getBoundingClientRect().top
        < parts[i].getBoundingClientRect().bottom - 3).map(part => part.textContent);
}"""
BROKEN_NAMES = """() => [...document.querySelectorAll('.bd-article table code')]
    .filter(code => code.getClientRects().length > 1 && !/\\s/.test(code.textContent))
    .map(code => code.textContent)"""
# in a narrow column code may break between its words
BROKEN_WHOLE = """() => [...document.querySelectorAll(
        '.bd-article .whole:not(table *)')]
    .filter(one => one.getClientRects().length > 1)
    .map(one => one.textContent)"""
CUT_NOTES = """() => [...document.querySelectorAll('.bd-article pre .end-note')]
    .filter(note => note.getBoundingClientRect().right
        > note.closest('pre').getBoundingClientRect().right + 1)
    .map(note => note.textContent)"""
CUT_FIGURES = """tables => [...document.querySelectorAll('.live-figure .scroll')]
    .filter(box => box.querySelector(tables) && box.scrollWidth > box.clientWidth)
    .map(box => box.getAttribute('aria-label'))"""
STILL = "* { transition: none !important; animation: none !important }"


# axe compares each text with what lies behind it, which takes longer than all its other
# rules: of texts that look alike one is enough
ONE_OF_EACH_LOOK = """() => {
    const looks = new Set();
    const behind = part => {    // all that is painted there, and its opacity
        let painted = '', shown = 1;
        for (; part; part = part.parentElement) {
            const style = getComputedStyle(part);
            shown *= style.opacity;
            if (style.backgroundColor !== 'rgba(0, 0, 0, 0)'
                || style.backgroundImage !== 'none')
                painted += style.backgroundColor + style.backgroundImage;
        }
        return painted + shown;
    };
    for (const part of document.querySelectorAll('body *')) {
        part.removeAttribute('data-look');
        if (![...part.childNodes].some(one => one.nodeType === 3 && one.data.trim())
            || !part.checkVisibility())
            continue;
        const { color, fontSize, fontWeight } = getComputedStyle(part);
        const look = [part.tagName, part.className, part.parentElement.className,
                      color, fontSize, fontWeight, behind(part)].join();
        part.toggleAttribute('data-look', !looks.has(look));
        looks.add(look);
    }
    return looks.size;
}"""


def axe_findings(page, contrast_alone=False):
    """What the accessibility checker axe says of the page, aside from the engine's own
    markup."""
    from axe_playwright_python.sync_playwright import Axe

    page.add_style_tag(content=STILL)
    others = [(None, {"rules": {"color-contrast": {"enabled": False}}})]
    runs = [] if contrast_alone else others
    if page.evaluate(ONE_OF_EACH_LOOK):
        runs.append(({"include": [["[data-look]"]]}, {"runOnly": ["color-contrast"]}))
    for context, options in runs:
        # without resultTypes it writes down all that is right too, in twice the time
        options |= {"preload": False, "resultTypes": ["violations"]}
        found = Axe().run(page, context=context, options=options)
        for finding in found.response["violations"]:
            excused = ENGINE_AXE.get(finding["id"])
            places = [node["html"] for node in finding["nodes"]
                      if excused is None or excused not in node["html"]]
            if places:
                words = f"{finding['id']}: {finding['help']}"
                yield f"{words}: {len(places)} of {places[0][:120]}"


def browser_problems(folder):
    """Outside requests, console errors, undrawn formulas, sideways scrolling, and what
    axe finds, light and dark."""
    largest_first = sorted(html_files(Path(folder)),
                           key=lambda file: -file.stat().st_size)
    with ThreadPoolExecutor(2) as pool:  # two browsers share the pages
        for problems in pool.map(problems_of_pages, [folder] * 2,
                                 [largest_first[0::2], largest_first[1::2]]):
            yield from problems


def problems_of_pages(folder, files):
    """The problems of some pages of a folder, seen in one browser."""
    found = []
    with Browser(folder) as browser:
        for file in files:
            name, problems = file.relative_to(browser.folder).as_posix(), []
            if 'http-equiv="refresh"' in file.read_text("utf-8").lower():
                continue  # it only leads on to the first page
            page = browser.open(name, problems)
            problems += [f"formula not drawn: {formula}"
                         for formula in page.evaluate(FORMULAS)]
            page.evaluate(OPEN_FOLDS)
            for theme in ("light", "dark"):
                page.emulate_media(color_scheme=theme)
                page.evaluate("theme => { document.documentElement.dataset.theme = "
                              "theme }", theme)
                problems += [f"axe, {theme}: {finding}"
                             for finding in axe_findings(page, theme == "dark")]
            for width in (1280, 1920):
                page.set_viewport_size({"width": width, "height": 800})
                problems += [f"at {width} pixels code scrolls sideways: {line}"
                             for line in page.evaluate(CUT_CODE)]
                problems += [f"at {width} pixels a table is cut: {heads}"
                             for heads in page.evaluate(CUT_TABLES)]
                problems += [f"at {width} pixels a figure hides columns: {label}"
                             for label in page.evaluate(CUT_FIGURES, "table")]
            page.set_viewport_size({"width": 390, "height": 800})
            problems += [f"at 390 pixels one is printed over another: {text[:60]}"
                         for text in page.evaluate(OVERPRINTED)]
            problems += [f"at 390 pixels a name is broken: {name}"
                         for name in page.evaluate(BROKEN_NAMES)]
            problems += [f"at 390 pixels what belongs together is broken: {words}"
                         for words in page.evaluate(BROKEN_WHOLE)]
            problems += [f"at 390 pixels a note scrolls sideways: {note}"
                         for note in page.evaluate(CUT_NOTES)]
            problems += [f"at 390 pixels a figure hides columns: {label}" for label
                         in page.evaluate(CUT_FIGURES, "table:not(.weights)")]
            for width in (390, 320, 820):
                page.set_viewport_size({"width": width, "height": 800})
                if (wide := page.evaluate(TOO_WIDE)) > 0:
                    problems.append(
                        f"at {width} pixels it scrolls {wide} pixels sideways")
            page.close()
            found += [f"{name}: {problem}" for problem in dict.fromkeys(problems)]
    return found


COVERED = """() => {
    const form = document.querySelector('dialog form.bd-search');
    const [icon, field] = ['i', 'input'].map(name => form.querySelector(name));
    const [box, sign] = [field, icon].map(one => one.getBoundingClientRect());
    return sign.right > box.left + parseFloat(getComputedStyle(field).paddingLeft);
}"""
FIRST_HITS = """async queries => {
    const first = [];
    for (const query of queries) {
        const [hit] = (await bookSearch(query)).hits;
        first.push(hit && { file: hit.file, anchor: hit.anchor });
    }
    return first;
}"""
MARKED = "KV cache"    # its first hit must be marked and in sight
IN_SIGHT = """() => [...document.querySelectorAll('main mark')].some(mark => {
    const { top, bottom } = mark.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
})"""


def queries():
    """What readers search for, and the page that must come first."""
    rows = QUERIES.read_text(encoding="utf-8").splitlines()
    return [row.split("\t") for row in rows if not row.startswith("#")]


def search_problems(folder, wanted):
    """Sixties of queries of which more than three have another page first; a query
    without a hit; one that is not marked and in sight on its page."""
    problems, missed = [], []
    with Browser(folder) as browser:
        page = browser.open("search.html", problems)
        hits = page.evaluate(FIRST_HITS, [query for query, _ in wanted])
        for (query, name), hit in zip(wanted, hits, strict=True):
            file = Path(hit["file"] if hit else "nothing")
            first = f"asked/{file.stem}" if file.parent.name == "asked" else file.stem
            first += f"#{hit['anchor']}" if hit and "#" in name else ""
            missed.append(first != name and
                          f"{query!r} finds {first} first, and not {name}")
            if not hit:
                problems.append(f"{query!r} finds nothing")
        count = max(1, len(missed) // 60)    # no sixty is smaller than the others
        for n in range(count):
            part = missed[n * len(missed) // count:(n + 1) * len(missed) // count]
            if (wrong := list(filter(None, part))) and len(wrong) * 20 > len(part):
                problems += wrong
        page.keyboard.press("Control+k")
        if page.evaluate(COVERED):
            problems.append("the magnifier covers the first letter of what is typed")
        page.keyboard.press("Escape")
        page.locator("main input[type=search]").fill(MARKED)
        page.locator("main .search-hits a").first.click()
        try:
            page.wait_for_function(IN_SIGHT, timeout=5000)
        except Exception:
            problems.append(f"{MARKED!r} is not marked and in sight where the "
                            f"first hit leads, {page.url}")
    return [f"search: {problem}" for problem in problems]


SHEET = (1191, 842)    # A3 on its side, in points
PARTS = "() => document.querySelectorAll('#quick-reference > section').length"


def poster_problems(folder, name="book/quick_reference.html"):
    """What keeps the quick reference from being a poster: a sheet of A3 for each part.

    a folder without that page has no problem
    """
    from pypdf import PdfReader

    if not (Path(folder) / name).exists():
        return
    with Browser(folder) as browser:
        page = browser.open(name, [])
        printed = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))
        sizes = [tuple(map(round, sheet.mediabox[2:])) for sheet in printed.pages]
        parts = page.evaluate(PARTS)
        if sizes != [SHEET] * parts:
            yield (f"{name}: {parts} parts are to fill as many sheets of A3; printed, "
                   f"they are {len(sizes)} pages of {sorted(set(sizes))} points")


def check(folder):
    """Prints every problem; returns how many there are."""
    problems = list(file_problems(folder))
    if (Path(folder) / "_static/search.js").exists():    # the book, whole
        problems += gone(folder, ANCHORS.read_text("utf-8").split())
    if browser_path():
        problems += browser_problems(folder)
        problems += poster_problems(folder)
        if (Path(folder) / "_static/search.js").exists():
            problems += search_problems(folder, queries())
    else:
        print("    Checks in a browser are skipped: no Chromium or Chrome is here "
              "(CHROMIUM can name one).")
    for problem in problems:
        print(f"    {problem}")
    return len(problems)


CARD = """<!DOCTYPE html>
<body style="margin: 0; width: 1200px; height: 630px; background: #fff; color: #1a1a1a;
  box-sizing: border-box; padding: 50px 60px; display: flex; flex-direction: column;
  font-family: Charter, Georgia, 'Noto Serif', 'Liberation Serif', serif">
<h1 style="font-size: 56px; line-height: 1.15; margin: 0 0 30px">{title}</h1>
<img src="{figure}" style="flex: 1; min-height: 0; object-fit: contain;
  object-position: left" alt="">
<p style="font-size: 26px; color: #595959; margin: 24px 0 0">From Dictionary to
Transformer: a course in running code</p>
</body>"""
def cards(folder):
    """Draws a card of 1200 x 630 for each page, which shared links show: its title and
    first figure; without a browser every card is the book's mark."""
    folder = Path(folder)
    made, mark = folder / "_static/cards", folder / "_static/mark.png"
    made.mkdir(parents=True, exist_ok=True)
    files = [file for file in html_files(folder) if file.parent != folder]
    if not browser_path():
        for file in files:
            shutil.copy(mark, made / f"{file.stem}.png")
        return
    with Browser(folder) as browser:
        page = browser.chromium.new_page(viewport={"width": 1200, "height": 630})
        for file in files:
            html = file.read_text("utf-8")
            title = re.search(r"<h1>([^<]*)", html)
            figure = re.search(r'src="\.\./(_images/[^"]+)"', html)
            if title:    # else it only leads on to another page
                place = figure[1] if figure else "_static/mark.png"
                page.set_content(CARD.format(title=title[1],
                                             figure=f"{browser.address}{place}"))
                page.screenshot(path=made / f"{file.stem}.png")


def picture(folder, target, name="notebooks/02_soft_lookup.html", figure=1):
    """A picture of the page where a figure is in sight, in few colours, so that the
    file stays small."""
    from PIL import Image

    with Browser(folder) as browser:
        page = browser.open(name, [], width=1280)
        page.locator("main figure").nth(figure).evaluate(
            "figure => figure.scrollIntoView({block: 'end'})")
        page.wait_for_timeout(500)  # the theme follows the scrolling with its own marks
        page.screenshot(path=target)
    few = Image.open(target).convert("P", palette=Image.Palette.ADAPTIVE, colors=128)
    few.save(target, optimize=True)


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    with script():
        sys.exit({"check": check, "anchors": anchors, "cards": cards,
                  "picture": picture}[command](*rest)
                 and 1)
