"""Chapter 15: one update of a training, and the rate of all of them."""

from in_short import GREY, LIGHT, arrow, box, card, word
from pictures import line, tag

MUTED, INK = LIGHT["muted"], LIGHT["ink"]
GRIDS = [("source", 18, [4, 4, 3]), ("reads", 118, [4, 3, 4]), ("says", 254, [4, 3, 4])]


def batch():
    """Three small tables: a filled cell is a word, an empty one a pad."""
    drawn = [word(14, 24, "batch", weight=700, anchor="start"),
             word(64, 24, "of sentences of similar length", 13, GREY, anchor="start")]
    for name, left, lengths in GRIDS:
        drawn.append(word(left, 50, name, 14, anchor="start"))
        for row, length in enumerate(lengths):
            drawn += [tag("rect", x=left + 20 * n, y=58 + 16 * row, width=17, height=13,
                          fill=MUTED if n < length else "#FFFFFF", stroke=MUTED)
                      for n in range(4)]
    return [*drawn, word(346, 24, "empty: a pad", 13, GREY, anchor="end")]


def loop():
    return [arrow(56, 108, 56, 138), arrow(156, 108, 156, 138),
            arrow(292, 108, 292, 138), box(106, 158, 176, 38, ""),
            word(106, 156, "model", weight=700),
            word(106, 171, "forward, one pass", 13),
            arrow(195, 158, 234, 158), box(292, 158, 112, 38, ""),
            word(292, 156, "loss", weight=700), word(292, 171, "per real word", 13),
            arrow(292, 178, 292, 206), box(292, 220, 112, 26, "backward"),
            arrow(292, 234, 292, 262), box(292, 276, 112, 26, "clip gradient"),
            arrow(235, 276, 196, 276), box(106, 276, 176, 26, "Adam: step", size=14),
            arrow(106, 262, 106, 180, INK, 3),
            word(116, 226, "new weights", 14, anchor="start")]


def rate():
    """The learning rate against the updates: the two schedules of the chapter."""
    root = "M30 414L92 352" + "".join(
        f"L{x} {414 - 62 * (62 / (x - 30)) ** .5:.1f}" for x in range(102, 343, 10))
    return [line(30, 414, 346, 414, 1.6, INK), line(30, 414, 30, 340, 1.6, INK),
            tag("path", d="M30 414L92 352H280L342 414", stroke=INK, stroke_width=2.6),
            tag("path", d=root, stroke=MUTED, stroke_width=1.8, stroke_dasharray="4 4"),
            arrow(106, 346, 106, 292, stroke_dasharray="3 4"),
            word(116, 322, "how far: the learning rate", 13, anchor="start"),
            word(54, 430, "warm-up", 13), word(346, 430, "updates", 13, anchor="end")]


def draw():
    return card(440, [*batch(), *loop(), *rate()])
