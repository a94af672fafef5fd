"""The command line and what stands behind it: sentences, trainings, and every input
that is refused with one sentence."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from contextlib import redirect_stdout
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch

from interruptions import steps
from softdict import runtime, training
from softdict.__main__ import main
from softdict.corpus import split
from softdict.programs import commands, pair_trainer, translator
from softdict.saving import recipes
from softdict.saving.folder import load_folder, save_folder
from softdict.saving.recipes import RECIPES
from softdict.subwords import train_subwords
from softdict.texts import files
from softdict.vocab import EOS, SPECIALS

NOUNS = ["dog", "cat", "man", "old", "owl", "hen"]
POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has other files and pipes")
LINES = [f"The {a} saw a {b}.\tIch {b} sah {a}!" for a in NOUNS for b in NOUNS]


@pytest.fixture
def pairs(tmp_path):
    """A file of 36 pairs."""
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return str(path)


@pytest.fixture
def book(monkeypatch):
    """A corpus of forty pairs."""
    few = split("iid")[:40]
    monkeypatch.setattr(pair_trainer.corpus, "split", lambda *given, **more: few)
    recipes.vocabs.cache_clear()
    yield
    recipes.vocabs.cache_clear()


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """The folder of a model of such pairs, not to be changed."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "pairs.tsv").write_text("\n".join(LINES), encoding="utf-8")
    main(["train", "--pairs", str(folder / "pairs.tsv"), "--out", str(folder / "model"),
          "--updates", "2", "--width", "8", "--heads", "2", "--layers", "1"])
    return str(folder / "model")


def refused(capsys, *arguments):
    """The sentence with which a command ends."""
    with pytest.raises(SystemExit) as stop:
        main(list(map(str, arguments)))
    text = stop.value.code if isinstance(stop.value.code, str) else (
        capsys.readouterr().err)
    assert stop.value.code != 0 and len(text.strip().splitlines()) == 1
    return text.strip()


def run(*command, stdout=subprocess.PIPE, **environment):
    """A command of Python in a process of its own."""
    given = {name: value for name, value in os.environ.items()
             if name not in ("PYTHONIOENCODING", "PYTHONUNBUFFERED")}
    return subprocess.run([sys.executable, *command], stdout=stdout,
                          stderr=subprocess.PIPE,
                          env={**given, "PYTHONPATH": os.pathsep.join(sys.path),
                               **environment})


# The book's model


def test_words_as_the_corpus_writes_them():
    assert translator.words_of("The old man, who saw mina") == [
        "<polite>", "the", "old", "man", ",", "who", "saw", "Mina"]
    assert translator.words_of("MINSU slept.", "plain") == ["<plain>", "Minsu", "slept"]
    assert translator.words_of("the dog didn’t sleep!") == [
        "<polite>", "the", "dog", "did", "not", "sleep"]


@pytest.mark.parametrize("sentence, message", [
    (" . ", "the sentence is empty: there is nothing to translate"),
    ("The Kitens saw xqz", "and not 'Kitens' \\(it knows kittens, .*\\), 'xqz'$"),
    # the page names the same number
    ("I have 3 cats", "the corpus has 784 English words, and not .*'3'"),
    ("the dog 🐕 slept", "and not '🐕'$"), ("the dog's bone", "not \"dog's\"")])
def test_what_is_not_english_of_the_corpus_is_refused_by_name(sentence, message):
    with pytest.raises(ValueError, match=message):
        translator.words_of(sentence)


@pytest.mark.parametrize("sentence, left", [
    ("the dog; the cat slept;", "';'"), ("(the dog slept).", "'(', ')'"),
    ("the dog slept?!", "'?', '!'"), ("the dog slept...", "'.'"),
    ("the dog slept. the cat slept.", "'.'"), ("the dog - slept – ", "'-', '–'"),
    ("'the dog' slept", '"\'"')])
def test_signs_that_are_left_out_are_named_once(sentence, left, capsys):
    main(["translate", sentence])
    output = capsys.readouterr()
    assert output.out and output.err == (
        f"the corpus has 784 English words, and not {left}: left out\n")


@pytest.mark.parametrize("sentence", [
    "The dog slept. ", "the dog slept?", "the dog slept !", "the dog, the cat slept",
    "the dog didn't, the cat didn’t sleep!", "the old-happy dog slept"])
def test_signs_that_every_sentence_has_are_left_out_in_silence(sentence, capsys):
    main(["translate", sentence])
    output = capsys.readouterr()
    assert output.out and not output.err


def test_a_sentence_is_printed_in_hangul_in_latin_letters_and_glossed(capsys):
    main(["translate", "the dog", "slept", "--register", "plain"])
    assert capsys.readouterr().out.splitlines() == [
        "개는 잤다", "  gae  -neun  ja     -ass  -da",
        "  dog  TOP    sleep  PAST  PLAIN", "  개   -는    자     -았   -다"]


def test_the_words_of_the_asset_are_those_of_the_corpus():
    known, counted = translator.vocabs(), recipes.vocabs()
    assert [vocab.fingerprint() for vocab in known] == [
        vocab.fingerprint() for vocab in counted]
    assert max(len(pair.words) for pair in split("train")) - 1 == recipes.LONGEST


