"""Draws the book's mark, its icon and the pictures of the front page.

    python tools/pictures.py

Each picture is a few shapes written out as SVG text, so that the same source gives the
same file on any machine. tests/test_pictures.py compares the committed files with what
this file draws.
"""

import json
from html import escape
from pathlib import Path

from environment import script

BOOK = Path(__file__).resolve().parent.parent / "book"
NOTEBOOKS = BOOK.parent / "notebooks"

LIGHT = {"query": "#3299E3", "key": "#DB3F24", "value": "#610B6A", "ink": "#1A1A1A",
         "muted": "#767676"}
DARK = {"query": "#5DB4F2", "key": "#F2705A", "value": "#CF8BDA", "ink": "#E8E6E1",
        "muted": "#A3A3A3"}
# query and key, dark enough to carry text on white
DEEP_BLUE, DEEP_RED = "#17629B", "#B32D15"
FONT = "-apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"

# The road: part, then chapters as number, the question it answers, and the failure it
# leaves to the next; titles are those of the notebooks
ROAD = [
    ("Part I. Lookup", [
        ("01", "What is a lookup made of?", "nobody listed “puppy”"),
        ("02", "What if a key is only nearly right?", "we made the vectors up"),
        ("03", "Where do good vectors come from?", "it knows words, not sentences"),
    ]),
    ("Part II. Translation", [
        ("04", "Can one vector carry a sentence?", "six sentences known by heart"),
        ("05", "How does it learn, and how well?", "long sentences come out wrong"),
        ("06", "Where exactly does it break?", "what is not kept cannot be said"),
        ("07", "What if it may look again?", "it asks with whatever it has"),
        ("08", "Can asking be learned?", "words still wait in line"),
    ]),
    ("Part III. Self-attention", [
        ("09", "Can every word ask every word?", "one average blurs two needs"),
        ("10", "How are several questions asked?", "it reads words not yet written"),
        ("11", "Which words must it not see?", "shuffled words look the same"),
        ("12", "How does it know the order?", "stacked deep, it stops learning"),
        ("13", "What keeps depth stable?", "parts, but no machine"),
    ]),
    ("Part IV. The Transformer", [
        ("14", "Is ours equal to torch’s?", "untrained, it writes nonsense"),
        ("15", "What does its training need?", "is it better, and by which part?"),
        ("16", "Is it better? How sure is that?", "it takes the likeliest, always"),
        ("17", "Which sentence does it mean?", "each word is slower than the last"),
        ("18", "What need not be computed twice?", "our sentences were generated"),
    ]),
    ("Part V. Beyond", [
        ("19", "Does it hold for real sentences?", "which head does what?"),
        ("20", "What did each head learn?", "all this needed pairs"),
        ("21", "What do words alone teach it?", "is this a model of today?"),
        ("22", "What became of the machine of 2017?", "its cache grows word by word"),
        ("23", "Could one matrix keep it all?", "is it so at a large size?"),
    ]),
]


def tag(name, **attributes):
    """One SVG element; an underscore in an attribute's name stands for a hyphen,
    numbers lose needless digits."""
    written = (f' {key.replace("_", "-")}="{f"{x:g}" if isinstance(x, float) else x}"'
               for key, x in attributes.items())
    return f"<{name}{''.join(written)}/>"


def circle(x, y, radius, fill, **more):
    return tag("circle", cx=x, cy=y, r=radius, fill=fill, **more)


def square(x, y, side, fill):
    return tag("rect", x=x - side / 2, y=y - side / 2, width=side, height=side,
               fill=fill)


def triangle(x, y, side, fill):
    top, half = y - side * 0.52, side * 0.58
    return tag("path", d=f"M{x:g} {top:g}L{x + half:g} {top + side:g}H{x - half:g}Z",
               fill=fill)


def line(x1, y1, x2, y2, width, stroke, **more):
    return tag("path", d=f"M{x1:g} {y1:g}L{x2:g} {y2:g}", stroke=stroke,
               stroke_width=width, **more)


def text(x, y, words, size, fill=LIGHT["ink"], weight=400, anchor="start"):
    style = (f'font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" '
             f'fill="{fill}"')
    return f'<text x="{x:g}" y="{y:g}" {style}>{escape(words, quote=False)}</text>'


def picture(width, height, drawn):
    """The SVG text of a picture: one shape a line."""
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}"')
    return "\n".join([f'{head} font-family="{FONT}" fill="none">', *drawn, "</svg>\n"])


def mark(colour):
    """The book's mark: inside a dictionary's braces, a query leans hard on one row and
    a little on two."""
    brace = ("M{a:g} 4C{b:g} 4 {b:g} 8 {b:g} 14S{b:g} 30 {c:g} 30C{b:g} 30 {b:g} 40 "
             "{b:g} 46S{b:g} 56 {a:g} 56")
    drawn = [tag("path", d=brace.format(a=a, b=b, c=c), stroke=colour["ink"],
                 stroke_width=4, stroke_linecap="round")
             for a, b, c in [(16, 9, 3), (112, 119, 125)]]
    for y, width in [(12, 6), (30, 2), (48, 2)]:
        drawn += [line(31, 30, 72, y, width, colour["muted"]),
                  square(73, y, 12, colour["key"]),
                  triangle(97, y, 12, colour["value"])]
    return picture(128, 60, [*drawn, circle(31, 30, 9, colour["query"])])


