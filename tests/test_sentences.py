"""Sentences of the checks: each code has one, each is used, and the fields agree."""

import ast
import copy
import functools
import re
import string
import tomllib
import zipfile
from pathlib import Path

import pytest
import test_checks as answers
from softdict.checks import Mistake, sentences

FOLDER = Path(sentences.__file__).parent
SAYS = {path.stem: tomllib.loads(path.read_text("utf-8"))
        for path in sorted((FOLDER / "says").glob("*.toml"))}
SOURCES = {path.stem: path.read_text("utf-8") for path in FOLDER.glob("*.py")}
# Functions that get a key: which argument that is, and the fields that they give
# Functions that are handed a key: as which argument, and the fields that they give
GIVES = {"refuse": (1, ()), "Mistake": (0, ()), "sentence": (1, ()), "pair": (1, ()),
         "something": (1, ()), "right_sums": (0, ()), "expect": (2, ("got",)),
         "probe": (3, ()), "wrong_row": (0, ("place", "right", "got")),
         "tensor": (3, ("name", "shape", "got"))}
NONE = frozenset()
NO_CODES = {"all_rows", "smallest"}    # they stand among codes, and choose a mistake


class Checks:
    """The functions, classes and constants of the sources, and what each one uses."""

    def __init__(self, sources):
        self.parts, places = {}, {}
        for module, source in sources.items():
            for node in ast.parse(source).body:
                if isinstance(node, ast.ImportFrom) and "checks." in node.module:
                    other = node.module.rpartition(".")[2]
                    places |= {(module, one.name): (other, one.name)
                               for one in node.names}
                    continue
                names = [one.id for one in ast.walk(node) if isinstance(one, ast.Name)
                         and isinstance(one.ctx, ast.Store)]
                for name in ([node.name] if hasattr(node, "name") else names):
                    self.parts[module, name] = node
                    places[module, name] = module, name
        self.uses = {(module, name): {
            places[module, one.id] for one in ast.walk(node)
            if isinstance(one, ast.Name) and (module, one.id) in places}
            for (module, name), node in self.parts.items()}

    @functools.cache
    def held(self, part):
        """The keys of a part with their fields, its lists, all its texts, and what its
        dicts have as keys."""
        node = self.parts[part]
        return set(keys(node)), list(lists(node)), {
            text for one in ast.walk(node) for text in texts(one)}, {
            key.value for one in ast.walk(node) if isinstance(one, ast.Dict)
            for key in one.keys if is_text(key)}

    def reached(self, exercise):
        """All that the check of an exercise uses, and what judges an answer."""
        chapter, _, number = exercise.partition("-")
        todo = [(f"ch{chapter}", f"check_{chapter}_{number}"), ("result", "exercise")]
        found = set()
        while todo:
            one = todo.pop()
            if one not in found and one in self.parts:
                found.add(one)
                todo += self.uses[one]
        return found


def texts(node):
    """What a text may be: itself, or a pattern if it has gaps; nothing for a name."""
    if is_text(node):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield re.compile("".join(
            re.escape(part.value) if isinstance(part, ast.Constant) else r"[\w-]*"
            for part in node.values))
    elif isinstance(node, ast.IfExp):
        yield from (*texts(node.body), *texts(node.orelse))


def among(text, known):
    """Those of the known keys that a text, or a pattern, may be."""
    if isinstance(text, str):
        return [text] if text in known else []
    return [key for key in known if text.fullmatch(key)]


def calls(part):
    """Each call by name in a part, with that name."""
    return [(node.func.id, node) for node in ast.walk(part)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]


def keys(part):
    """Each key that a part says by a call, with its fields; None: a dict has more."""
    for name, call in calls(part):
        words = {word.arg: word.value for word in call.keywords}
        likely = [*call.args[1:]] if name == "attempt" else [
            one for node in (words.get("likely"), words.get("errors"),
                             *(call.args[1:2] if name == "blame" else []))
            for one in getattr(node, "elts", [])]
        for row in likely:
            yield from ((text, NONE) for one in getattr(row, "elts", [])[:1]
                        for text in texts(one))
        if name not in GIVES:
            continue
        at, given = GIVES[name]
        fields = {*words, *given} - {"code", "turned"}
        for text in texts(call.args[at]) if len(call.args) > at else ():
            yield text, frozenset(fields)
            if name == "wrong_row" and isinstance(text, str):
                yield re.compile(f"{text}-alone"), frozenset(fields - {"place"})


