"""Chapter 02: a word that no entry has is looked up, by similarity and softmax."""

import math

from in_short import GREY, LIGHT, arrow, box, card, word
from pictures import circle, line, square, triangle

ENTRIES = [("computer", 1.5), ("dog", 10), ("cat", 5)]    # the width of the weight
ROWS = [76, 132, 188]
QUERY, KEYS, SOFTMAX, VALUES, ANSWER = 34, 124, 198, 268, 328


def lookup():
    drawn = [word(QUERY, 26, "query", 14, weight=700),
             word(KEYS, 26, "keys", 14, weight=700),
             word(VALUES, 26, "values", 14, weight=700),
             word(ANSWER, 26, "answer", 14, GREY)]
    for (name, weight), y in zip(ENTRIES, ROWS):
        drawn += [line(QUERY, ROWS[1], KEYS, y, 1.6, LIGHT["muted"]),
                  arrow(KEYS + 10, y, SOFTMAX - 16, y),
                  line(SOFTMAX + 15, y, VALUES, y, weight, LIGHT["muted"]),
                  line(VALUES, y, ANSWER, ROWS[1], weight, LIGHT["value"]),
                  square(KEYS, y, 18, LIGHT["key"]), word(KEYS, y - 14, name, 14),
                  triangle(VALUES, y, 20, LIGHT["value"])]
    drawn += [word(VALUES, y - 16, f"{price}") for y, price in zip(ROWS, (9, 2, 3))]
    letters = "".join(word(SOFTMAX, 87 + 17 * n, letter, 14)
                      for n, letter in enumerate("softmax"))
    return [*drawn, circle(QUERY, ROWS[1], 12, LIGHT["query"]),
            word(QUERY, ROWS[1] + 30, "puppy"), box(SOFTMAX, ROWS[1], 30, 146, ""),
            letters, triangle(ANSWER, ROWS[1], 26, LIGHT["value"]),
            word(158, 226, "scores", 13, GREY), word(238, 226, "weights", 13, GREY)]


def similarity():
    x, y, far = 34, 366, 92
    drawn = [word(14, 264, "score: how similar?", 14, weight=700, anchor="start")]
    for angle, name, shape in [(12, "key", square), (50, "query", circle)]:
        along, up = far * math.cos(math.radians(angle)), far * math.sin(
            math.radians(angle))
        end = round(x + along, 1), round(y - up, 1)
        drawn += [arrow(x, y, *end, LIGHT[name], 2.4),
                  word(end[0] + 8, end[1] + 5, name, 14, anchor="start")]
    bend = [(x + 50 * math.cos(math.radians(a)), y - 50 * math.sin(math.radians(a)))
            for a in range(13, 50, 6)]
    drawn += [line(*start, *end, 1.6, LIGHT["ink"])
              for start, end in zip(bend, bend[1:])]
    return [*drawn, word(14, 392, "the angle, by its "
            "cosine", 13, GREY, anchor="start")]


def temperature():
    drawn = [word(186, 264, "softmax: how strict?", 14, weight=700, anchor="start")]
    bars = [(204, "cold", (2, 84, 10)), (286, "warm", (26, 38, 32))]
    for left, name, heights in bars:
        for n, height in enumerate(heights):
            drawn.append(line(left + 22 * n, 372, left + 22 * n, 372 - height, 16,
                              LIGHT["muted"]))
        drawn.append(word(left + 22, 392, name, 13, GREY))
    return [*drawn, word(186, 412, "weights, by temperature", 13, GREY,
                         anchor="start")]


def draw():
    return card(424, [*lookup(), *similarity(), *temperature()])
