"""The table of symptoms: each row has four cells, lines that Python reads, and links to
answers that are there."""

import ast
import re

import asking
import pytest
from mdit_py_plugins.anchors.index import slugify

PAGE = asking.FOLDER / "training.md"
TABLE = re.search(r"^## What you see.*?(?=^## )", PAGE.read_text("utf-8"),
                  re.DOTALL | re.MULTILINE)[0]
ROWS = [re.split(r"(?<!\\)\|", line)[1:-1]
        for line in TABLE.splitlines() if line.startswith("|")][2:]
# as links of Markdown name them: the page's own anchor has - where a heading has _
PLACES = {f"{page.name if page != PAGE else ''}#"
          + slugify(re.sub(r"[`*]", "", answer.heading))
          for page in asking.FOLDER.glob("*.md") for answer in asking.answers(page)}


def test_no_symptom_stands_twice():
    seen = [row[0] for row in ROWS]
    assert len(seen) >= 20 and len(set(seen)) == len(seen)


@pytest.mark.parametrize("row", ROWS, ids=[row[0].strip() for row in ROWS])
def test_a_row_is_whole_and_leads_to_answers(row):
    assert len(row) == 4 and all(cell.strip() for cell in row)
    for line in re.findall(r"`([^`]+)`", row[2]):
        ast.parse(line)
    links = re.findall(r"\]\(([^)]+)\)", "".join(row))
    assert [place for place in links if place not in PLACES] == []


def test_most_symptoms_have_an_answer():
    assert sum("](" in "".join(row) for row in ROWS) > 0.9 * len(ROWS)
