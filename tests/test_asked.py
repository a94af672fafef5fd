"""Answers of *Asked by learners*: each stands alone, leads on, is computed again."""

import ast
import functools
import importlib.util
import re
from collections import Counter

import asking
import notebooks as files
import pages
import pytest
import torch
import torch.nn.functional as F
from asking import FOLDER, ROOT
from torch import nn

PARTS = sorted(page.stem for page in FOLDER.glob("*.md"))
ANSWERS = [answer for part in PARTS for answer in asking.answers(FOLDER / f"{part}.md")]
CORNERS = {"beginner", "code", "choose", "papers", "teacher", "other field"}
LINK = re.compile(r"\]\(\.\./\.\./notebooks/([\w.]+)#([\w-]+)\)")
every_answer = pytest.mark.parametrize(
    "answer", ANSWERS, ids=[f"{answer.part}#{answer.anchor}" for answer in ANSWERS])

for part in PARTS:
    spec = importlib.util.spec_from_file_location(
        f"asked_{part}", ROOT / f"tests/asked/{part}.py")
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


@functools.cache
def anchors(name):
    """Of each heading of a chapter, as a link in Markdown calls it."""
    cells = files.read(ROOT / "notebooks" / name).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"^#{1,4} (.*)$", text, re.MULTILINE)}


@functools.cache
def numbers(answer):
    """What its function computes, as the answer must write it."""
    work = asking.COMPUTED.get((answer.part, answer.anchor))
    return work() if work else ()


def run(block):
    """Runs a block of code; what its last line gives, and what it says that it gives.

    without a value, the last line must be an assert; the page says what is imported
    """
    tree, values = ast.parse(block), {"torch": torch, "nn": nn, "F": F}
    torch.manual_seed(0)
    if isinstance(tree.body[-1], ast.Assert):
        exec(compile(tree, "answer", "exec"), values)
        return None, None
    last = tree.body.pop()
    exec(compile(tree, "answer", "exec"), values)
    found = eval(compile(ast.Expression(last.value), "answer", "eval"), values)
    return str(found), block.splitlines()[-1].partition("  # ")[2]


def test_there_are_answers_and_no_page_is_endless():
    counts = Counter(answer.part for answer in ANSWERS)
    assert counts and max(counts.values()) <= 60


def test_no_two_questions_are_one():
    told = Counter(answer.heading for answer in ANSWERS)
    assert [heading for heading, times in told.items() if times > 1] == []
    places = Counter((answer.part, answer.anchor) for answer in ANSWERS)
    assert [place for place, times in places.items() if times > 1] == []


@every_answer
def test_an_answer_has_two_to_five_sentences(answer):
    assert 2 <= len(answer.sentences) <= 5, answer.sentences


@every_answer
def test_an_answer_leads_to_the_section_that_shows_it(answer):
    links = LINK.findall(answer.text)
    assert links and [f"{name}#{anchor}" for name, anchor in links
                      if anchor not in anchors(name)] == []


@every_answer
def test_the_numbers_of_an_answer_are_computed(answer):
    text = " ".join(answer.text.split()).replace("−", "-")
    assert [told for told in numbers(answer) if told not in text] == []
    known = {"0", "1"} | {number for told in (*numbers(answer), *answer.blocks)
                          for number in asking.NUMBER.findall(told)}
    assert [number for number in answer.numbers if number not in known] == []


@every_answer
def test_the_code_of_an_answer_does_what_it_says(answer):
    for block in answer.blocks:
        found, told = run(block)
        assert found == told


@every_answer
def test_somebody_asked(answer):
    rows = [row for row in asking.asked(answer.part) if row[0] == answer.heading]
    assert len(rows) == 1
    _, words, source, corner, *_ = rows[0]
    assert words and source and corner in CORNERS


@pytest.mark.parametrize("part", PARTS)
def test_every_question_that_was_kept_is_answered_and_searched_for(part):
    answered = {answer.heading: f"asked/{part}#{answer.anchor}"
                for answer in ANSWERS if answer.part == part}
    wanted = {name for _, name in pages.queries()}
    assert {row[0] for row in asking.asked(part)} == set(answered)
    assert [place for place in answered.values() if place not in wanted] == []


def test_every_computation_has_its_answer():
    places = {(answer.part, answer.anchor) for answer in ANSWERS}
    assert [place for place in asking.COMPUTED if place not in places] == []
