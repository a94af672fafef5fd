"""kept: a split from its file equals the one that was made, and no file can spoil it;
the glosses that come with the package are those of the corpus."""

import os
import pathlib
from functools import cache

import pytest

from softdict.corpus import kept, reading, splits
from softdict.corpus.kept import packed, unpacked


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Splits of a few sentences, an empty cache, and the list of what is made anew."""
    monkeypatch.setenv("SOFTDICT_CACHE", str(tmp_path / "cache"))
    for name, (_, *kinds) in list(splits.SPLITS.items()):
        size = 12 if name in ("iid", "agree", "mono-ko") else 3
        monkeypatch.setitem(splits.SPLITS, name, (size, *kinds))
    made, real = [], splits.pairs
    monkeypatch.setattr(splits, "derivations", cache(splits.derivations.__wrapped__))

    def counted(name, *given, **more):
        made.append(name)
        return real(name, *given, **more)

    monkeypatch.setattr(splits, "pairs", counted)
    return made


def file(name="iid"):
    return kept.cache_folder() / f"corpus-{kept.version()}" / f"{name}.1.json"


@pytest.mark.parametrize("name, read", [
    ("iid", splits.split), ("agree", splits.split), ("mono-ko", splits.text)])
def test_a_kept_split_equals_the_made_one(small, monkeypatch, name, read):
    made = read(name)
    assert len(made) == 12 and file(name).exists()
    monkeypatch.setattr(splits, "derivations", None)    # from its file now
    assert read(name) == made
    assert type(read(name)) is type(made) and type(read(name)[0]) is type(made[0])
    assert [hash(part) for part in read(name) if not isinstance(part, list)] == [
        hash(part) for part in made if not isinstance(part, list)]


def test_what_is_packed_is_all_of_a_pair(small):
    pairs = splits.pairs("agree", 1)
    assert unpacked(packed(pairs)) == pairs and pairs[0].spot >= 0


DAMAGES = {
    "empty": lambda content: b"",
    "cut short": lambda content: content[:-1],
    "one letter else": lambda content: content[:-300] + b"7" + content[-299:],
    "another file's": lambda content: b'{"tokens":[],"pairs":[]}',
    "no text": lambda content: bytes(range(256)),
    "deep": lambda content: b"[" * 100_000,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_made_again(small, damage):
    made = splits.split("iid")
    content = file().read_bytes()
    file().write_bytes(DAMAGES[damage](content))
    small.clear()
    assert splits.split("iid") == made and small == ["iid"]
    assert file().read_bytes() == content


def test_a_file_that_cannot_be_read_is_made_again(small, monkeypatch):
    made = splits.split("iid")
    small.clear()

    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(pathlib.Path, "read_bytes", refuse)
    assert splits.split("iid") == made and small == ["iid"]


def test_without_a_place_to_write_a_split_is_made_each_time(
        small, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("SOFTDICT_CACHE", str(tmp_path / "file"))
    assert splits.split("iid") == splits.split("iid") and small == ["iid"] * 2


def test_a_folder_in_place_of_the_file_is_left_alone(small):
    file().mkdir(parents=True)
    assert splits.split("iid") == splits.split("iid") and small == ["iid"] * 2
    assert file().is_dir() and os.listdir(file().parent) == [file().name]


def test_a_user_without_a_home_makes_each_split(small, monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    for name in ("SOFTDICT_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pathlib.Path, "home", homeless)
    assert splits.split("iid") == splits.split("iid") and small == ["iid"] * 2


def test_a_file_belongs_to_the_sources_of_its_corpus(small, monkeypatch, tmp_path):
    before = kept.version()
    for source in pathlib.Path(kept.__file__).parent.glob("*.py"):
        (tmp_path / source.name).write_bytes(source.read_bytes())
    monkeypatch.setattr(kept.resources, "files", lambda package: tmp_path)
    assert kept.version.__wrapped__() == before
    with open(tmp_path / "words.py", "ab") as words:
        words.write(b"# another word\n")
    assert kept.version.__wrapped__() != before


def test_the_glosses_of_the_package_are_those_of_the_training_split():
    glosses, others = reading.counted()
    assert reading.meanings() == [glosses, others]


def test_glosses_are_written_as_they_are_read(monkeypatch, tmp_path):
    stored = reading.FILE.read_bytes()
    monkeypatch.setattr(reading, "FILE", tmp_path / "glosses.json")
    monkeypatch.setattr(reading, "counted", reading.meanings)
    reading.meanings()
    reading.write_glosses()
    assert reading.FILE.read_bytes() == stored


def test_a_morpheme_is_glossed_by_what_stands_before_it():
    glosses, others = reading.meanings()
    form, before = next((form, before) for form in others for before in others[form])
    assert reading.gloss([before, form])[1] == others[form][before]
    assert reading.gloss([form])[0] == others[form].get("", glosses[form])
    assert reading.gloss(["xyz"]) == ["xyz"]
