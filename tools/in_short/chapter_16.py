"""Chapter 16: three questions for a difference of two scores, and no answer."""

from in_short import GREY, LIGHT, arrow, box, card, word
from pictures import circle, line, tag

MUTED, INK = LIGHT["muted"], LIGHT["ink"]
RIGHT = {"A": "1110110111", "B": "1011111111"}    # of ten sentences
SEEDS = {"A": [120, 152, 176, 198, 240], "B": [150, 186, 214, 230, 276]}


def heading(y, number, words):
    return [word(14, y, number, weight=700, anchor="start"),
            word(32, y, words, 14, anchor="start")]


def sentences():
    drawn = heading(24, "1", "Would other sentences say the same?")
    for row, (name, right) in enumerate(RIGHT.items()):
        y = 40 + 22 * row
        drawn.append(word(24, y + 13, name, 14, weight=700))
        drawn += [tag("rect", x=44 + 20 * n, y=y, width=17, height=16,
                      fill=MUTED if one == "1" else "#FFFFFF", stroke=MUTED)
                  for n, one in enumerate(right)]
    return [*drawn, word(254, 54, "filled: right", 13, GREY, anchor="start"),
            word(254, 75, "same ten", 13, GREY, anchor="start"),
            arrow(144, 84, 144, 106), word(156, 101, "draw them again and again", 13,
                                           anchor="start"),
            line(60, 124, 300, 124, 1.2, MUTED), line(142, 114, 142, 134, 1.6, INK),
            word(142, 150, "0", 13), line(82, 124, 262, 124, 5, INK),
            circle(172, 124, 6, INK), word(214, 150, "B minus A, 95 %", 13, GREY)]


def seeds():
    drawn = heading(188, "2", "Would another seed say the same?")
    for row, (name, places) in enumerate(SEEDS.items()):
        y = 212 + 24 * row
        drawn += [word(24, y + 5, name, 14, weight=700),
                  line(60, y, 320, y, 1.2, MUTED),
                  *[circle(x, y, 6, "#FFFFFF", stroke=INK, stroke_width=2)
                    for x in places]]
    told = "a mark for each training; how often does luck do it?"
    return [*drawn, word(190, 262, told, 13, GREY)]


def parts():
    return [*heading(302, "3", "What is one part worth?"),
            box(96, 332, 150, 28, "as it is"),
            box(264, 332, 150, 28, "one part changed"),
            arrow(96, 348, 96, 366), arrow(264, 348, 264, 366),
            box(96, 380, 150, 26, "train, all seeds"),
            box(264, 380, 150, 26, "train, all seeds"),
            word(180, 414, "same sentences, same settings, then compare", 13, GREY)]


def draw():
    return card(428, [*sentences(), *seeds(), *parts()])
