"""Quality by length of sentence, for several systems and several seeds."""

import matplotlib.pyplot as plt

from softdict.figures.palette import INK, MUTED

LINES = ("o-", "s--", "^:", "D-.", "v-", "x--")


def draw_by_length(panels, sizes, trained):
    """Draws a panel for each measure: a line through the mean of each system's seeds;
    returns the figure.

    panels is {title: {label: rows}}, a row of percentages for each seed; sizes names
    the bins of length
    a grey line stands behind the first `trained` bins
    raises ValueError for more systems than there are kinds of lines
    """
    if (most := max(map(len, panels.values()))) > len(LINES):
        raise ValueError(f"a panel shows at most {len(LINES)} systems; got {most}")
    figure, axes = plt.subplots(1, len(panels), figsize=(7.5, 3.2), sharey=True,
                                squeeze=False)
    for ax, (title, curves) in zip(axes[0], panels.items()):
        for (label, rows), line in zip(curves.items(), LINES, strict=False):
            ax.plot([sum(column) / len(column) for column in zip(*rows)], line,
                    color=INK, markersize=4, label=label)
            for row in rows:
                ax.plot(row, "_", color=INK, markersize=9)
        ax.axvline(trained - 0.5, color=MUTED)
        ax.set(title=title, xlabel="English words", ylim=(0, 100))
        ax.set_xticks(range(len(sizes)), sizes, rotation=45)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="upper center",
                  bbox_to_anchor=(0.5, 0.02), ncols=3 if most > 4 else 4,
                  edgecolor="none")
    return figure
