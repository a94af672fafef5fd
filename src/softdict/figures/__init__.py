"""The palette of the book, and the drawings that two chapters or more use."""

from softdict.figures.fonts import fonts_for
from softdict.figures.grids import draw_batches, draw_product, draw_weights
from softdict.figures.lengths import draw_by_length
from softdict.figures.lookup import draw_lookup
from softdict.figures.palette import COLORMAP, INK, KEY, MUTED, QUERY, VALUE, style
from softdict.figures.sentences import draw_pair, draw_translator

__all__ = ["COLORMAP", "INK", "KEY", "MUTED", "QUERY", "VALUE",
           "draw_batches", "draw_by_length", "draw_lookup", "draw_pair", "draw_product",
           "draw_translator", "draw_weights", "fonts_for", "style"]
