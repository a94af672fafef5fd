"""Chapter 14: the Transformer, from the source to the next words."""

from in_short import GREY, LIGHT, arrow, box, card, word
from pictures import circle, line, square, tag, triangle

LEFT, RIGHT = 84, 266    # the middles of the two stacks
INK, MUTED = LIGHT["ink"], LIGHT["muted"]
QUERY, KEY, VALUE = (LIGHT[name] for name in ("query", "key", "value"))


def plus(x, y):
    return circle(x, y, 7, "#FFFFFF", stroke=INK) + word(x, y + 5, "+", 14)


def sub_layer(x, y, name, width):
    """A box, the path of x around it, and the sum."""
    lines = name.split("\n")
    half, middle, side = 7.5 * len(lines) + 6, x - 9, x + width / 2 - 9
    low, high = y + half + 14, y - half - 13
    drawn = [line(middle, low + 8, middle, high + 7, 1.4, MUTED),
             line(middle, low, side, low, 1.4, MUTED),
             line(side, low, side, high, 1.4, MUTED),
             arrow(side, high, middle + 7, high),
             line(middle, high - 7, middle, high - 14, 1.4, MUTED),
             box(middle, y, width - 34, 2 * half, "")]
    drawn += [word(middle, y + 5 + 15 * (n - (len(lines) - 1) / 2), part, 13)
              for n, part in enumerate(lines)]
    return [*drawn, plus(middle, high)]


def reads(x, y, which="query key value"):
    """What an attention gets, on the lower edge of its box."""
    shapes = {"query": circle(x - 31, y, 6, QUERY), "key": square(x - 9, y, 11, KEY),
              "value": triangle(x + 13, y, 12, VALUE)}
    return [shapes[name] for name in which.split()]


def stack(x, top, width, words, name):
    """A frame, what goes into it, and what it is called."""
    middle = x - 9
    return [tag("rect", x=x - width / 2, y=top, width=width, height=354 - top, rx=8,
                stroke=MUTED, stroke_dasharray="5 4"),
            word(x + width / 2, top - 8, name, 15, weight=700, anchor="end"),
            word(middle, 444, words, 14), arrow(middle, 431, middle, 423),
            box(middle, 411, 96, 22, "embedding", size=13),
            arrow(middle, 400, middle, 387), plus(middle, 378),
            line(middle, 371, middle, 340, 1.4, MUTED)]


def draw():
    drawn = [*stack(LEFT, 178, 140, "she reads books", "encoder"),
             *stack(RIGHT, 96, 160, "<bos> elle lit des", "decoder"),
             word(166, 383, "position", 13, GREY), arrow(138, 378, 83, 378),
             arrow(194, 378, 249, 378),
             *sub_layer(LEFT, 305, "self-attention", 140), *reads(LEFT, 322),
             *sub_layer(LEFT, 231, "feed-forward", 140),
             *sub_layer(RIGHT, 305, "masked\nself-attention", 160), *reads(RIGHT, 329),
             *sub_layer(RIGHT, 221, "cross-attention", 160),
             *reads(RIGHT, 235, "query"),
             *sub_layer(RIGHT, 149, "feed-forward", 160)]
    for y, colour, shape in ((214, KEY, square(174, 214, 11, KEY)),
                             (228, VALUE, triangle(174, 228, 12, VALUE))):
        drawn += [arrow(154, y, 193, y, colour), shape]
    return card(456, [
        *drawn, arrow(257, 109, 257, 72), box(257, 60, 140, 24, "generator, softmax",
                                             size=13),
        arrow(257, 48, 257, 34), word(257, 26, "elle lit des livres", 14),
        word(14, 26, "N layers each", 13, GREY, anchor="start"),
        plus(21, 46), word(34, 51, "adds what the", 13, GREY, anchor="start"),
        word(34, 68, "sub-layer read,", 13, GREY, anchor="start"),
        word(34, 85, "with layer norm", 13, GREY, anchor="start"),
        circle(21, 114, 6, QUERY), word(32, 119, "query", 13, anchor="start"),
        square(87, 114, 11, KEY), word(96, 119, "key", 13, anchor="start"),
        triangle(133, 114, 12, VALUE),
        word(142, 119, "value", 13, anchor="start")])