def test_the_package_carries_a_trained_transformer(capsys):
    size = sum(file.stat().st_size for file in translator.BUNDLED.iterdir())
    assert size <= 2_500_000
    main(["translate", "the", "dog", "saw", "the", "cat"])
    output = capsys.readouterr()
    assert output.out.splitlines()[0] == "개는 고양이를 봤어요" and not output.err
    saved = translator.bundled()
    assert saved.config.text == "corpus" and saved.config.model == "transformer"
    main(["translate", *["dog"] * 24])    # the tag of the register is no word
    assert not capsys.readouterr().err
    main(["translate", *["dog"] * 25])
    assert capsys.readouterr().err == (
        "25 words: the sentences of the training had at most 24\n")
    model = translator.translator()
    assert not model.training and model is not saved.model


def test_what_notebooks_ask_for():
    words = translator.words_of("the dog slept")
    weights = translator.attention_map(translator.translator(), words, ["개", "-는"])
    assert weights.shape == (2, 4)
    model, mark = translator.untrained("rnn", seed=3)
    assert mark == " ".join(vocab.fingerprint() for vocab in translator.vocabs())
    same, other = (translator.untrained("rnn", seed=seed)[0] for seed in (3, 4))
    for one, two, three in zip(*(part.parameters() for part in (model, same, other))):
        assert torch.equal(one, two) and (one.dim() < 2 or not torch.equal(one, three))
    with pytest.raises(ValueError, match="no model 'gpt'; it has rnn, attention-dot"):
        translator.untrained("gpt")


COLD = """
    import pathlib, sys
    from softdict.__main__ import main
    from softdict.corpus import kept, splits

    def never(*arguments, **options):
        raise AssertionError("the corpus was asked for")

    splits.derivations = splits.draw = splits.pairs = kept.kept = splits.kept = never
    splits.lexicon = splits.Grammar = never
    main(["translate", *sys.argv[1:]])
    assert not {"matplotlib", "pandas", "sacrebleu"} & sys.modules.keys()
"""


def test_a_cold_sentence_makes_nothing_of_the_corpus_again(own, tmp_path):
    """Neither with the asset nor with an own model, and no kept file is there."""
    for arguments in (["the old man slept"], ["the cat", "--model", own]):
        done = run("-c", textwrap.dedent(COLD), *arguments,
                   SOFTDICT_CACHE=str(tmp_path / "cache"))
        assert done.returncode == 0, done.stderr.decode()
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("name", RECIPES)
def test_every_model_learns_the_corpus_and_is_asked(book, name, tmp_path, capsys,
                                                    monkeypatch):
    monkeypatch.chdir(tmp_path)
    main(["train", "--model", name, "--updates", "2", "--width", "8"])
    out = os.path.join("_build", "models", name)
    assert capsys.readouterr().out.split() == [out]
    words = " ".join(split("iid")[0].words[1:3])
    main(["translate", words, "--model", name])
    assert capsys.readouterr().out.endswith("\n")
    saved = load_folder(out)
    assert saved.config.text == "corpus" and saved.config.max_source_length == 24
    assert saved.source_vocab.words == recipes.vocabs()[0].words


# Pairs of one's own


@pytest.mark.parametrize("name", RECIPES)
def test_every_model_learns_own_pairs_and_is_asked(pairs, name, tmp_path, capsys,
                                                   monkeypatch):
    monkeypatch.setattr(pair_trainer, "EVERY", 2)
    out, picture = tmp_path / "new" / "model", tmp_path / "map.SVG"
    main(["train", "--model", name, "--pairs", pairs, "--out", str(out), "--updates",
          "3", "--width", "8"])
    output = capsys.readouterr()
    assert output.out.split() == [str(out)]
    assert "35 pairs for training, 1 for validation\n10 source" in output.err
    assert sorted(os.listdir(out)) == [
        "config.json", "curves.svg", "history.jsonl", "run.toml", "source.txt",
        "target.txt", "weights.safetensors"]
    lines = (out / "history.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    assert [sorted(record) for record in records] == [
        ["loss", "norm", "rate"], *[["loss", "norm", "rate", "validation loss"]] * 2]
    curves = (out / "curves.svg").read_text(encoding="utf-8")
    assert "<svg" in curves and "#767676" in curves and "#db3f24" in curves
    asked = ["translate", "The", "owl", "saw.", "--model", str(out)]
    main(asked)
    written = capsys.readouterr().out
    assert written.endswith("\n")
    if name == "rnn":
        assert "the model rnn does not attend" in refused(capsys, *asked, "--figure",
                                                          picture)
        return
    make_sure(out, end=False)
    main([*asked, "--figure", str(picture)])
    assert capsys.readouterr().out.splitlines()[-1] == str(picture)
    assert picture.read_text(encoding="utf-8").count("<image") == 1


def make_sure(folder, end):
    """Makes a folder's model end every sentence at once, or none: then there is
    something to draw."""
    saved = load_folder(folder)
    with torch.no_grad():
        [*saved.model.generator.modules()][-1].bias[EOS] = 1e4 if end else -1e4
    save_folder(folder, saved)