def shapes(colour):
    """The book's signature above each title: a query, a key and a value."""
    return picture(68, 16, [circle(8, 8, 7.5, colour["query"]),
                            square(33.5, 8, 13.5, colour["key"]),
                            triangle(58, 8, 14, colour["value"])])


# height of a key, and width of the line that leads to it, on a tile of 32
ICON_ROWS = [(6, 5), (16, 2), (26, 2)]


def icon(colour):
    """The mark for 16 pixels: query, three lines, three keys, on a white tile that also
    works on a dark tab."""
    drawn = [tag("rect", width=32, height=32, rx=6, fill="#FFFFFF")]
    for y, width in ICON_ROWS:
        drawn += [line(9, 16, 25, y, width, colour["muted"]),
                  square(26, y, 7, colour["key"])]
    return picture(32, 32, [*drawn, circle(9, 16, 6, colour["query"])])


def save_icon(path, colour):
    """The icon once more as a PNG of 512 pixels, for previews of links, which show no
    SVG."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle, Rectangle

    figure = Figure(figsize=(5.12, 5.12), dpi=100, facecolor="white")
    ax = figure.add_axes([0, 0, 1, 1], xlim=(-4, 36), ylim=(36, -4))
    ax.axis("off")
    for y, width in ICON_ROWS:
        ax.plot([9, 26], [16, y], color=colour["muted"], linewidth=width * 9.2)
        ax.add_patch(Rectangle((22.5, y - 3.5), 7, 7, color=colour["key"], linewidth=0,
                               zorder=3))
    ax.add_patch(Circle((9, 16), 6, color=colour["query"], linewidth=0, zorder=3))
    figure.savefig(path, metadata={"Software": None})


def badge(colour):
    """The button of README that opens a chapter in Colab: the query, and two words."""
    drawn = [tag("rect", width=118, height=22, rx=4, fill=colour["ink"]),
             circle(12, 11, 5, colour["query"]),
             text(24, 15, "Open in Colab", 12, "#FFFFFF", 600)]
    return picture(118, 22, drawn)


def lookup(colour):
    """The puppy's price, drawn as the chapters draw a lookup: the width of a line is
    its weight."""
    shop = {"dog": (0.9, 2), "cat": (0.7, 3), "computer": (0.1, 9)}
    total = sum(trust for trust, _ in shop.values())
    answer = sum(trust / total * price for trust, price in shop.values())
    heads = [(42, "query"), (162, "keys"), (298, "values"), (396, "answer")]
    lines, marks = [], [text(x, 16, head, 14, "#595959", anchor="middle")
                        for x, head in heads]
    for (name, (trust, price)), y in zip(shop.items(), (62, 130, 198)):
        weight, near_key = trust / total, 130 + (y - 130) * 0.6
        lines += [line(42, 130, 162, y, 15 * weight, colour["muted"]),
                  line(162, y, 298, y, 1, "#C9C6BF"),
                  line(298, y, 396, 130, 15 * weight, colour["muted"])]
        marks += [
            square(162, y, 19, colour["key"]), triangle(298, y, 21, colour["value"]),
            tag("rect", x=175, y=y - 12, width=9 * len(name) + 6, height=24,
                fill="#FFFFFF"),
            text(178, y + 5, name, 15),
            text(298, y - 18, str(price), 15, anchor="middle"),
            text(112, near_key - 9 - 9 * weight, f"{weight:.2f}", 14, anchor="middle")]
    marks += [circle(42, 130, 13, colour["query"]),
              text(42, 104, "puppy?", 15, weight=700, anchor="middle"),
              triangle(396, 130, 25, colour["value"]),
              text(396, 104, f"{answer:.4f}", 17, weight=700, anchor="middle")]
    return picture(436, 218, [*lines, *marks])


# Where the book's Transformer looks as it writes the rows: the mean over the heads of
# its last layer; tests/test_pictures.py compares with the model
ENGLISH = "<polite> the old man who saw Mina slept".split()
KOREAN = {    # romanised, and glossed
    "mina Mina": (0, 0, 0, 0, 0, .08, .9, .01),
    "-leul OBJ": (0, 0, 0, 0, .25, .51, .24, 0),
    "bo see": (0, 0, 0, 0, .01, .97, 0, .01),
    "-n PAST.REL": (0, .09, .11, .04, .37, .37, .01, 0),
    "neulg old": (0, 0, .57, .4, 0, .02, 0, 0),
    "-eun REL": (.01, .27, .12, .06, .24, .27, .02, 0),
    "namja man": (0, .01, .01, .97, .01, 0, 0, 0),
    "-neun TOP": (.08, .44, .3, .05, .02, .09, 0, .01),
    "ja sleep": (0, 0, 0, 0, 0, 0, 0, .99),
    "-ass PAST": (.42, .26, .02, .06, .11, .05, 0, .07),
    "-eoyo POLITE": (.97, .02, 0, 0, 0, 0, 0, 0)}


def attention_map(colour, plain=False):
    """The map of one translated sentence: a row for each written piece.

    plain: no tag and no gloss that the book has not explained yet
    """
    columns = ["(polite)", *ENGLISH[1:]] if plain else ENGLISH
    drawn = [text(153 + 46 * n, 16, word, 13, anchor="middle")
             for n, word in enumerate(columns)]
    for row, (name, weights) in enumerate(KOREAN.items()):
        y, (sound, gloss) = 26 + 23 * row, name.split()
        gloss = "grammar" if plain and gloss.isupper() else gloss
        drawn += [text(56, y + 15, sound, 13, weight=700, anchor="end"),
                  text(64, y + 15, gloss, 13, "#595959")]
        drawn += [tag("rect", x=131 + 46 * n, y=y, width=44, height=21, rx=2,
                      fill=colour["query"], fill_opacity=max(float(weight), .04))
                  for n, weight in enumerate(weights)]
    return picture(500, 30 + 23 * len(KOREAN), drawn)


def linked(shapes, page):
    """The shapes as a link to a page of the site; the front page holds the picture."""
    return [f'<a href="../notebooks/{page}.html">', *shapes, "</a>"]


def station(x, y, code):
    """A chapter's disc on the road."""
    return [circle(x, y, 15, DEEP_BLUE),
            text(x, y + 5, code, 14, "#FFFFFF", 700, "middle")]


