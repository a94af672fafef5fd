"""The links that make quotes writes: each form once, and what must stay as it is."""

import re

import links
import notebooks as files
import pytest
from books import ROOT

SITE = "https://a.github.io/b/"


@pytest.fixture
def linked(sample):
    """Writes links into a text of chapter 01; there is a chapter 02 too."""
    sample.write("notebooks/02_more.ipynb",
                 sample.path.read_text(encoding="utf-8").replace("# 01", "# 02"))
    return lambda text: links.linked(text, "01_sample.ipynb", sample.root)


@pytest.mark.parametrize("text, wanted", [
    ("As chapter 02 says.", "As [chapter 02](02_more.ipynb) says."),
    ("Chapter 02's end.", "[Chapter 02](02_more.ipynb)'s end."),
    ("In chapters 01 and 02.", "In chapters 01 and [02](02_more.ipynb)."),
    ("Chapters 02, 02 to 02!", "Chapters [02](02_more.ipynb), [02](02_more.ipynb) to "
                               "[02](02_more.ipynb)!"),
    ("In chapter 01 itself.", None), ("Not in chapter 19.", None),
    ("## To chapter 02", None), ("`chapter 02`", None), ("$chapter 02$", None),
    ("```python\nchapter 02\n```", None), ("[see chapter 02](https://x.org)", None),
    ("<summary>From chapter 02</summary>", None),
    ("[Vaswani et al. 2017](../book/bibliography.md), 3",
     "[Vaswani et al. 2017](https://a.org/1), 3"),
    ("[Vaswani 2017](https://old.org)", "[Vaswani 2017](https://a.org/1)"),
    ("[Nobody 1999](https://x.org)", None),
    ("a [key](https://o.github.io/n/book/glossary.html#term-key)",
     f"a [key]({SITE}book/glossary.html#term-key)"),
    ("[its page](../book/notation.md)", f"[its page]({SITE}book/notation.html)"),
])
def test_each_link_is_written_where_it_belongs(text, wanted, linked):
    once = linked(text)
    assert once == (wanted or text)
    assert linked(once) == once


def test_the_first_author_decides_and_then_the_others():
    def entry(key, *authors):
        return links.Entry(key, list(authors), "2014", None)

    known = [entry("many", "Cho", "Bengio", "Gulcehre", "Le"),
             entry("two", "Cho", "Bengio"), entry("le", "Le", "Cho")]
    for words, key in [("Cho et al. 2014", "many"), ("Cho and Bengio 2014", "two"),
                       ("Le and Cho 2014", "le"), ("*Le* et al. 2014", None)]:
        found = links.cited(words, known)
        assert (found and found.key) == key


def test_of_two_works_by_the_same_authors_in_a_year_the_address_decides(sample):
    known = [links.Entry(key, ["Cho", "Le"], "2014", f"https://a.org/{key}")
             for key in ("one", "two")]
    for key in ("one", "two"):
        assert links.cited("Cho and Le 2014", known, f"https://a.org/{key}").key == key
    assert links.cited("Cho and Le 2014", known, "https://b.org").key == "one"
    sample.edit("book/references.bib", "@", "@misc{other,\n  author = {Vaswani, A.},\n"
                "  year = {2017},\n  url = {https://a.org/2},\n}\n\n@")
    for number in "12":
        text = f"[Vaswani 2017](https://a.org/{number})"
        assert links.linked(text, "01_sample.ipynb", sample.root) == text


def test_on_the_site_links_stay_inside_it(sample):
    text = (f"[one](https://a.org/1), a **[key]({SITE}book/glossary.html#term-key)** "
            "and [out](https://other.org)")
    assert links.on_the_site(text, sample.root) == (
        '<a class="reference internal" href="../book/bibliography.html#v17">one</a>, '
        'a **<a class="reference internal" href="../book/glossary.html#term-key">key'
        "</a>** and [out](https://other.org)")


def test_an_entry_is_read_whole():
    known = {entry.key: entry for entry in links.bibliography(ROOT)}
    assert known["cho2014"].authors[-1] == "Bengio" and known["cho2014"].year == "2014"
    assert known["nadaraya1964"].address.startswith("https://doi.org/10.")
    assert all(entry.year for entry in known.values())


def test_nothing_of_the_book_leads_out_of_the_notebooks_folder():
    """A relative link to anything but a notebook is dead in a copy; pictures have their
    address on the site there."""
    for path in files.paths():
        for cell in files.with_addresses(files.read(path)).cells:
            if cell.cell_type == "markdown":
                for target in re.findall(r"\]\(([^)\s]+)\)", links.KEPT.sub(
                        lambda kept: "" if kept[0][0] in "`$" else kept[0],
                        cell.source)):
                    assert re.match(r"https://|#|\w+\.ipynb(#[\w-]+)?$", target), (
                        path, target)


def imports():
    """What the pages import from the package, as in their commands: (module, name)."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("book/**/*.md")]
    return sorted({(module, name.strip()) for page in pages for module, names in
                   re.findall(r"from (softdict[\w.]*) import (\w+(?:, *\w+)*)",
                              page.read_text(encoding="utf-8"))
                   for name in names.split(",")})


@pytest.mark.parametrize("module, name", imports())
def test_what_a_page_imports_is_there(module, name):
    exec(f"from {module} import {name}", {})
