"""Chapter 07: the translator with attention, in the step that writes *livres*."""

from in_short import GREY, LIGHT, arrow, box, card, word
from pictures import circle, line, square, triangle

SOURCE = [("she", 2), ("reads", 4), ("books", 13)]    # a word, the width of its weight
ROWS = [84, 144, 204]
KEYS, SCORES, SOFTMAX, TIMES, CONTEXT = 84, 140, 190, 246, 318


def encoder():
    drawn = [word(14, 24, "encoder", 15, weight=700, anchor="start"),
             word(92, 24, "makes a state for each word", 13, GREY,
                  anchor="start")]
    for (name, _), y in zip(SOURCE, ROWS):
        drawn += [word(56, y + 5, name, anchor="end"), arrow(59, y, 73, y),
                  square(KEYS, y, 20, LIGHT["key"])]
    return drawn + [arrow(KEYS, y + 11, KEYS, y + 47) for y in ROWS[:2]]


def lookup():
    drawn = []
    for (_, weight), y in zip(SOURCE, ROWS):
        drawn += [    # the value passes behind the softmax, to be weighted
            line(KEYS, y + 6, TIMES, y + 6, 2, LIGHT["value"]),
            arrow(KEYS + 11, y - 6, SCORES - 7, y - 6, LIGHT["key"]),
            arrow(SCORES + 7, y - 6, SOFTMAX - 15, y - 6),
            line(SOFTMAX + 15, y - 6, TIMES, y - 6, weight, LIGHT["muted"]),
            line(TIMES, y, CONTEXT, 144, weight, LIGHT["value"])]
    drawn += [line(SCORES, 316, SCORES, ROWS[0] - 6, 2.4, LIGHT["query"])]
    drawn += [circle(SCORES, y - 6, 6.5, "#FFFFFF", stroke=LIGHT["ink"]) for y in ROWS]
    drawn += [circle(TIMES, y, 11, "#FFFFFF", stroke=LIGHT["ink"])
              + word(TIMES, y + 5, "×", 16) for y in ROWS]
    tall = box(SOFTMAX, 144, 30, 158, "")
    name = "".join(word(SOFTMAX, 98 + 17 * n, letter, 14)
                   for n, letter in enumerate("softmax"))
    return [*drawn, tall, name, triangle(CONTEXT, 144, 28, LIGHT["value"]),
            word(SCORES, 58, "scores", 13, GREY),
            word(TIMES - 14, 58, "weights", 13, GREY),
            word(CONTEXT, 118, "context", 14, weight=700),
            word(KEYS, 236, "key and value", 13, GREY)]


def decoder():
    y = 330
    return [word(14, 296, "decoder", 15, weight=700, anchor="start"),
            word(SCORES + 10, 282, "query", 14, weight=700, anchor="start"),
            circle(40, y, 12, "#FFFFFF", stroke=LIGHT["query"], stroke_width=2),
            arrow(53, y, SCORES - 14, y), circle(SCORES, y, 13, LIGHT["query"]),
            word(14, y + 34, "state before", 13, GREY, anchor="start"),
            arrow(SCORES, y + 46, SCORES, y + 15), word(SCORES, y + 62, "des"),
            word(SCORES, y + 80, "the word before", 13, GREY),
            arrow(SCORES + 14, y, 246, y), arrow(CONTEXT, 158, CONTEXT, y - 18,
                                                 LIGHT["value"], 2.4),
            box(297, y, 100, 34, "join"), arrow(297, y + 18, 297, y + 36),
            box(297, y + 51, 100, 28, "generator"), arrow(297, y + 66, 297, y + 84),
            word(297, y + 102, "livres", 16, weight=700)]


def draw():
    return card(444, [*lookup(), *encoder(), *decoder()])
