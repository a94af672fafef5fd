"""What the site adds: its search index, the feed, and how notebooks are turned."""

import json
import re
import types
import xml.etree.ElementTree as xml

import online
import pytest
import search
from books import ROOT
from bs4 import BeautifulSoup

PAGE = """<article class="bd-article"><section id="top"><h1>07 · Look again<a
class="headerlink">#</a></h1><p>Open in Colab · Source</p><p>First <b>words</b>.</p>
<section id="inner"><h2>Inside</h2><p>Within.</p><pre>x = 1</pre>
<div class="cell_output">out</div><div class="recall"><p>Asked.</p></div>
<div class="tag_hide-input">assert</div></section></section></article>"""
GLOSSARY = """<article class="bd-article"><section id="glossary"><h1>Glossary</h1>
<dl class="glossary"><dt id="term-KV-cache">KV cache</dt><dt id="term-b">cache (KV)</dt>
<dd><p><span lang="ko">키-값 캐시(KV 캐시)</span> Kept keys. <a
href="../notebooks/18_cache.html#one">Chapter 18</a></p></dd></dl></section></article>
"""
CHANGES = """# Changes

## Unreleased

- not yet

## 0.2.0 (5 December 2026)

- **Search** & more.

## 0.1.0 (20 November 2026)

- The course.
"""


