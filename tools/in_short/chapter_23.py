"""Chapter 23: a list that grows, and a matrix into which pairs are written."""

from in_short import GREY, LIGHT, PALE, arrow, box, card, word
from pictures import circle, line, square, tag, triangle

QUERY, KEY, VALUE = LIGHT["query"], LIGHT["key"], LIGHT["value"]
LEFT, TOP, CELL = 132, 206, 24    # of the matrix
TINTS = ["#E7DFEA", "#F4F1F5", "#B79FBE", "#D5C6DA"]


def softmax():
    """The cache: a key and a value of each word."""
    drawn = [word(14, 24, "softmax attention", 15, weight=700, anchor="start"),
             word(14, 42, "keeps each pair: the list grows with every word", 13, GREY,
                  anchor="start"),
             tag("rect", x=14, y=54, width=230, height=62, rx=8, fill=PALE)]
    for number in range(6):
        x = 36 + 37 * number
        drawn += [square(x, 72, 16, KEY), triangle(x, 99, 17, VALUE)]
    return [*drawn, tag("rect", x=252, y=54, width=36, height=62, rx=6,
                        stroke=LIGHT["muted"], stroke_dasharray="4 3"),
            square(270, 72, 16, KEY), triangle(270, 99, 17, VALUE),
            arrow(296, 85, 340, 85)]


def matrix():
    drawn = [tag("rect", x=LEFT + CELL * j, y=TOP + CELL * i, width=CELL, height=CELL,
                 fill=TINTS[(3 * i + 2 * j + i * j) % 4], stroke="#FFFFFF")
             for i in range(4) for j in range(4)]
    return [*drawn, tag("rect", x=LEFT, y=TOP, width=4 * CELL, height=4 * CELL,
                        stroke=LIGHT["ink"], stroke_width=1.6)]


def memory():
    step = [    # number, its words, height of the line
        ("1", "forget: state times gate", 338),
        ("2", "read with the key: what is known", 362),
        ("3", "write what is not known yet, times strength", 386),
        ("4", "read with the query", 410)]
    drawn = [word(14, 150, "a written memory", 15, weight=700, anchor="start"),
             word(14, 168, "keeps one matrix of a fixed size, the state", 13, GREY,
                  anchor="start"), *matrix(),
             square(50, TOP + 16, 18, KEY), word(50, TOP + 44, "key", 14),
             arrow(64, TOP + 16, LEFT - 4, TOP + 16, KEY),
             word(96, TOP + 8, "2, 3", 13, GREY),
             circle(50, TOP + 72, 10, QUERY), word(50, TOP + 100, "query", 14),
             arrow(64, TOP + 72, LEFT - 4, TOP + 72, QUERY),
             word(96, TOP + 64, "4", 13, GREY),
             triangle(300, TOP + 14, 20, VALUE), word(300, TOP + 44, "value", 14),
             arrow(284, TOP + 16, LEFT + 4 * CELL + 4, TOP + 16, VALUE),
             word(258, TOP + 8, "3", 13, GREY),
             triangle(300, TOP + 70, 20, VALUE), word(300, TOP + 100, "answer", 14),
             arrow(LEFT + 4 * CELL + 4, TOP + 72, 284, TOP + 72, VALUE),
             word(258, TOP + 64, "4", 13, GREY),
             line(LEFT + 2 * CELL, TOP - 4, LEFT + 2 * CELL, TOP - 14, 1.6,
                  LIGHT["muted"]),
             box(LEFT + 2 * CELL, TOP - 20, 84, 20, "1  gate", size=13)]
    for number, words, y in step:
        drawn += [word(20, y, number, 14, weight=700, anchor="start"),
                  word(40, y, words, 14, anchor="start")]
    return drawn


def draw():
    return card(424, [*softmax(), *memory()])
