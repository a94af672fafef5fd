"""Chapter 09: cross- and self-attention, and self-attention as seen by one word."""

from in_short import GREY, LIGHT, arrow, box, card, word
from pictures import circle, line, square, tag, triangle

WEIGHTS = [("Mina", 11), ("thinks", 2), ("Sora", 4), ("likes", 4), ("her", 3)]
ROWS = [206, 244, 282, 320, 358]
QUERY, KEY, VALUE, SCORES, SOFTMAX, TIMES, NEW = 86, 124, 160, 207, 242, 284, 332


def pair(left, title, asked, asking, words):
    """A small picture of who looks at whom: keys and values above, queries below."""
    places = [left + 28, left + 80, left + 132]
    drawn = [word(left + 80, 24, title, 15, weight=700)]
    drawn += [line(x, 108, to - 7, 72, 1.2, LIGHT["muted"])
              for x in places for to in places]
    for x, above, below in zip(places, asked, asking):
        drawn += [word(x, 49, above, 14), square(x - 8, 64, 13, LIGHT["key"]),
                  triangle(x + 9, 63, 13, LIGHT["value"]),
                  circle(x, 112, 8, LIGHT["query"]), word(x, 136, below, 14)]
    return [*drawn, word(left + 80, 156, words, 13, GREY)]


def looks():
    english = ["she", "reads", "books"]
    return [*pair(8, "cross-attention", english, ["elle", "lit", "des"],
                  "two sentences"),
            *pair(192, "self-attention", english, english, "one sentence"),
            line(180, 12, 180, 160, 1, "#C9C6BF")]


def lookup():
    drawn = [word(QUERY, 184, "query", 13, GREY), word(KEY, 184, "key", 13, GREY),
             word(VALUE, 184, "value", 13, GREY), word(SCORES, 184, "scores", 13, GREY),
             word(TIMES - 16, 184, "weights", 13, GREY)]
    low = ROWS[-1] + 24
    drawn += [tag("rect", x=68, y=y - 15, width=110, height=30, rx=5, fill="#F2F0EB")
              for y in ROWS]
    drawn += [line(QUERY, ROWS[-1], QUERY, low, 2.4, LIGHT["query"]),
              line(QUERY - 1.2, low, SCORES + 1.2, low, 2.4, LIGHT["query"]),
              line(SCORES, low, SCORES, ROWS[0] - 6, 2.4, LIGHT["query"])]
    for (name, weight), y in zip(WEIGHTS, ROWS):
        blue = LIGHT["query"]
        drawn += [
            word(52, y + 5, name, anchor="end"), arrow(55, y, 68, y),
            circle(QUERY, y, 8, blue) if name == "her"
            else circle(QUERY, y, 7.2, "#FFFFFF", stroke=blue, stroke_width=1.6),
            line(VALUE, y + 7, TIMES, y + 7, 2, LIGHT["value"]),
            arrow(KEY, y - 6, SCORES - 7, y - 6, LIGHT["key"]),
            square(KEY, y - 6, 13, LIGHT["key"]),
            triangle(VALUE, y + 7, 13, LIGHT["value"]),
            arrow(SCORES + 7, y - 6, SOFTMAX - 13, y - 6),
            line(SOFTMAX + 13, y - 6, TIMES, y - 6, weight, LIGHT["muted"]),
            line(TIMES, y, NEW, ROWS[2], weight, LIGHT["value"])]
    drawn += [circle(SCORES, y - 6, 6.5, "#FFFFFF", stroke=LIGHT["ink"]) for y in ROWS]
    drawn += [circle(TIMES, y, 11, "#FFFFFF", stroke=LIGHT["ink"])
              + word(TIMES, y + 5, "×", 16) for y in ROWS]
    name = "".join(word(SOFTMAX, ROWS[2] - 46 + 17 * n, letter, 14)
                   for n, letter in enumerate("softmax"))
    return [*drawn, box(SOFTMAX, ROWS[2], 26, 182, ""), name,
            triangle(NEW, ROWS[2], 28, LIGHT["value"]),
            word(NEW + 2, ROWS[0] + 6, "new", 14, weight=700),
            word(NEW + 2, ROWS[0] + 24, "“her”", 14, weight=700),
            word(180, low + 22, "the query of “her” meets all five keys", 13, GREY)]


def draw():
    return card(418, [*looks(), *lookup()])
