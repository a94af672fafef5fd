"""The page *Where to go*: each row of the paper's table names what a chapter has."""

import importlib
import re
from statistics import median

import notebooks as files
from books import ROOT
from softdict import runtime
from softdict.experiments import today

PAGE = (ROOT / "book/where_to_go.md").read_text("utf-8")
ROWS = [line for line in PAGE.split("\n") if line.startswith("| ")][1:]
CHAPTERS = {path.name: files.read(path) for path in files.paths()}


def named(row):
    """Functions and classes of the package that stand in a row: module and name."""
    return re.findall(r"`([a-z_]+)\.(\w+)`", row)


def text_of(row):
    """All that stands in the chapters to which a row leads."""
    linked = [CHAPTERS[name] for name in re.findall(r"notebooks/(\w+\.ipynb)", row)]
    assert linked, row
    return "\n".join(cell.source for chapter in linked for cell in chapter.cells)


def test_the_table_goes_through_sections_3_and_5_in_order():
    sections = re.findall(r"^\| \*\*(\d[.\d]*)\*\*", PAGE, re.MULTILINE)
    assert sections == ["3", "3.1", "3.2", "3.2.1", "3.2.2", "3.2.3", "3.3", "3.4",
                        "3.5", "5.1", "5.2", "5.3", "5.4"]


def test_what_a_row_names_exists_and_stands_in_a_chapter_of_that_row():
    for row in ROWS:
        text = text_of(row)
        assert named(row), row
        for module, name in named(row):
            assert hasattr(importlib.import_module(f"softdict.{module}"), name), name
            assert re.search(rf"\b{name}\b", text), (name, row)


def test_our_names_of_the_papers_symbols_stand_in_a_chapter_of_their_row():
    ours = [(name, row) for row in ROWS
            for name in re.findall(r"`(\w+)`", row.split(" | ")[1])]
    assert len(ours) > 20
    for name, row in ours:
        assert re.search(rf"\b{name}\b", text_of(row)), (name, row)


def test_the_table_has_every_symbol_of_the_paper():
    symbols = re.findall(r"\$[^$]+\$|\w+", " ".join(ROWS))
    text = re.sub(r"[\s{}]|\\text", "", "".join(symbols))
    for symbol in (
            "x_1", "x_n", "z_1", "y_m", "N=6", "LayerNorm", "d_model=512", "QK^", "d_k",
            "d_v", "h=8", "W_i^Q", "W_i^K", "W_i^V", "d_model\\timesd_k",
            "d_model\\timesd_v", "head_i", "Concat", "W^O", "hd_v\\timesd_model",
            "infty",
            "xW_1+b_1", "W_2+b_2", "d_ff=2048", "sqrtd_model", "PE_(pos,2i)",
            "PE_(pos,2i+1)", "PE_pos+k", "beta_1=.9", "beta_2=.98", "epsilon=10^-9",
            "lrate", "warmup\\_steps=4000", "P_drop=.1", "epsilon_ls=.1"):
        assert symbol in text, symbol


def test_a_training_took_as_long_as_the_page_says():
    names = ["rnn", "attention-additive", "transformer", "transformer-rotary",
             *today.SYSTEMS]
    minutes = [round(median(record["seconds"] for record in runtime.results(name)) / 60)
               for name in names]
    assert (min(minutes), max(minutes)) == (2, 5)


def test_ten_papers_and_five_projects():
    papers, projects = PAGE.split("## Ten papers")[1].split("## Five projects")
    assert len(re.findall(r"^\d+\. \[.+ \*New:\* .+", papers, re.MULTILINE)) == 10
    hours = re.findall(r"^\*\*.+\*\* \(\d+ hours\)\. \*Data:\*.+\*Do:\*.+"
                       r"\*A good result:\*", projects, re.MULTILINE)
    assert len(hours) == 5
