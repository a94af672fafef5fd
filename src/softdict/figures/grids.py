"""Numbers in boxes: matrices side by side, and maps of weights."""

import matplotlib.pyplot as plt

from softdict.figures.palette import COLORMAP, INK, KEY, MUTED


def draw_product(parts):
    """Draws small matrices side by side, with the signs between them, and returns the
    figure.

    parts is a list of signs such as "@" and "=", and of matrices given as (title, rows,
    row names, colour); rows is a list of rows of numbers, row names may be None
    """
    tall = max(len(part[1]) for part in parts if not isinstance(part, str))
    figure, ax = plt.subplots(figsize=(6.6, 0.42 * tall + 0.7))
    x = 0.0
    for part in parts:
        if isinstance(part, str):
            ax.text(x + 0.35, -tall / 2, part, ha="center", va="center", fontsize=14,
                    color=INK)
            x += 0.7
            continue
        title, rows, names, colour = part
        top = -(tall - len(rows)) / 2
        if names:
            x += 1.35
        for down, row in enumerate(rows):
            if names:
                ax.text(x - 0.12, top - down - 0.5, names[down], ha="right",
                        va="center", color=MUTED)
            for across, number in enumerate(row):
                ax.add_patch(plt.Rectangle((x + across, top - down - 1), 1, 1,
                                           facecolor=colour, alpha=0.13))
                ax.add_patch(plt.Rectangle((x + across, top - down - 1), 1, 1,
                                           fill=False, edgecolor=colour))
                ax.text(x + across + 0.5, top - down - 0.5, f"{float(number):.3g}",
                        ha="center", va="center")
        ax.text(x + len(rows[0]) / 2, top + 0.2, title, ha="center", va="bottom",
                color=INK)
        x += len(rows[0])
    ax.set(xlim=(-0.1, x + 0.1), ylim=(-tall - 0.1, 0.9))
    ax.axis("off")
    return figure


def draw_weights(ax, weights, query_names, key_names, largest=1.0,
                 numbers=True, gold=()):
    """Draws a map of weights on an axis: one row a query, one column a key, light is
    little and dark is much.

    gold links, (key place, query place), are outlined
    """
    weights = [[float(weight) for weight in row] for row in weights]
    image = ax.imshow(weights, cmap=COLORMAP, vmin=0.0, vmax=largest, aspect="auto")
    ax.set_xticks(range(len(key_names)), key_names)
    ax.set_yticks(range(len(query_names)), query_names)
    ax.set(xlabel="key", ylabel="query")
    for column, row in gold:
        ax.add_patch(plt.Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False,
                                   edgecolor=KEY, linewidth=2))
    for row, line in enumerate(weights if numbers else []):
        for column, weight in enumerate(line):
            colour = "white" if weight > 0.55 * largest else "black"
            ax.text(column, row, f"{weight:.2f}", ha="center", va="center",
                    color=colour)
    return image


def draw_batches(parts):
    """Draws stacks of matrices side by side, with the signs between them, and
    returns the figure.

    parts is a list of signs, and of stacks given as (title, sheets, rows, columns,
    colour)
    """
    figure, ax = plt.subplots(figsize=(6.6, 2.6))
    tall = max(part[2] for part in parts if not isinstance(part, str))
    x = 0.0
    for part in parts:
        if isinstance(part, str):
            ax.text(x + 0.8, -tall / 2, part, ha="center", va="center", fontsize=12,
                    color=INK)
            x += 1.6
            continue
        title, sheets, rows, columns, colour = part
        for sheet in reversed(range(sheets)):
            left, top = x + 0.45 * sheet, -(tall - rows) / 2 + 0.45 * sheet
            for row in range(rows):
                for column in range(columns):
                    box = (left + column, top - row - 1)
                    ax.add_patch(plt.Rectangle(box, 1, 1, facecolor="white"))
                    ax.add_patch(plt.Rectangle(box, 1, 1, facecolor=colour,
                                               alpha=0.13 + 0.2 * sheet))
                    ax.add_patch(plt.Rectangle(box, 1, 1, fill=False, edgecolor=colour,
                                               linewidth=0.8))
        ax.text(x + columns / 2, -tall - 0.2, title, ha="center", va="top")
        x += columns + 0.45 * (sheets - 1)
    ax.set(xlim=(-0.1, x + 0.1), ylim=(-tall - 1.7, 0.7), aspect="equal")
    ax.axis("off")
    return figure