@pytest.fixture
def folder(tmp_path):
    for name, text in {"notebooks/07_a.html": PAGE, "book/glossary.html": GLOSSARY,
                       "search.html": PAGE, "lost.html": "<p>no article</p>"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_the_index_holds_each_section_once_and_no_output(folder):
    found = search.index(folder)
    assert found["pages"] == [("book/glossary.html", "Glossary"),
                              ("notebooks/07_a.html", "07 · Look again")]
    assert found["sections"][1:] == [
        (1, "top", "07 · Look again", "First words .", ""),
        (1, "inner", "Inside", "Within.", "x = 1")]


def test_an_answer_is_indexed_with_the_words_in_which_it_was_asked(folder, tmp_path,
                                                                   monkeypatch):
    (folder / "book/asked").mkdir()
    (folder / "book/asked/a.html").write_text(
        PAGE.replace("Inside", "Inside ‘it’"), "utf-8")
    (tmp_path / "a.tsv").write_text("# ...\n`Inside` 'it'\tWhat is in it?\tsomewhere\n",
                                    "utf-8")
    monkeypatch.setattr(search, "ASKED", tmp_path)
    assert [section[5:] for section in search.index(folder)["sections"]
            if "Inside" in section[2]] == [("What is in it?",), ()]


def test_a_term_is_found_by_each_of_its_names_and_leads_to_its_section(folder):
    [(names, anchor, place, text)] = search.index(folder)["terms"]
    assert names == ["KV cache", "cache", "KV", "키-값 캐시", "KV 캐시"]
    assert (anchor, place) == ("term-KV-cache", "notebooks/18_cache.html#one")
    assert "Kept keys." in text


def test_the_feed_has_the_releases_and_not_what_is_unreleased():
    tree = xml.fromstring(online.feed(CHANGES, "https://a.github.io/b/"))
    space = "{http://www.w3.org/2005/Atom}"
    titles = [entry.findtext(f"{space}title") for entry in tree.iter(f"{space}entry")]
    assert titles == ["0.2.0 (5 December 2026)", "0.1.0 (20 November 2026)"]
    assert tree.findtext(f"{space}updated") == "2026-12-05T00:00:00Z"
    assert "not yet" not in xml.tostring(tree, "unicode")
    own = (ROOT / "CHANGELOG.md").read_text("utf-8")
    xml.fromstring(online.feed(own, "https://a.github.io/b/"))


@pytest.mark.parametrize("owner", [True, False])
def test_a_notebook_on_the_site_has_its_links_and_its_folds_named(owner, monkeypatch):
    monkeypatch.setattr(online, "has_owner", lambda *given, **more: owner)
    cells = [{"cell_type": "markdown", "metadata": {"tags": ["hint", "07-1"]},
              "source": ["<details>\n<summary>Hint</summary>\n", "Add.</details>"]},
             {"cell_type": "markdown", "metadata": {"tags": ["exercise-text", "07-1"]},
              "source": ["Add 1."]},
             {"cell_type": "code", "metadata": {}, "source": ["1 + 1"]},
             {"cell_type": "markdown", "metadata": {"tags": ["quiz"]},
              "source": ["<summary>Answer</summary>" * 2]},
             {"cell_type": "code", "metadata": {"tags": ["exercise-check", "07-1"]},
              "source": [], "outputs": [{"output_type": "execute_result", "data": {
                  "text/plain": "07-1 passed", "text/html": "<b>passed</b>"}}]}]
    source = [json.dumps({"cells": cells})]
    online.turn_notebook(None, "notebooks/07_attention", source)
    *told, check = json.loads(source[0])["cells"]
    hint, exercise, code, quiz = (cell["source"] for cell in told)
    assert check["outputs"][0]["data"] == {"text/plain": "07-1 passed"}
    assert '<summary aria-label="Hint, exercise 07-1">Hint</summary>' in hint
    assert [f'aria-label="Answer, question {number} of the quiz"' in quiz
            for number in (1, 2, 3)] == [True, True, False]
    solve = "\n\n[Solve it on Colab](https://colab." if owner else ""
    assert exercise.startswith(f"Add 1.{solve}") and code == ["1 + 1"]
    assert exercise.endswith("notebooks/07_attention.ipynb)" if owner else "Add 1.")


CELL = """<pre><span></span><span class="c1"># src/softdict/{0}</span>
{1}<span class="k">def</span><span class="w"> </span><span class="nf">{2}</span>()
</pre><pre><span class="c1"># src/softdict/masks.py</span>
<span class="o">...</span></pre>"""


@pytest.mark.parametrize("file, before, name", [
    ("lookup.py", "", "lookup"),
    ("texts/real_text.py", '<span class="kn">import</span> a\n\n', "split_by_source"),
    ("transformer.py", "", "Embedding")])
def test_a_quote_leads_to_its_source_once_that_has_an_address(file, before, name,
                                                              monkeypatch):
    text = CELL.format(file, before, name)
    text = text.replace("def", "class").replace("nf", "nc") if name[0] < "a" else text
    context = {"body": text}
    monkeypatch.setattr(online, "repository",
                        lambda *given, **more: ("https://a.org/b", "made"))
    monkeypatch.setattr(online, "has_owner", lambda *given, **more: False)
    online.link_quotes(None, "notebooks/07_a", None, context, True)
    page = BeautifulSoup(context["body"], "html.parser")
    assert page.get_text() == BeautifulSoup(text, "html.parser").get_text()
    assert not page.select("a")
    known = json.loads(page.select_one(".c1")["data-defined"])
    context["body"] = text
    monkeypatch.setattr(online, "has_owner", lambda *given, **more: True)
    online.link_quotes(None, "notebooks/07_a", None, context, True)
    page = BeautifulSoup(context["body"], "html.parser")
    assert page.get_text() == BeautifulSoup(text, "html.parser").get_text()
    first, second = (link["href"] for link in page.select(".c1 > a"))
    assert second == "https://a.org/b/blob/made/src/softdict/masks.py"
    address, _, line = first.partition("#L")
    assert address == f"https://a.org/b/blob/made/src/softdict/{file}"
    lines = (ROOT / "src/softdict" / file).read_text("utf-8").splitlines()
    assert re.match(rf"(def|class) {name}\b", lines[int(line) - 1])
    signature = ("    def __init__(self, vocab_size, config):" if name == "Embedding"
                 else "")
    assert known == {name: [int(line), signature]}


@pytest.mark.parametrize("owner", [True, False])
def test_no_link_of_a_page_leads_to_a_repository_that_nobody_has(owner, monkeypatch):
    monkeypatch.setattr(online, "has_owner", lambda *given, **more: owner)
    monkeypatch.setattr(online, "repository",
                        lambda *given, **more: ("https://a.org/-/b", ""))
    there = '<a class="reference external" href="https://a.org/c">there</a>'
    gone = ('<a class="reference external" href="https://a.org/-/b/issues">open\n'
            "<em>an</em> issue</a>")
    context = {"body": f"<p>{gone}, or {there}.</p>"}
    online.without_owner(None, "book/how_to_use", None, context, True)
    wanted = gone if owner else "open\n<em>an</em> issue"
    assert context["body"] == f"<p>{wanted}, or {there}.</p>"


@pytest.mark.parametrize("owner", [True, False])
def test_a_page_offers_no_repository_that_nobody_has(owner, monkeypatch):
    monkeypatch.setattr(online, "has_owner", lambda *given, **more: owner)
    footer = '<p><a class="report" href="r">R</a>\n· <a>Ask</a></p>\n<p>Licence</p>'
    options = {"launch_buttons": {"colab_url": "c"}, "use_repository_button": True,
               "use_issues_button": True, "extra_footer": footer}
    config = types.SimpleNamespace(html_theme_options=dict(options))
    monkeypatch.setattr(online, "version", lambda *given, **more: "1.2")
    online.offer_what_is_there(None, config)
    told = footer.replace("report", 'report" data-version="1.2', 1)
    wanted = {"extra_footer": told} if owner else {
        "launch_buttons": {}, "use_repository_button": False,
        "use_issues_button": False, "extra_footer": "<p>Licence</p>"}
    assert config.html_theme_options == options | wanted


def test_the_page_for_wrong_addresses_asks_for_nothing():
    page = BeautifulSoup(online.LOST.format(site="https://a.github.io/b/"),
                         "html.parser")
    assert not page.select("[src], link")
    assert {link["href"] for link in page.select("a")} == {
        "https://a.github.io/b/", "https://a.github.io/b/search.html"}
