"""How long a chapter is: words, lines, figures, predictions, recalls of its main road.

`python tools/notebooks.py lengths` prints a row a chapter. The main road ends where
*Going further* or *Sources* begins; exercises, folds and hidden code are not on it;
what a picture shows is a figure, and the words that describe it to those who do not see
it are not counted. A question of its recall counts half a minute, whatever its words.
"""

import re
from collections import namedtuple
from functools import cache

# read or answered in one minute
WORDS, LINES, FIGURES, PREDICTIONS, RECALLS = 200, 30, 2, 3, 2
MINUTES = 30    # the longest main road
ASIDE = {"exercise-text", "exercise", "exercise-check", "hint", "answer", "lines",
         "hide-input", "remove-input", "hide-cell", "remove-cell"}
STATED = re.compile(r"(?<=Reading takes about )\d+(?= minutes)")
ON_TOP = re.compile(r"(exercises (?:take )?about )(?:\d+|an hour)(?: minutes)?"
                    "(?= more)")
HOURS = re.compile(r"\d+ hours to read, and \d+ for the exercises")
QUESTION = re.compile(r"^\*\*\d\.\*\* ", re.MULTILINE)    # of a recall
PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
ROUTES = re.compile(r"<!-- routes -->.*?<!-- /routes -->", re.DOTALL)
ALL = [f"{number:02}" for number in range(1, 24)]
# name, chapters with their exercises, chapters that are only read, what is left out
WAYS = [
    ("All of it", [*ALL, "C1", "C2"], [], "nothing"),
    ("Attention in an afternoon", [], ["01", "02", "09", "10", "11"],
     "learning, translation, and the machine around attention"),
    ("You know RNNs", ["01", "02", *ALL[6:]], [], "learning, and translation by RNNs"),
    ("A class of 6 hours", ["01", "02", "09", "10"], ["11", "14"],
     "translation, positions, training and evidence"),
    ("A class of 12 hours", ["01", "02", "03", "07", "09", "10", "11", "14"],
     ["04", "05", "06"], "scores, positions, depth, and what follows the machine"),
    ("A class of 24 hours", ALL[:18], [],
     "Part V, and the projects C1 and C2"),
]
# the weeks of a class: the chapters of each
WEEKS = {
    "A class of 6 hours": [["01"], ["02"], ["09"], ["10"], ["11", "14"]],
    "A class of 12 hours": [["01"], ["02"], ["03"], ["04", "05", "06"], ["07"], ["09"],
                            ["10"], ["11"], ["14"]],
    "A class of 24 hours": [["01", "02"], ["03", "04"], ["05", "06"], ["07", "08"],
                            ["09", "10"], ["11"], ["12"], ["13"], ["14"], ["15"],
                            ["16"], ["17", "18"]],
}
OF_WEEKS = re.compile(r"<!-- weeks ([^>]*?) -->.*?<!-- /weeks -->", re.DOTALL)
OF_MINUTES = re.compile(r"<!-- minutes -->.*?<!-- /minutes -->", re.DOTALL)
Length = namedtuple("Length", "words lines figures predictions recalls")


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
    parts = [(0, 0, 0, 0, 0)]
    for cell, text in main_road(notebook):
        if "recall" in cell.metadata.get("tags", []):
            parts.append((0, 0, 0, 0, len(QUESTION.findall(text))))
            continue
        if cell.cell_type == "code":
            text = f"```python\n{text}\n```"
        figures = "figure" in cell.metadata.get("mystnb", {})
        parts += [length_of_text(text), (0, 0, figures, 0, 0)]
    return Length(*map(sum, zip(*parts)))


