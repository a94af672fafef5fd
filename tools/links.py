"""The links that `make quotes` writes, so that they work wherever a notebook is read.

A mention of a chapter leads to its notebook, a citation to its DOI or to the page of
the paper, a term to the glossary of the site, as other pages of the book do. On the
site they stay inside it: `on_the_site` says how.
"""

import re
from collections import namedtuple
from functools import cache

Entry = namedtuple("Entry", "key authors year address")
ENTRY = re.compile(r"^@\w+\{([^,\s]+),(.*?)^\}", re.DOTALL | re.MULTILINE)
# what no link may stand in
KEPT = re.compile(
    r"^```.*?^```$|^#[^\n]*$|<summary>.*?</summary>|<!--.*?-->|!?\[[^\]]*\]\([^)]*\)|"
    r"(`+)(?!`).*?\1|\$\$.*?\$\$|\$[^$\n]+\$|<[^>]+>", re.DOTALL | re.MULTILINE)
CHAPTERS = re.compile(r"\b([Cc]hapter)(s?) (\d\d(?:(?:, | and | to | or )\d\d)*)\b")
CITATION = re.compile(r"(?<!!)\[([^\]]*\b(?:19|20)\d\d)\]\(([^)\s]+)\)")
PAGE = re.compile(r"\]\((?:\.\./book/(\w+)\.md|https?://[^)\s]*/book/(\w+)\.html)(?=[)#])")
BIBLIOGRAPHY = "book/bibliography.html"


def setting(name, root):
    """A line `name: value` of _config.yml."""
    text = (root / "_config.yml").read_text(encoding="utf-8")
    match = re.search(rf"^\s*{name}: (\S+)", text, re.MULTILINE)
    if not match:
        raise ValueError(f"_config.yml needs a line {name}: ...")
    return match[1]


def site(root):
    """The address of the published site; it ends on a slash."""
    return setting("baseurl", root)


def bibliography(root):
    """Each Entry of references.bib: all authors' family names; address or None."""
    return entries((root / "book/references.bib").read_text(encoding="utf-8"))


@cache
def entries(text):
    """The same of its text: every cell of the book asks for it."""
    found = []
    for key, body in ENTRY.findall(text):
        field = {name: re.search(rf"\b{name}\s*=\s*\{{(.*?)\}},?\s*(?=\n +\w+ *=|\Z)",
                                 body, re.DOTALL)
                 for name in ("author", "year", "doi", "url")}
        told = {name: match[1].strip() for name, match in field.items() if match}
        authors = [name.partition(",")[0].split()[-1]
                   for name in re.split(r"\s+and\s+", told.get("author", "?"))]
        address = told.get("url")
        if "doi" in told:
            address = f"https://doi.org/{told['doi']}"
        found.append(Entry(key, authors, told.get("year", ""), address))
    return tuple(found)


def cited(words, entries, address=None):
    """The Entry of a citation such as "Vaswani et al. 2017", or None.

    first author and year decide; where they fit several, the address that it leads to
    does, and then the other names
    """
    first = re.split(r",| and | et al| \d", words)[0].split()[-1]
    fits = [entry for entry in entries
            if words.endswith(entry.year) and entry.authors[0] == first]
    unnamed = 0 if " et al" in words else -1
    return max(fits, default=None, key=lambda entry: (entry.address == address, sum(
        1 if name in words else unnamed for name in entry.authors)))


def outside(text, pattern, write):
    """Rewrites what the pattern finds, but nothing within code, headings, links."""
    parts, end = [], 0
    for kept in KEPT.finditer(text):
        parts += [pattern.sub(write, text[end:kept.start()]), kept[0]]
        end = kept.end()
    return "".join([*parts, pattern.sub(write, text[end:])])


def linked(text, name, root, folder=""):
    """Markdown with the links of chapters, citations and terms written afresh.

    name is the file that holds it; folder leads from there to the notebooks
    """
    files = {path.name[:2]: path.name for path in (root / "notebooks").glob("*.ipynb")}
    known = bibliography(root)

    def leads(number, words):
        file = files.get(number, name)
        return words if file == name else f"[{words}]({folder}{file})"

    def chapters(match):
        if not match[2]:
            return leads(match[3], f"{match[1]} {match[3]}")
        numbers = re.sub(r"\d\d", lambda number: leads(number[0], number[0]), match[3])
        return f"{match[1]}s {numbers}"

    def citation(match):
        entry = cited(match[1], known, match[2])
        own = f"{site(root)}{BIBLIOGRAPHY}#{entry.key}" if entry else match[2]
        return f"[{match[1]}]({entry and entry.address or own})"

    def page(match):
        return f"]({site(root)}book/{match[1] or match[2]}.html"

    text = CITATION.sub(citation, outside(text, CHAPTERS, chapters))
    return PAGE.sub(page, text) if name.endswith(".ipynb") else text


def on_the_site(text, root):
    """Markdown of a chapter for the site: citations and terms lead to its own pages."""
    keys = {entry.address: entry.key for entry in bibliography(root)}

    def inside(match):
        page = match[2].removeprefix(site(root))
        if match[2] in keys:
            page = f"{BIBLIOGRAPHY}#{keys[match[2]]}"
        if page == match[2]:
            return match[0]
        return f'<a class="reference internal" href="../{page}">{match[1]}</a>'

    return re.sub(r"(?<!!)\[([^\]]+)\]\((https?://[^)\s]+)\)", inside, text)
