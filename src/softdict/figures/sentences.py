"""Sentences as pictures: a pair with its links, and the two networks that translate
it."""

import warnings

import matplotlib.pyplot as plt

from softdict.figures.palette import INK, KEY, MUTED, QUERY, VALUE


def draw_pair(source, target, sure, possible=()):
    """Draws a sentence above its translation, with lines between words that belong
    together; returns the figure.

    source is a list of words; target a list of (romanisation, gloss, script); links are
    (source place, target place)
    sure links are solid, merely possible ones dotted
    """
    # the reader's browser has the script
    warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
    wide = max(len(source), len(target))
    figure, ax = plt.subplots(figsize=(max(5.0, 0.82 * wide), 2.5))
    above, below = (places(len(row), wide) for row in (source, target))
    for i, j in sorted(set(possible) - set(sure)):
        ax.plot([above[i], below[j]], [0.86, 0.3], color=MUTED, linewidth=0.8,
                linestyle=":", zorder=0)
    for i, j in sure:
        ax.plot([above[i], below[j]], [0.86, 0.3], color=INK, linewidth=1.8)
    for x, word in zip(above, source):
        ax.text(x, 0.9, word, ha="center", va="bottom", parse_math=False)
    for x, (romanised, gloss, script) in zip(below, target):
        ax.text(x, 0.25, romanised, ha="center", va="top", fontstyle="italic")
        ax.text(x, 0.12, gloss, ha="center", va="top", fontsize=9)
        ax.text(x, 0.0, script, ha="center", va="top", color=MUTED)
    ax.set(xlim=(-0.6, wide - 0.4), ylim=(-0.16, 1.05))
    ax.axis("off")
    return figure


def places(count, wide):
    """Places of `count` words that share the width of `wide` words evenly."""
    return [(place + 0.5) * wide / count - 0.5 for place in range(count)]


def draw_translator(source, read, written):
    """Draws an encoder, the vector that it hands over, and a decoder, unrolled word by
    word; returns the figure.

    source are the words that the encoder reads; the decoder reads `read` from below and
    writes `written` above
    """
    figure, ax = plt.subplots(figsize=(0.78 * (len(source) + len(read)) + 1.6, 2.5))
    middle = len(source) + 0.25
    first = middle + 1.25
    arrow = dict(arrowstyle="->", color=MUTED, linewidth=1.2, shrinkA=9, shrinkB=9)
    for i, word in enumerate(source):
        ax.annotate("", (i, 1), (i, 0.25), arrowprops=arrow)
        ax.annotate("", (i + 1 if i + 1 < len(source) else middle, 1), (i, 1),
                    arrowprops=arrow
                    | dict(arrowstyle="<->" if i + 1 < len(source) else "->"))
        ax.plot(i, 1, marker="s", color=KEY, markersize=13)
        ax.text(i, 0.2, word, ha="center", va="top", parse_math=False)
    # backward reader
    ax.annotate("", (middle, 1), (0, 1),
                arrowprops=arrow | dict(connectionstyle="arc3,rad=-0.45"))
    ax.plot(middle, 1, marker="^", color=VALUE, markersize=17)
    for j, (below, above) in enumerate(zip(read, written)):
        x = first + j
        ax.annotate("", (x, 1), (x, 0.25), arrowprops=arrow)
        ax.annotate("", (x, 1.75), (x, 1), arrowprops=arrow)
        ax.annotate("", (x, 1), (x - 1 if j else middle, 1), arrowprops=arrow)
        if j:    # every step gets the vector again
            ax.annotate("", (x - 0.05, 0.92), (middle, 0.98), arrowprops=arrow | dict(
                connectionstyle="arc3,rad=0.2", linewidth=0.6, linestyle=":"))
        ax.plot(x, 1, marker="o", color=QUERY, markersize=14)
        ax.text(x, 0.2, below, ha="center", va="top", parse_math=False)
        ax.text(x, 1.8, above, ha="center", va="bottom", parse_math=False)
    ax.text((len(source) - 1) / 2, 2.2, "encoder", ha="center", color=MUTED)
    ax.text(middle, 1.3, "context", ha="center", color=MUTED)
    ax.text(first + (len(read) - 1) / 2, 2.2, "decoder", ha="center", color=MUTED)
    ax.set(xlim=(-0.6, first + len(read) - 0.4), ylim=(-0.1, 2.4))
    ax.axis("off")
    return figure
