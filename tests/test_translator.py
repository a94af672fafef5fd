"""The translator for typed sentences: what it refuses, what it prints, and a training that is kept and goes on."""

import re

import pytest
from softdict import training, translator
from softdict.__main__ import main


@pytest.fixture
def small(monkeypatch):
    """A training that takes a second; what it writes is nonsense."""
    monkeypatch.setattr(translator, "PAIRS", 200)
    monkeypatch.setattr(translator, "UPDATES", 3)
    translator.vocabs.cache_clear()
    yield
    translator.vocabs.cache_clear()


def test_words_as_the_corpus_writes_them():
    assert translator.words_of("The old man, who saw mina") == [
        "<polite>", "the", "old", "man", ",", "who", "saw", "Mina"]
    assert translator.words_of("MINSU slept.", "plain") == ["<plain>", "Minsu", "slept"]


@pytest.mark.parametrize("sentence, message", [
    (" . ", "the sentence is empty: there is nothing to translate"),
    ("The Kitens saw xqz", "and not 'Kitens' \\(it knows kittens, .*\\), 'xqz'$"),
    ("I have 3 cats", "'3'")])
def test_what_is_not_english_of_the_corpus_is_refused_by_name(sentence, message):
    with pytest.raises(ValueError, match=message):
        translator.words_of(sentence)


def test_the_command_refuses_with_one_sentence(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["translate", "the", "xqz"])
    assert str(stop.value).startswith("python -m softdict translate: ") and "'xqz'" in str(stop.value)
    with pytest.raises(SystemExit):
        main(["translate", "the man", "--register", "rude"])
    assert "invalid choice: 'rude'" in capsys.readouterr().err


def test_a_sentence_is_printed_in_hangul_in_latin_letters_and_glossed(small, tmp_path, capsys, monkeypatch):
    model, picture = tmp_path / "new" / "model.safetensors", tmp_path / "map.svg"
    written = ["개", "-는", "자", "-았", "-다"]
    monkeypatch.setattr("softdict.decoding.translate", lambda model, words, *vocabs: written)
    monkeypatch.setattr(translator, "words_of", lambda text, register: ["<plain>", text.lower()])
    monkeypatch.setattr("softdict.decoding.translation_weights",
                        lambda model, words, morphemes, *vocabs: __import__("torch").ones(5, 2) / 2)
    main(["translate", "the", "--model", str(model), "--figure", str(picture)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "개는 잤다" and lines[1].split() == ["gae", "-neun", "ja", "-ass", "-da"]
    assert lines[2].split()[0] == "dog" and lines[3].split() == written
    assert lines[4] == str(picture) and picture.read_text(encoding="utf-8").count("<image") == 1
    assert [file.name for file in model.parent.iterdir()] == ["model.safetensors"]


def test_a_trained_model_is_loaded_and_not_trained_again(small, tmp_path, monkeypatch):
    path = tmp_path / "model.safetensors"
    first = translator.translator(path)
    monkeypatch.setattr(training, "update", None)    # training now would stop
    again = translator.translator(path)
    assert all(map(lambda a, b: a.equal(b), first.state_dict().values(), again.state_dict().values()))
    assert not again.training


def test_an_interrupted_training_goes_on(small, tmp_path, monkeypatch):
    path, whole = tmp_path / "model.safetensors", tmp_path / "whole.safetensors"
    monkeypatch.setattr(translator, "EVERY", 1)
    translator.translator(whole)
    real, calls = training.update, []

    def interrupted(state, batch):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(state, batch)

    monkeypatch.setattr(training, "update", interrupted)
    with pytest.raises(SystemExit, match="goes on where its last checkpoint ends"):
        main(["translate", "the", "--model", str(path)])
    assert not path.exists()
    calls.clear()
    translator.translator(path)
    assert len(calls) == 1    # two of three updates were kept
    assert path.read_bytes() == whole.read_bytes()


def test_a_model_of_another_vocabulary_or_a_damaged_one_is_refused(small, tmp_path, monkeypatch):
    path = tmp_path / "model.safetensors"
    translator.translator(path)
    monkeypatch.setattr(translator, "PAIRS", 100)
    translator.vocabs.cache_clear()
    with pytest.raises(ValueError, match="another vocabulary"):
        translator.translator(path)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(SystemExit, match="model.safetensors is damaged"):
        main(["translate", "the", "--model", str(path)])


def test_places_that_cannot_be_written_are_named(small, tmp_path):
    (tmp_path / "file").write_text("here", encoding="utf-8")
    with pytest.raises(SystemExit, match="cannot write .*file"):
        main(["translate", "the", "--model", str(tmp_path / "file" / "model.safetensors")])
    model = tmp_path / "model.safetensors"
    with pytest.raises(SystemExit, match=re.escape("'abc' is not supported")):
        main(["translate", "the", "--model", str(model), "--figure", str(tmp_path / "map.abc")])
    with pytest.raises(SystemExit, match="cannot write .*nowhere"):
        main(["translate", "the", "--model", str(model), "--figure", str(tmp_path / "nowhere" / "map.svg")])
