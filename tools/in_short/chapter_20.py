"""Chapter 20: a map beside a ruler, and a head that is silenced; no result."""

from in_short import GREY, LIGHT, arrow, box, card, word
from pictures import circle, square, tag, triangle

MUTED, INK = LIGHT["muted"], LIGHT["ink"]
WORDS = list(zip(["the", "girl", "who", "sang", "left"], [36, 104, 172, 240, 312]))
HEADS, SILENT = [52, 136, 220, 304], 2
WIDTHS = [2, 5, 1.4, 2.5]    # of the head's weights on the four words


def looks():
    drawn = [word(14, 24, "1", weight=700, anchor="start"),
             word(32, 24, "Where does a head look, and a ruler?", 14, anchor="start")]
    for (_, x), width in zip(WORDS, WIDTHS):
        drawn += [tag("path", d=f"M312 92Q{(x + 312) / 2:g} {46 - (312 - x) / 16:g} "
                      f"{x} 82", stroke=LIGHT["query"], stroke_width=width),
                  square(x, 92, 14, LIGHT["key"])]
    drawn += [word(x, 122, name) for name, x in WORDS]
    drawn += [circle(312, 92, 9, LIGHT["query"]),
              tag("path", d="M312 130Q276 152 246 132", stroke=INK, stroke_width=2,
                  stroke_dasharray="4 4"), arrow(247, 133, 241, 128, INK, 2),
              word(346, 164, "ruler: the same distance, always", 13, GREY,
                   anchor="end")]
    return [*drawn, word(64, 60, "the head", 13, GREY)]


def silence():
    drawn = [word(14, 206, "2", weight=700, anchor="start"),
             word(32, 206, "What is missing if a head is silent?", 14, anchor="start")]
    for number, x in enumerate(HEADS):
        off = number == SILENT
        drawn += [box(x, 234, 68, 26, f"head {number + 1}"),
                  arrow(x, 248, x, 266), circle(x, 280, 13, "#FFFFFF", stroke=INK),
                  word(x, 285, "× 0" if off else "× 1", 13),
                  arrow(x, 294, x, 334, MUTED, 1.6,
                        **({"stroke_dasharray": "3 4"} if off else {}))]
        if not off:
            drawn.append(triangle(x, 310, 13, LIGHT["value"]))
    return [*drawn, box(178, 348, 320, 26, "sum, by the matrix of the output"),
            arrow(178, 362, 178, 382),
            word(178, 402, "How much loss is added, and at which words?", 14)]


def draw():
    return card(416, [*looks(), *silence()])
