"""fonts: letters that the usual font lacks, drawn by an installed one, or said."""

import pytest
import torch
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib import font_manager, rcParams

from softdict import figures
from softdict.programs import commands


@pytest.fixture
def fonts(tmp_path, monkeypatch):
    """Installs fonts, by name and letters, and no others."""
    def install(**made):
        paths = []
        for family, letters in made.items():
            builder = FontBuilder(100)
            pen = TTGlyphPen(None)
            pen.moveTo((0, 0))
            pen.lineTo((0, 60))
            pen.lineTo((90, 0))
            pen.closePath()
            glyph = pen.glyph()
            builder.setupGlyphOrder([".notdef", "wedge"])
            builder.setupCharacterMap(dict.fromkeys(map(ord, letters), "wedge"))
            builder.setupGlyf({".notdef": glyph, "wedge": glyph})
            builder.setupHorizontalMetrics(dict.fromkeys((".notdef", "wedge"), (99, 0)))
            builder.setupHorizontalHeader(ascent=80, descent=-20)
            builder.setupNameTable({"familyName": family.replace("_", " "),
                                    "styleName": "Regular"})
            builder.setupOS2()
            builder.setupPost()
            paths.append(str(tmp_path / f"{family}.ttf"))
            builder.save(paths[-1])
        monkeypatch.setattr(font_manager, "findSystemFonts", lambda: paths)

    kept = list(font_manager.fontManager.ttflist)
    yield install
    font_manager.fontManager.ttflist[:] = kept


def test_letters_that_the_usual_font_lacks_are_drawn_by_one_that_has_them(
        fonts, tmp_path, capsys, recwarn):
    names = ["\uc0ac\uc804", "\u65e5", "the \u2581\xe9"]
    pictures = []
    for made in ({}, {"LastResort": "\uc0ac\uc804\u65e5"},
                 {"Korea": "\uc0ac\uc804", "Nothing": "abc", "Nippon": "\u65e5"}):
        fonts(**made)
        commands.save_map(tmp_path / "map.png", torch.ones(3, 3), names, names)
        pictures.append((tmp_path / "map.png").read_bytes())
        said = capsys.readouterr().err
        assert said.count("\n") == ("Korea" not in made)
        assert "Korea" in made or said.startswith(
            "no font of this computer can draw \u65e5, \uc0ac, \uc804: boxes stand for "
            "such letters; install a font that has them, such as Noto Sans CJK ")
    assert figures.fonts_for("\uc0ac\uc804\u65e5x\u0f40") == (
        [*rcParams["font.family"], "Korea", "Nippon"], ["\u0f40"])
    assert figures.fonts_for("the \u2581\xe9") == (rcParams["font.family"], [])
    assert pictures[0] == pictures[1] != pictures[2]    # boxes, boxes, and letters
    commands.save_map(tmp_path / "map.svg", torch.ones(3, 3), names, names)
    assert "Nippon" in (tmp_path / "map.svg").read_text("utf-8")
    assert not recwarn.list
