"""A lookup as a picture: the query asks every key, the values answer, line width is
weight."""

import matplotlib.pyplot as plt

from softdict.figures.palette import INK, KEY, MUTED, QUERY, VALUE


def draw_lookup(query, keys, weights, values, answer,
                titles=("query", "keys", "values", "answer")):
    """Draws one lookup from left to right, and returns the figure.

    query, keys, values and answer are short texts or numbers; weights, one for each
    key, set the width of the lines
    a weight of zero is a dotted line
    """
    figure, ax = plt.subplots(figsize=(6.4, 0.62 * len(keys) + 1.0))
    rows = [len(keys) - 1 - row for row in range(len(keys))]
    middle = (len(keys) - 1) / 2
    for row, key, weight, value in zip(rows, keys, weights, values):
        look = (dict(linestyle=":", linewidth=1)
                if weight == 0 else dict(linewidth=max(0.6, 8 * float(weight))))
        ax.plot([0, 1], [middle, row], color=MUTED, zorder=1, **look)
        ax.plot([2, 3], [row, middle], color=MUTED, zorder=1, **look)
        ax.plot([1, 2], [row, row], color="#D5D5D5", linewidth=1, zorder=0)
        ax.plot(1, row, marker="s", color=KEY, markersize=13, zorder=2)
        ax.plot(2, row, marker="^", color=VALUE, markersize=13, zorder=2)
        ax.text(1.09, row, key, va="center",
                bbox=dict(facecolor="white", edgecolor="none", pad=2))
        ax.text(2, row + 0.27, value, ha="center", va="bottom")
        ax.text(0.72, middle + 0.72 * (row - middle) + 0.12, f"{float(weight):.2g}",
                ha="center", va="bottom",
                fontsize=10, color=INK,
                bbox=dict(facecolor="white", edgecolor="none", alpha=0.8, pad=0.5))
    ax.plot(0, middle, marker="o", color=QUERY, markersize=16, zorder=2)
    ax.plot(3, middle, marker="^", color=VALUE, markersize=16, zorder=2)
    ax.text(0, middle + 0.33, query, ha="center", va="bottom", fontweight="bold")
    # the lines come from the left
    ax.text(2.9, middle + 0.33, answer, va="bottom", fontweight="bold")
    for x, title in zip((0, 1, 2, 3), titles):
        ax.text(x, len(keys) - 0.3, title, ha="center", color=MUTED)
    ax.set(xlim=(-0.45, 3.7), ylim=(-0.5, len(keys) + 0.05))
    ax.axis("off")
    return figure
