"""Colours and plot settings. Shape repeats what colour says: query round, key square,
value triangle."""

import matplotlib

from softdict import runtime

QUERY = "#3299E3"    # circles
KEY = "#DB3F24"      # squares
VALUE = "#610B6A"    # triangles
INK = "#1A1A1A"
MUTED = "#767676"
COLORMAP = "Blues"    # white is zero, dark is much


def style():
    """Sets the book's plot settings: 6 x 3 in, 11 pt, SVG whose text stays text, the
    same file at every run."""
    matplotlib.rcParams.update({
        "figure.figsize": (6, 3), "figure.constrained_layout.use": True,
        "figure.facecolor": "white",
        "font.size": 11, "axes.titlesize": 11, "text.color": INK,
        "axes.labelcolor": INK,
        "axes.spines.top": False, "axes.spines.right": False, "image.cmap": COLORMAP,
        "svg.fonttype": "none", "svg.hashsalt": "softdict",
    })
    if runtime.shell() is None:    # to set a notebook's format would start a shell
        return
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    set_matplotlib_formats("svg", metadata={"Date": None})