@cache
def length_of_text(text):
    """The Length of Markdown: its fences are lines, a picture in it is a figure."""
    text = re.sub(r"<details>.*?</details>|<!--.*?-->", "", text, flags=re.DOTALL)
    fences = re.findall(r"^```\w*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    lines = [line for fence in fences for line in fence.split("\n") if line.strip()]
    return Length(len(PICTURE.sub("", text).split()), len(lines),
                  len(PICTURE.findall(text)),
                  len(re.findall(r"^> \*\*Predict", text, re.MULTILINE)), 0)


def minutes(notebook):
    """What the main road takes to read, exercises apart, in whole minutes."""
    words, lines, figures, predictions, recalls = length(notebook)
    return round(words / WORDS + lines / LINES + figures / FIGURES
                 + predictions / PREDICTIONS + recalls / RECALLS)


def with_minutes(notebook):
    """Writes the minutes into the promise of a notebook: the exercises' to the next 5.
    """
    more = 5 * round(exercise_minutes(notebook) / 5)
    for cell in notebook.cells:
        if cell.get("id") == "promise":
            cell.source = STATED.sub(str(minutes(notebook)), cell.source)
            cell.source = ON_TOP.sub(rf"\g<1>{more}", cell.source)
    return notebook


def exercise_minutes(notebook):
    """What its exercises say that they take together."""
    return sum(int(re.search(r"· (\d+) minutes", cell.source)[1])
               for cell in notebook.cells
               if "exercise-text" in cell.metadata.get("tags", [])
               and re.search(r"· (\d+) minutes", cell.source))


def hours(minutes):
    whole, half = divmod(round(minutes / 30), 2)
    return f"{whole or ''}½" if half else f"{whole}"


def with_hours(page, notebooks):
    """Writes the hours and the routes into a page; notebooks by chapter, as "07"."""
    read = {name: minutes(notebook) for name, notebook in notebooks.items()}
    done = {name: exercise_minutes(notebook) for name, notebook in notebooks.items()}
    rows = ["<!-- routes -->", "| Route | Chapters | Hours | It leaves out |",
            "|---|---|---|---|"]
    for name, whole, only_read, missing in WAYS:
        if not {*whole, *only_read} <= set(read):
            return page    # a book without these chapters
        words = [f"{ranges(whole)} with their exercises"] if whole else []
        words += [f"{ranges(only_read)} to read"] if only_read else []
        total = sum(read[name] for name in [*whole, *only_read])
        total += sum(done[name] for name in whole)
        rows.append(f"| {name} | {'; '.join(words)} | {hours(total)} | {missing} |")
    said = (f"{sum(read.values()) / 60:.0f} hours to read, and "
            f"{sum(done.values()) / 60:.0f} for the exercises")
    page = HOURS.sub(said, page)
    page = OF_WEEKS.sub(lambda found: week_by_week(found[1], read, done), page)
    page = OF_MINUTES.sub(chapter_by_chapter(read, done), page)
    return ROUTES.sub("\n".join([*rows, "<!-- /routes -->"]), page)


def week_by_week(way, read, done):
    """The weeks of a class as a table, between its marks; read and done are minutes."""
    [(_, whole, only_read, _)] = [row for row in WAYS if row[0] == way]
    planned = [name for week in WEEKS[way] for name in week]
    if sorted(planned) != sorted([*whole, *only_read]):
        raise ValueError(f"the weeks of {way!r} hold other chapters than its route")
    rows = [f"<!-- weeks {way} -->",
            "| Week | Chapters | Minutes to read | Minutes for exercises |",
            "|---|---|---|---|"]
    for number, week in enumerate(WEEKS[way], start=1):
        exercises = sum(done[name] for name in week if name in whole)
        words = ranges(week) if week[1:] else f"chapter {week[0]}"
        rows.append(f"| {number} | {words} | {sum(read[name] for name in week)} "
                    f"| {exercises or 'none'} |")
    return "\n".join([*rows, "<!-- /weeks -->"])


def chapter_by_chapter(read, done):
    """The minutes of every chapter as a table, between its marks."""
    rows = ["<!-- minutes -->", "| Chapter | Minutes to read | Minutes for exercises |",
            "|---|---|---|"]
    rows += [f"| chapter {name} | {read[name]} | {done[name]} |" for name in ALL]
    return "\n".join([*rows, "<!-- /minutes -->"])


def ranges(chapters):
    """The chapters in words: "chapters 01 to 03 and 07"."""
    runs = []
    for name in chapters:
        if runs and name[0] != "C" and int(runs[-1][-1]) + 1 == int(name):
            runs[-1].append(name)
        else:
            runs.append([name])
    parts = [part for run in runs for part in (
        [f"{run[0]} to {run[-1]}"] if len(run) > 2 else run)]
    return f"chapters {', '.join(parts[:-1])} and {parts[-1]}" if parts[1:] else (
        f"chapters {parts[0]}")
