"""Chapter 01: the lookup of *cat* as a weighted average, and as two matrix products."""

from in_short import GREY, LIGHT, arrow, box, card, word
from pictures import circle, line, square, tag, triangle

ENTRIES = [("computer", 0, 9), ("dog", 0, 2), ("cat", 1, 3)]    # weight, value
ROWS = [72, 118, 164]
QUERY, KEYS, TIMES, VALUES, ANSWER = 34, 132, 198, 264, 328
ONE_HOT = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
CELL = 22


def lookup():
    drawn = [word(QUERY, 26, "query", 14, weight=700),
             word(KEYS, 26, "keys", 14, weight=700),
             word(TIMES, 26, "weights", 14, GREY),
             word(VALUES, 26, "values", 14, weight=700),
             word(ANSWER, 26, "answer", 14, GREY)]
    for (name, weight, value), y in zip(ENTRIES, ROWS):
        width = 6 if weight else 1.2
        dashed = {} if weight else {"stroke_dasharray": "3 4"}
        drawn += [line(QUERY, ROWS[1], KEYS, y, width, LIGHT["muted"], **dashed),
                  line(KEYS, y, VALUES, y, width, LIGHT["muted"], **dashed),
                  line(VALUES, y, ANSWER, ROWS[1], width, LIGHT["muted"], **dashed),
                  square(KEYS, y, 18, LIGHT["key"]),
                  word(KEYS, y - 14, name, 14),
                  box(TIMES, y, 24, 22, f"{weight}", "#FFFFFF"),
                  triangle(VALUES, y, 18, LIGHT["value"]),
                  word(VALUES, y - 14, f"{value}")]
    return [*drawn, circle(QUERY, ROWS[1], 12, LIGHT["query"]),
            word(QUERY, ROWS[1] + 30, "cat"),
            box(ANSWER, ROWS[1], 34, 30, "3", "#FFFFFF", 18),
            word(180, 206, "0 · 9  +  0 · 2  +  1 · 3  =  3", 15)]


def matrix(x, y, rows, colour):
    """Numbers in cells around the middle x, below y; rows is a list of lists."""
    left = x - len(rows[0]) * CELL / 2
    return [tag("rect", x=left + column * CELL, y=y + row * CELL, width=CELL,
                height=CELL, stroke=colour, stroke_width=1.6)
            + word(left + (column + 0.5) * CELL, y + (row + 0.72) * CELL, f"{number}")
            for row, numbers in enumerate(rows)
            for column, number in enumerate(numbers)]


def products():
    column = [[0], [0], [1]]
    y, middle = 258, 296
    drawn = [word(14, 242, "the same, as two matrix products", 14, weight=700,
                  anchor="start"),
             *matrix(54, y, ONE_HOT, LIGHT["key"]), word(100, middle, "@"),
             *matrix(124, y, column, LIGHT["query"]), word(149, middle, "="),
             *matrix(174, y, column, LIGHT["muted"])]
    names = [(54, "keys"), (124, "query"), (180, "weights")]
    drawn += [word(x, 342, name, 13, GREY) for x, name in names]
    drawn += [arrow(190, middle - 5, 208, middle - 5),
              *matrix(248, middle - 16, [[0, 0, 1]], LIGHT["muted"]),
              word(292, middle, "@"), *matrix(314, y, [[9], [2], [3]], LIGHT["value"]),
              word(331, middle, "="), word(346, middle, "3", 18)]
    return [*drawn, word(248, 328, "weights", 13, GREY),
            word(314, 342, "values", 13, GREY)]


def draw():
    return card(356, [*lookup(), *products()])
