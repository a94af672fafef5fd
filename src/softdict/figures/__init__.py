"""The palette of the book, and the drawings that two chapters or more use."""

from softdict.figures.grids import draw_batches, draw_product, draw_weights
from softdict.figures.lookup import draw_lookup
from softdict.figures.palette import INK, KEY, MUTED, QUERY, VALUE, WEIGHTS, style

__all__ = ["INK", "KEY", "MUTED", "QUERY", "VALUE", "WEIGHTS",
           "draw_batches", "draw_lookup", "draw_product", "draw_weights", "style"]
