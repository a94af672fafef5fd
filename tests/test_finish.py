"""Icons without a script, figures that open, and the PDF."""

import io
import json
import re

import finish
import pages
import pdf
import pytest
from bs4 import BeautifulSoup
from pypdf import PdfReader
from test_build import GOOD, write_site

SCRIPT = 'a={bars:[4,5,["x"],"f0c9","M1 2"],"lone-star":[1,2,[],"f1","M-3 4z"]}'
SCRIPT += ',b={"lone-star":[16,8,[7,"old"],"f1","M5,6z"]}'    # the solid one
DRAWING = ('<svg viewBox="0 0 400 300"><text style="font: 12px \'A\'">1</text>'
           '<text style="font-size: 8px">2</text><rect stroke-width="2"/></svg>')
PAGE = """<html><head>
<script defer src="../_static/scripts/fontawesome.js?digest=1"></script>
</head><body><i class="fas fa-bars"></i><span class="fa-solid fa-lone-star
fa-lg"></span><a class="fa-quiet">no icon</a>
<img alt="Two labels." src="../_images/a.svg" /></body></html>""".replace("\n", " ")


def site(folder, page=PAGE):
    for name, text in (("notebooks/01.html", page), ("_images/a.svg", DRAWING),
                       ("_static/scripts/fontawesome.js", SCRIPT)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def test_icons_are_a_style_sheet_of_those_that_are_used(tmp_path):
    finish.finish_pages(site(tmp_path))
    sheet = (tmp_path / "_static/icons.css").read_text("utf-8")
    assert set(re.findall(r"\.fa-([a-z-]+) \{ --icon", sheet)) == {"bars", "lone-star"}
    assert "M5,6z" in sheet and "M-3" not in sheet
    page = BeautifulSoup((tmp_path / "notebooks/01.html").read_text("utf-8"),
                         "html.parser")
    assert not page.select("script")
    assert page.select_one("link")["href"] == "../_static/icons.css"
    assert not (tmp_path / "_static/scripts/fontawesome.js").exists()


def test_an_icon_that_the_theme_has_not_is_named(tmp_path):
    with pytest.raises(LookupError, match="no icon 'unicorn'"):
        finish.finish_pages(site(tmp_path, PAGE.replace("fa-bars", "fa-unicorn")))


LOADING = """<script>const THEBE_JS_URL = "https://unpkg.com/a"; const a = 1</script>
<script async="async" src="../_static/sphinx-thebe.js?v=1"></script>
<link rel="stylesheet" type="text/css" href="../_static/sphinx-thebe.css?v=4" />
<script>window.MathJax = {"options": {"enableMenu": false}}</script>
<script defer="defer" src="../_static/../assets/mathjax/tex-mml-chtml.js?v=1"></script>
<script src="../_static/page.js"></script></head>"""


def test_a_page_loads_mathjax_for_formulas_alone_and_never_thebe(tmp_path):
    plain = PAGE.replace("</head>", LOADING)
    formula = plain.replace("</body>", '<div class="math notranslate">x</div></body>')
    for page, left in ((plain, ["page.js"]), (formula, ["mathjax", "page.js"])):
        finish.finish_pages(site(tmp_path, page))
        text = (tmp_path / "notebooks/01.html").read_text("utf-8")
        assert "thebe" not in text.lower() and ("window.MathJax" in text) == (
            "mathjax" in left)
        scripts = re.findall('<script[^>]*src="[^"]*?(mathjax|[a-z]+.js)', text)
        assert scripts == left


def test_a_figure_opens_full_size_and_is_as_wide_as_its_labels_need(tmp_path):
    finish.finish_pages(site(tmp_path))
    page = BeautifulSoup((tmp_path / "notebooks/01.html").read_text("utf-8"),
                         "html.parser")
    image = page.select_one("a.full img")
    assert image.parent["href"] == "../_images/a.svg" and image["alt"] == "Two labels."
    # 8 of 400 units are to be 9 pixels
    assert image["style"] == "min-width: 450px"
    linked = PAGE.replace("<img", '<a href="x"><img').replace("</body>", "</a></body>")
    finish.finish_pages(site(tmp_path, linked))
    page = BeautifulSoup((tmp_path / "notebooks/01.html").read_text("utf-8"),
                         "html.parser")
    assert [link["href"] for link in page.select("a[href]")] == ["x"]
    assert finish.least_width("<svg viewBox='0 0 1 1'></svg>") == 0


def test_the_pdf_has_every_page_with_numbers_that_run_on(tmp_path, capsys):
    if not pages.browser_path():
        pytest.skip("there is no Chromium or Chrome on this machine")
    folder = write_site(tmp_path / "site")
    text = re.sub('href="[#o][^"]*"', "", GOOD).replace("</main>", """
        <nav class="bd-links">
        <a class="reference" href="../book/index.html">1</a>
        <a class="reference" href="../book/two.html#there">2</a></nav>
        <article><a href="two.html">on</a></article></main>""")
    for name in ("index", "two"):
        (folder / "book").mkdir(exist_ok=True)
        (folder / f"book/{name}.html").write_text(
            re.sub("<h1[^>]*>[^<]*", f"<h1>Page {name}", text), "utf-8")
    target = tmp_path / "book.pdf"
    count = pdf.bind(folder, target)
    told = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[:4] for line in told] == [
        [str(number), "of", "4", f"book/{name}.html"]
        for number, name in enumerate(["index", "two"] * 2, 1)]
    book = PdfReader(io.BytesIO(target.read_bytes()))
    words = [page.extract_text() for page in book.pages]
    assert count == len(words) == 3
    assert [part.title for part in book.outline] == ["Contents", "Page index",
                                                    "Page two"]
    assert re.search(r"Page index\s*2\s*Page two\s*3", words[0])
    links = [note.get_object().get("/A", {}).get("/URI", "")
             for note in book.pages[1]["/Annots"]]
    assert pdf.site(pdf.ROOT) + "book/two.html" in links
    assert not [link for link in links if "127.0.0.1" in link]


GLOSSARY = """<html><body><dl class="simple glossary"><dt id="term-key">key<a
href="#term-key">#</a></dt><dt id="term-Keys">keys</dt><dd><p><span lang="ko">키</span>
What a query is &lt;compared&gt; with. <a href="../notebooks/01.html">Chapter
01</a></p></dd><dt id="term-map">map</dt><dd><p>A table.</p></dd></dl></body></html>"""


def test_a_page_carries_the_meanings_of_the_terms_that_it_links_to(tmp_path):
    linked = PAGE.replace("</body>", """<a href="../book/glossary.html#term-Keys">k</a>
        <a href="../book/glossary.html#term-none">n</a></body>""")
    folder = site(tmp_path, linked)
    (folder / "book").mkdir()
    (folder / "book/glossary.html").write_text(GLOSSARY, "utf-8")
    finish.finish_pages(folder)
    text = (folder / "notebooks/01.html").read_text("utf-8")
    data = BeautifulSoup(text, "html.parser").select_one("#terms").string
    assert "<" not in data
    assert json.loads(data) == {"term-Keys": "What a query is <compared> with."}
    assert "terms" not in (folder / "book/glossary.html").read_text("utf-8")
