"""Chapter 10: two heads side by side, joined and mixed, as one word sees them."""

from in_short import GREY, LIGHT, PALE, arrow, card, word
from pictures import circle, line, square, tag, triangle

WORDS = ["she", "reads", "a", "book"]
HEADS = [(92, [7, 1.5, 1, 2]), (268, [1, 2, 1.5, 7])]    # a middle, weights
VIOLET = LIGHT["value"]


def cells(x, y, fills):
    """The numbers of a vector as small cells around x; a fill may be None."""
    left = x - 5 * len(fills)
    return [tag("rect", x=left + 10 * n + 1, y=y - 5, width=8, height=10,
                fill=fill or "#FFFFFF", stroke=fill or VIOLET)
            for n, fill in enumerate(fills)]


def words():
    drawn = []
    for x, name in zip((45, 135, 225, 315), WORDS):
        drawn += [word(x, 24, name, 15, weight=700 if name == "reads" else 400),
                  *cells(x, 38, [LIGHT["ink"]] * 8)]
    return [*drawn, word(180, 66, "each word has D numbers", 13, GREY)]


def head(number, middle, weights):
    drawn = [tag("rect", x=middle - 84, y=94, width=168, height=164, rx=8, fill=PALE),
             arrow(middle, 72, middle, 94),
             word(middle - 74, 114, f"head {number}", 15, weight=700, anchor="start")]
    for place, (name, weight) in enumerate(zip(WORDS, weights)):
        x = middle - 62 + 41 * place
        drawn += [line(middle - 17, 206, x - 8, 160, weight, LIGHT["muted"]),
                  word(x, 140, name, 14), square(x - 8, 156, 12, LIGHT["key"]),
                  triangle(x + 8, 156, 12, VIOLET)]
    return [*drawn, circle(middle - 17, 210, 9, LIGHT["query"]),
            word(middle - 4, 215, "“reads”", 14, anchor="start"),
            word(middle, 246, "own q, k, v: K numbers", 13, GREY)]


def joined():
    full, empty = [VIOLET] * 4, [None] * 4
    return [arrow(92, 258, 92, 278, VIOLET), *cells(92, 287, full),
            arrow(268, 258, 268, 278, VIOLET), *cells(268, 287, empty),
            arrow(116, 291, 152, 318, VIOLET), arrow(244, 291, 208, 318, VIOLET),
            *cells(180, 326, full + empty),
            word(12, 331, "concatenation", 14, weight=700, anchor="start"),
            word(240, 331, "H · K = D", 14, GREY, anchor="start"),
            arrow(180, 335, 180, 352),
            tag("rect", x=152, y=352, width=56, height=28, rx=5, fill=PALE,
                stroke=LIGHT["muted"]),
            word(176, 371, "W", 16), word(189, 375, "O", 13),
            word(216, 371, "output projection", 14, GREY, anchor="start"),
            arrow(180, 380, 180, 399), *cells(180, 408, [LIGHT["ink"]] * 8),
            word(228, 413, "new “reads”", 15, weight=700, anchor="start")]


def draw():
    heads = [shape for number, (middle, weights) in enumerate(HEADS)
             for shape in head(number, middle, weights)]
    return card(428, [*words(), *heads, *joined()])
