"""Chapter 19: from pairs as they are found to a score, pieces between."""

from in_short import GREY, LIGHT, arrow, box, card, word
from pictures import line, tag

MUTED = LIGHT["muted"]
PIECES = [("_snow", 136), ("man", 204)]


def split():
    return [box(180, 28, 200, 28, "pairs as they are found"),
            arrow(180, 43, 180, 66), box(180, 80, 330, 26, "split by source sentence"),
            arrow(70, 94, 70, 116), arrow(206, 94, 206, 116), arrow(312, 94, 312, 116),
            box(70, 130, 110, 26, "training"), box(206, 130, 110, 26, "validation"),
            box(312, 130, 66, 26, "test")]


def machine():
    drawn = [arrow(70, 144, 70, 168), box(70, 190, 110, 42, ""),
             word(70, 186, "tokenizer", weight=700), word(70, 203, "learns merges", 13),
             word(152, 178, "snowman", anchor="start")]
    for name, x in PIECES:
        drawn += [tag("rect", x=x, y=192, width=58 if x < 200 else 44, height=22, rx=4,
                      fill="#F2F0EB", stroke=MUTED),
                  word(x + (29 if x < 200 else 22), 208, name, 14)]
    return [*drawn, arrow(126, 203, 135, 203), arrow(180, 216, 180, 244),
            box(180, 260, 250, 30, "Transformer: a row for each piece", size=13),
            line(206, 144, 206, 158, 1.6, MUTED), line(206, 158, 334, 158, 1.6, MUTED),
            line(334, 158, 334, 260, 1.6, MUTED), arrow(334, 260, 307, 260),
            word(326, 232, "when to stop", 13, GREY, anchor="end")]


def score():
    return [arrow(180, 276, 180, 298), box(180, 312, 250, 26, "join the pieces: text"),
            arrow(180, 326, 180, 348), line(350, 130, 346, 130, 1.6, MUTED),
            line(350, 130, 350, 364, 1.6, MUTED), arrow(350, 364, 307, 364),
            box(180, 364, 250, 30, "score, with its signature"),
            word(180, 398, "on sentences that are new", 13, GREY)]


def draw():
    return card(412, [*split(), *machine(), *score()])