def lists(part):
    """The texts of each list in a part; of a tuple in it, the first text."""
    inner = {one for node in ast.walk(part) if isinstance(node, (ast.List, ast.Tuple))
             for one in node.elts}
    for node in ast.walk(part):
        if isinstance(node, (ast.List, ast.Tuple)) and node not in inner:
            rows = [[text for own in getattr(one, "elts", [one])
                     for text in texts(own)][:1] for one in node.elts]
            yield [text for row in rows for text in row if text not in NO_CODES]


def is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def fits(fields, text, more):
    """True if a template has the fields that it is given; None: and some of more."""
    wanted = fields_of(text)
    return (fields - {None} <= wanted <= fields | more if None in fields
            else wanted == fields)


def fields_of(text):
    return {name for _, name, *_ in string.Formatter().parse(text) if name is not None}


def faults(says, checks, exercises=tuple(answers.CHECKS)):
    """A line for each key without a sentence, sentence without use, or wrong field."""
    used, filled = set(), set()
    for exercise in exercises:
        chapter = exercise.partition("-")[0]
        found, words = {}, {}    # each key, with the table that has it first
        for file, name in (("shared", "all"), (chapter, "all"), (chapter, exercise)):
            found |= {key: (file, name, text) for key, text
                      in says.get(file, {}).get(name, {}).items()}
        for file in ("shared", chapter):
            words |= {key: (file, "words", text) for key, text
                      in says.get(file, {}).get("words", {}).items()}
        told, parts = {"praise"}, [checks.held(part)
                                   for part in checks.reached(exercise)]
        more = set().union(*(named for *_, named in parts))
        for given, rows, own, _ in parts:
            told |= own
            for text, fields in given:
                hits = among(text, found)
                filled |= {(*found[key][:2], key) for key in hits}
                if not hits and isinstance(text, str):
                    yield f"{exercise}: {text} has no sentence"
                elif hits and not any(fits(fields, found[key][2], more)
                                      for key in hits):
                    yield f"{exercise}: {hits[0]} is given {sorted(fields - {None})}"
            for row in rows:    # a list of which most have a text: of codes, or words
                for known in (found, words):
                    missing = [text for text in row if not among(text, known)]
                    if 2 * len(missing) < len(row):
                        yield from (f"{exercise}: {text} has no sentence"
                                    for text in missing)
        gaps = [text for text in told if not isinstance(text, str)]
        used |= {(*table, key) for key, (*table, _) in (*found.items(), *words.items())
                 if key in told or any(text.fullmatch(key) for text in gaps)}
        if "praise" not in found:
            yield f"{exercise}: praise has no sentence"
    for file, tables in says.items():
        for name, entries in tables.items():
            for key, text in entries.items():
                if (file, name, key) not in used:
                    yield f"{file}.toml: nothing says {key} of [{name}]"
                elif fields_of(text) and (file, name, key) not in filled:
                    yield f"{file}.toml: nothing fills {key} of [{name}]"


@pytest.fixture(scope="module")
def checks():
    return Checks(SOURCES)


def test_each_code_has_a_sentence_with_its_fields_and_each_sentence_is_used(checks):
    assert list(faults(SAYS, checks)) == []


@pytest.mark.parametrize("file, table, key, text, line", [
    ("10", "10-1", "one_table", None, "10-1: one_table has no sentence"),
    ("10", "10-1", "backwards", None, "10-1: backwards has no sentence"),
    ("10", "10-1", "not_side_by_side", None, "10-1: not_side_by_side has no sentence"),
    ("10", "10-1", "praise", None, "10-1: praise has no sentence"),
    ("10", "10-1", "one_tables", "one too many.",
     "10.toml: nothing says one_tables of [10-1]"),
    ("10", "10-5", "wrong_share", "with p = {p} it is {got}.",
     "10-5: wrong_share is given ['got', 'p', 'right']"),
    ("10", "10-1", "one_table", "each {head} has its own.",
     "10-1: one_table is given []"),
    ("11", "11-1", "wrong_mask", "{word}: {right} and not {got}.",
     "11-1: wrong_mask is given ['got', 'right']"),
    ("10", "10-1", "backwards", "head {head} comes first.",
     "10-1: backwards is given []"),
    ("shared", "words", "old_words", "old words",
     "shared.toml: nothing says old_words of [words]")])
