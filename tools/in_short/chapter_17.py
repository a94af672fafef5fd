"""Chapter 17: the writing loop, one word by every rule, and two steps of a beam."""

from in_short import GREY, LIGHT, arrow, box, card, word
from pictures import circle, line

NEXT = {"tea": .5, "milk": .25, "soup": .1, "rice": .08, "cake": .05, "ink": .02}
RULES = {    # the shares that a rule draws from; it divides them by their sum
    "greedy": [1],
    "sampling": NEXT.values(),
    "temperature .5": [p ** 2 for p in NEXT.values()],
    "top-k, k = 2": [.5, .25],
    "top-p, p = .8": [.5, .25, .1],
    "min-p, .15": [.5, .25, .1, .08]}
COLUMNS = range(148, 350, 39)
TREE = {    # two beginnings, and how they go on: word, its p, p of both together
    ("tea", ".50", 360): [("with", ".5", ".25", 348), ("and", ".3", ".15", 374)],
    ("milk", ".25", 426): [("with", ".8", ".20", 414), ("and", ".1", ".025", 440)]}


def loop():
    muted = LIGHT["muted"]
    return [word(14, 68, "the text so far", 14, anchor="start"),
            arrow(122, 63, 141, 63), box(168, 63, 52, 30, "model"),
            arrow(195, 63, 231, 63), word(212, 56, "p", 14),
            box(255, 63, 46, 30, "rule"), arrow(279, 63, 297, 63),
            word(323, 68, "a word", 14),
            line(323, 52, 323, 30, 1.6, muted), line(324, 30, 65, 30, 1.6, muted),
            arrow(66, 30, 66, 54), word(195, 22, "the text grows by it", 13, GREY),
            arrow(168, 100, 168, 80), word(168, 113, "source", 13, GREY)]


def rules():
    drawn = [word(14, 143, "she ordered", 14, weight=700, anchor="start"),
             word(14, 162, "p, by the model", 13, GREY, anchor="start")]
    for x, (name, p) in zip(COLUMNS, NEXT.items()):
        drawn += [word(x, 143, name, 14), word(x, 162, f"{p:.2f}"[1:], 13, GREY)]
    for row, (rule, shares) in enumerate(RULES.items()):
        y, shares = 184 + 22 * row, list(shares)
        drawn += [line(14, y - 12, 346, y - 12, .6, "#DDDAD3"),
                  word(14, y + 4, rule, 14, anchor="start")]
        drawn += [circle(x, y - 1, round(10 * (share / sum(shares)) ** .5, 1),
                         LIGHT["ink"]) for x, share in zip(COLUMNS, shares)]
    return [*drawn, word(346, 319, "the larger the dot, the likelier the word", 13,
                         GREY, anchor="end")]


def beam():
    muted, dotted = LIGHT["muted"], {"stroke_dasharray": "2 4"}
    drawn = [word(14, 352, "beam", 14, weight=700, anchor="start"),
             word(14, 370, "search", 14, weight=700, anchor="start"),
             word(14, 388, "size 2", 13, GREY, anchor="start"),
             circle(66, 393, 3, LIGHT["ink"]),
             line(66, 393, 100, 462, 1.6, muted, **dotted),
             word(104, 467, "soup, rice, cake, ink: pruned", 13, GREY, anchor="start")]
    for (first, p, y), more in TREE.items():
        drawn += [line(66, 393, 100, y, 2.4, LIGHT["ink"]),
                  box(137, y, 74, 24, f"{first} {p}")]
        for name, share, both, y2 in more:
            kept = name == "with"
            drawn += [line(174, y, 204, y2, *([2.4, LIGHT["ink"]] if kept
                                              else [1.6, muted]),
                           **({} if kept else dotted)),
                      word(210, y2 + 5, f"{name} {share}", 14, anchor="start"),
                      word(346, y2 + 5, f"{both} {'kept' if kept else 'pruned'}", 13,
                           LIGHT["ink"] if kept else GREY, 700 if kept else 400, "end")]
    return drawn


def draw():
    return card(480, [*loop(), *rules(), *beam()])
