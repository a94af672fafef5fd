"""The pictures of the front page: drawn by tools/pictures.py, and saying what the page
says."""

import re
import xml.etree.ElementTree as xml
from pathlib import Path

import pictures
import pytest
import torch
from softdict import corpus
from softdict.batches import make_batch
from softdict.decoding import translate
from softdict.figures import palette
from softdict.programs.translator import bundled
from softdict.transformer import all_weights

ROOT = Path(__file__).parent.parent
INDEX = (ROOT / "book/index.md").read_text(encoding="utf-8")
CONFIG = (ROOT / "_config.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", pictures.drawings())
def test_committed_picture_is_what_the_script_draws(name):
    drawn = pictures.drawings()[name]
    xml.fromstring(drawn)    # well-formed, or this raises
    assert ((ROOT / "book" / name).read_text(encoding="utf-8")
            == drawn), "run: python tools/pictures.py"


def test_a_new_title_changes_the_road():
    chapters = pictures.notebooks()
    assert (pictures.road([pictures.ROAD], chapters)
            != pictures.road([pictures.ROAD], {**chapters, "03": ("Three", "03_x")}))


def test_colours_are_the_palette():
    ours = [pictures.LIGHT[name] for name in ("query", "key", "value", "ink", "muted")]
    assert ours == [palette.QUERY, palette.KEY, palette.VALUE, palette.INK,
                    palette.MUTED]


def test_road_in_words_says_what_the_picture_says():
    written, drawn = pictures.notebooks(), pictures.drawings()["images/road.svg"]
    for part, chapters in pictures.ROAD:
        assert f"**{part}**" in INDEX
        for number, question, failure in chapters:
            title, page = written[number]
            assert f'href="../notebooks/{page}.html"' in drawn
            assert (f"- [{number} · {title}](../notebooks/{page}.ipynb). {question} "
                    f"*Still open: {failure}") in INDEX
            assert all(f">{part}</text>" in drawn for part in title.split(": "))


def test_front_page_says_how_many_chapters_are_written():
    written = sorted(path.name[:2]
                     for path in (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    assert written == [f"{number:02}" for number in range(1, 24)]
    first, last = (
        f"[{number}](../notebooks/{pictures.notebooks()[number][1]}.ipynb)"
        for number in ("01", "23"))
    assert f"**Chapters {first} to {last} are written**" in INDEX
    numbers = ("no one two three four five six seven eight nine ten eleven twelve "
               "thirteen fourteen fifteen sixteen seventeen eighteen nineteen "
               "twenty twenty-one twenty-two twenty-three".split())
    assert f"After the {numbers[len(written)]} chapters of today" in INDEX
    assert f"{numbers[len(written)].capitalize()} chapters are written" in INDEX


def test_pages_of_the_first_edition_lead_to_pages():
    moved = re.findall(r"^      (notebooks/\w+): (\w+)\.html$", CONFIG, re.MULTILINE)
    assert len(moved) == 11
    for old, new in moved:
        assert not (ROOT / f"{old}.ipynb").exists()
        assert (ROOT / f"notebooks/{new}.ipynb").exists()


def test_the_address_is_the_same_in_every_line_of_the_settings():
    address = re.search(r"^  url: https://github\.com/(\S+)$", CONFIG,
                        re.MULTILINE).group(1)
    owner, name = address.split("/")
    assert f'repo: "https://github.com/{address}/' in CONFIG
    # baseurl, ogp_site_url
    assert CONFIG.count(f"https://{owner}.github.io/{name}/") == 2


def test_the_map_shows_where_the_model_looks():
    saved = bundled()
    out = translate(saved.model, pictures.ENGLISH, saved.source_vocab,
                    saved.target_vocab)
    assert [corpus.romanise(piece) for piece in out] == [
        name.split()[0] for name in pictures.KOREAN]
    batch = make_batch([(saved.source_vocab.ids(pictures.ENGLISH),
                         saved.target_vocab.ids(out))])
    last = all_weights(saved.model, batch.source, batch.source_lengths,
                       batch.target_in)[2][-1][0].mean(dim=0)[:len(out)]    # [T, S]
    drawn = torch.tensor(list(pictures.KOREAN.values()), dtype=torch.float)
    torch.testing.assert_close(last, drawn, rtol=0, atol=0.01)
