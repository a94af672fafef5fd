"""The whole book as one PDF, from the built pages: python tools/pdf.py FOLDER FILE.pdf

A Chromium or Chrome prints page by page; pypdf binds them, with an outline of all
headings, numbers that run through the book, and a page of contents. Links lead to the
site.
"""

import io
import sys
from html import escape
from pathlib import Path

from environment import script
from links import site
from pages import Browser, browser_path
from pypdf import PdfReader, PdfWriter

ROOT = Path(__file__).resolve().parent.parent
OUTWARD = """address => {
    for (const link of document.querySelectorAll('a[href]')) {
        const full = new URL(link.getAttribute('href'), location.href);
        if (full.origin !== location.origin) continue;
        const place = full.href.slice(full.origin.length + 1);
        link.setAttribute('href', address + place);
    }
}"""
PAGES = "() => [...document.querySelectorAll('.bd-links a.reference')].map(a => a.href)"
CONTENTS = """<!DOCTYPE html><html lang="en"><title>Contents</title>
<style>body {{ font: 11pt/1.7 Charter, Georgia, 'Liberation Serif', serif }}
h1 {{ font-size: 22pt }} td:last-child {{ text-align: right; width: 3em }}
table {{ width: 100%; border-collapse: collapse }}</style>
<h1>From Dictionary to Transformer</h1><p>A course in running code</p>
<table>{rows}</table>"""
ROW = "<tr><td>{title}</td><td>{page}</td></tr>"
NUMBERED = ("@page {{ @bottom-center {{ content: counter(page); }} }} "
            "html {{ counter-reset: page {before}; }}")


def bind(folder, target):
    """Writes the book's pages, in the order of the sidebar, into one PDF."""
    with Browser(folder) as browser:
        page = browser.open("book/index.html", [])
        addresses = dict.fromkeys(["book/index.html"] + [
            href.removeprefix(browser.address).partition("#")[0]
            for href in page.evaluate(PAGES) if href.startswith(browser.address)])
        page.close()
        # twice: how many pages stand before a chapter is known after the first time
        parts = []
        for number, name in enumerate(addresses, 1):
            parts.append(printed(browser, name, 0))
            print(f"    {number} of {2 * len(addresses)}   {name}", flush=True)
        contents = contents_page(browser, parts, 1)
        start = len(PdfReader(io.BytesIO(contents)).pages)
        numbered, before = [], start
        for number, (name, (_, _, count)) in enumerate(
                zip(addresses, parts), len(parts) + 1):
            numbered.append(printed(browser, name, before))
            print(f"    {number} of {2 * len(parts)}   {name}", flush=True)
            before += count
        contents = contents_page(browser, numbered, start + 1)
    book = PdfWriter()
    book.append(io.BytesIO(contents), outline_item="Contents")
    for title, content, _ in numbered:
        book.append(io.BytesIO(content), outline_item=title)
    book.add_metadata({"/Title": "From Dictionary to Transformer",
                       "/Author": "The softdict authors"})
    book.compress_identical_objects()    # each part brought the same fonts
    book.write(target)
    return len(book.pages)


def printed(browser, name, before):
    """Title, PDF and number of pages of one page of the site, after `before` pages."""
    page = browser.open(name, [], width=1200)
    page.add_style_tag(content=NUMBERED.format(before=before))
    page.evaluate(OUTWARD, site(ROOT))
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    title = page.locator("h1").first.evaluate("head => head.firstChild.textContent")
    content = page.pdf(prefer_css_page_size=True, print_background=True, tagged=True)
    page.close()
    return title, content, len(PdfReader(io.BytesIO(content)).pages)


def contents_page(browser, parts, first):
    """The PDF of a list of titles with their pages, the first of them at `first`."""
    rows, number = [], first
    for title, _, count in parts:
        rows.append(ROW.format(title=escape(title), page=number))
        number += count
    page = browser.chromium.new_page()
    page.set_content(CONTENTS.format(rows="".join(rows)))
    content = page.pdf(format="A4", margin=dict.fromkeys(
        ("top", "right", "bottom", "left"), "22mm"))
    page.close()
    return content


if __name__ == "__main__":
    with script():
        if not browser_path():
            sys.exit("The PDF is printed by a Chromium or Chrome, and none is here "
                     "(CHROMIUM can name one).")
        print(f"{sys.argv[2]}: {bind(Path(sys.argv[1]), sys.argv[2])} pages")
