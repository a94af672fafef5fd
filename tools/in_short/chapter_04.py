"""Chapter 04: the encoder, the decoder, and the target shifted by one."""

from in_short import GREY, LIGHT, arrow, box, card, word
from pictures import circle, line, square, triangle

SOURCE = ["she", "reads", "books"]
TARGET = ["elle", "lit", "des", "livres"]
STEPS = [42, 111, 180, 249, 318]    # of the decoder, from left to right


def encoder():
    places = [42, 111, 180]
    drawn = [word(14, 24, "encoder", 15, weight=700, anchor="start"),
             word(92, 24, "reads the source, a word a step", 13, GREY,
                  anchor="start")]
    for x, name in zip(places, SOURCE):
        drawn += [word(x, 56, name), arrow(x, 63, x, 84),
                  square(x, 96, 20, LIGHT["key"])]
    drawn += [arrow(x + 12, 96, x + 56, 96) for x in places[:2]]
    return [*drawn, arrow(192, 96, 256, 96), triangle(272, 96, 26, LIGHT["value"]),
            word(292, 92, "c, the", 13, GREY, anchor="start"),
            word(292, 108, "context", 13, GREY, anchor="start"),
            word(110, 126, "states", 13, GREY)]


def decoder():
    violet, reads, says = LIGHT["value"], ["<bos>", *TARGET], [*TARGET, "<eos>"]
    drawn = [word(14, 178, "decoder", 15, weight=700, anchor="start"),
             word(92, 178, "starts from c, and gets c at each step", 13, GREY,
                  anchor="start"),
             line(272, 112, 272, 146, 1.6, violet),
             line(7, 146, 273, 146, 1.6, violet), line(7, 145, 7, 273, 1.6, violet),
             arrow(7, 272, 29, 272, violet)]
    for x, read, say in zip(STEPS, reads, says):
        drawn += [word(x, 222, read, 14), triangle(x + 13, 243, 11, violet),
                  arrow(x, 229, x, 258), circle(x, 272, 12, LIGHT["query"]),
                  arrow(x, 285, x, 306), arrow(x, 328, x, 349), word(x, 368, say, 14)]
    drawn += [arrow(x + 13, 272, x + 56, 272) for x in STEPS[:4]]
    drawn += [line(x + 14, 354, x + 54, 230, 1.2, LIGHT["muted"],
                   stroke_dasharray="3 4") for x in STEPS[:4]]
    return [*drawn, box(180, 317, 330, 22, "generator: a score for each word"),
            word(14, 202, "reads", 13, GREY, anchor="start"),
            word(14, 390, "says: the same row, one step earlier", 13, GREY,
                 anchor="start")]


def draw():
    return card(404, [*encoder(), *decoder()])
