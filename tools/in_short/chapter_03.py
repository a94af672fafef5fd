"""Chapter 03: the next word is predicted, the loss measured, the vectors are moved."""

from in_short import GREY, LIGHT, arrow, box, card, word
from pictures import circle, line, square, tag

WORDS = [("barked", 74), ("slept", 27), ("the", 10)]    # the width of the share
ROWS = [84, 128, 172]
QUERY, KEYS, LOGITS, SOFTMAX, SHARES = 44, 132, 194, 226, 250


def forward():
    drawn = [word(QUERY, 28, "query", 14, weight=700),
             word(KEYS, 28, "keys", 14, weight=700),
             word(LOGITS, 28, "logits", 14, GREY), word(292, 28, "shares", 14, GREY)]
    for (name, share), y in zip(WORDS, ROWS):
        drawn += [line(QUERY, ROWS[1], KEYS, y, 1.6, LIGHT["muted"]),
                  arrow(KEYS + 10, y, SOFTMAX - 14, y),
                  circle(LOGITS - 8, y, 6.5, "#FFFFFF", stroke=LIGHT["ink"]),
                  square(KEYS, y, 18, LIGHT["key"]), word(KEYS, y - 14, name, 14),
                  tag("rect", x=SHARES, y=y - 9, width=share, height=18,
                      fill=LIGHT["muted"])]
    letters = "".join(word(SOFTMAX, 83 + 17 * n, letter, 14)
                      for n, letter in enumerate("softmax"))
    return [*drawn, circle(QUERY, ROWS[1], 12, LIGHT["query"]),
            word(QUERY, ROWS[1] + 30, "dog"), box(SOFTMAX, ROWS[1], 28, 140, ""),
            letters]


def backward():
    y = 262
    return [word(14, 218, "the text says:", 13, GREY, anchor="start"),
            word(112, 218, "the dog slept", 14, anchor="start"),
            line(SHARES + 31, ROWS[1], 337, ROWS[1], 1.6, LIGHT["muted"]),
            arrow(336, ROWS[1], 336, y - 16), box(276, y, 150, 32, "loss: −log share"),
            arrow(200, y, 150, y, stroke_dasharray="6 4"),
            word(175, y + 32, "backpropagation", 13, GREY),
            box(82, y, 134, 32, "gradient: slopes", "#FFFFFF"),
            arrow(82, y + 17, 82, y + 46),
            box(180, y + 64, 330, 32, "optimiser: moves both tables a little"),
            tag("path", d=f"M15 {y + 64}H8V128H28", stroke=LIGHT["muted"],
                stroke_width=1.6),
            arrow(20, 128, 31, 128), word(14, y + 106, "then the next pairs of words, "
                                          "again and again", 13, GREY, anchor="start")]


def draw():
    return card(384, [*forward(), *backward()])
