"""Chapter 08: four ways from a query and a key to a score."""

from in_short import GREY, LIGHT, PALE, arrow, card, word
from pictures import circle, line, square, tag

ROWS = [14, 112, 210, 308]    # the upper edge of each
WAYS = [("dot product", "q · k", "·", None, None, []),
        ("scaled dot product", "q · k / √K", "·", None, None, ["/ √K"]),
        ("general", "k · W q", "·", "W", None, []),
        ("additive", "v · tanh(W q + U k)", "+", "W", "U", ["tanh", "v ·"])]
FIRST, TURNED, MEET, SCORE = 42, 104, 166, 328


def step(x, y, words, width=44):
    """A box around x, y, small enough for a row."""
    return (tag("rect", x=x - width / 2, y=y - 12, width=width, height=24, rx=5,
                fill=PALE, stroke=LIGHT["muted"]) + word(x, y + 5, words, 14))


def way(top, title, formula, sign, of_query, of_key, after):
    """A row of the picture: both vectors on the left, their score on the right."""
    above, below, middle = top + 40, top + 76, top + 58
    drawn = [word(14, top + 16, title, 15, weight=700, anchor="start"),
             word(346, top + 16, formula, 14, GREY, anchor="end"),
             word(22, above + 5, "q", 15), word(22, below + 5, "k", 15),
             circle(FIRST, above, 9, LIGHT["query"]),
             square(FIRST, below, 16, LIGHT["key"])]
    for y, learned, colour in ((above, of_query, LIGHT["query"]),
                               (below, of_key, LIGHT["key"])):
        toward = middle - 4 if y == above else middle + 4
        drawn += [line(FIRST + 10, y, TURNED, y, 2, colour),
                  arrow(TURNED, y, MEET - 9, toward, colour, 2)]
        drawn += [step(TURNED, y, learned, 34)] if learned else []
    places = [MEET, *(MEET + 54 + 58 * n for n in range(len(after))), SCORE]
    drawn += [arrow(x + (11 if x == MEET else 22), middle,
                    to - (8 if to == SCORE else 22), middle)
              for x, to in zip(places, places[1:])]
    drawn += [step(x, middle, words) for x, words in zip(places[1:], after)]
    return [*drawn, circle(MEET, middle, 11, "#FFFFFF", stroke=LIGHT["ink"]),
            word(MEET, middle + 6, sign, 18, weight=700),
            circle(SCORE, middle, 7, "#FFFFFF", stroke=LIGHT["ink"]),
            word(SCORE, middle + 24, "score", 13, GREY)]


def draw():
    drawn = [shape for top, row in zip(ROWS, WAYS) for shape in way(top, *row)]
    drawn += [line(14, top - 6, 346, top - 6, 1, "#C9C6BF") for top in ROWS[1:]]
    return card(428, [*drawn, word(180, 417, "boxes W, U and v are learned", 13, GREY)])