def test_what_the_training_and_the_translation_say(own, tmp_path, capsys):
    (tmp_path / "more.tsv").write_text("\n".join([*LINES, "rare\tselten", "a " * 41
                                                  + "\tb"]), encoding="utf-8")
    main(["train", "--pairs", str(tmp_path / "more.tsv"), "--out", str(tmp_path / "m"),
          "--updates", "1", "--width", "8", "--valid", str(tmp_path / "more.tsv")])
    said = capsys.readouterr().err
    assert "more.tsv: 1 pair left out, with more than 40 words (--max-length)" in said
    assert ("10 source words; 0.5% of the text is rarer than --min-count 2 and becomes "
            "<unk>") in said
    assert "source sentence is in the training too: 37; the valid" in said
    main(["translate", "The zebra ZEBRA yak.", "--model", own])
    assert capsys.readouterr().err == (
        "not known to the model, and read as <unk>: zebra, ZEBRA, yak\n")
    main(["translate", "the dog saw a cat and a dog", "--model", own])
    assert capsys.readouterr().err.splitlines()[-1] == (
        "8 words: the sentences of the training had at most 6")


def test_an_empty_translation_is_not_drawn(own, tmp_path, capsys):
    model = shutil.copytree(own, tmp_path / "model")
    make_sure(model, end=True)
    main(["translate", "dog", "--model", str(model), "--figure",
          str(tmp_path / "map.png")])
    output = capsys.readouterr()
    assert output.out == "\n" and "empty: nothing was drawn" in output.err
    assert not (tmp_path / "map.png").exists()


def test_half_the_bytes(pairs, own, tmp_path):
    main(["train", "--pairs", pairs, "--out", str(tmp_path / "half"), "--updates", "2",
          "--width", "8", "--heads", "2", "--layers", "1", "--half"])
    whole, half = (load_folder(path) for path in (own, tmp_path / "half"))
    assert half.config == whole.config
    for name, values in whole.model.state_dict().items():
        stored = half.model.state_dict()[name]
        assert torch.equal(stored, values.half().float())


def sized(pairs, out, *more):
    """A command that trains a small model for three updates."""
    return ["train", "--pairs", pairs, "--out", str(out), "--updates", "3", "--width",
            "8", "--heads", "2", "--layers", "1", *more]


@pytest.fixture
def begun(pairs, tmp_path, monkeypatch, capsys):
    """A folder whose training was interrupted in its third update, and the updates
    that were made since."""
    monkeypatch.setattr(pair_trainer, "EVERY", 1)
    with steps(stop=3):
        assert refused(capsys, *sized(pairs, tmp_path / "model")) == (
            "Stopped. The same command goes on from the last checkpoint.")
    assert sorted(os.listdir(tmp_path / "model")) == ["run.toml",
                                                      "unfinished.safetensors"]
    return tmp_path / "model"


