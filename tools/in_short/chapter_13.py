"""Chapter 13: one block of the Transformer, drawn for the word *Mina*."""

from in_short import GREY, LIGHT, arrow, box, card, word
from pictures import circle, line, tag

STREAM, BRANCH, OTHERS = 40, 142, [250, 320]
MUTED, INK = LIGHT["muted"], LIGHT["ink"]


def turn(start, end, up):
    """From the stream to the right, up, and back into a sum."""
    return [line(STREAM, start, BRANCH, start, 1.6, MUTED),
            line(BRANCH, start, BRANCH, up, 1.6, MUTED),
            line(BRANCH, up, BRANCH, end, 1.6, MUTED),
            arrow(BRANCH, end, STREAM + 12, end)]


def total(y):
    """A sum on the stream."""
    return circle(STREAM, y, 11, "#FFFFFF", stroke=INK) + word(STREAM, y + 6, "+", 18)


def bar(y, width, words):
    """A layer of the feed-forward network, as wide as its vector."""
    return box(BRANCH, y, width, 24, words, size=13)


def attention():
    drawn = turn(366, 252, 320)
    for x, name in zip(OTHERS, ["bit", "dog"]):
        drawn += [word(x, 418, name), line(x, 400, x, 252, 3, "#C9C6BF"),
                  line(x, 366, x - 28, 366, 1.6, MUTED),
                  line(x - 28, 366, x - 28, 334, 1.6, MUTED),
                  box(x - 28, 334, 42, 24, "norm", size=13),
                  arrow(x - 28, 322, x - 28, 304)]
    return [*drawn, box(BRANCH, 334, 56, 24, "norm", size=13),
            box(198, 290, 214, 28, "self-attention"), total(252)]


def feed_forward():
    return [*turn(232, 82, 150), bar(206, 56, "norm"), bar(172, 56, "W₁"),
            bar(146, 136, "relu"), bar(120, 56, "W₂"), total(82),
            word(222, 128, "feed-forward:", 14, anchor="start"),
            word(222, 147, "wider, and back,", 13, GREY, anchor="start"),
            word(222, 164, "by itself", 13, GREY, anchor="start")]


def draw():
    stream = [line(STREAM, 400, STREAM, 38, 5, INK),
              tag("path", d=f"M{STREAM} 26l9 16h-18z", fill=INK),
              word(STREAM + 18, 40, "residual stream", 14, weight=700, anchor="start"),
              word(STREAM, 418, "Mina", weight=700)]
    return card(432, [*stream, *attention(), *feed_forward()])
