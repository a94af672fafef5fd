"""Values and numbers as words of a sentence to the reader."""


def short(value):
    """A value as a few letters that fit into a sentence."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def plural(number, name):
    """A number with its noun, which takes an s behind any number but 1."""
    return f"{number} {name}{'s' * (number != 1)}"
