"""What reads a file of the reader's: any bytes at all give what stands there, or one
sentence, and never a traceback."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softdict import runtime
from softdict.checks import kept
from softdict.experiments.runner import spent
from softdict.grading import grade, reading, report, submissions
from softdict.saving.folder import FolderConfig, read_config
from softdict.subwords import load_subwords, train_subwords
from softdict.texts.files import read_lines
from softdict.texts.long_text import scan
from softdict.texts.own_text import LONGEST_LINE, read_pairs
from softdict.vocab import SPECIALS, Vocab

OFTEN = settings(max_examples=150, deadline=None)
# no character that ends a line or a cell, or that no text file holds
CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0\t\n\r\ufeff"),
               max_size=12)
MARKS, ENDS = st.sampled_from(["", "\ufeff"]), st.sampled_from(["\n", "\r\n", "\r"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | CELL,
    lambda inner: (st.lists(inner, max_size=3)
                   | st.dictionaries(CELL, inner, max_size=3)))
PIECES = train_subwords(["low lower lowest", "new newer newest"], 40).tokenizer.to_str()
CONFIG = json.dumps({"model": "transformer", "options": {"width": 8}, "text": "plain",
                     "max_source_length": 3, "settings": {}, "format": 1,
                     "kind": "encoder-decoder", "vocabulary": "words"})
MARK = json.dumps({"key": "a", "status": "graded", "broken": [], "marks": [
    {"question": "q", "points": 1, "most": 2, "code": "c", "message": "m"}]})
TOTALS = {"a1": 3.0}
STUDENTS = {"a1": None, "b2": None}
NOTEBOOK = json.dumps({"cells": [{"cell_type": "code", "source": ["x = 1\n", "x"]},
                                 {"cell_type": "markdown", "source": "words"}]})


def written(content, read):
    """What read(path) gives of a file with this content."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content)
        return read(path)


def vocabulary(path):
    return Vocab.of(read_lines(path))


def progress(path):
    """The table of points that has this file's content."""
    folder = path.parent / "of the file"
    folder.mkdir()
    path.rename(folder / "progress.json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOFTDICT_PROGRESS", str(folder))
        return kept.progress()


def submission(path):
    """What is read, behind the wall, of a notebook; a problem counts as an error."""
    told = reading.read(path.rename(path.parent / "file.ipynb"))
    json.dumps(told).encode()    # as it goes through the wall
    if "problem" in told:
        raise ValueError(f"file: {told['problem']}")
    reading.shape_of(told["cells"], {"x"})


READERS = {
    "pairs": (read_pairs, "a b\tc\nd\te f\n"),
    "words": (vocabulary, "a\nb\n"), "pieces": (load_subwords, PIECES),
    "config": (read_config, CONFIG),
    "result": (runtime.read_result, '{"seed": 0, "first": [1.0], "result": {"a": 1}}'),
    "seconds": (lambda path: spent(path, path), "[3, 4]"),
    "text": (scan, "a b\nc \U0001f600\n"), "marks": (grade.finished, MARK),
    "roster": (submissions.read_roster, "id,name,adjust\na1,Ada,-2\nb2,,\n"),
    "platform": (lambda path: report.merge(path, "Quiz", TOTALS), "ID,Quiz\na1,3\n"),
    "points": (progress, '{"01-1": 3, "02-2": 4, "version": "2"}'),
    "by hand": (lambda path: report.by_hand(path, STUDENTS),
                "id,by_hand,remark\na1,-1,late\nb2,,well done\n"),
    "settled": (lambda path: submissions.read_who(path, STUDENTS, ["one", "two"]),
                "file,id\none,a1\ntwo,\n"),
    "handed in": (submission, NOTEBOOK)}


@st.composite
def damaged(draw, whole):
    """A file with a part cut out, doubled, or put in the place of another one."""
    whole = whole.encode("utf-8")
    start, end = sorted(draw(st.tuples(*[st.integers(0, len(whole))] * 2)))
    part = draw(st.one_of(st.just(b""), st.binary(max_size=4), st.just(whole),
                          st.sampled_from([b"\t", b"\n", b"\r", b"null", b"1e999",
                                           b"-1", b"[]", b"{}", b'"', b"\\ud800"])))
    return whole[:start] + part + whole[end:]


@st.composite
def changed(draw, whole):
    """A JSON file in which one value is another, somewhere."""
    top = {"all": json.loads(whole)}
    places = [(top, "all")]
    for part, key in places:    # it grows meanwhile
        inner = part[key]
        keys = inner if isinstance(inner, dict) else (
            range(len(inner)) if isinstance(inner, list) else ())
        places += [(inner, key) for key in keys]
    part, key = draw(st.sampled_from(places[:40]))
    part[key] = draw(VALUES)
    return json.dumps(top["all"]).encode("utf-8")


@pytest.mark.parametrize("name", READERS)
def test_a_whole_file_is_read(name):
    read, whole = READERS[name]
    written(whole.encode("utf-8"), read)


@pytest.mark.parametrize("name", READERS)
@OFTEN
@given(data=st.data())
def test_whatever_stands_there_is_read_or_refused_in_a_sentence(name, data):
    read, whole = READERS[name]
    contents = damaged(whole) | st.binary(max_size=60)
    if whole.startswith(("{", "[")):
        contents |= changed(whole)
    content = data.draw(contents)
    try:
        written(content, read)
    except ValueError as error:
        assert type(error) is ValueError and len(str(error)) < 400, repr(error)
        assert "\n" not in str(error) and "file" in str(error) or name == "words"


@OFTEN
@given(st.lists(st.tuples(CELL, CELL), min_size=1), MARKS, ENDS)
def test_pairs_of_lines_come_back_however_they_were_saved(pairs, mark, end):
    text = mark + "".join(f"{source}\t{target}{end}" for source, target in pairs)

    def read(path):
        return read_pairs(path, str.strip)

    wanted = [(source.strip(), target.strip()) for source, target in pairs]
    if all(map(all, wanted)):
        assert written(text.encode("utf-8"), read) == (wanted, [])
    else:
        with pytest.raises(ValueError, match="a line is two sentences with a tab"):
            written(text.encode("utf-8"), read)


def test_a_line_that_is_too_long_is_named():
    with pytest.raises(ValueError, match="line 2: .* characters"):
        written(b"a\tb\n" + b"x" * (LONGEST_LINE + 1), read_pairs)


@OFTEN
@given(st.lists(CELL.filter(bool), unique=True), MARKS, ENDS)
def test_a_vocabulary_comes_back_however_it_was_saved(words, mark, end):
    words = [word for word in words if word not in SPECIALS]
    text = mark + "".join(word + end for word in words)
    assert written(text.encode("utf-8"), vocabulary).words == SPECIALS + words


@OFTEN
@given(VALUES, st.sampled_from(sorted(json.loads(CONFIG))))
def test_a_config_with_any_value_is_built_or_refused_in_a_sentence(value, name):
    content = json.dumps(json.loads(CONFIG) | {name: value}).encode("utf-8")
    try:
        config = written(content, read_config)
    except ValueError as error:
        assert "\n" not in str(error) and len(str(error)) < 400
    else:
        assert isinstance(config, FolderConfig)
