"""The book as an EPUB, from the built pages: python tools/epub.py FOLDER FILE.epub

A Chromium or Chrome reads the pages without their scripts: MathJax writes their
formulas as MathML, folds stand open, and hints and answers at the end of a chapter.
Where an epubcheck is on the path, it must accept the book before the file is there.
"""

import io
import re
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
import zipfile
from html import escape
from mimetypes import guess_type
from pathlib import Path

from environment import Stop, script, write_whole
from html_text import site
from pages import Browser, browser_path

ROOT = Path(__file__).resolve().parent.parent
TITLE = "From Dictionary to Transformer"
# the parts of the sidebar, each with the addresses of its pages
PARTS = """() => {
    const parts = [["", [new URL("index.html", location).href]]];
    const names = ".bd-links :is(.caption, a.reference)";
    for (const part of document.querySelectorAll(names))
        if (part.matches("a")) parts.at(-1)[1].push(part.href.split("#")[0]);
        else parts.push([part.textContent.trim(), []]);
    return parts;
}"""
READ = (ROOT / "tools/epub.js").read_text("utf-8")
PAGE = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"
lang="en" xml:lang="en"><head><title>{title}</title>
<link rel="stylesheet" href="{up}book.css"/></head><body>{body}</body></html>
"""
PACKAGE = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"
xml:lang="en"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:{id}</dc:identifier>
<dc:title>{title}</dc:title><dc:language>en</dc:language>
<dc:creator>The softdict authors</dc:creator>
<dc:rights>Text and figures: CC BY 4.0. Code: Apache 2.0.</dc:rights>
<meta property="dcterms:modified">{now}</meta>
<meta property="schema:accessMode">textual</meta>
<meta property="schema:accessMode">visual</meta>
<meta property="schema:accessModeSufficient">textual</meta>
<meta property="schema:accessibilityFeature">alternativeText</meta>
<meta property="schema:accessibilityFeature">MathML</meta>
<meta property="schema:accessibilityFeature">tableOfContents</meta>
<meta property="schema:accessibilityHazard">none</meta>
</metadata><manifest>{items}</manifest><spine>{spine}</spine></package>
"""
CONTAINER = """<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book/package.opf"
media-type="application/oebps-package+xml"/></rootfiles></container>
"""
STYLE = """\
html { line-height: 1.5 }
img { max-width: 100%; height: auto }
figure { margin: 1em 0 }
figcaption { font-size: .9em }
.math { margin: .6em 0 }
span.math { margin: 0 }
dl.glossary [lang=ko] { display: block }
pre { font-size: .8em; line-height: 1.4; white-space: pre-wrap; margin: .6em 0;
  padding-left: .6em; border-left: 3px solid #dcdad4 }
.cell_output pre { border-left-color: #8a857a }
.tag_exercise > .cell_input pre { border-left-color: #db3f24 }
blockquote { margin: 1em 0; padding: .1em .8em; border-left: 5px solid #3299e3 }
aside { margin: 1em 0; padding-left: .8em; border-left: 2px solid #dcdad4 }
.fold-head { font-weight: bold; break-after: avoid }
h1, h2, h3 { line-height: 1.2; break-after: avoid }
table { border-collapse: collapse; font-size: .9em }
th, td { border-bottom: 1px solid #dcdad4; padding: .3em .8em .3em 0;
  text-align: left; vertical-align: top }
th p, td p { margin: 0 }
"""
COLOURS = re.compile(r'^html\[data-theme="light"\] (\.highlight \.\w+ \{[^}]*\})', re.M)


def bind(folder, target):
    """Writes the book's pages, in the order of the sidebar, into one EPUB; returns how
    many they are."""
    folder, files, contents = Path(folder), {}, []
    with Browser(folder) as browser:
        page = browser.open("book/index.html", [])
        page.add_script_tag(content="MathJax = { startup: { typeset: false } }")
        page.add_script_tag(url=f"{browser.address}assets/mathjax/tex-mml-chtml.js")
        page.evaluate("() => MathJax.startup.promise")
        home, parts = browser.address, page.evaluate(PARTS)
        pages = [address for _, addresses in parts for address in addresses]
        for part, addresses in parts:
            contents.append((part, []))
            for address in addresses:
                name = address.removeprefix(home)
                print(f"    {len(files) + 1} of {len(pages)}   {name}", flush=True)
                read = page.evaluate(READ, [address, pages, home, site()])
                file = name.replace(".html", ".xhtml")
                files[file] = read
                contents[-1][1].append((file, read["heads"]))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        book.writestr("META-INF/container.xml", CONTAINER)
        for name, content in parts_of(folder, files, contents).items():
            book.writestr(f"book/{name}", content)
    check(packed.getvalue())
    write_whole(Path(target), packed.getvalue())
    return len(files)


def parts_of(folder, files, contents):
    """All files of the book by their names: pages, pictures, style, contents, list."""
    made = {name: PAGE.format(title=escape(read["heads"][0][1]), body=read["xhtml"],
                              up="../" * name.count("/"))
            for name, read in files.items()}
    images = sorted({image for read in files.values() for image in read["images"]})
    made |= {image: (folder / image).read_bytes() for image in images}
    colours = COLOURS.findall((folder / "_static/pygments.css").read_text("utf-8"))
    made["book.css"] = STYLE + "\n".join(colours) + "\n"
    made["contents.xhtml"] = PAGE.format(title="Contents", up="", body=nav(contents))
    items = []
    for number, (name, content) in enumerate(made.items()):
        known = ("nav" if name == "contents.xhtml" else
                 "mathml" if name in files and "<math" in content else "")
        kind = ("application/xhtml+xml" if name.endswith(".xhtml")
                else guess_type(name)[0])
        items.append(f'<item id="f{number}" href="{name}" media-type="{kind}"'
                     + (f' properties="{known}"' if known else "") + "/>")
    spine = "".join(f'<itemref idref="f{number}"/>' for number in range(len(files)))
    made["package.opf"] = PACKAGE.format(
        id=uuid.uuid5(uuid.NAMESPACE_URL, TITLE), title=TITLE, items="".join(items),
        now=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), spine=spine)
    return made


def nav(contents):
    """The table of contents: parts, pages, and the sections of each page."""
    def entry(file, heads):
        (_, title), *rest = heads
        below = "".join(f'<li><a href="{file}#{place}">{escape(words)}</a></li>'
                        for place, words in rest)
        return (f'<li><a href="{file}">{escape(title)}</a>'
                + (f"<ol>{below}</ol>" if below else "") + "</li>")

    rows = []
    for part, entries in contents:
        listed = "".join(entry(*one) for one in entries)
        rows.append(f"<li><span>{escape(part)}</span><ol>{listed}</ol></li>"
                    if part else listed)
    return (f'<nav epub:type="toc"><h1>Contents</h1><ol>{"".join(rows)}</ol></nav>')


def check(content):
    """Stops if epubcheck finds an error in an EPUB; says so where it is not here."""
    checker = shutil.which("epubcheck")
    if not checker:
        print("    Not checked: no epubcheck is on the path.")
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "book.epub"
        file.write_bytes(content)
        if subprocess.run([checker, file]).returncode:
            raise Stop("epubcheck does not accept the book, so it was not written.")


if __name__ == "__main__":
    with script():
        if not browser_path():
            sys.exit("The EPUB is made by a Chromium or Chrome, and none is here "
                     "(CHROMIUM can name one).")
        print(f"{sys.argv[2]}: {bind(sys.argv[1], sys.argv[2])} pages")
