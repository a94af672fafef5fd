"""Chapter 11: the padding mask, the causal mask, both together, and one query."""

from in_short import GREY, LIGHT, arrow, card, word
from pictures import circle, line, square, tag, triangle

WORDS = ["she", "reads", "books", "pad"]
CELL = 22


def upright(x, y, words):
    """Words that run from x, y upwards."""
    drawn = word(x, y, words, 14, anchor="start")
    return drawn.replace("<text ", f'<text transform="rotate(-90 {x:g} {y:g})" ', 1)


def cell(x, y, may):
    """One entry of a mask: full where a query may look, struck out where it may not."""
    full, half = LIGHT["query"] if may else "#FFFFFF", CELL / 2
    drawn = tag("rect", x=x - half, y=y - half, width=CELL, height=CELL, fill=full,
                stroke=LIGHT["muted"])
    return drawn if may else drawn + line(x - half, y + half, x + half, y - half, 1.2,
                                          LIGHT["muted"])


def table(left, top, title, rule):
    """A mask with its words; rule(t, s) is True where word t may look at word s."""
    drawn = [word(left + 2 * CELL, top - 60, title, 15, weight=700)]
    for t, name in enumerate(WORDS):
        drawn += [word(left - 5, top + CELL * t + 16, name, 14, anchor="end"),
                  upright(left + CELL * t + 16, top - 6, name)]
        drawn += [cell(left + CELL * (s + 0.5), top + CELL * (t + 0.5), rule(t, s))
                  for s in range(4)]
    return drawn


def query():
    """The row of "reads": whom it looks at under both masks."""
    drawn = [word(268, 244, "the row of “reads”", 14, weight=700)]
    for s, name in enumerate(WORDS):
        x = 202 + 44 * s
        if s < 2:
            drawn.append(line(246, 330, x - 6, 286, (3, 6)[s], LIGHT["muted"]))
        else:
            drawn.append(line(x - 14, 296, x + 14, 268, 1.6, LIGHT["ink"]))
        drawn += [word(x, 264, name, 13), square(x - 8, 282, 12, LIGHT["key"]),
                  triangle(x + 8, 282, 12, LIGHT["value"])]
    return [*drawn, circle(246, 334, 9, LIGHT["query"]),
            word(260, 339, "“reads”", 14, anchor="start")]


def draw():
    return card(402, [
        *table(62, 80, "padding mask", lambda t, s: s < 3),
        word(178, 130, "and", 15, weight=700),
        *table(254, 80, "causal mask", lambda t, s: s <= t),
        arrow(106, 174, 106, 188), arrow(254, 174, 140, 200),
        *table(62, 266, "both", lambda t, s: s < 3 and s <= t),
        arrow(156, 299, 182, 299), *query(),
        cell(25, 383, True), word(42, 388, "may look", 13, GREY, anchor="start"),
        cell(125, 383, False), word(142, 388, "hidden", 13, GREY, anchor="start"),
        word(212, 388, "rows: the queries", 13, GREY, anchor="start")])