def notebooks():
    """For each chapter its title and the name of its page."""
    found = {}
    for path in NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"):
        first = json.loads(path.read_text("utf-8"))["cells"][0]["source"][0]
        found[path.name[:2]] = first.strip().partition(" · ")[2], path.stem
    return found


def road(columns, written):
    """The whole road in columns of 380 units: one station a chapter, its question, and
    the failure that it leaves; chapters are links."""
    drawn = [square(16, 14, 8, LIGHT["key"]),
             text(26, 19, "what still fails", 13, DEEP_RED)]
    rails, end, height = [], None, 0
    for number, parts in enumerate(columns):
        x, y, stops = 22 + 392 * number, 34, []
        for part, chapters in parts:
            y += 36
            drawn.append(text(x + 28, y - 8, part, 15, DEEP_BLUE, 700))
            for code, question, failure in chapters:
                title, page = written[code]
                stops.append(y + 15)
                own, _, term = title.partition(": ")
                shown = [*station(x, y + 15, code),
                         text(x + 28, y + 14, own, 15, weight=700)]
                if term:
                    y += 17
                    shown.append(text(x + 28, y + 14, term, 14, weight=700))
                shown.append(text(x + 28, y + 33, question, 14))
                drawn += [*linked(shown, page),
                          square(x + 32, y + 48, 7, LIGHT["key"]),
                          text(x + 42, y + 53, failure, 13, DEEP_RED)]
                y += 66
        if end:    # from the foot of one column to the head of the next
            turn, foot, head = x - 30, end + 72, stops[0]
            rails.append(f"M22 {end}V{foot - 12}Q22 {foot} 34 "
                         f"{foot}H{turn - 12}Q{turn} {foot} {turn} {foot - 12}"
                         f"V{head + 12}Q{turn} {head} {turn + 12} {head}H{x}")
        drawn.insert(0, line(x, stops[0], x, stops[-1], 5, DEEP_BLUE))
        end, height = stops[-1], max(height, y)
    dotted = [tag("path", d=rail, stroke=LIGHT["muted"], stroke_width=2,
                  stroke_dasharray="2 5") for rail in rails]
    return picture(392 * len(columns) - 12, height + 4, [*dotted, *drawn])


def drawings():
    """Every picture of this file: path below book/, and its SVG text."""
    written = notebooks()
    return {
        "static/mark.svg": mark(LIGHT),
        "static/mark-dark.svg": mark(DARK),
        "static/shapes.svg": shapes(LIGHT),
        "static/shapes-dark.svg": shapes(DARK),
        "static/favicon.svg": icon(LIGHT),
        "images/colab.svg": badge(LIGHT),
        "images/lookup.svg": lookup(LIGHT),
        "images/look.svg": attention_map(LIGHT, plain=True),
        "images/map.svg": attention_map(LIGHT),
        "images/road.svg": road([ROAD[:2], ROAD[2:]], written),
        "images/road-tall.svg": road([ROAD], written),
    }


if __name__ == "__main__":
    with script():
        for name, svg in drawings().items():
            (BOOK / name).write_text(svg, encoding="utf-8", newline="\n")
            print(f"drawn: book/{name}")
        save_icon(BOOK / "static/mark.png", LIGHT)
        print("drawn: book/static/mark.png")
