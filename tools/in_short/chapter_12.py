"""Chapter 12: where on the way from words to weights a position enters."""

import math

from in_short import GREY, LIGHT, PALE, arrow, box, card, word
from pictures import circle, line, square, tag

WORDS = ["she", "reads", "books"]
PLACES = [50, 120, 190]    # of the words, from left to right
SIDE = 236    # where the names of the ways begin


def code(x, y, p):
    """The sinusoidal code of position p: eight numbers, light is -1, dark is 1."""
    drawn = [tag("rect", x=x - 24, y=y - 8, width=48, height=16, stroke=LIGHT["muted"])]
    for n in range(8):
        angle = p / 10000 ** (2 * (n // 2) / 8)
        height = math.cos(angle) if n % 2 else math.sin(angle)
        drawn.append(tag("rect", x=x - 24 + 6 * n, y=y - 8, width=6, height=16,
                         fill=LIGHT["ink"], fill_opacity=round(.5 + height / 2, 2)))
    return drawn


def hand(x, y, p, name):
    """A query or a key on its circle, turned by p steps."""
    colour, angle = LIGHT[name], math.radians(35 * p + (20 if name == "key" else 0))
    far_x, far_y = x + 19 * math.sin(angle), y - 19 * math.cos(angle)
    end = (circle if name == "query" else square)(
        round(far_x, 1), round(far_y, 1), 6 if name == "query" else 11, colour)
    return [circle(x, y, 19, "none", stroke="#C9C6BF", stroke_dasharray="2 3"),
            line(x, y, round(far_x, 1), round(far_y, 1), 2.4, colour), end]


def way(y, name, *more):
    return [word(SIDE, y, name, 14, weight=700, anchor="start"),
            *[word(SIDE, y + 17 * n, words, 13, GREY, anchor="start")
              for n, words in enumerate(more, start=1)]]


def draw():
    drawn = [word(SIDE, 24, "position p", 13, GREY, anchor="start"),
             *way(84, "sinusoidal", "or learned code,", "added to x"),
             *way(200, "RoPE", "turns query and", "key by p steps"),
             *way(326, "ALiBi", "takes a number", "for the distance", "from the score")]
    for p, (x, name) in enumerate(zip(PLACES, WORDS)):
        drawn += [word(x, 24, str(p), 13, GREY), word(x, 46, name),
                  tag("rect", x=x - 24, y=58, width=48, height=16, fill=PALE,
                      stroke=LIGHT["muted"]), word(x, 70, "x", 13),
                  word(x, 91, "+", 16), *code(x, 104, p),
                  arrow(x, 115, x, 128), *hand(x, 184, p, "query"),
                  *hand(x, 236, p, "key")]
    times = box(120, 141, 196, 24, "times W_Q, times W_K", size=13)
    for index, after in (("Q", ", times W"), ("K", "")):
        low = f'<tspan dy="3">{index}</tspan>'
        times = times.replace(f"_{index}{after}",
                              f'{low}<tspan dy="-3">{after}</tspan>')
    drawn.append(times.replace('<tspan dy="-3"></tspan>', ""))
    for t in range(3):
        for s in range(3):
            x, y = PLACES[s], 304 + 29 * t
            away = ("0", "−½", "−1")[abs(t - s)]
            drawn += [tag("rect", x=x - 33, y=y, width=66, height=26, rx=3, fill=PALE),
                      word(x, y + 18, away, 14)]
    drawn += [arrow(120, 262, 120, 298), arrow(120, 391, 120, 410),
              word(130, 286, "scores", 13, GREY, anchor="start"),
              box(120, 422, 196, 22, "softmax: the weights", size=13)]
    return card(444, drawn)
