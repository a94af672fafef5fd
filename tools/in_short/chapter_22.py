"""Chapter 22: one stack of a decoder of today, its six changes numbered."""

from in_short import GREY, LIGHT, arrow, box, card, word
from pictures import circle, line, square, tag

STREAM, BRANCH, SIDE = 34, 126, 212
MUTED, INK = LIGHT["muted"], LIGHT["ink"]
CHANGES = [    # height, what it is, what stood there
    (66, "1  one stack", "for two"), (338, "2  RMSNorm", "for layer norm"),
    (186, "3  SwiGLU", "for relu"), (254, "4  grouped keys", "for one a head"),
    (298, "5  rotary positions", "for added ones"),
    (110, "6  no biases", "in most models")]


def sublayer(start, end, norm):
    """A branch from the stream through a norm and back into a sum."""
    return [line(STREAM, start, BRANCH, start, 1.6, MUTED),
            line(BRANCH, start, BRANCH, end, 1.6, MUTED),
            arrow(BRANCH, end, STREAM + 11, end),
            box(BRANCH, norm, 84, 22, "RMSNorm", size=13),
            circle(STREAM, end, 10, "#FFFFFF", stroke=INK),
            word(STREAM, end + 6, "+", 17)]


def attention():
    """Four queries and two keys: two heads share one."""
    drawn = [tag("rect", x=58, y=244, width=136, height=76, rx=5, fill="#F2F0EB",
                 stroke=MUTED), word(BRANCH, 261, "attention", 13)]
    for h in range(4):
        x, key = 78 + 32 * h, 94 + 64 * (h // 2)
        drawn += [line(x, 304, key, 276, 1.6, INK),
                  circle(x, 304, 7, LIGHT["query"]), square(key, 276, 13, LIGHT["key"])]
    return drawn


def draw():
    stack = [tag("rect", x=10, y=132, width=196, height=244, rx=8, stroke=MUTED,
                 stroke_dasharray="4 4"), word(176, 149, "× N", 13, GREY),
             line(STREAM, 390, STREAM, 110, 4, INK),
             *sublayer(366, 228, 346), *attention(), *sublayer(216, 146, 202),
             box(BRANCH, 174, 110, 24, "feed-forward", size=13),
             box(62, 402, 104, 24, "embedding"),
             box(62, 98, 104, 22, "RMSNorm", size=13),
             box(62, 66, 104, 22, "generator"), line(62, 86, 62, 78, 1.6, MUTED),
             arrow(62, 54, 62, 34), word(62, 26, "sleeps", weight=700),
             word(10, 438, "the old man", anchor="start"), arrow(50, 424, 50, 415)]
    back = [line(94, 21, 352, 21, 1.4, MUTED, stroke_dasharray="3 4"),
            line(352, 21, 352, 433, 1.4, MUTED, stroke_dasharray="3 4"),
            arrow(352, 433, 110, 433, width=1.4, stroke_dasharray="3 4"),
            word(230, 38, "the text grows", 13, GREY)]
    names = [word(SIDE, y + 18 * n, words, size, fill, weight, "start")
             for y, name, before in CHANGES
             for n, (words, size, fill, weight) in enumerate(
                 [(name, 13, INK, 700), (before, 13, GREY, 400)])]
    return card(450, [*stack, *back, *names])