def test_an_interrupted_training_goes_on_to_the_same_bytes(begun, pairs, tmp_path,
                                                           capsys):
    assert "training is not finished, and the same command goes on with it" in refused(
        capsys, "translate", "dog", "--model", begun)
    main(sized(pairs, begun))
    main(sized(pairs, tmp_path / "whole"))
    names = set(os.listdir(tmp_path / "whole"))
    assert set(os.listdir(begun)) == names
    for name in names - {"curves.svg"}:
        assert (begun / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.parametrize("more, reason", [
    (["--rate", "0.5"], "other settings"), (["--seed", "1"], "other settings"),
    (["--dropout", "0.4"], r"dropout is \[.*\] there and \[0.4\] here"),
    (["--width", "16"], "another size"), (["--model", "rnn"], "another model"),
    (["--min-count", "20"], "other pairs"), (["--valid"], "other pairs")])
def test_another_training_in_the_folder_is_refused_with_a_way_out(
        begun, pairs, more, reason, capsys):
    kept = (begun / "unfinished.safetensors").read_bytes()
    command = sized(pairs, begun, *more, *([pairs] if more == ["--valid"] else []))
    if "rnn" in more:
        command = [part for part in command if part not in ("--heads", "--layers", "1")]
        command.remove("2")
    message = refused(capsys, *command)
    assert re.search(reason, message) and "holds an unfinished training that" in message
    assert message.endswith("or name a new folder with --out, or delete this one")
    assert (begun / "unfinished.safetensors").read_bytes() == kept
    assert len(os.listdir(begun)) == 2


def test_other_pairs_of_the_same_words_are_another_training(begun, pairs, capsys):
    Path(pairs).write_text("\n".join(LINES[::-1]), encoding="utf-8")
    assert "other pairs or words" in refused(capsys, *sized(pairs, begun))


def test_a_damaged_checkpoint_is_named_and_the_training_begins_anew(
        begun, pairs, tmp_path, capsys):
    path = begun / "unfinished.safetensors"
    content = path.read_bytes()[:-9]
    path.write_bytes(content)
    with steps(stop=1):
        assert "begins anew: there was no checkpoint" in refused(
            capsys, *sized(pairs, begun))
    # the damaged file alone does not make the folder another one
    assert sorted(os.listdir(begun)) == ["run.toml", "unfinished.safetensors.damaged1"]
    with steps(stop=1):
        assert "begins anew: there was no checkpoint" in refused(
            capsys, *sized(pairs, begun))
    path.write_bytes(content)
    main(sized(pairs, begun))
    assert ("unfinished.safetensors is damaged, cut short or no checkpoint of softdict:"
            " the training begins anew, and the damaged file is kept as "
            "unfinished.safetensors.damaged2") in capsys.readouterr().err
    for number in (1, 2):
        assert path.with_name(f"{path.name}.damaged{number}").read_bytes() == content
    assert "holds a trained model already" in refused(capsys, *sized(pairs, begun))
    assert load_folder(begun).config.model == "transformer"
    main(sized(pairs, tmp_path / "whole"))
    assert ((begun / "weights.safetensors").read_bytes()
            == (tmp_path / "whole" / "weights.safetensors").read_bytes())


def test_a_second_training_in_a_folder_is_told_of_the_first(begun, pairs, capsys):
    kept = (begun / "unfinished.safetensors").read_bytes()
    with files.alone(begun / "unfinished.safetensors"):
        assert "another process is at work on unfinished.safetensors" in refused(
            capsys, *sized(pairs, begun))
    assert (begun / "unfinished.safetensors").read_bytes() == kept


def test_a_full_disk_at_a_checkpoint_keeps_the_one_before(begun, pairs, capsys,
                                                          monkeypatch):
    replace = os.replace

    def full(part, path):
        if path.name == "unfinished.safetensors":
            raise OSError(28, "No space left on device")
        replace(part, path)

    kept = (begun / "unfinished.safetensors").read_bytes()
    monkeypatch.setattr(files.os, "replace", full)
    assert refused(capsys, *sized(pairs, begun)).endswith(
        "unfinished.safetensors was not saved, and an earlier one is untouched: No "
        "space left on device")
    assert sorted(os.listdir(begun)) == ["run.toml", "unfinished.safetensors"]
    assert (begun / "unfinished.safetensors").read_bytes() == kept


class Broken(io.StringIO):
    """An output that fails whenever something is printed."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def write(self, text):
        raise self.error


def test_an_interruption_before_the_first_checkpoint_is_said(pairs, tmp_path, capsys):
    with steps(stop=1):
        assert refused(capsys, *sized(pairs, tmp_path / "model")) == (
            "Stopped. The same command begins anew: there was no checkpoint yet.")
    # what a killed process and a file browser leave is no hindrance
    for name in ("unfinished.safetensors.123.part", ".DS_Store"):
        (tmp_path / "model" / name).touch()
    main(sized(pairs, tmp_path / "model"))
    with redirect_stdout(Broken(KeyboardInterrupt())):
        assert refused(capsys, "translate", "the dog slept") == "Stopped."


def test_a_loss_that_is_no_number_stops_with_advice(pairs, tmp_path, capsys):
    assert re.search("update 2 has the loss nan .* a smaller learning rate may help",
                     refused(capsys, *sized(pairs, tmp_path / "model", "--rate",
                                            "1e30")))


# Pieces, and text that people wrote


@pytest.fixture
def multi30k(tmp_path):
    """A folder that has what Multi30k has, in small."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name, lines in (("train", LINES), ("val", LINES[:4])):
        for language, side in zip(("en", "de", "fr"), [*zip(*(
                line.split("\t") for line in lines)), ["Oui !\u00a0"] * len(lines)]):
            (folder / f"{name}.{language}").write_text(
                "".join(f"{sentence}\n" for sentence in side), encoding="utf-8")
    return str(folder)


@pytest.mark.parametrize("name", RECIPES)
def test_every_model_learns_pieces_and_is_asked(multi30k, name, tmp_path, capsys):
    out, picture = tmp_path / "model", tmp_path / "map.svg"
    main(["train", "--data", "multi30k", "--data-dir", multi30k, "--model", name,
          "--out", str(out), "--updates", "2", "--width", "16", "--dropout", "0.5"])
    output = capsys.readouterr()
    assert output.out.split() == [str(out)]
    assert re.match("36 pairs for training, 4 for validation\n3.. pieces, the same for "
                    "both languages\n", output.err)
    saved = load_folder(out)
    assert saved.config.vocabulary == "pieces" and saved.config.text == "plain"
    usual, settings = recipes.real_text_recipe(name)
    assert saved.config.options == usual | {"width": 16, "dropout": 0.5}
    assert saved.config.settings == asdict(replace(settings, updates=2)) | {
        "patience": 0, "metric": None}
    # the source is German: its sentences have so many pieces
    assert saved.config.max_source_length == max(
        len(saved.pieces.tokenize(line.split("\t")[1])) for line in LINES)
    make_sure(out, end=False)
    asked = ["translate", "Ich\u00a0s\u00e4h", "Katzen", "--model", str(out)]
    main(asked)
    assert capsys.readouterr().out.endswith("\n")
    if name == "rnn":
        assert "does not attend" in refused(capsys, *asked, "--figure", picture)
        return
    main([*asked, "--figure", str(picture)])
    assert capsys.readouterr().out.splitlines()[-1] == str(picture)
    assert picture.read_text(encoding="utf-8").count("<image") == 1
    assert "nothing to translate" in refused(capsys, "translate", " ", "--model", out)


def test_a_blank_is_seen_in_a_picture():
    assert commands.visible([" a", "b", "c "]) == ["\u2581a", "b", "c\u2581"]


def test_dollars_are_no_formula(tmp_path):
    names = ["$$ x", "$\\frac$"]
    commands.save_map(tmp_path / "map.svg", torch.ones(2, 2), names, names)
    assert (tmp_path / "map.svg").read_text("utf-8").count("<image") == 1


@pytest.mark.parametrize("sizes", [(3, 2), (3, 3), (1, 2, 3), (4, 2, 3)], ids=str)
def test_a_map_of_other_sizes_than_its_names_is_not_written(tmp_path, sizes):
    """Transposed, with a row for EOS, of a batch, or of each head."""
    path = tmp_path / "map.svg"
    with pytest.raises(ValueError, match=re.escape(
            f"a map of 2 queries and 3 keys needs weights [2, 3], not {[*sizes]}")):
        commands.save_map(path, torch.ones(sizes), ["a", "b"], ["c", "d", "e"])
    assert not path.exists()


def test_the_languages_are_chosen(multi30k, tmp_path):
    for name, source, target, chosen in (
            ("one", "en", "de", ["--from", "en", "--to", "de"]),
            ("two", "fr", "en", ["--from", "fr"])):
        main(["train", "--data", "multi30k", "--data-dir", multi30k, "--model", "rnn",
              "--out", str(tmp_path / name), "--updates", "1", "--width", "8", *chosen])
        sides = [(Path(multi30k) / f"train.{language}").read_text("utf-8").splitlines()
                 for language in (source, target)]
        saved = load_folder(tmp_path / name)
        assert saved.config.max_source_length == max(len(saved.pieces.tokenize(text))
                                           for text in sides[0])
        learned = train_subwords(sides[0] + sides[1])
        assert set(saved.source_vocab.words) == {*SPECIALS, *learned.vocab().words}


def test_own_pairs_are_cut_into_pieces(pairs, tmp_path, capsys):
    more = ["a\tb\tc", "The dog " * 50 + "\tIch"]
    Path(pairs).write_text("\n".join([*LINES, *more]), "utf-8")
    main(sized(pairs, tmp_path / "model", "--pieces", "40", "--max-length", "90"))
    said = capsys.readouterr().err.splitlines()
    assert said[:4] == [
        "pairs.tsv: 1 line left out, with a tab inside a sentence (the first is 37)",
        "1 pair for training left out, with more than 90 pieces (--max-length)",
        "35 pairs for training, 1 for validation",
        "300 pieces, the same for both languages"]
    saved = load_folder(tmp_path / "model")
    assert saved.tokenize("The\u00a0owl") == saved.pieces.tokenize("The\u00a0owl")
    # a sentence of twenty is held out and said to be no other one's
    Path(pairs).write_text("\n".join(LINES), "utf-8")
    main(sized(pairs, tmp_path / "other", "--pieces", "50", "--valid", pairs))
    assert "source sentence is in the training too: 36" in capsys.readouterr().err
    main(["translate", "The owl saw a dog. " * 3, "--model", str(tmp_path / "model")])
    assert re.search("pieces: the sentences of the training had at most",
                     capsys.readouterr().err)


@pytest.mark.parametrize("more", [[], ["--pieces", "50"]], ids=["words", "pieces"])
def test_a_training_on_small_letters(pairs, tmp_path, capsys, more):
    """It is one on a file in small letters, and all that is asked is read so."""
    small = tmp_path / "small.tsv"
    small.write_text("\n".join(LINES).lower(), "utf-8")
    main(sized(pairs, tmp_path / "one", "--lowercase", *more))
    main(sized(str(small), tmp_path / "two", *more))
    one, two = (load_folder(tmp_path / name) for name in ("one", "two"))
    assert one.config == replace(two.config, lowercase=True)
    words = {word for vocab in (one.source_vocab, one.target_vocab)
             for word in vocab.words} - set(SPECIALS)
    assert not any(word[0].isupper() for word in words) and "ich" in " ".join(words)
    weights, others = ((tmp_path / name / "weights.safetensors").read_bytes()
                       for name in ("one", "two"))
    assert weights == others
    capsys.readouterr()
    printed = []
    for name, typed in (("one", "The OWL saw a ZEBRA."),
                        ("two", "the owl saw a zebra.")):
        main(["translate", typed, "--model", str(tmp_path / name)])
        printed.append(capsys.readouterr())
    assert printed[0] == printed[1]
    assert more or printed[0].err == (
        "not known to the model, and read as <unk>: zebra\n")


def test_small_letters_of_text_that_people_wrote(multi30k, tmp_path):
    main(["train", "--data", "multi30k", "--data-dir", multi30k, "--lowercase", "--out",
          str(tmp_path / "model"), "--model", "rnn", "--updates", "1", "--width", "8"])
    saved = load_folder(tmp_path / "model")
    sides = [(Path(multi30k) / f"train.{language}").read_text("utf-8").lower()
             for language in ("de", "en")]
    learned = train_subwords([line for side in sides for line in side.splitlines()])
    assert saved.config.lowercase is True
    assert set(saved.source_vocab.words) == {*SPECIALS, *learned.vocab().words}


def test_flags_of_the_training_reach_it(pairs, tmp_path):
    main(["train", "--pairs", pairs, "--out", str(tmp_path / "model"), "--updates", "2",
          "--batch", "7", "--warmup", "5", "--smoothing", "0.25",
          "--micro-batches", "3", "--precision", "bfloat16", "--rate", "0.5",
          "--seed", "4", "--width", "8",
          "--hidden", "6", "--heads", "2", "--layers", "1", "--dropout", "0.5",
          "--schedule", "inverse_sqrt", "--clip", "0.5"])
    config = load_folder(tmp_path / "model").config
    assert config.settings == asdict(training.Settings(
        updates=2, batch_size=7, warmup=5, smoothing=0.25, micro_batches=3, seed=4,
        schedule="inverse_sqrt", clip=0.5, precision="bfloat16", peak_rate=0.5,
        interval=pair_trainer.EVERY)) | {
            "patience": 0, "metric": None}
    assert config.options == {"width": 8, "layers": 1, "heads": 2, "hidden": 6,
                              "dropout": 0.5}


def test_half_precision_and_parts_of_a_batch_learn_the_same(pairs, tmp_path):
    records = []
    for name, more in (("plain", []), ("parts", ["--micro-batches", "4"]),
                       ("half", ["--precision", "float16"])):
        main(sized(pairs, tmp_path / name, "--dropout", "0", *more))
        lines = (tmp_path / name / "history.jsonl").read_text("utf-8").splitlines()
        records.append([json.loads(line)["loss"] for line in lines])
    assert records[0] == pytest.approx(records[1], abs=1e-5)
    assert records[0] == pytest.approx(records[2], abs=1e-2)
    assert records[0] != records[2]


# What is refused


@pytest.mark.parametrize("arguments, message", [
    (["--data", "wmt"], "--data is multi30k, not 'wmt'; pairs of your own go with --p"),
    (["--data", "multi30k", "--pairs", "x"], "--pairs and --data are trainings of th"),
    (["--data", "multi30k", "--valid", "x"], "--valid goes with --pairs, not with --d"),
    (["--valid", "x"], "--valid goes with --pairs, not with the book's corpus$"),
    (["--data", "multi30k", "--min-count", "3"], "--min-count goes with --pairs"),
    (["--pairs", "x", "--pieces", "9", "--min-count", "3"], "--min-count goes with --p"
     "airs, not with --pieces"),
    (["--pairs", "x", "--data-dir", "x"], "--data-dir goes with --data"),
    (["--from", "en"], "--from goes with --data"),
    (["--to", "de"], "--to goes with --data"),
    (["--pieces", "100"], "--pieces goes with --pairs, --data or --text, not with the"),
    (["--lowercase"], "--lowercase goes with --pairs or --data, not with the"),
    (["--max-length", "9"], "--max-length goes with --pairs or --data, not with the"),
    (["--data", "multi30k", "--to", "de"], "--from and --to are both de: a translation "
     "needs two languages"),
    (["--data", "multi30k", "--from", "xx"], "Multi30k is fetched in de, en, fr; got "
     "'xx'"),
    (["--data", "multi30k", "--data-dir", "nowhere"], "nowhere has no train.de.gz"),
    (["--data", "multi30k", "--data-dir", ""], "--data-dir: must name a file or a f"),
    (["--data", "multi30k", "--pieces", "3"], "3 pieces are too few: the training has"),
    (["--data", "multi30k", "--pieces", "999999999"], "999999999 pieces are too many"),
    (["--data", "multi30k", "--max-length", "2"],
     "every pair for training has more than 2 pieces; a larger --max-length"),
    (["--data", "multi30k", "--precision", "float7"], "precision must be one of float32"
     ", bfloat16, float16; got 'float7'"),
    (["--data", "multi30k", "--smoothing", "2"], "smoothing must be at least 0 and"),
    (["--data", "multi30k", "--smoothing", "nan"], "smoothing must be"),
    (["--data", "multi30k", "--dropout", "1"], "dropout must be a number from 0.0 to"),
    (["--data", "multi30k", "--model", "rnn", "--hidden", "8"], "the model rnn does "
     "not take --hidden: only Transformers do"),
    (["--pieces", "0"], "must be a whole number of 1 or more"),
    (["--patience"], "argument --patience: expected one argument"),
    (["--patience", "-1"], "whole number of 0 or more|expected one argument"),
    (["--batch", "0"], "must be a whole number of 1 or more"),
    (["--micro-batches", "half"], "must be a whole number"),
    (["--warmup", "1.5"], "must be a whole number of 0 or more")],
    ids=lambda part: " ".join(part) if isinstance(part, list) else "")
def test_what_does_not_go_together_is_refused(multi30k, arguments, message, tmp_path,
                                              capsys, monkeypatch):
    monkeypatch.setenv("SOFTDICT_CACHE", str(tmp_path / "cache"))
    if "--data" in arguments and "--data-dir" not in arguments:
        arguments = [*arguments, "--data-dir", multi30k]
    assert re.search(message, refused(capsys, "train", *arguments, "--out",
                                      tmp_path / "out"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("make, message", [
    (lambda out: out.touch(), "is no folder; a model needs a folder of its own"),
    (lambda out: (out.mkdir(), (out / "source.txt").touch()), "holds other files; a "
     "model needs a folder of its own, a new one or an empty one"),
    (lambda out: (out.mkdir(), (out / "config.json").touch()), "holds other files"),
    pytest.param(lambda out: out.symlink_to(out), "File exists|Too many levels",
                 marks=POSIX),
    pytest.param(lambda out: out.symlink_to("/dev/null"), "is no folder", marks=POSIX)])
def test_a_place_that_is_not_ours_is_refused_before_anything_is_read(
        make, message, tmp_path, capsys, pairs):
    make(tmp_path / "out")
    before = sorted(tmp_path.rglob("*"))
    with steps() as made:
        assert re.search(message, refused(capsys, *sized(pairs, tmp_path / "out")))
    assert sorted(tmp_path.rglob("*")) == before and not made


def test_a_finished_model_is_not_trained_over(own, pairs, capsys):
    content = {file.name: file.read_bytes() for file in Path(own).iterdir()}
    assert refused(capsys, *sized("no such file", own)).endswith(
        "holds a trained model already; name a new folder with --out, or delete this "
        "one")
    with pytest.raises(ValueError, match="holds a trained model already"):
        pair_trainer.train_folder(own, "rnn", ([], [], None, None, []))
    assert content == {file.name: file.read_bytes() for file in Path(own).iterdir()}


def test_a_folder_that_cannot_be_written_is_refused_before_the_training(
        pairs, tmp_path, capsys, monkeypatch):
    def refuse(*arguments, **options):
        raise PermissionError(13, "Permission denied", str(tmp_path / "out"))

    monkeypatch.setattr(pair_trainer.tempfile, "TemporaryFile", refuse)
    with steps() as made:
        assert refused(capsys, *sized(pairs, tmp_path / "out")).endswith(
            f"{tmp_path / 'out'}: Permission denied")
    assert not made
    (tmp_path / "file").touch()
    assert re.search("file.*: (Not a directory|File exists)",
                     refused(capsys, *sized(pairs, tmp_path / "file" / "out")))


def test_what_one_process_tries_is_no_hindrance_to_another(pairs, tmp_path,
                                                           monkeypatch):
    """A file with a name, as some systems make it, while the other looks."""
    def named(**options):
        file = tempfile.NamedTemporaryFile(**options)
        pair_trainer.check_folder(options["dir"])
        return file

    monkeypatch.setattr(pair_trainer.tempfile, "TemporaryFile", named)
    main(sized(pairs, tmp_path / "out"))
    assert (tmp_path / "out" / "config.json").exists()


@pytest.mark.parametrize("content, message", [
    (None, "bad.tsv: No such file or directory"),
    ("folder", "is a folder or a device; a text file is needed"),
    (b"", "bad.tsv is empty; it must hold sentence pairs, one a line"),
    (b"only one column\n", "line 1: a line is two sentences with a tab between them"),
    (b"a\tb\nc\td\xe9\n", "line 2: this is not UTF-8; save the file as UTF-8"),
    (b"\x7fELF\0\0\1\t\2", "line 1: a zero byte"),
    (b"a\tb\n", "one source sentence only")])
def test_pairs_that_cannot_be_read_are_refused(
        pairs, tmp_path, content, message, capsys):
    path = tmp_path / "bad.tsv"
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    out = ["--out", tmp_path / "out"]
    assert message in refused(capsys, "train", "--pairs", path, *out)
    if content != b"a\tb\n":    # enough to validate on
        assert message in refused(capsys, "train", "--pairs", pairs, "--valid", path,
                                  *out)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("arguments, message", [
    (["train", "--model", "foo"], "the book has no model 'foo'; it has rnn, attention"),
    (["train", "--valid", "x"], "--valid goes with --pairs"),
    (["train", "--updates", "0"], "must be a whole number of 1 or more"),
    (["train", "--updates", "9" * 5000], "up to nine digits; got '99999"),
    (["train", "--seed", "-1"], "expected one argument|whole number of 0 or more"),
    (["train", "--rate", "fast"], "invalid float value: 'fast'"),
    (["translate"], "the following arguments are required: WORD"),
    (["translate", "dog", "--model", "foo"], "'foo' is no folder and none of the "
     "book's models: rnn, attention-dot"),
    (["translate", "dog", "--model", "rnn"], "the model rnn is not trained yet: python "
     "-m softdict train --model rnn does it"),
    (["translate", "dog", "--model", "x" * 300], "name too long|no folder"),
    (["translate", "dog", "--register", "rude"], "invalid choice: 'rude'"),
    (["translate", "dog", "--figure", "map.abc"], "map.abc cannot be drawn: its name "
     "must end in one of .jpg, .pdf, .png, .svg"),
    (["translate", "dog", "--figure", "map"], "map cannot be drawn"),
    (["translate", "the", "xqz"], "and not 'xqz'"), (["translate", ""], "is empty")])
def test_one_sentence_says_what_is_wrong(arguments, message, capsys, tmp_path,
                                         monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = refused(capsys, *arguments)
    assert said.startswith(f"python -m softdict {arguments[0]}: ")
    assert re.search(message, said) and os.listdir(tmp_path) == []


@pytest.mark.parametrize("more, message", [
    (["--rate", "0"], "peak_rate must be above 0; got 0.0"), (["--rate", "nan"], "nan"),
    (["--width", "9999"], "width must be a number from 1 to 8192, not 9999"),
    (["--model", "rnn"], "the model rnn does not take --layers and --heads: only Tra"),
    (["--metric", "ppl"], "--metric must be one of loss, bleu, chrf; got 'ppl'"),
    (["--heads", "3"], "heads")])
def test_numbers_with_which_nothing_can_be_trained(pairs, tmp_path, capsys, more,
                                                   message):
    assert message in refused(capsys, *sized(pairs, tmp_path / "out", *more))
    assert not (tmp_path / "out").exists()


def test_a_sentence_or_an_option_that_the_model_does_not_take(own, tmp_path, capsys):
    asked = ["translate", "--model", own]
    assert "the sentence is empty" in refused(capsys, *asked, " ")
    assert "--register is for models of the book's corpus" in refused(
        capsys, *asked, "dog", "--register", "plain")
    (tmp_path / "map.svg").mkdir()
    assert "map.svg was not saved" in refused(
        capsys, *asked[:1], "the dog slept", "--figure", tmp_path / "map.svg")
    assert "nowhere: map.svg was not saved" in refused(
        capsys, "translate", "the dog slept", "--figure", tmp_path / "nowhere/map.svg")


def test_a_memory_that_is_too_small_is_said(own, capsys):
    for error in (MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate "
                                              "memory: you tried to allocate 9 bytes")):
        with redirect_stdout(Broken(error)):
            assert "the memory is too small for this; a smaller --width" in refused(
                capsys, "translate", "dog", "--model", own)
    with redirect_stdout(Broken(RuntimeError("a fault of ours"))), pytest.raises(
            RuntimeError, match="of ours"):
        main(["translate", "dog", "--model", own])


def test_help_lists_all_models(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["train", "--help"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[lines.index("models:") + 1:] if line] == (
        list(RECIPES))


# Streams


@pytest.mark.parametrize("environment", [
    {"PYTHONIOENCODING": "cp1252"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}],
    ids=["cp1252", "locale C"])
def test_a_file_gets_utf_8_whatever_the_locale(tmp_path, environment):
    with open(tmp_path / "out.txt", "wb") as out:
        done = run("-m", "softdict", "corpus", "--show", "1", stdout=out, **environment)
    assert done.returncode == 0 and not done.stderr
    assert split("iid")[0].korean in (tmp_path / "out.txt").read_text(encoding="utf-8")


@POSIX
def test_words_typed_in_the_locale_c_are_read(own):
    done = run("-m", "softdict", "translate", "dog Käuze", "--model", own, LC_ALL="C",
               PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert done.returncode == 0
    assert done.stderr.decode("utf-8") == (
        "not known to the model, and read as <unk>: Käuze\n")


def test_a_word_that_no_encoding_has_is_no_traceback(own, capsys):
    main(["translate", "dog \udcff\udcfe", "--model", own])
    assert "read as <unk>: \ufffd" in capsys.readouterr().err
    assert commands.decode_argument("Käuze") == "Käuze"


@pytest.mark.skipif(sys.platform != "linux", reason="names are Unicode there")
def test_a_name_that_no_encoding_has_is_printed_all_the_same(tmp_path):
    done = run("-m", "softdict", "corpus", "--split", "iid", "--export",
               str(tmp_path / "o\udcff"))
    assert done.returncode == 0 and b"o\\udcff" in done.stdout


@POSIX
def test_a_pipe_that_closes_early_is_quiet():
    """Whether its reader is gone before the first line or in the midst of them."""
    for count in ("3", "900"):
        reading, writing = os.pipe()
        os.close(reading)
        done = run("-m", "softdict", "corpus", "--show", count, stdout=writing)
        os.close(writing)
        assert done.returncode == 0 and not done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device")
def test_an_output_that_is_full_is_one_sentence():
    with open("/dev/full", "wb") as full:
        done = run("-m", "softdict", "corpus", "--show", "1", stdout=full)
    assert done.returncode == 1
    assert done.stderr == b"python -m softdict corpus: No space left on device\n"


def test_the_seed_of_torch_is_that_of_the_training(pairs, tmp_path):
    """Random numbers drawn before do not matter."""
    for name in ("one", "two"):
        runtime.seed(hash(name) % 1000)
        main(sized(pairs, tmp_path / name))
    one, two = ((tmp_path / name / "weights.safetensors").read_bytes()
                for name in ("one", "two"))
    assert one == two
