"""Chapter 05: a decoder in training and in use, and how its output is scored."""

from in_short import GREY, LIGHT, arrow, box, card, word
from pictures import circle, line

STEPS = [52, 137, 222, 307]
RIGHT = ["elle", "lit", "des", "livres"]


def training():
    drawn = [word(14, 24, "training", 15, weight=700, anchor="start"),
             word(96, 24, "reads the right words", 13, GREY, anchor="start")]
    for x, read, say in zip(STEPS, ["<bos>", *RIGHT[:3]], RIGHT):
        drawn += [word(x, 52, read, 14), arrow(x, 59, x, 80),
                  circle(x, 92, 11, LIGHT["query"]), arrow(x, 104, x, 126),
                  word(x, 144, say, 14, weight=700)]
    drawn += [arrow(x + 12, 92, x + 72, 92) for x in STEPS[:3]]
    return [*drawn, box(180, 174, 330, 28, "loss: −log share of each right word"),
            arrow(180, 189, 180, 207),
            box(180, 222, 330, 28, "gradient, clipped; a step at the rate")]


def use():
    y = 316
    drawn = [word(14, 268, "in use", 15, weight=700, anchor="start"),
             word(74, 268, "reads what it wrote itself", 13, GREY, anchor="start"),
             word(STEPS[0], 291, "<bos>", 14), arrow(STEPS[0], 297, STEPS[0], y - 4)]
    for x in STEPS:
        drawn += [circle(x, y + 8, 11, LIGHT["query"]), arrow(x, y + 20, x, y + 38),
                  word(x, y + 56, "?", 16, weight=700)]
    drawn += [arrow(x + 12, y + 8, x + 72, y + 8) for x in STEPS[:3]]
    drawn += [arrow(x + 9, y + 50, x + 76, y + 17, stroke_dasharray="4 4")
              for x in STEPS[:3]]
    return [*drawn, arrow(180, y + 64, 180, y + 82),
            box(180, y + 97, 330, 28, "score: exact match, BLEU, chrF"),
            line(0, 246, 360, 246, 1, LIGHT["muted"], stroke_dasharray="2 5")]


def draw():
    return card(442, [*training(), *use()])
