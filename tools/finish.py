"""What is done to the pages once the engine has written them.

A style sheet of the icons that are used takes the place of the theme's script of them
all (1.5 MB). Pages without a formula load no MathJax, and none loads Thebe, which the
theme names twice and the book does not use. Folded cells that follow each other become
one fold. Each figure opens full size when it is clicked, and on a phone scrolls inside
itself where its labels would be smaller than 9 pixels. No line begins with the
comma behind a formula, or breaks short code. Each page carries the meanings of the
terms that it links to, which `static/page.js` shows where one points at them.
"""

import json
import re
from html import unescape
from pathlib import Path
from urllib.parse import quote

from bs4 import BeautifulSoup

LEAST = 9    # pixels: the smallest label of a figure on a phone
SCRIPT = re.compile(r'<script defer src="([^"]*)_static/scripts/fontawesome\.js[^>]*>'
                    "</script>")
USED = re.compile(r'class="[^"]*\bfa[bs]? |class="[^"]*\bfa-(?:solid|brands) ')
NAMES = re.compile(r"\bfa-([a-z][a-z-]*)")
THEBE = re.compile(r"\s*<script[^>]*>const THEBE_JS_URL.*?</script>|"
                   r"\s*<(?:script|link)[^>]*sphinx-thebe\.[^>]*>(?:</script>)?")
MATHJAX = re.compile(r"\s*<script>window\.MathJax.*?</script>|"
                     r"\s*<script[^>]*/tex-mml-chtml\.js[^>]*></script>")
FORMULA = re.compile(r'class="(?:[^"]* )?math[ "]')
SIZES = {"solid", "brands", "regular", "lg"}
SHEET = """\
/* Icons: Font Awesome Free, https://fontawesome.com, CC BY 4.0 */
:is(i, span):is(.fas, .fab, .fa-solid, .fa-brands) {
  display: inline-block; width: 1.1em; height: 1em; vertical-align: -0.125em;
  background: currentColor; mask: var(--icon) center / contain no-repeat; }
:is(i, span):is(.fas, .fab, .fa-solid, .fa-brands)::before { content: none !important; }
"""
ICON = '.fa-{name} {{ --icon: url("data:image/svg+xml,{svg}"); }}\n'
SVG = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}">'
       '<path d="{2}"/></svg>')
JOINT = re.compile(r'(?<=</pre></div>\n</div>\n</div>\n)</details>\n</div>\n'
                   r'<div class="cell [^"]*\btag_hide-input\b[^"]*">\n'
                   r'<details class="[^"]*\babove-input">\n<summary.*?</summary>\n',
                   re.DOTALL)    # between two folded cells; the first prints nothing
TERM = re.compile(r'href="[^"]*glossary\.html#(term-[^"]+)"')
SHORT = 20    # letters of code that stay on one line
CODE = re.compile(r'<code class="docutils literal notranslate">(.*?)</code>')
WORD = re.compile(r'<span class="pre">(.*?)</span>')
COMMANDS = re.compile(r'(?<=<div class="highlight-text notranslate">)<div.*?</pre>',
                      re.DOTALL)
OPTION = re.compile(r"(?<![^\s>])[^\s<>]*-[^\s<>]*")    # and a name with a hyphen
ARTICLE = re.compile(r'(?<=<article class="bd-article">).*?(?=</article>)', re.DOTALL)
# where a text stands as it is
NOT_TEXT = re.compile(r"(<(script|style|pre|code|title|option|textarea)\b.*?</\2>|"
                      r'<(span|div) class="[^"]*\bmath\b[^>]*>[^<]*</\3>|<[^>]*>)',
                      re.DOTALL)
# [B, S, D], 12-3, C1-2, 1e-9, UTF-8
TOGETHER = re.compile(r"\[(?:[A-Z]|\d+)(?:, ?(?:[A-Z]|\d+)){1,4}\]|"
                      r"(?<![\w-])(?:(?:\d\d|C\d)-\d|\d(?:\.\d+)?e-\d+|UTF-8)(?![\w-])")
ENDING = re.compile(r"<em>(-\w{1,12})</em>")    # -eul: a particle in our letters
FORMULA_AND_SIGNS = re.compile(
    r'\(?<span class="math notranslate nohighlight">[^<]*</span>[,.;:!?)]+|'
    r'\(<span class="math notranslate nohighlight">[^<]*</span>')
FIGURE = re.compile(r'(<a [^>]*>)?<img alt="([^"]*)" src="((?:\.\./)?_images/[^"]+)"'
                    "([^>]*)>")


