"""How long a chapter is: the words, lines, figures and predictions of its main road.

    python book/lengths.py

prints a row a chapter. The main road ends where *Going further* or *Sources* begins;
exercises, folds and hidden code are not on it.
"""

import re
from collections import namedtuple

WORDS, LINES, FIGURES, PREDICTIONS = 200, 30, 2, 3    # read in one minute
MINUTES = 30    # the longest main road
ASIDE = {"exercise-text", "exercise", "exercise-check", "hint", "answer", "hide-input",
         "remove-input", "hide-cell", "remove-cell"}
STATED = re.compile(r"(?<=Reading takes about )\d+(?= minutes)")
Length = namedtuple("Length", "words lines figures predictions")


def main_road(notebook):
    """The cells that every reader reads, in order; the last may be cut short."""
    for cell in notebook.cells:
        end = cell.cell_type == "markdown" and re.search(
            r"^##+ (?:Going further|Sources)\b", cell.source, re.MULTILINE)
        if not ASIDE & set(cell.metadata.get("tags", [])):
            yield cell, cell.source[:end.start()] if end else cell.source
        if end:
            return


def length(notebook):
    """The Length of a notebook's main road; a line of code is one that is not blank."""
    words = lines = figures = predictions = 0
    for cell, text in main_road(notebook):
        code = [text] if cell.cell_type == "code" else []
        if not code:
            text = re.sub(r"<details>.*?</details>|<!--.*?-->", "", text,
                          flags=re.DOTALL)
            code = re.findall(r"^```\w*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
            words += len(re.sub(r"^```.*?^```$", "", text,
                                flags=re.DOTALL | re.MULTILINE).split())
            predictions += len(re.findall(r"^> \*\*Predict", text, re.MULTILINE))
        lines += sum(bool(line.strip()) for block in code for line in block.split("\n"))
        figures += "figure" in cell.metadata.get("mystnb", {})
    return Length(words, lines, figures, predictions)


def minutes(notebook):
    """What the main road takes to read, exercises apart, in whole minutes."""
    words, lines, figures, predictions = length(notebook)
    return round(words / WORDS + lines / LINES + figures / FIGURES
                 + predictions / PREDICTIONS)


def with_minutes(notebook):
    """Writes the minutes into the promise of a notebook."""
    for cell in notebook.cells:
        if cell.get("id") == "promise":
            cell.source = STATED.sub(str(minutes(notebook)), cell.source)
    return notebook


if __name__ == "__main__":
    import notebooks as files

    print("chapter                words  lines  figures  predictions  minutes")
    for path in files.paths():
        notebook = files.read(path)
        row = [*length(notebook), minutes(notebook)]
        print("{:20} {:7d} {:6d} {:8d} {:12d} {:8d}".format(path.stem, *row))
