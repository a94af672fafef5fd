"""Markdown of the book as the HTML that other programs show: Anki and Moodle.

Both draw formulas that stand in \\( \\) and \\[ \\]. Links lead to the book's site; as
long as that has no address of its own, only their words stay.
"""

import re
from html import escape
from pathlib import Path
from posixpath import join, normpath

from docutils.nodes import make_id
from markdown_it import MarkdownIt
from mdit_py_plugins.anchors.index import slugify
from mdit_py_plugins.dollarmath import dollarmath_plugin

import links
import practice

ROOT = Path(__file__).resolve().parent.parent
NOBODY = "https://-."    # no owner on GitHub can have this name


def site(root=ROOT):
    """The address of the site as _config.yml has it; "" if it is nobody's yet."""
    address = links.site(root)
    return "" if address.startswith(NOBODY) else address


def on_site(link, address):
    """Where a link of a notebook or a page leads; "" if nobody can follow it."""
    if re.match(r"\w+:", link) or not address:
        return link if ":" in link else ""
    page, mark, place = normpath(join("notebooks", link)).partition("#")
    known = {}
    if chapter := re.fullmatch(r"notebooks/(\w\w)_\w+\.ipynb", page):
        known = {slugify(heading): place
                 for place, heading in practice.headings(chapter[1])[1].items()}
    return (address + re.sub(r"\.(ipynb|md)$", ".html", page) + mark
            + known.get(place, make_id(place)))


def html(text, address="", line=False):
    """Markdown as HTML; with `line` without the paragraph around it."""
    markdown = MarkdownIt("commonmark", {"html": True}).enable("table").use(
        dollarmath_plugin, double_inline=True)

    def link(self, tokens, place, options, env):
        token = tokens[place]
        found = on_site(token.attrGet("href"), address)
        env.setdefault("links", []).append(found)
        return f'<a href="{escape(found)}">' if found else ""

    def end(self, tokens, place, options, env):
        return "</a>" if env["links"].pop() else ""

    def formula(left, right):
        return lambda self, tokens, place, options, env: (
            f"{left}{escape(tokens[place].content.strip(), quote=False)}{right}")

    for name, rule in (("link_open", link), ("link_close", end),
                       ("math_inline", formula(r"\(", r"\)")),
                       ("math_inline_double", formula(r"\[", r"\]")),
                       ("math_block", formula(r"\[", "\\]\n"))):
        markdown.add_render_rule(name, rule)
    told = markdown.renderInline(text, {}) if line else markdown.render(text, {})
    return told.strip()
