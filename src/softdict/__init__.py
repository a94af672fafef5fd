"""Attention is a soft dictionary: the code that the book *From Dictionary to
Transformer* builds, line by line."""

__version__ = "0.1.0"
