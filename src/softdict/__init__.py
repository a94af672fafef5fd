"""Attention is a soft dictionary: the code that the book *From Dictionary to
Transformer* builds, line by line."""

import importlib

__version__ = "0.1.0"


def __getattr__(name):
    """softdict.progress(), earlier(name), keep_in_drive(): from `checks.kept`."""
    if name in ("progress", "earlier", "keep_in_drive"):
        # it imports torch, and so not before it is asked for
        return getattr(importlib.import_module("softdict.checks.kept"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
