"""Chapter 06: one vector for a sentence, and the two tests that it is put to."""

from in_short import GREY, LIGHT, arrow, box, card, word
from pictures import circle, line, square, triangle

PLACES = [40, 92, 144, 196]    # of the source words
VIOLET = LIGHT["value"]


def heading(y, name, x, rest):
    return [word(14, y, name, 15, weight=700, anchor="start"),
            word(x, y, rest, 13, GREY, anchor="start")]


def bottleneck():
    drawn = heading(24, "the bottleneck", 148, "one vector, of one size")
    for x, name in zip(PLACES, ["the", "book", "…", "dirty"]):
        drawn += [word(x, 50, name, 14), arrow(x, 57, x, 72),
                  square(x, 84, 20, LIGHT["key"])]
    drawn += [arrow(x + 12, 84, x + 40, 84) for x in PLACES]
    drawn += [triangle(252, 84, 26, VIOLET), arrow(268, 84, 290, 84)]
    drawn += [circle(x, 84, 10, LIGHT["query"]) for x in (302, 340)]
    return [*drawn, arrow(313, 84, 329, 84), word(118, 116, "encoder", 13, GREY),
            word(252, 116, "c", 15, weight=700), word(321, 116, "decoder", 13, GREY)]


def distance():
    drawn = heading(156, "distance?", 102, "the gradient of c, word by word")
    for x in PLACES:
        drawn += [square(x, 190, 20, LIGHT["key"]), arrow(x, 202, x, 220),
                  word(x, 238, "?", 16, weight=700)]
    drawn += [arrow(x + 40, 190, x + 13, 190, stroke_dasharray="4 4") for x in PLACES]
    return [*drawn, triangle(252, 190, 26, VIOLET),
            word(240, 238, "how long is it?", 13, GREY, anchor="start")]


def room():
    drawn = heading(280, "room?", 72, "the copy task, at several widths")
    for y, name in zip((314, 336, 358), ["cup", "red", "sing"]):
        drawn += [word(46, y, name, 14), word(312, y, "?", 16, weight=700)]
    drawn += [triangle(x, y, side, VIOLET)
              for x, y, side in [(134, 335, 16), (170, 333, 26), (214, 330, 38)]]
    return [*drawn, arrow(76, 332, 112, 332), arrow(246, 332, 292, 332),
            word(46, 380, "random row", 13, GREY),
            word(290, 380, "in their place?", 13, GREY)]


def draw():
    rules = [line(0, y, 360, y, 1, LIGHT["muted"], stroke_dasharray="2 5")
             for y in (132, 256, 396)]
    return card(446, [*bottleneck(), *distance(), *room(), *rules,
                      box(180, 420, 340, 28,
                          "by length: BLEU; recall of content words")])
