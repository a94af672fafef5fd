"""The translator for typed sentences: what it refuses, what it prints, and a training that is kept and goes on."""

import re

import pytest
import torch

from softdict import runtime, training, translator
from softdict.__main__ import main
from softdict.vocab import EOS


@pytest.fixture
def small(monkeypatch):
    """A training that takes a second; what it writes is nonsense."""
    monkeypatch.setattr(translator, "PAIRS", 200)
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


@pytest.mark.parametrize("name", translator.RECIPES)
def test_every_model_of_the_book_is_trained_kept_and_asked(small, name, tmp_path, capsys):
    path, picture = tmp_path / "new" / "model.safetensors", tmp_path / "map.svg"
    main(["train", name, "--updates", "2", "--file", str(path)])
    assert capsys.readouterr().out.split() == [str(path)]
    assert [file.name for file in path.parent.iterdir()] == ["model.safetensors"]
    with torch.no_grad():    # an end at once would leave nothing to print
        model = translator.translator(name, path)
        model.generator.bias[EOS] = -30.0
    assert not model.training
    more = ["--figure", str(picture)] if name != "rnn" else []
    main(["translate", "the", "dog", "slept", "--model", name, "--file", str(path), *more])
    assert capsys.readouterr().out.strip()
    assert not more or picture.read_text(encoding="utf-8").count("<image") == 1


def test_a_sentence_is_printed_in_hangul_in_latin_letters_and_glossed(tmp_path, capsys, monkeypatch):
    written = ["개", "-는", "자", "-았", "-다"]
    monkeypatch.setattr("softdict.decoding.translate", lambda model, words, *vocabs: written)
    main(["translate", "the", "dog", "slept", "--register", "plain"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "개는 잤다" and lines[1].split() == ["gae", "-neun", "ja", "-ass", "-da"]
    assert lines[2].split()[0] == "dog" and lines[3].split() == written


def test_the_package_carries_a_trained_transformer(capsys):
    size = (runtime.ASSETS / "transformer.safetensors").stat().st_size
    assert size <= 2_500_000
    main(["translate", "the", "dog", "saw", "the", "cat"])
    assert capsys.readouterr().out.splitlines()[0] == "개는 고양이를 봤어요"
    with pytest.raises(ValueError, match="carries the trained Transformer alone; train 'rnn' first"):
        translator.translator("rnn")


def test_half_precision_keeps_the_model(small, tmp_path):
    path, half = tmp_path / "model.safetensors", tmp_path / "half.safetensors"
    main(["train", "transformer", "--updates", "2", "--file", str(path), "--half", str(half)])
    assert half.stat().st_size < 0.55 * path.stat().st_size
    whole, rounded = (translator.translator("transformer", file).state_dict() for file in (path, half))
    for name, values in whole.items():
        torch.testing.assert_close(rounded[name], values, rtol=1e-3, atol=1e-4)


def test_an_interrupted_training_goes_on(small, tmp_path, monkeypatch):
    path, whole = tmp_path / "model.safetensors", tmp_path / "whole.safetensors"
    monkeypatch.setattr(translator, "EVERY", 1)
    train = ["train", "transformer", "--updates", "3", "--file"]
    main([*train, str(whole)])
    real, calls = training.update, []

    def interrupted(state, batch):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(state, batch)

    monkeypatch.setattr(training, "update", interrupted)
    with pytest.raises(SystemExit, match="goes on where its last checkpoint ends"):
        main([*train, str(path)])
    assert not path.exists()
    calls.clear()
    main([*train, str(path)])
    assert len(calls) == 1    # two of three updates were kept
    assert path.read_bytes() == whole.read_bytes()


def test_a_loss_that_is_no_number_stops_with_advice(small, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "batch_loss", lambda model, batch, settings: (
        sum(part.sum() for part in model.parameters()) * float("nan")))
    with pytest.raises(SystemExit, match="update 1 has the loss nan .* a smaller learning rate may help"):
        main(["train", "transformer", "--updates", "2", "--file", str(tmp_path / "model.safetensors")])


def test_a_model_of_another_size_or_vocabulary_or_a_damaged_one_is_refused(small, tmp_path, monkeypatch):
    path = tmp_path / "model.safetensors"
    main(["train", "transformer", "--updates", "1", "--file", str(path)])
    with pytest.raises(ValueError, match="model of another size"):
        translator.translator("rnn", path)
    monkeypatch.setattr(translator, "PAIRS", 100)
    translator.vocabs.cache_clear()
    with pytest.raises(ValueError, match="another vocabulary"):
        translator.translator("transformer", path)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(SystemExit, match="model.safetensors is damaged"):
        main(["translate", "the", "--file", str(path)])


def test_what_is_not_there_is_named(tmp_path):
    with pytest.raises(SystemExit, match="there is no .*rnn.safetensors; python -m softdict train rnn --file .* makes it"):
        main(["translate", "the", "--model", "rnn", "--file", str(tmp_path / "rnn.safetensors")])
    with pytest.raises(SystemExit, match="the book has no model 'gpt'; it has rnn, attention-dot"):
        main(["train", "gpt"])


def test_places_that_cannot_be_written_are_named(small, tmp_path):
    (tmp_path / "file").write_text("here", encoding="utf-8")
    with pytest.raises(SystemExit, match="cannot write .*file"):
        main(["train", "rnn", "--updates", "1", "--file", str(tmp_path / "file" / "model.safetensors")])
    model = tmp_path / "model.safetensors"
    main(["train", "transformer", "--updates", "1", "--file", str(model)])
    asked = ["translate", "the", "--file", str(model), "--figure"]
    with pytest.raises(SystemExit, match=re.escape("'abc' is not supported")):
        main([*asked, str(tmp_path / "map.abc")])
    with pytest.raises(SystemExit, match="cannot write .*nowhere"):
        main([*asked, str(tmp_path / "nowhere" / "map.svg")])