def finish_pages(folder):
    """Rewrites every page of a built site; raises LookupError for an icon that the
    theme has not."""
    folder = Path(folder)
    pages = {file: file.read_text("utf-8") for file in folder.rglob("*.html")
             if "_static" not in file.parts}
    theme = folder / "_static/scripts/fontawesome.js"
    names = {name for text in pages.values() for tag in re.findall("<[^>]+>", text)
             if USED.search(tag) for name in NAMES.findall(tag)} - SIZES
    sheet = icons(theme.read_text("utf-8"), sorted(names))
    (folder / "_static/icons.css").write_text(sheet, "utf-8")
    known = meanings(pages.get(folder / "book/glossary.html", ""))
    for file, text in pages.items():
        text = SCRIPT.sub(r'<link rel="stylesheet" href="\1_static/icons.css"/>', text)
        text = THEBE.sub("", text)
        if not FORMULA.search(text):
            text = MATHJAX.sub("", text)
        text = JOINT.sub("", text)
        text = FIGURE.sub(lambda found: opened(found, file.parent), text)
        text = FORMULA_AND_SIGNS.sub(r'<span class="whole">\g<0></span>', text)
        text = CODE.sub(whole, text)
        text = COMMANDS.sub(lambda found: OPTION.sub(together, found[0]), text)
        text = ARTICLE.sub(lambda found: kept_together(found[0]), text)
        told = {term: known[term] for term in TERM.findall(text) if term in known}
        if told:
            # no sign of HTML stands in it: a text may hold "</script>"
            data = json.dumps(told, ensure_ascii=False).replace("<", "\\u003c")
            text = text.replace("</body>", '<script type="application/json" id="terms">'
                                f"{data}</script></body>")
        file.write_text(text, "utf-8")
    theme.unlink()


def whole(found):
    """Code that does not break if it is short, else no short word of it."""
    if is_short(found[1]):
        return found[0].replace('notranslate"', 'notranslate whole"', 1)
    return WORD.sub(lambda word: word[0].replace('"pre"', '"pre whole"')
                    if is_short(word[1]) else word[0], found[0])


def is_short(code):
    return len(unescape(re.sub("<[^>]+>", "", code))) <= SHORT


def together(found):
    """A piece of text that does not break if it is short."""
    return (f'<span class="whole">{found[0]}</span>' if is_short(found[0])
            else found[0])


def kept_together(article):
    """An article in whose sentences no shape and no number breaks."""
    article = ENDING.sub(r'<em class="whole">\1</em>', article)
    parts, start = [], 0
    for tag in NOT_TEXT.finditer(article):
        parts += [TOGETHER.sub(together, article[start:tag.start()]), tag[0]]
        start = tag.end()
    return "".join([*parts, TOGETHER.sub(together, article[start:])])


def meanings(page):
    """What the built glossary says of each term, by its anchor, in plain words."""
    found = {}
    for text in BeautifulSoup(page, "html.parser").select("dl.glossary > dd"):
        terms = []
        for before in text.find_previous_siblings():
            if before.name != "dt":
                break
            terms.append(before["id"])
        for part in text.select("[lang=ko], a"):
            part.extract()
        found |= dict.fromkeys(terms, " ".join(text.get_text().split()))
    return found


def icons(script, names):
    """The style sheet of these icons, whose outlines stand in the theme's script."""
    rules = [SHEET]
    for name in names:
        outlines = re.findall(rf'[{{,]"?{name}"?:\[(\d+),(\d+),\[[^]]*\],'
                              r'"\w+","([^"]+)"', script)
        if not outlines:
            raise LookupError(f"the theme has no icon {name!r}")
        svg = SVG.format(*outlines[-1])    # the solid ones come last
        rules.append(ICON.format(name=name, svg=quote(svg, safe=" /:='-,")
                                 .replace("'", "%27")))
    return "".join(rules)


def opened(found, folder):
    """A figure as a link to its file, as wide as its labels need."""
    link, words, source, rest = found.groups()
    least = least_width((folder / source).read_text("utf-8")
                        if source.endswith(".svg") else "")
    if least:
        style = f'style="min-width: {least}px'
        rest = (rest.replace('style="', f"{style}; ") if 'style="' in rest
                else f' {style}"{rest}')
    image = f'<img alt="{words}" src="{source}"{rest}>'
    return (f"{link}{image}" if link
            else f'<a class="full" href="{source}">{image}</a>')


def least_width(svg):
    """The width in pixels at which the smallest label of a drawing has LEAST pixels; 0
    if it has no label."""
    sizes = [float(size) for size in re.findall(
        r'font(?:-size)?(?:: ?|=")(?:[a-z0-9]+ )*?([\d.]+)(?:px)?[ ;"\']', svg)]
    width = re.search(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+)', svg)
    return round(LEAST * float(width[1]) / min(sizes)) if sizes and width else 0
