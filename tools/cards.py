"""The book's cards: a deck for Anki, a subdeck a chapter.

    python tools/cards.py TARGET.apkg

Its notes are the questions of the recall, the terms of the glossary, the formulas of
each *In short* with its picture, and the symbols of the notation page. A note is known
by its id, and never by its text: so a newer deck changes the cards that a reader has,
and keeps what Anki knows of them.
"""

import io
import json
import re
import sys
import tempfile
from html import escape
from pathlib import Path

import genanki

import practice
from environment import script, write_whole
from html_text import ROOT, html, site

NAME = "From Dictionary to Transformer"
MODEL, DECK = 1_733_041_207, 1_733_042_000    # ids, never to be changed; DECK + chapter
SYMBOLS = 99    # the subdeck of the notation, behind all chapters
STYLE = """\
.card { font-family: sans-serif; font-size: 18px; text-align: left; max-width: 40em;
        margin: auto; }
.card img { max-width: 100%; }
.nightMode img { background: white; }
.place { font-size: 14px; }
"""
TERM = re.compile(r"^(?P<names>(?:\S.*\n)+)  (?P<text>.+)$", re.MULTILINE)
PLACE = re.compile(r"\s*\[Chapter (\w+)\]\((\S+?)\)$")
ROW = re.compile(r"^\| ?(.*) \|$", re.MULTILINE)


def place(chapter, link, address, more=""):
    """Where it stands, as the last line of a card; with a link once there is a site."""
    told = html(f"[Chapter {chapter}]({link}){more}", address, line=True)
    return f'<p class="place">{told}</p>'


def recall(address, root=ROOT):
    """The questions of the recall: (chapter, id, front, back) each."""
    for name, item in practice.items(root).items():
        stem, heading = practice.section(item, root)
        front = html(practice.unwrapped(item["question"]), address)
        back = html(practice.verdict(item), address) + html("\n".join(
            f"- {practice.said(item, answer, why)}"
            for answer, why in practice.whys(item)), address)
        if choices := practice.choices(item):
            front += html(choices, address)
        yield (name[:2], f"recall {name}", front, back + place(
            name[:2], f"{stem}.ipynb#{item['where']}", address, f", under *{heading}*"))


def terms(address, root=ROOT):
    """The terms of the glossary; each belongs to the chapter that explains it."""
    text = (root / "book/glossary.md").read_text("utf-8")
    for found in TERM.finditer(text.partition("```{glossary}\n")[2]):
        names, told = found["names"].splitlines(), PLACE.search(found["text"])
        where = place(*told.groups(), address)
        front = f"<p>{', '.join(html(name, line=True) for name in names)}</p>"
        back = html(found["text"][:told.start()], address)
        yield told[1], f"term {names[0]}", front, back + where


def formulas(address, root=ROOT):
    """The picture of each *In short*, and the formulas that go with it."""
    for path in sorted((root / "notebooks").glob("[0-9]*.ipynb")):
        cells = {cell["id"]: "".join(cell["source"]) for cell in json.loads(
            path.read_text("utf-8"))["cells"]}
        if "in-short" not in cells:
            continue
        chapter = path.name[:2]
        title = re.match("# (.*)", cells["title"])[1]
        alt, picture = re.search(r"!\[(.*?)\]\((\S+)\)", cells["in-short"]).groups()
        front = (f"<p>Which formulas go with the picture of {html(title, line=True)}?"
                 f'</p><img src="{media(root / "notebooks" / picture)}" '
                 f'alt="{escape(alt)}">')
        fold = re.search(r"</summary>(.*)</details>", cells["in-short-fold"], re.DOTALL)
        yield (chapter, f"formulas {chapter}", front, html(fold[1], address) + place(
            chapter, f"{path.name}#in-short", address))


def symbols(address, root=ROOT):
    """The rows of the two tables of the notation page."""
    text = (root / "book/notation.md").read_text("utf-8")
    for row in ROW.findall(re.sub(r"<span[^>]*></span> ", "", text)):
        symbol, *middle, meaning = re.split(r" ?\| ", row)
        if symbol not in ("Symbol", "Letter") and not symbol.startswith("---"):
            known = [one for one in (symbol, *middle) if one] if middle else [
                f"the size {symbol}"]
            yield (SYMBOLS, f"symbol {' '.join([symbol, *middle[:1]]).strip()}",
                   f"<p>{html(', '.join(known), address, line=True)}</p>",
                   f"<p>{html(meaning, address, line=True)}</p>")


def media(path):
    """The name of a picture among all those of a reader's collection."""
    return f"softdict-{path.name}"


def package(root=ROOT):
    """The genanki.Package with all notes, and the paths of its pictures."""
    address, decks = site(root), {}
    model = genanki.Model(
        MODEL, NAME, fields=[{"name": "Id"}, {"name": "Front"}, {"name": "Back"}],
        templates=[{"name": "Card", "qfmt": "{{Front}}",
                    "afmt": "{{FrontSide}}<hr id=answer>{{Back}}"}], css=STYLE)
    for kind in (recall, terms, formulas, symbols):
        for chapter, name, front, back in kind(address, root):
            number = int(chapter)
            if number not in decks:
                decks[number] = genanki.Deck(DECK + number,
                                             f"{NAME}::{title(number, root)}")
            decks[number].add_note(genanki.Note(
                model, [name, front, back], guid=genanki.guid_for("softdict", name),
                tags=[kind.__name__]))
    return genanki.Package([decks[number] for number in sorted(decks)])


def title(number, root=ROOT):
    """The name of a subdeck: the number and the title of its chapter."""
    if number == SYMBOLS:
        return "Notation"
    [path] = (root / "notebooks").glob(f"{number:02}_*.ipynb")
    first = "".join(json.loads(path.read_text("utf-8"))["cells"][0]["source"])
    return re.match("# (.*)", first)[1].replace(" · ", " ")


def write(target, root=ROOT):
    """Writes the deck with its pictures; an old one stays where that fails."""
    made, out = package(root), io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted((root / "notebooks/images").glob("in-short-*.svg")):
            copy = Path(folder, media(path))
            copy.write_bytes(path.read_bytes())
            made.media_files.append(copy)
        made.write_to_file(out)
    write_whole(target, out.getvalue())
    return sum(len(deck.notes) for deck in made.decks), len(made.decks)


if __name__ == "__main__":
    with script():
        notes, decks = write(Path(sys.argv[1]))
        print(f"{notes} cards in {decks} subdecks")
