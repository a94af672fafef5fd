"""Pairs as text: a block for reading, and tab-separated files."""

from pathlib import Path

from softdict.corpus.hangul import romanise
from softdict.corpus.splits import SPLITS, split, text
from softdict.texts.files import write_whole

COLUMNS = ("source", "target", "links", "gloss", "romanised", "english", "korean",
           "kind", "depth", "register", "source_heads", "target_heads")


def block(pair):
    """A pair for reading: both sentences, then each Korean morpheme with romanisation
    and gloss, then the links."""
    facts = f"[{pair.register}, {pair.kind}, {pair.length} words, {pair.depth} deep]"
    lines = [f"{pair.english}   {facts}", pair.korean,
             *glossed(pair.morphemes, [token.gloss for token in pair.target])]
    lines.append("  "
                 + " ".join(f"{i}:{token.form}" for i, token in enumerate(pair.source)))
    lines.append("  links " + pair.pharaoh)
    return "\n".join(lines)


def glossed(morphemes, glosses):
    """Three lines, one column a morpheme: in Latin letters, what it means, and in
    Hangul."""
    rows = [(romanise(form), meaning, form)
            for form, meaning in zip(morphemes, glosses, strict=True)]
    widths = [max(map(wide, row)) for row in rows]
    return ["  " + "  ".join(cell + " " * (width - wide(cell))
                             for cell, width in zip(cells, widths)).rstrip()
            for cells in zip(*rows)]


def wide(text):
    """Columns that a text takes in a terminal: a Hangul letter or syllable takes
    two."""
    return sum(2 if character > "\u3130" else 1 for character in text)


def row(pair):
    """A pair as one line of text cells, in the order of COLUMNS."""
    heads = [" ".join(f"{token.head}:{token.relation}" for token in side)
             for side in (pair.source, pair.target)]
    glosses = " ".join(token.gloss for token in pair.target)
    return (" ".join(pair.words), " ".join(pair.morphemes), pair.pharaoh, glosses,
            romanise(" ".join(pair.morphemes)), pair.english, pair.korean, pair.kind,
            str(pair.depth), pair.register, *heads)


def export(folder, names=tuple(SPLITS)):
    """Writes each split as NAME.tsv (text-only splits as NAME.txt) into a folder;
    returns the paths."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in names:
        if name.startswith("mono"):
            path, lines = (folder / f"{name}.txt",
                           [" ".join(forms) for forms in text(name)])
        else:
            path, lines = folder / f"{name}.tsv", [
                "\t".join(cells) for cells in [COLUMNS, *map(row, split(name))]]
        write_whole(path, ("\n".join(lines) + "\n").encode("utf-8"))
        paths.append(path)
    return paths
