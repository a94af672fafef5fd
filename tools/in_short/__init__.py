"""The pictures of *In short*: one module a chapter, `chapter_07`, with one function.

`draw()` returns the SVG text, made of the shapes of tools/pictures.py and those below;
`make quotes` writes it beside the notebooks. A picture is WIDTH units wide, so that a
phone shows it in its own size, and no letter is smaller than SMALLEST units.
"""

import math
import runpy

from pictures import LIGHT, line, picture, tag, text

WIDTH, SMALLEST = 360, 13
GREY = "#595959"    # of words that are not the main thing
PALE = "#F2F0EB"    # of boxes


def modules(root):
    """The module of each chapter that has a picture, by its number, as "07"."""
    return {path.stem[-2:]: path
            for path in sorted((root / "tools/in_short").glob("chapter_??.py"))}


def drawings(root):
    """The SVG text of each picture, by the file where it belongs."""
    return {root / file(number): runpy.run_path(str(path))["draw"]()
            for number, path in modules(root).items()}


def file(number):
    """The picture of a chapter, from the root on."""
    return f"notebooks/images/in-short-{number}.svg"


def card(height, drawn):
    """A whole picture on white, so that a dark page shows it as well."""
    back = tag("rect", width=WIDTH, height=height, rx=8, fill="#FFFFFF")
    return picture(WIDTH, height, [back, *drawn])


def word(x, y, words, size=15, fill=LIGHT["ink"], weight=400, anchor="middle"):
    """Words around x; y is the line that they stand on."""
    return text(x, y, words, size, fill, weight, anchor)


def arrow(x1, y1, x2, y2, stroke=LIGHT["muted"], width=1.6, **more):
    """An arrow from the first point to the second, its head included."""
    far = math.hypot(x2 - x1, y2 - y1)
    along, across = (x2 - x1) / far, (y2 - y1) / far
    size = 5 + width
    back, side = (x2 - size * along, y2 - size * across), size * 0.55
    head = (f"M{x2:.1f} {y2:.1f}"
            f"L{back[0] - side * across:.1f} {back[1] + side * along:.1f}"
            f"L{back[0] + side * across:.1f} {back[1] - side * along:.1f}Z")
    return (line(x1, y1, round(back[0], 1), round(back[1], 1), width, stroke, **more)
            + tag("path", d=head, fill=stroke))


def box(x, y, width, height, words, fill=PALE, size=14):
    """A box around the middle x, y, with words in it."""
    return (tag("rect", x=x - width / 2, y=y - height / 2, width=width, height=height,
                rx=5, fill=fill, stroke=LIGHT["muted"])
            + word(x, y + size * 0.35, words, size))
