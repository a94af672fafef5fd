"""Icons without a script, figures that open, the PDF and the EPUB."""

import io
import json
import os
import re
import shutil
import sysconfig
import zipfile
from pathlib import Path

import environment
import epub
import finish
import pages
import pdf
import pytest
from bs4 import BeautifulSoup
from lxml import etree
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


def test_no_line_begins_with_the_comma_behind_a_formula_or_breaks_short_code(tmp_path):
    def math(formula):
        return f'<span class="math notranslate nohighlight">\\({formula}\\)</span>'

    def code(text):
        return f'<code class="docutils literal notranslate">{text}</code>'

    parts = [f"({math('a')}), ", f"{math('b')} and ", f"{math('c')}. ",
             code('<span class="pre">[B,</span> <span class="pre">S]</span>'),
             code("x" * 20), code("&lt;" * 20), code("x" * 21)]
    finish.finish_pages(site(tmp_path, PAGE + "".join(parts)))
    page = BeautifulSoup((tmp_path / "notebooks/01.html").read_text("utf-8"),
                         "html.parser")
    assert [part.get_text() for part in page.select(".whole")] == [
        "(\\(a\\)),", "\\(c\\).", "[B, S]", "x" * 20, "<" * 20]
    assert page.get_text().endswith("[B, S]" + "x" * 20 + "<" * 20 + "x" * 21)


def test_no_line_breaks_within_an_option_a_shape_or_a_number(tmp_path):
    def word(text):
        return f'<span class="pre">{text}</span>'

    article = (
        '<article class="bd-article"><h2 title="12-3">Exercise 12-3: 1e-9</h2>'
        "<p>Its [B, H, T, S], not [a, b], C1-2 or 2012-3; <em>-eul</em>, <em>a-b</em>"
        '</p><span class="math notranslate nohighlight">\\([B, S]\\)</span>'
        '<pre>[B, S]</pre><code class="docutils literal notranslate">'
        f'{word("python")} {word("--" + "x" * 19)} {word("--text")} {word("FILE")}'
        '</code><div class="highlight-text notranslate"><div class="highlight"><pre>'
        f"<span></span>run a-b --{'y' * 19} -x 2\n--z\n</pre></div></div></article>")
    finish.finish_pages(site(tmp_path, PAGE + article + "<p>12-3</p>"))
    page = BeautifulSoup((tmp_path / "notebooks/01.html").read_text("utf-8"),
                         "html.parser")
    assert [part.get_text() for part in page.select(".whole")] == [
        "12-3", "1e-9", "[B, H, T, S]", "C1-2", "-eul", "python", "--text", "FILE",
        "a-b", "-x", "--z"]
    plain = BeautifulSoup(article, "html.parser")
    assert page.article.get_text() == plain.get_text()
    assert page.h2["title"] == "12-3"


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


def folded(code, behind="", tags="tag_hide-input"):
    """A cell that is folded, as the engine writes it."""
    return f"""<div class="cell {tags} docutils container">
<details class="admonition hide above-input">
<summary>
<p class="collapsed admonition-title">Show</p>
</summary>
<div class="cell_input docutils container">
<div class="highlight-ipython3"><div class="highlight"><pre>{code}</pre></div>
</div>
</div>
</details>
{behind}</div>
"""


PRINTED = '<div class="cell_output docutils container"><pre>3</pre></div>\n'


@pytest.mark.parametrize("cells, folds", [
    (folded("a") + folded("b") + folded("c", PRINTED) + folded("d"), ["abc", "d"]),
    (folded("a", tags="tag_hide-input tag_settles") + folded("b"), ["ab"]),
    (folded("a") + "<p>Text.</p>\n" + folded("b"), ["a", "b"]),
    ('<div class="lines">\n<details>\n<summary>Lines</summary>\n<pre>a</pre>\n'
     "</details>\n</div>\n" + folded("b"), ["a", "b"])])
def test_folded_cells_that_follow_each_other_are_one_fold(tmp_path, cells, folds):
    finish.finish_pages(site(tmp_path, PAGE + f"<article>{cells}</article>"))
    text = (tmp_path / "notebooks/01.html").read_text("utf-8")
    article = BeautifulSoup(text, "html.parser").article
    assert ["".join(code.get_text() for code in fold.select("pre"))
            for fold in article.select("details")] == folds
    assert len(article.select("summary")) == len(folds)
    assert text.count("<div") == text.count("</div>")


def test_a_figure_opens_full_size_and_is_as_wide_as_its_labels_need(tmp_path):
    finish.finish_pages(site(tmp_path))
    page = BeautifulSoup((tmp_path / "notebooks/01.html").read_text("utf-8"),
                         "html.parser")
    image = page.select_one("a.full img")
    assert image.parent["href"] == "../_images/a.svg" and image["alt"] == "Two labels."
    # 8 of 400 units are to be 9 pixels
    assert image["style"] == "min-width: 450px"
    wide = PAGE.replace("<img", '<img style="width: 500px;"')
    wide = re.sub('(<img)( style="[^"]*")([^>]*)>', r"\1\3\2>", wide)
    finish.finish_pages(site(tmp_path, wide))
    text = (tmp_path / "notebooks/01.html").read_text("utf-8")
    assert re.findall('style="[^"]*px[^"]*"', text) == [
        'style="min-width: 450px; width: 500px;"']
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