def test_a_wrong_sentence_is_named(checks, file, table, key, text, line):
    says = copy.deepcopy(SAYS)
    says[file][table] |= {key: text}
    if text is None:
        del says[file][table][key]
    assert line in faults(says, checks, ["10-1", "10-5", "11-1"])


@pytest.mark.parametrize("old, new, line", [
    ('"one_table")', '"one_tables")', "10-1: one_tables has no sentence"),
    ("right=100 * p, ", "", "10-5: wrong_share is given ['got', 'p']"),
    ('("reshaped", found', '("shaped", found', "10-1: shaped has no sentence")])
def test_a_code_without_its_sentence_is_named(old, new, line):
    assert SOURCES["ch10"].count(old) == 1
    broken = Checks({**SOURCES, "ch10": SOURCES["ch10"].replace(old, new)})
    assert line in faults(SAYS, broken, ["10-1", "10-5"])


LAID = {"10": """[10-1]
one_table = "머리마다 가중치 표가 따로 있습니다."

[10-3]
cut_out = "행렬은 {shape}(으)로 남아야 합니다."
""", "shared": """[all]
wrong_shape = "{name}의 모양은 {shape}입니다. 나온 것은 {got}입니다."

[words]
matrix = "행렬"
"""}


def test_another_language_is_laid_in_front_and_no_check_changes(tmp_path, monkeypatch):
    one_table = answers.define(answers.Book(), "10-1", answers.read(
        answers.TESTS / "wrong_answers/10/10-1_one_table.py"))
    english = answers.CHECKS["10-1"](one_table)
    for name, text in LAID.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(sentences, "FOLDERS", [tmp_path, *sentences.FOLDERS])
    korean = answers.CHECKS["10-1"](one_table)
    assert korean.message == "머리마다 가중치 표가 따로 있습니다."
    assert (korean.code, korean.points) == (english.code, english.points)
    assert english.message.startswith("each head has a table")
    cut = answers.CHECKS["10-3"](lambda matrix, head, heads: matrix[:2])
    assert cut.message == "행렬은 [12, 12](으)로 남아야 합니다."
    # what is not translated stays in English
    rows = answers.CHECKS["10-3"](lambda matrix, head, heads: 0 * matrix)
    assert rows.message == SAYS["10"]["10-3"]["everything"]
    assert sentences.sentence("10-3", "wrong_shape", name=sentences.Word("matrix"),
                              shape=[2], got=[3]) == (
        "행렬의 모양은 [2]입니다. 나온 것은 [3]입니다.")


def test_a_code_stands_in_front_of_the_mark():
    mistake = Mistake("other_order-second", place=3)
    assert (mistake.code, mistake.fields) == ("other_order", {"place": 3})
    assert Mistake("into-shape", "into_linear").code == "into_linear"
    with pytest.raises(KeyError, match="no sentence 'other_order' for exercise 10-1"):
        sentences.sentence("10-1", "other_order")


def test_a_chapter_reads_its_own_file_alone():
    sentences.tables.cache_clear()
    answers.CHECKS["10-1"](answers.raising(NotImplementedError))
    read = sentences.tables.cache_info().currsize
    answers.CHECKS["10-3"](answers.raising(NotImplementedError))
    assert sentences.tables.cache_info().currsize == read == 2    # and the shared one


def test_the_wheel_carries_the_sentences(tmp_path):
    wheel = pytest.importorskip("hatchling.builders.wheel")
    [path] = wheel.WheelBuilder(str(FOLDER.parents[2])).build(
        directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(path) as file:
        held = {name for name in file.namelist() if "/says/" in name}
    assert held == {f"softdict/checks/says/{name}.toml" for name in SAYS}
