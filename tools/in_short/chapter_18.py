"""Chapter 18: the step that reads *des*, and what its two caches hold."""

from in_short import GREY, LIGHT, PALE, arrow, box, card, word
from pictures import circle, line, square, tag, triangle

WORDS = [("<bos>", 2), ("elle", 3), ("lit", 6), ("des", 12)]    # and its weight
PLACES = [92, 150, 208, 264]
SOURCE = ["she", "reads", "books"]
KEYS, SCORES, SOFTMAX, VALUES, CONTEXT, QUERY = 92, 134, 170, 222, 302, 330


def room(y, name):
    """One row of the cache: pale what is kept, dashed what the new word adds."""
    return [tag("rect", x=64, y=y - 21, width=170, height=42, rx=8, fill=PALE),
            tag("rect", x=240, y=y - 21, width=48, height=42, rx=8,
                stroke=LIGHT["muted"], stroke_width=1.4, stroke_dasharray="4 3"),
            word(12, y - 2, name, 14, weight=700, anchor="start"),
            word(12, y + 15, "kept", 13, GREY, anchor="start")]


def step():
    query, key, value, muted = (LIGHT[name]
                                for name in ("query", "key", "value", "muted"))
    drawn = [word(14, 24, "one step", 15, weight=700, anchor="start"),
             word(94, 24, "reads one word, des", 13, GREY, anchor="start"),
             *room(KEYS, "keys"), *room(VALUES, "values"),
             line(QUERY, SCORES, 86, SCORES, 2.4, query)]
    for x, (name, weight) in zip(PLACES, WORDS):
        new = name == "des"
        drawn += [word(x, 58, name, 14, LIGHT["ink"] if new else GREY,
                       700 if new else 400),
                  arrow(x, KEYS + 11, x, SCORES - 7, key),
                  circle(x, SCORES, 6.5, "#FFFFFF", stroke=LIGHT["ink"]),
                  arrow(x, SCORES + 7, x, SOFTMAX - 12),
                  line(x, SOFTMAX + 11, x, VALUES - 12, weight, muted),
                  line(x, VALUES, 175, CONTEXT, weight, value),
                  square(x, KEYS, 20, key), triangle(x, VALUES, 21, value)]
    return [*drawn, arrow(264, 63, 264, KEYS - 11),    # from the new word
            line(282, 51, QUERY, 51, 1.6, muted), arrow(QUERY, 50, QUERY, SCORES - 14),
            line(282, 57, 303, 57, 1.6, muted), line(302, 57, 302, 125, 1.6, muted),
            line(302, 143, 302, VALUES, 1.6, muted),
            arrow(303, VALUES, 280, VALUES),
            circle(QUERY, SCORES, 13, query), word(QUERY, SCORES + 30, "query", 14,
                                                   weight=700),
            box(178, SOFTMAX, 228, 22, "softmax: the weights"),
            triangle(175, CONTEXT, 28, value),
            word(198, CONTEXT + 10, "context", 14, weight=700, anchor="start")]


def source():
    drawn = [word(14, 352, "source", 15, weight=700, anchor="start"),
             word(76, 352, "for cross-attention, made once", 13, GREY, anchor="start"),
             tag("rect", x=64, y=364, width=224, height=64, rx=8, fill=PALE)]
    for x, name in zip((104, 176, 248), SOURCE):
        drawn += [word(x, 384, name, 14), square(x - 14, 408, 20, LIGHT["key"]),
                  triangle(x + 14, 408, 21, LIGHT["value"])]
    return [*drawn, word(12, 414, "kept", 13, GREY, anchor="start")]


def draw():
    return card(440, [*step(), *source()])
