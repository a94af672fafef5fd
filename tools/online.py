"""What the site adds to pages and notebooks: an extension of Sphinx, from _config.yml.

Links that lead out of a notebook stay inside the site; every exercise says where it can
be solved; a quoted function leads to its source, once the repository has an owner; a
shared page has its promise and a card; every entry of the bibliography has an anchor of
its own; answers lead to others near them; the search index, a feed of changes and a
page for wrong addresses are written.
"""

import ast
import json
import re
from functools import cache
from html import escape
from itertools import count
from pathlib import Path

from docutils import nodes
from finish import finish_pages
from links import on_the_site, site
from notebooks import colab, has_owner, repository, version
from related import link_answers
from search import write

ROOT = Path(__file__).resolve().parent.parent
QUOTE = re.compile(r'<span class="c1"># (src/softdict/[\w/]+\.py)</span>'
                   "(?=(.*?)</pre>)", re.DOTALL)
DEFINED = re.compile(r'>(?:def|class)</span>(?:<[^>]*>| )*<span class="n[fc]">(\w+)')
SUMMARY = "A course in running code on attention and the Transformer."
META = """
<meta name="description" content="{promise}" />
<meta name="twitter:card" content="summary_large_image" />
"""
FEED = """\
<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>From Dictionary to Transformer: changes</title>
<id>{site}</id>
<link href="{site}"/>
<updated>{updated}</updated>
<author><name>The softdict authors</name></author>
{entries}</feed>
"""
ENTRY = """\
<entry>
<title>{title}</title>
<id>{site}#{id}</id>
<link href="{site}"/>
<updated>{day}T00:00:00Z</updated>
<content>{text}</content>
</entry>
"""
MONTHS = ("January February March April May June July August September "
          "October November December").split()
LOST = """\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not in the dictionary</title>
<body style="font: 1.1rem/1.6 Georgia, serif; max-width: 36rem; margin: 4rem auto;
padding: 0 1rem">
<main>
<h1>KeyError</h1>
<p>No page has this address. An exact lookup gives up here; chapter 02 would have taken
the nearest one.</p>
<p><a href="{site}">To the first page</a>, where the whole road stands, or
<a href="{site}search.html">search the book</a>.</p>
</main>
"""


def turn_notebook(app, name, source):
    """Rewrites a notebook, which comes as JSON: its links, and each exercise's.

    What a check says stays plain text: its HTML is made for a notebook's white page
    """
    if not name.startswith("notebooks/"):
        return
    content = json.loads(source[0])
    for cell in content["cells"]:
        if "exercise-check" in cell["metadata"].get("tags", []):
            for output in cell["outputs"]:
                output.get("data", {}).pop("text/html", None)
        if cell["cell_type"] == "markdown":
            text = on_the_site("".join(cell["source"]), ROOT)
            tags = cell["metadata"].get("tags", [])
            if {"hint", "answer"} & set(tags):    # what a screen reader says of a fold
                text = re.sub(r"<summary>(\w+)</summary>", "<summary aria-label="
                              rf'"\1, exercise {min(tags)}">\1</summary>', text)
            if "lines" in tags:    # on paper it stands with the answers
                text = text.replace(
                    "<summary>The code</summary>",
                    '<summary aria-label="The code, lines in order">The code</summary>')
            if "quiz" in tags:
                number = count(1)
                text = re.sub(r"<summary>Answer</summary>", lambda found: "<summary "
                              f'aria-label="Answer, question {next(number)} of the '
                              'quiz">Answer</summary>', text)
            if "exercise-text" in tags and has_owner(ROOT):
                address = colab(f"{Path(name).name}.ipynb", ROOT)
                text = f"{text.rstrip()}\n\n[Solve it on Colab]({address})"
            cell["source"] = text
    source[0] = json.dumps(content)


def describe(app, name, template, context, tree):
    """Gives a page its promise, or its first sentence, and its card."""
    if not tree:
        return
    paragraphs = [" ".join(part.astext().split()) for part in tree.findall(
        nodes.paragraph) if not part.astext().startswith("Open in Colab")]
    promises = [text for text in paragraphs if text.startswith("The promise. ")]
    promise = (promises or paragraphs or [SUMMARY])[0].removeprefix("The promise. ")
    address = f"{site(ROOT)}_static/cards/{Path(name).name}.png"
    context["meta"] = {
        **(context["meta"] or {}), "og:description": promise, "og:image": address,
        "og:image:width": "1200", "og:image:height": "630",
        "og:image:alt": f"{context['title']}: its first figure"}
    context["metatags"] += META.format(promise=escape(promise))
    # a fold's own words, "Show the check", are its name
    context["body"] = context["body"].replace(' aria-label="Toggle hidden content"', "")


