"""The pictures of the front page: drawn by book/pictures.py, and saying what the page
says."""

import re
import xml.etree.ElementTree as xml
from pathlib import Path

import pictures
import pytest
from softdict.figures import palette

ROOT = Path(__file__).parent.parent
INDEX = (ROOT / "book/index.md").read_text(encoding="utf-8")
CONFIG = (ROOT / "_config.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", pictures.drawings())
def test_committed_picture_is_what_the_script_draws(name):
    drawn = pictures.drawings()[name]
    xml.fromstring(drawn)    # well-formed, or this raises
    assert ((ROOT / "book" / name).read_text(encoding="utf-8")
            == drawn), "run: python book/pictures.py"


def test_a_new_chapter_changes_the_road():
    assert (pictures.road([pictures.ROAD], {"01", "02"})
            != pictures.road([pictures.ROAD], {"01", "02", "03"}))


def test_colours_are_the_palette():
    ours = [pictures.LIGHT[name] for name in ("query", "key", "value", "ink", "muted")]
    assert ours == [palette.QUERY, palette.KEY, palette.VALUE, palette.INK,
                    palette.MUTED]


def test_road_in_words_says_what_the_picture_says():
    for part, chapters in pictures.ROAD:
        assert f"**{part}**" in INDEX
        for number, title, question, failure in chapters:
            assert f"- {number} {title}. {question}" in INDEX
            assert failure in INDEX


def test_front_page_says_how_many_chapters_are_written():
    written = sorted(path.name[:2]
                     for path in (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    assert written == [f"{number:02}" for number in range(1, len(written) + 1)]
    assert f"**Chapters 01 to {written[-1]} are written**" in INDEX
    numbers = ("no one two three four five six seven eight nine ten eleven twelve "
               "thirteen fourteen fifteen sixteen seventeen eighteen".split())
    assert f"After the {numbers[len(written)]} chapters of today" in INDEX
    assert f"{numbers[len(written)].title()} chapters are written" in INDEX


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
    assert ('colab: "https://colab.research.google.com/github/'
            f'{address}/blob/executed/notebooks/' in CONFIG)
    # baseurl, ogp_site_url, ogp_image
    assert CONFIG.count(f"https://{owner}.github.io/{name}/") == 3
