"""The deck of cards, as Anki finds it: a zip with a database and pictures."""

import json
import re
import shutil
import sqlite3
import zipfile
from collections import Counter

import cards
import html_text
import notebooks as files
import practice
import pytest
from books import ROOT
from docutils.nodes import make_id

SEPARATOR = "\x1f"    # between the fields of a note


def copied(folder):
    """A copy of all that the deck is made from."""
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    (folder / "book").mkdir()
    shutil.copytree(ROOT / "book/practice", folder / "book/practice")
    for name in ("_config.yml", "book/glossary.md", "book/notation.md"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def read(path, folder):
    """Of a deck: its notes as dicts, and its pictures by their names."""
    folder.mkdir()
    with zipfile.ZipFile(path) as packed:
        assert packed.testzip() is None
        packed.extract("collection.anki2", folder)
        pictures = {name: packed.read(number) for number, name in json.loads(
            packed.read("media")).items()}
    data = sqlite3.connect(folder / "collection.anki2")
    [[decks]] = data.execute("select decks from col")
    names = {int(key): deck["name"] for key, deck in json.loads(decks).items()}
    rows = data.execute("select guid, mid, flds, tags, did, mod from notes, cards "
                        "where cards.nid = notes.id".replace("mod", "notes.mod"))
    notes = [{"guid": guid, "model": mid, "tag": tags.strip(), "deck": names[did],
              "deck id": did, **dict(zip(("id", "front", "back"),
                                         fields.split(SEPARATOR), strict=True))}
             for guid, mid, fields, tags, did, _ in rows]
    data.close()
    return notes, pictures


@pytest.fixture(scope="module")
def deck(tmp_path_factory):
    folder = tmp_path_factory.mktemp("deck")
    cards.write(folder / "deck.apkg")
    return read(folder / "deck.apkg", folder / "read")


def test_every_item_term_chapter_and_symbol_has_one_card_in_its_subdeck(deck):
    notes, _ = deck
    glossary = (ROOT / "book/glossary.md").read_text("utf-8")
    notation = (ROOT / "book/notation.md").read_text("utf-8")
    heads = 2 * len(re.findall(r"^\|[-|]+\|$", notation, re.MULTILINE))
    assert Counter(note["tag"] for note in notes) == {
        "recall": len(practice.items()), "terms": glossary.count("\n  <span lang"),
        "formulas": len([*(ROOT / "notebooks/images").glob("in-short-*.svg")]),
        "symbols": len(re.findall(r"^\|.*\|$", notation, re.MULTILINE)) - heads}
    assert len({note["guid"] for note in notes}) == len(notes)
    assert len({note["id"] for note in notes}) == len(notes)
    decks = {note["deck"] for note in notes}
    assert len(decks) == 23 + 1
    assert "From Dictionary to Transformer::13 How layers stack: the Transformer " \
        "block" in decks
    for note in notes:
        chapter = note["deck"].partition("::")[2][:2]
        if note["tag"] in ("recall", "formulas"):
            assert note["id"].split()[1][:2] == chapter
        elif note["tag"] == "terms":
            assert f"Chapter {chapter}" in note["back"]


def test_a_card_says_all_that_the_recall_says(deck):
    notes = {note["id"]: note for note in deck[0]}
    note = notes["recall 02-third"]
    assert "<p>(a) It learns, but slowly: only the best key passes a" in note["front"]
    assert "So the answer does not move." not in note["front"]
    assert "<p>It is (d). A small move of the query leaves the same" in note["back"]
    assert "<li>(c) For a jump the query must move, and it gets no" in note["back"]
    assert "Chapter 02, under <em>A question that can be moved</em>" in note["back"]
    for name, item in practice.items().items():
        back = notes[f"recall {name}"]["back"]
        assert back.count("<li>") == len(practice.whys(item))
    assert "alignment error rate, AER" in notes["term alignment error rate"]["front"]
    assert notes["symbol T"]["front"] == "<p>the size T</p>"
    assert r"\[w_i = \frac{\exp(s_i / \tau)}" in notes["formulas 02"]["back"]


def test_formulas_are_those_of_anki_and_no_markdown_is_left(deck):
    drawn = 0
    for note in deck[0]:
        for side in (note["front"], note["back"]):
            formulas = re.findall(r"\\\((.*?)\\\)|\\\[(.*?)\\\]", side, re.DOTALL)
            drawn += len(formulas)
            for left, right in (r"\(", r"\)"), (r"\[", r"\]"):
                assert side.count(left) == side.count(right), note["id"]
            rest = re.sub(r"<pre>.*?</pre>|<code>.*?</code>|\\\(.*?\\\)|\\\[.*?\\\]",
                          "", side, flags=re.DOTALL)
            assert not re.search(r"[$`]|\]\(|\*\*|&lt;(?!\w+&gt;)", rest), note["id"]
            assert not re.search(r"<(?!/?(p|em|strong|code|pre|ul|ol|li|a|img|br|span|"
                                 r"table|thead|tbody|tr|th|td|h\d)\b)", side)
    assert drawn > 150


def test_no_picture_is_missing_and_none_is_for_nothing(deck):
    notes, pictures = deck
    used = [name for note in notes
            for name in re.findall(r'<img src="(.*?)"', note["front"] + note["back"])]
    assert sorted(used) == sorted(pictures) and len(used) == 23
    for name, content in pictures.items():
        assert name.startswith("softdict-")    # a reader has other decks' pictures, too
        assert content == (ROOT / "notebooks/images" / name.removeprefix(
            "softdict-")).read_bytes()


def test_a_card_stays_itself_when_its_text_changes(deck, tmp_path):
    """All that is told is changed; ids, terms and symbols are not."""
    root = copied(tmp_path)
    for path in (root / "book/practice").glob("*.toml"):
        text = re.sub(r'^(question = "+)', r"\1Now then. ", path.read_text("utf-8"),
                      flags=re.MULTILINE)
        path.write_text(text, "utf-8")
    path = root / "book/glossary.md"
    path.write_text(re.sub(r"(  <span.*</span>) ", r"\1 Now then. ", path.read_text(
        "utf-8")), "utf-8")
    path = root / "book/notation.md"
    path.write_text(re.sub(r"(\| [^|]+) \|$", r"\1, now then |", path.read_text(
        "utf-8"), flags=re.MULTILINE), "utf-8")
    for path in (root / "notebooks").glob("*.ipynb"):
        path.write_text(path.read_text("utf-8").replace(
            "The code ", "Now then. The code "), "utf-8")
    cards.write(root / "deck.apkg", root)
    changed, _ = read(root / "deck.apkg", root / "read")
    before = {note["id"]: note for note in deck[0]}
    assert len(changed) == len(before)
    for note in changed:
        old = before[note["id"]]
        for part in ("guid", "model", "deck", "deck id"):
            assert note[part] == old[part]
    same = Counter(note["tag"] for note in changed for old in [before[note["id"]]]
                   if (note["front"], note["back"]) == (old["front"], old["back"]))
    assert set(same) <= {"formulas"} and same["formulas"] < 10


def test_ids_that_readers_have_are_never_changed(deck):
    notes = {note["id"]: note for note in deck[0]}
    assert (cards.MODEL, cards.DECK) == (1_733_041_207, 1_733_042_000)
    assert notes["recall 02-third"]["guid"] == "vxt||76VBq"
    assert notes["term ablation"]["guid"] == "MgA|X|drxe"
    assert notes["term ablation"]["deck id"] == 1_733_042_016


def test_links_lead_to_the_site_once_it_has_an_address(tmp_path):
    assert html_text.html("[it](02_soft_lookup.ipynb#a-b) is", line=True) == "it is"
    root = copied(tmp_path)
    path = root / "_config.yml"
    assert html_text.site(root) == "" or "github.io/-" not in html_text.site(root)
    path.write_text(re.sub(r"(?m)^(    |  )baseurl: .*", r"\1baseurl: https://a.org/b/",
                           path.read_text("utf-8")), "utf-8")
    links = [link for kind in (cards.recall, cards.terms, cards.formulas)
             for *_, front, back in kind(html_text.site(root), root)
             for link in re.findall(r'href="(.*?)"', front + back)]
    assert len(links) > 300
    places = set()
    for path in files.paths():
        headings = re.findall(r"^#+ (.*)$", "\n\n".join(
            cell.source for cell in files.read(path).cells), re.MULTILINE)
        places |= {f"https://a.org/b/notebooks/{path.stem}.html#{make_id(heading)}"
                   for heading in headings}
    assert not set(links) - places


def test_what_fails_leaves_the_old_deck(tmp_path, monkeypatch):
    target = tmp_path / "deck.apkg"
    target.write_bytes(b"old")
    monkeypatch.setattr(cards.genanki.Package, "write_to_file", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        cards.write(target)
    assert target.read_bytes() == b"old" and [*tmp_path.iterdir()] == [target]
