"""Chapter 21: two models learn from text alone, and become halves of a translator."""

from in_short import GREY, LIGHT, arrow, box, card, word
from pictures import tag

MUTED, INK = LIGHT["muted"], LIGHT["ink"]
BLANK = "▢"
READS = list(zip(["they", "went", BLANK, "early"], [28, 72, 114, 154]))
WRITES = list(zip(["<bos>", "ils", "rentrent"], ["ils", "rentrent", "tôt"],
                  [214, 262, 320]))


def masked():
    drawn = [word(90, 24, "text of the source", 14, weight=700),
             word(90, 42, "masked words: both sides", 13, GREY),
             box(90, 128, 156, 34, "language model", size=14),
             arrow(114, 110, 114, 92), word(114, 84, "home", weight=700)]
    for name, x in READS:
        drawn += [arrow(x, 172, x, 148)]
        drawn.append(tag("rect", x=x - 9, y=178, width=18, height=16, stroke=INK,
                         stroke_width=1.6) if name == BLANK else word(x, 191, name, 14))
    return drawn


def forwards():
    drawn = [word(270, 24, "text of the target", 14, weight=700),
             word(270, 42, "next word: what is before", 13, GREY),
             box(270, 128, 156, 34, "language model", size=14)]
    for reads, says, x in WRITES:
        drawn += [arrow(x, 172, x, 148), word(x, 191, reads, 14),
                  arrow(x, 110, x, 92), word(x, 84, says, 14, weight=700)]
    return drawn


def translator():
    return [arrow(90, 202, 90, 256, INK, 4), arrow(270, 202, 270, 256, INK, 4),
            word(180, 234, "copy the weights", 14),
            box(90, 276, 120, 34, "encoder"), box(270, 276, 120, 34, "decoder"),
            arrow(151, 276, 208, 276, stroke_dasharray="4 4"),
            word(180, 312, "cross-attention:", 13, GREY),
            word(180, 329, "new", 13, GREY),
            arrow(60, 374, 60, 296), arrow(300, 374, 300, 296),
            word(180, 370, "few pairs: fine-tuning", 14),
            word(60, 392, "source", 14), word(300, 392, "target", 14)]


def draw():
    return card(406, [*masked(), *forwards(), *translator()])
