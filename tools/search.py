"""Writes what the site's search knows: every section of every page, and every term.

    python tools/search.py FOLDER    from the built pages of FOLDER, into its _static

`static/search.js` reads it, and says there how a query is compared with it.
"""

import json
import re
import sys
from pathlib import Path

from bs4 import BeautifulSoup
from environment import script

COPIED = "book/quick_reference.html"    # its sections stand in the chapters too
ASKED = Path(__file__).resolve().parent.parent / "tests/asked"
LEFT_OUT = (".headerlink, .cell_output, .copybtn, script, style, svg, .math, "
            "div.tag_hide-input, .recall, .related")


def sections(article):
    """Anchor, heading, own prose and own code of each section: without those inside."""
    for section in article.select("section[id]"):
        heading = section.find(["h1", "h2", "h3", "h4"])
        code = [block.extract() for block in section.select("pre")
                if block.find_parent("section") is section]
        parts = [part for part in section.find_all(recursive=False)
                 if part is not heading and part.name != "section"
                 and not part.get_text().startswith("Open in Colab")]
        yield (section["id"], heading.get_text(),
               *(" ".join(" ".join(part.get_text(" ") for part in some).split())
                 for some in (parts, code)))


def terms(article):
    """Each entry of the glossary: its names, its Korean ones last, anchor, place, text.

    The place is the link that the definition ends on: page and anchor
    """
    names = []
    for part in article.select("dl.glossary > dt, dl.glossary > dd"):
        if part.name == "dt":
            names.append(part)
            continue
        place = part.select("a[href]")[-1]["href"].removeprefix("../")
        text = " ".join(part.get_text(" ").split())
        told = [name.get_text() for name in [*names, part.select_one("[lang=ko]")]]
        # "rotary position (RoPE)" is found by either
        split = [half.strip(" )") for name in told for half in name.split("(")]
        yield split, names[0]["id"], place, text
        names = []


def asked(name):
    """Of a page of answers: the words in which each question was asked, by the letters
    of its heading; a page turns quotes and apostrophes."""
    file = ASKED / f"{Path(name).stem}.tsv"
    if not name.startswith("book/asked/") or not file.exists():
        return {}
    rows = (line.split("\t") for line in file.read_text("utf-8").splitlines()
            if line and not line.startswith("#"))
    return {re.sub(r"\W", "", question): words for question, words, *_ in rows}


def index(folder):
    """All that the search compares a query with."""
    pages, rows, words = [], [], []
    for file in sorted(folder.rglob("*.html")):
        soup = BeautifulSoup(file.read_text("utf-8"), "html.parser")
        article = soup.select_one("article.bd-article")
        name = file.relative_to(folder).as_posix()
        if article is None or article.find("h1") is None or name == "search.html":
            continue
        for unwanted in article.select(LEFT_OUT):
            unwanted.decompose()
        if name == "book/glossary.html":
            words = list(terms(article))
        found, told = sections(article), asked(name)
        rows += [(len(pages), *section,
                  *filter(None, [told.get(re.sub(r"\W", "", section[1]))]))
                 for section in ([next(found)] if name == COPIED else found)]
        pages.append((name, article.find("h1").get_text()))
    return {"pages": pages, "sections": rows, "terms": words}


def write(folder):
    """Writes the index of a built site; returns it."""
    found = index(folder)
    told = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    (folder / "_static/search-index.js").write_text(f"bookIndex = {told}\n", "utf-8")
    return found


if __name__ == "__main__":
    with script():
        write(Path(sys.argv[1]))