CHAPTER = r"""<!DOCTYPE html><html><body><nav class="bd-links"><p class="caption">Part I
</p><ul><li><a class="reference" href="../notebooks/02.html">02</a></li></ul></nav>
<article class="bd-article"><section id="two"><h1>Two &amp; three<a class="headerlink"
href="#two">#</a></h1><script>1 &lt; 2</script><p>개 <code>a &lt; b</code><br>
<span class="math">\(q_1 &lt; 2\)</span></p><div class="math">\[\frac{1}{2}\]</div>
<section id="ask"><h2>Ask</h2><p hidden>Seen.</p><live-one class="live-figure">
</live-one><book-part><p>Static.</p></book-part><figure><a class="full"
href="../_images/a.svg"><img alt="Two labels." src="../_images/a.svg"
style="min-width: 450px"></a></figure></section><details><summary
aria-label="Hint, exercise 02-1">Hint</summary><p>Halve it.</p></details>
<details class="hide"><summary>Show the check</summary><pre>1</pre></details>
<a href="../notebooks/02.html#ask">on</a> <a href="../search.html">search</a>
<a href="https://arxiv.org/abs/1">paper</a></section></article></body></html>"""


def bound(folder):
    """The files of an EPUB of two pages, by their names."""
    if not pages.browser_path():
        pytest.skip("there is no Chromium or Chrome on this machine")
    site(folder, CHAPTER)
    for name in ("book/index.html", "notebooks/02.html"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(CHAPTER, "utf-8")
    (folder / "_static/pygments.css").write_text(
        'html[data-theme="light"] .highlight .k { color: #6730C5 }\n'
        'html[data-theme="dark"] .highlight .k { color: #fff }\n', "utf-8")
    (folder / "assets/mathjax").mkdir(parents=True)
    shutil.copy(Path(sysconfig.get_path("purelib")) / "sphinx-mathjax-offline/static"
                "/mathjax/tex-mml-chtml.js", folder / "assets/mathjax")
    assert epub.bind(folder, folder / "book.epub") == 2
    with zipfile.ZipFile(folder / "book.epub") as book:
        first = book.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
        return {name: book.read(name).decode() for name in book.namelist()}


def test_the_epub_has_every_page_with_formulas_and_open_folds(tmp_path, capsys):
    files = bound(tmp_path)
    assert [line.split() for line in capsys.readouterr().out.splitlines()][:2] == [
        ["1", "of", "2", "book/index.html"], ["2", "of", "2", "notebooks/02.html"]]
    for name, text in files.items():    # each is XML
        if name.endswith((".xhtml", ".opf", ".xml")):
            etree.fromstring(text.encode())
    page = BeautifulSoup(files["book/notebooks/02.xhtml"], "xml")
    inline, display = page.select("math")
    assert [one.name for one in inline.find_all(True)] == ["msub", "mi", "mn", "mo",
                                                           "mn"]
    assert inline["alttext"] == "q_1 < 2" and "display" not in inline.attrs
    assert display["display"] == "block" and display.select("mfrac mn")
    assert "개" in page.select_one("p").text
    assert page.select_one("title").text == "Two & three"
    assert not page.select("script, details, nav, live-one, book-part, [hidden]")
    assert [part.text for part in page.select(".fold-head")] == [
        "The check of what the text claims", "Exercise 02-1: hint"]
    assert page.select_one("#hints-and-answers").text.endswith("Halve it.")
    assert "Static." in page.text
    assert [link["href"] for link in page.select("a")] == [
        "../notebooks/02.xhtml#ask", "https://arxiv.org/abs/1"]
    image = page.select_one("img")
    assert image["alt"] == "Two labels." and "style" not in image.attrs
    assert files["book/_images/a.svg"] == DRAWING
    style = files["book/book.css"]
    assert "\n.highlight .k { color: #6730C5 }\n" in style and "#fff" not in style
    contents = BeautifulSoup(files["book/contents.xhtml"], "xml")
    assert [link["href"] for link in contents.select("a")][3:] == [
        "notebooks/02.xhtml", "notebooks/02.xhtml#ask",
        "notebooks/02.xhtml#hints-and-answers"]
    assert contents.select_one("li > span").text == "Part I"
    listed = BeautifulSoup(files["book/package.opf"], "xml").select("item")
    assert {f"book/{one['href']}" for one in listed} == (
        set(files) - {"mimetype", "META-INF/container.xml", "book/package.opf"})
    assert [one.get("properties") for one in listed] == ["mathml", "mathml", None, None,
                                                         "nav"]


@pytest.mark.skipif(os.name == "nt", reason="scripts are others there")
def test_an_epub_that_epubcheck_refuses_is_not_written(tmp_path, monkeypatch):
    refusing = tmp_path / "bin/epubcheck"
    refusing.parent.mkdir()
    refusing.write_text("#!/bin/sh\nexit 1\n")
    refusing.chmod(0o755)
    monkeypatch.setenv("PATH", str(refusing.parent), prepend=":")
    with pytest.raises(environment.Stop, match="epubcheck does not accept"):
        bound(tmp_path / "site")
    assert not list(tmp_path.rglob("*.epub*"))


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