def link_quotes(app, name, template, context, tree):
    """Gives a quote's first line what page.js shows of its definitions, and lets the
    file in it lead to the first one's line, once there is an owner."""
    if tree:
        context["body"] = QUOTE.sub(with_source, context["body"])


def without_owner(app, name, template, context, tree):
    """Leaves the words of a link that leads to the repository, while nobody owns it."""
    if tree and not has_owner(ROOT):
        url = re.escape(repository(ROOT)[0])
        context["body"] = re.sub(rf'<a class="reference external" href="{url}[^"]*">'
                                 "(.*?)</a>", r"\1", context["body"], flags=re.DOTALL)


def with_source(found):
    file, code = found.groups()
    known = definitions(file)
    names = DEFINED.findall(code)
    told = json.dumps({name: known[name] for name in names if name in known})
    shown = file
    if has_owner(ROOT):
        url, branch = repository(ROOT)
        line = f"#L{known[names[0]][0]}" if names and names[0] in known else ""
        shown = f'<a href="{url}/blob/{branch}/{file}{line}">{file}</a>'
    return f'<span class="c1" data-defined="{escape(told)}"># {shown}</span>'


@cache
def definitions(file):
    """Of each function and class of a module its line, and of a class the signature,
    which a quote may leave out."""
    text = (ROOT / file).read_text("utf-8")
    lines, found = text.splitlines(), {}
    for one in ast.parse(text).body:
        if isinstance(one, ast.FunctionDef | ast.ClassDef):
            init = next((part for part in one.body
                         if getattr(part, "name", "") == "__init__"), None)
            found[one.name] = [one.lineno, "\n".join(
                lines[init.lineno - 1:init.body[0].lineno - 1]) if init else ""]
    return found


def name_entries(app, tree, name):
    """Gives each entry of the bibliography its key as anchor."""
    known = app.env.get_domain("cite").citations
    keys = {entry.citation_id: entry.key for entry in known}
    for item in tree.findall(nodes.list_item):
        item["ids"] = [keys.get(name, name) for name in item["ids"]]


def feed(changes, address):
    """The Atom feed of CHANGELOG's releases: "## 0.1.0 (20 November 2026)"."""
    entries, days = [], []
    for title, text in re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", changes,
                                  re.DOTALL | re.MULTILINE):
        if dated := re.search(r"\((\d+) (\w+) (\d{4})\)", title):
            month = MONTHS.index(dated[2]) + 1
            days.append(f"{dated[3]}-{month:02}-{int(dated[1]):02}")
            entries.append(ENTRY.format(
                title=escape(title), id=days[-1], site=address, day=days[-1],
                text=escape(" ".join(text.split()))))
    return FEED.format(site=address, updated=f"{max(days)}T00:00:00Z",
                       entries="".join(entries))


def finish(app, error):
    """Writes what is made from all pages, or from none."""
    if error is None:
        folder, address = Path(app.outdir), site(ROOT)
        link_answers(folder, write(folder))
        finish_pages(folder)
        changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
        (folder / "feed.xml").write_text(feed(changes, address), "utf-8")
        (folder / "404.html").write_text(LOST.format(site=address), "utf-8")


def bring_live(app, name, template, context, tree):
    """Loads the Transformer in the page on its own page, and nowhere else."""
    if name == "book/translator":
        app.add_css_file("web/translator.css")
        app.add_js_file("web/translator.js", type="module")


def offer_what_is_there(app, config):
    """Leaves out the buttons and links that lead to the repository while it has no
    owner; else a report says of which version it speaks."""
    options = config.html_theme_options
    if has_owner(ROOT):
        options["extra_footer"] = options.get("extra_footer", "").replace(
            'class="report"', f'class="report" data-version="{version(ROOT)}"')
    else:
        options["launch_buttons"] = {}
        options["use_repository_button"] = options["use_issues_button"] = False
        options["extra_footer"] = re.sub(r'<p><a class="report".*?</p>\s*', "",
                                         options.get("extra_footer", ""),
                                         flags=re.DOTALL)


def setup(app):
    app.connect("config-inited", offer_what_is_there)
    app.connect("source-read", turn_notebook)
    app.connect("doctree-resolved", name_entries)
    app.connect("html-page-context", describe, priority=400)    # before opengraph
    app.connect("html-page-context", bring_live)
    app.connect("html-page-context", link_quotes)
    app.connect("html-page-context", without_owner)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
