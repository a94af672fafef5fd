"""The page *Where to go*: each row of the paper's table names what a chapter has."""

import importlib
import re

import notebooks as files
from books import ROOT

PAGE = (ROOT / "book/where_to_go.md").read_text("utf-8")
ROWS = [line for line in PAGE.split("\n") if line.startswith("| ")][1:]
CHAPTERS = {path.name: files.read(path) for path in files.paths()}


def named(row):
    """Functions and classes of the package that stand in a row: module and name."""
    return re.findall(r"`([a-z_]+)\.(\w+)`", row)


def test_the_table_goes_through_section_3_in_order():
    sections = re.findall(r"^\| \*\*(3[.\d]*)\*\*", PAGE, re.MULTILINE)
    assert sections == ["3", "3.1", "3.2", "3.2.1", "3.2.2", "3.2.3", "3.3", "3.4",
                        "3.5"]


def test_what_a_row_names_exists_and_stands_in_a_chapter_of_that_row():
    assert sum(map(len, map(named, ROWS))) > 20
    for row in ROWS:
        linked = [CHAPTERS[name] for name in re.findall(r"notebooks/(\w+\.ipynb)", row)]
        assert linked, row
        text = "\n".join(cell.source for chapter in linked for cell in chapter.cells)
        for module, name in named(row):
            assert hasattr(importlib.import_module(f"softdict.{module}"), name), name
            assert re.search(rf"\b{name}\b", text), (name, row)


def test_ten_papers_and_five_projects():
    papers, projects = PAGE.split("## Ten papers")[1].split("## Five projects")
    assert len(re.findall(r"^\d+\. \[", papers, re.MULTILINE)) == 10
    hours = re.findall(r"^\*\*.+\*\* \(\d+ hours\)\. \*Data:\*.+\*Do:\*.+"
                       r"\*A good result:\*", projects, re.MULTILINE)
    assert len(hours) == 5
