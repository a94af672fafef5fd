"""The commands `train --text` and `write`: a model of a text, and going on from one."""

import json
import os
import re
import shutil
import tomllib
import unicodedata
from contextlib import contextmanager
from dataclasses import asdict, replace

import pytest
import safetensors
import torch
from tokenizers import Tokenizer, models
from torch.nn.modules.module import register_module_forward_pre_hook

from interruptions import steps
from softdict.__main__ import main
from softdict.decoder_only import DecoderOnly
from softdict.programs import text_trainer
from softdict.programs.flags import FLAGS
from softdict.programs.text_trainer import PRESETS
from softdict.programs.writer import load_writer
from softdict.saving.checkpoint import load_model
from softdict.saving.hf_format import load_library
from softdict.texts import files

TEXT = "".join(f"The dog number {number} sees {number + 1}.\n" for number in range(100))
SIZES = ["--width", "16", "--heads", "2", "--layers", "1", "--hidden", "16",
         "--context-length", "12"]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """A checkpoint behind every second update, and short samples."""
    small = PRESETS["small"]
    monkeypatch.setitem(PRESETS, "small", replace(
        small, settings=replace(small.settings, interval=2)))
    monkeypatch.setattr(text_trainer, "SHOWN", 9)


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_bytes(TEXT.encode())
    return str(path)


@pytest.fixture(scope="module")
def model(text, tmp_path_factory):
    """The folder of a model of the text, not to be changed."""
    out = tmp_path_factory.mktemp("model") / "model"
    main(sized(text, out))
    return out


def sized(text, out, *more):
    """A command that trains a small model for five updates."""
    return ["train", "--text", str(text), "--out", str(out), "--updates", "5",
            "--batch", "3", *SIZES, *more]


def refused(capsys, *arguments):
    """The sentence with which a command ends."""
    with pytest.raises(SystemExit) as stop:
        main(list(map(str, arguments)))
    sentence = stop.value.code if isinstance(stop.value.code, str) else (
        capsys.readouterr().err)
    assert stop.value.code != 0 and len(sentence.strip().splitlines()) == 1
    return sentence.strip()


# Training


@pytest.mark.parametrize("name", ["llama", "gpt2"])
def test_a_text_is_learned_and_gone_on_from(text, tmp_path, capsys, name):
    out = tmp_path / "new" / "model"
    main(sized(text, out, "--model", name))
    output = capsys.readouterr()
    assert output.out == f"{out}\n"
    assert output.err.startswith("2682 characters of text, ")
    assert [int(number) for number in re.findall(
        r"update (\d): validation loss .* bits a character", output.err)] == [2, 4, 5]
    assert sorted(os.listdir(out)) == [
        "config.json", "curves.svg", "history.jsonl", "model.safetensors", "run.toml",
        "tokenizer.json"]
    assert json.loads((out / "config.json").read_text())["model_type"] == name
    main(["write", "The", "dog", "--model", str(out), "--count", "7", "--seed", "1"])
    written = capsys.readouterr().out
    assert written == load_writer(out).write("The dog", 7, seed=1) + "\n"
    assert written.startswith("The dog") and len(written) > 8


def test_without_a_name_the_folder_and_the_model_are_llama(text, tmp_path, capsys,
                                                           monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = sized(text, "")
    del command[3:5]    # --out
    main(command)
    out = os.path.join("_build", "models", "llama")
    assert capsys.readouterr().out == f"{out}\n"
    assert load_library(out).config.norm == "rms"


@contextmanager
def begun():
    """Trainings end where their language model is asked for the first time: a list of
    such models."""
    models = []

    def stop(model, given):
        if isinstance(model, DecoderOnly):
            models.append(model)
            raise KeyboardInterrupt

    hook = register_module_forward_pre_hook(stop)
    try:
        yield models
    finally:
        hook.remove()


def test_flags_reach_the_training(text, tmp_path, capsys):
    with begun() as models:
        refused(capsys, *sized(
            text, tmp_path / "model", "--updates", "7", "--batch", "6", "--rate", "0.5",
            "--warmup", "3", "--precision", "bfloat16", "--micro-batches", "2",
            "--seed", "4", "--dropout", "0.25", "--pieces", "40",
            "--smoothing", "0.125", "--clip", "0.5", "--schedule", "cosine"))
    run = tomllib.loads((tmp_path / "model" / "run.toml").read_text("utf-8"))
    assert run == {
        "text": text, "pieces": 40, "model": "llama", "preset": "small",
        "context-length": 12, "width": 16, "layers": 1, "heads": 2, "hidden": 16,
        "dropout": 0.25, "updates": 7, "batch": 6, "rate": 0.5, "warmup": 3,
        "schedule": "cosine", "clip": 0.5, "smoothing": 0.125,
        "precision": "bfloat16", "micro-batches": 2, "seed": 4, "patience": 0}
    config = models[0].config
    assert (config.width, config.heads, config.kv_heads, config.layers, config.hidden,
            config.context_length, config.dropout) == (16, 2, 2, 1, 16, 12, 0.25)
    assert config.vocab_size == 40 + 256


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_has_its_sizes_and_settings(tmp_path, capsys, preset):
    long = tmp_path / "long.txt"
    long.write_text(TEXT * 6)
    with begun() as models:
        refused(capsys, "train", "--text", long, "--out", tmp_path / "model",
                "--preset", preset)
    run = tomllib.loads((tmp_path / "model" / "run.toml").read_text("utf-8"))
    settings = asdict(PRESETS[preset].settings)
    assert {flag.name: settings[flag.setting] for flag in FLAGS if flag.setting} == {
        flag.name: run[flag.name] for flag in FLAGS if flag.setting}
    assert {name: getattr(models[0].config, name) for name in PRESETS[preset].sizes
            } == PRESETS[preset].sizes


@pytest.mark.parametrize("heads, kv_heads", [(4, 2), (2, 2), (8, 8)])
def test_heads_that_are_not_the_presets_have_keys_of_their_own(
        tmp_path, capsys, heads, kv_heads):
    """A run.toml that states the preset's four must be the preset."""
    long = tmp_path / "long.txt"
    long.write_text(TEXT * 6)
    with begun() as models:
        refused(capsys, "train", "--text", long, "--out", tmp_path / "model", "--heads",
                heads)
    config = models[0].config
    assert (config.heads, config.kv_heads) == (heads, kv_heads)


def test_an_interrupted_training_goes_on_to_the_same_bytes(text, tmp_path, capsys,
                                                           monkeypatch):
    main(sized(text, tmp_path / "whole", "--dropout", "0.2"))
    command = sized(text, tmp_path / "parts", "--dropout", "0.2")
    with steps(stop=2):
        assert refused(capsys, *command) == (
            "Stopped. The same command begins anew: there was no checkpoint yet.")
    assert os.listdir(tmp_path / "parts") == ["run.toml"]
    for count in (4, 3):    # in update 4, and from update 2 on in update 5
        with steps(stop=count):
            assert refused(capsys, *command) == (
                "Stopped. The same command goes on from the last checkpoint.")
        assert sorted(os.listdir(tmp_path / "parts")) == ["run.toml",
                                                          "unfinished.safetensors"]
    assert "training is not finished, and the same command goes on with it" in refused(
        capsys, "write", "The", "--model", tmp_path / "parts")
    with steps() as made:
        main(command)
    assert len(made) == 1    # four were kept
    names = sorted(os.listdir(tmp_path / "whole"))
    assert sorted(os.listdir(tmp_path / "parts")) == names
    for name in ("config.json", "history.jsonl", "model.safetensors", "tokenizer.json"):
        assert ((tmp_path / "parts" / name).read_bytes()
                == (tmp_path / "whole" / name).read_bytes())


def test_an_interruption_while_the_folder_is_written_is_mended(text, model, tmp_path,
                                                               capsys, monkeypatch):
    real = text_trainer.save_library

    def interrupted(*given, **more):
        real(*given, **more)
        raise KeyboardInterrupt

    monkeypatch.setattr(text_trainer, "save_library", interrupted)
    command = sized(text, tmp_path / "model")
    assert "goes on from the last checkpoint" in refused(capsys, *command)
    monkeypatch.setattr(text_trainer, "save_library", real)
    main(command)
    for name in ("config.json", "model.safetensors"):
        assert ((tmp_path / "model" / name).read_bytes()
                == (model / name).read_bytes())
    assert "unfinished.safetensors" not in os.listdir(tmp_path / "model")


@pytest.mark.parametrize("more, kept", [
    ([], "unfinished.safetensors"), (["--metric", "loss"], "best.loss.safetensors")])
def test_a_model_that_the_format_cannot_hold_is_kept_and_said(
        text, tmp_path, capsys, monkeypatch, more, kept):
    class OwnText(text_trainer.DecoderOnly):
        """A model of one's own, with the sizes of ours."""

    made = []
    monkeypatch.setattr(text_trainer, "DecoderOnly",
                        lambda *given, **more: made.append(
                            OwnText(*given, **more)) or made[-1])
    command, folder = sized(text, tmp_path / "model", *more), tmp_path / "model"
    with steps(stop=1):    # it is said before the first update
        assert "Stopped" in refused(capsys, *command)
    problem = "the whole is a OwnText and no DecoderOnly of softdict"
    assert problem in capsys.readouterr().err
    for _ in range(2):     # and behind the last, as often as it is asked
        sentence = refused(capsys, *command)
        assert problem in sentence
        assert f"its weights are kept in {folder / kept}" in sentence
        assert "config.json" not in os.listdir(folder)
        assert {"tokenizer.json", "history.jsonl"} <= set(os.listdir(folder))
        again = OwnText(made[-1].config)
        with safetensors.safe_open(folder / kept, "pt") as file:
            notes = json.loads(file.metadata()["softdict"])
        load_model(again, folder / kept, notes["vocabulary"])
        for name, values in made[-1].state_dict().items():
            assert torch.equal(values, again.state_dict()[name])


@pytest.mark.parametrize("more, reason", [
    (["--rate", "0.5"], "other settings"), (["--seed", "1"], "other settings"),
    (["--dropout", "0.4"], "dropout is .*0.4"),
    (["--width", "32"], "another size"), (["--model", "gpt2"], "another model"),
    (["--pieces", "40"], "another text")])
def test_another_training_in_the_folder_is_refused(text, tmp_path, capsys, monkeypatch,
                                                   more, reason):
    with steps(stop=3):
        refused(capsys, *sized(text, tmp_path / "model"))
    kept = (tmp_path / "model" / "unfinished.safetensors").read_bytes()
    sentence = refused(capsys, *sized(text, tmp_path / "model", *more))
    assert re.search(f"cannot go on with: .*{reason}", sentence)
    assert (tmp_path / "model" / "unfinished.safetensors").read_bytes() == kept


def test_a_damaged_checkpoint_is_named_and_the_training_begins_anew(
        text, model, tmp_path, capsys, monkeypatch):
    with steps(stop=3):
        refused(capsys, *sized(text, tmp_path / "model"))
    path = tmp_path / "model" / "unfinished.safetensors"
    path.write_bytes(path.read_bytes()[:-9])
    content = path.read_bytes()
    main(sized(text, tmp_path / "model"))
    assert ("unfinished.safetensors is damaged, cut short or no checkpoint of softdict:"
            " the training begins anew, and the damaged file is kept as "
            "unfinished.safetensors.damaged1") in capsys.readouterr().err
    assert path.with_name(f"{path.name}.damaged1").read_bytes() == content
    assert ((tmp_path / "model" / "model.safetensors").read_bytes()
            == (model / "model.safetensors").read_bytes())


def test_a_second_training_in_a_folder_is_told_of_the_first(text, tmp_path, capsys):
    (tmp_path / "model").mkdir()
    with files.alone(tmp_path / "model" / "unfinished.safetensors"):
        assert "another process is at work on unfinished.safetensors" in refused(
            capsys, *sized(text, tmp_path / "model"))


@pytest.mark.parametrize("content, message", [
    (None, "text.txt: No such file or directory"),
    ("folder", "is a folder or a device; a text file is needed"),
    (b"", "text.txt has 0 bytes: too few for windows of 128 pieces; it takes 5120 or"),
    (b"a b\n" * 1279, "text.txt has 5116 bytes: .* or a smaller --context-length"),
    (b"one\ntwo \xe9\n" * 600, "text.txt, line 2: this is not UTF-8; save the file as"),
    (b"\x7fELF\2\1\1\0\0\0" * 600, "text.txt, line 1: a zero byte; this is no text")],
    ids=range(6))
def test_what_is_no_text_is_refused(tmp_path, capsys, content, message):
    path = tmp_path / "text.txt"
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    said = refused(capsys, "train", "--text", path, "--out", tmp_path / "out")
    assert said.startswith("python -m softdict train: ") and re.search(message, said)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_holds_something_is_refused(text, model, tmp_path, capsys):
    content = {file.name: file.read_bytes() for file in model.iterdir()}
    assert refused(capsys, *sized("no such file", model)).endswith(
        "holds a trained model already; name a new folder with --out, or delete this "
        "one")
    assert content == {file.name: file.read_bytes() for file in model.iterdir()}
    (tmp_path / "notes.txt").touch()
    assert "holds other files; a model needs a folder of its own" in refused(
        capsys, *sized(text, tmp_path))
    assert "is no folder" in refused(capsys, *sized(text, tmp_path / "notes.txt"))
    assert os.listdir(tmp_path) == ["notes.txt"]


@pytest.mark.parametrize("more, message", [
    (["--data", "multi30k"], "--data and --text are trainings of their own; choose on"),
    (["--pairs", "x", "--data", "y"], "--pairs, --data and --text are trainings of th"),
    (["--from", "de", "--to", "en", "--data-dir", "x"],
     "--text does not take --data-dir, --from and --to; leave them out"),
    (["--valid", "y", "--min-count", "1", "--half"],
     "--text does not take --valid, --min-count and --half; leave them out"),
    (["--lowercase"], "--lowercase goes with --pairs or --data, not with --text"),
    (["--half"], "--half goes with the book's corpus, --pairs or --data, not with --t"),
    (["--smoothing", "2"], "smoothing must be at least 0 and below 1; got 2.0"),
    (["--metric", "bleu"], "with --text --metric is loss, not bleu"),
    (["--model", "transformer"], "language model is one of gpt2, llama, .* got 'tran"),
    (["--preset", "huge"], "with the sizes of small or gpu; got 'llama', 'huge'"),
    (["--pieces", "3"], "3 pieces are too few: the training has"),
    (["--heads", "3"], "width must be a multiple of heads; got width 16 and 3 heads"),
    (["--width", "9999"], "width must be a number from 1 to 8192, not 9999"),
    (["--context-length", "9999999"],
     "context_length must be a number from 1 to 1000000, not 9999"),
    (["--context-length", "100"], "has 2682 bytes: too few for windows of 100 pieces"),
    (["--dropout", "nan"], "dropout must be a number from 0.0 to 0.9, not nan"),
    (["--rate", "0"], "peak_rate must be above 0; got 0.0"),
    (["--precision", "float7"], "precision must be one of float32")],
    ids=lambda part: " ".join(part) if isinstance(part, list) else "")
def test_what_does_not_go_together_is_refused(text, tmp_path, capsys, more, message):
    said = refused(capsys, *sized(text, tmp_path / "out", *more))
    assert said.startswith("python -m softdict train: ") and re.search(message, said)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("more, message", [
    (["--preset", "small"], "--preset goes with --text, not with the book's corpus"),
    (["--model", "gpt2"], "no model 'gpt2'; .* for --text llama and gpt2")])
def test_what_goes_with_a_text_is_refused_without_one(tmp_path, capsys, more, message):
    said = refused(capsys, "train", "--out", tmp_path / "out", *more)
    assert re.search(message, said) and not (tmp_path / "out").exists()


def test_several_processes_are_refused(text, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert "--text trains with one process, without torchrun" in refused(
        capsys, *sized(text, tmp_path / "out"))
    assert not (tmp_path / "out").exists()


# Writing


def test_chance_is_chosen_by_flags(model, capsys):
    def written(*more):
        main(["write", "The dog ", "--model", str(model), "--count", "20", *more])
        return capsys.readouterr().out

    assert written("--seed", "3") == written("--seed", "3")
    assert len({written("--seed", str(seed)) for seed in range(5)}) > 1
    assert len({written() for _ in range(5)}) > 1
    best = load_writer(model).write("The dog ", 20, temperature=0)
    for more in (["--temperature", "0"], ["--top-k", "1"], ["--top-p", "1e-9"]):
        assert written(*more) == f"{best}\n"
    hot = load_writer(model).write("The dog ", 20, temperature=9.0, seed=2)
    assert written("--temperature", "9", "--seed", "2") == f"{hot}\n"


def test_what_is_typed_is_kept(model, capsys):
    for typed in ("  two  blanks ", "사전 ☃", "a\tb\n", "'"):
        main(["write", typed, "--model", str(model), "--count", "3", "--seed", "0"])
        assert capsys.readouterr().out.startswith(typed)


def test_a_model_of_the_library_is_gone_on_from(model, tmp_path, capsys):
    """It has no history, other files, and an end of the text."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        shutil.copy(model / name, folder)
    asked = ["write", "The dog", "--model", str(folder), "--temperature", "0"]
    main([*asked, "--count", "9"])
    best = capsys.readouterr().out
    for name in ("tokenizer_config.json", "special_tokens_map.json"):
        (folder / name).write_text("{}")
    end = load_writer(folder).ids(best)[9]
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [end]}))
    main([*asked, "--count", "9"])
    stopped = capsys.readouterr().out
    assert best.startswith(stopped[:-1]) and 8 <= len(stopped) <= 10 < len(best)


@pytest.mark.parametrize("more, message", [
    (["", "--seed", "0"], "the text is empty: there is nothing to go on from"),
    (["a", "--temperature", "-1"], "must be 0 or more, and finite; got -1.0"),
    (["a", "--temperature", "nan"], "must be 0 or more, and finite; got nan"),
    (["a", "--min-p", "-0.1"], "min-p is a ratio from 0 to 1; got -0.1"),
    (["a", "--min-p", "2"], "min-p is a ratio from 0 to 1; got 2.0"),
    (["a", "--top-p", "2"], "top-p is a share above 0 and at most 1; got 2.0"),
    (["a", "--top-k", "0"], "argument --top-k: must be a whole number of 1 or more"),
    (["a", "--count", "0"], "argument --count: must be a whole number of 1 or more"),
    (["a", "--seed", "x"], "argument --seed: must be a whole number of 0 or more"),
    ([], "the following arguments are required: WORD")],
    ids=lambda part: " ".join(part) if isinstance(part, list) else "")
def test_what_cannot_be_written_is_refused(model, capsys, more, message):
    said = refused(capsys, "write", *more, "--model", model)
    assert said.startswith("python -m softdict write: ") and message in said


def test_an_empty_name_is_not_the_current_folder(model, capsys, monkeypatch):
    monkeypatch.chdir(model)
    for name in ("", " "):
        for command in ("write", "translate"):
            said = refused(capsys, command, "a", "--model", name)
            assert "--model is empty; it must name a model's folder" in said


def test_a_folder_that_does_not_fit_is_refused(model, tmp_path, capsys):
    def asked(folder):
        return refused(capsys, "write", "The", "--model", folder)

    assert "required: --model" in refused(capsys, "write", "The")
    assert "nowhere is no folder; a model is a folder with config.json and" in asked(
        tmp_path / "nowhere")
    assert "holds no language model that can be used: config.json is missing" in asked(
        tmp_path)
    folder = tmp_path / "model"
    shutil.copytree(model, folder)
    (folder / "tokenizer.json").unlink()
    assert "tokenizer.json, which cuts text for it, is missing" in asked(folder)
    content = json.loads((folder / "config.json").read_text())
    for change, message in (({"model_type": "bert"}, "model_type is 'bert'; known"),
                            ({"hidden_size": 20}, "config.json tells of")):
        (folder / "config.json").write_text(json.dumps(content | change))
        assert message in asked(folder)


def test_a_translator_is_told_apart(tmp_path, capsys):
    (tmp_path / "pairs.tsv").write_text("a dog\tein Hund\ntwo dogs\tzwei Hunde\n" * 9)
    main(["train", "--pairs", str(tmp_path / "pairs.tsv"), "--out",
          str(tmp_path / "model"), "--updates", "1", "--width", "8", "--model", "rnn"])
    assert "it translates, and does not go on from a text; use translate" in refused(
        capsys, "write", "a dog", "--model", tmp_path / "model")


def test_a_character_without_a_piece_is_refused(model, tmp_path, capsys):
    """Such a tokenizer is none of ours: it would leave the character out unsaid."""
    shutil.copytree(model, tmp_path / "model")
    Tokenizer(models.BPE({letter: number for number, letter in enumerate("Thedog ")},
                         [])).save(str(tmp_path / "model" / "tokenizer.json"))
    asked = ["--model", str(tmp_path / "model")]
    main(["write", "The dog", *asked])
    assert capsys.readouterr().out.startswith("The dog")
    assert refused(capsys, "write", "The dog é 사!", *asked).endswith(
        "tokenizer.json has no piece for 'é', '사', '!'; leave such characters out")
    Tokenizer(models.WordLevel({"The": 0})).save(
        str(tmp_path / "model" / "tokenizer.json"))
    assert "tokenizer.json cannot cut this text (" in refused(
        capsys, "write", "dog", *asked)


def test_a_temperature_near_0_is_0(model):
    writer = load_writer(model)
    for temperature in (1e-300, 1e-9):
        assert writer.write("The", 9, temperature) == writer.write("The", 9, 0)


def test_a_search_of_a_tokenizer_that_does_not_end_is_a_sentence(model, tmp_path,
                                                                 capfd):
    shutil.copytree(model, tmp_path / "model")
    file = tmp_path / "model" / "tokenizer.json"
    content = json.loads(file.read_text("utf-8"))
    content["pre_tokenizer"] = {"type": "Split", "pattern": {"Regex": "(a+)+$"},
                                "behavior": "Isolated", "invert": False}
    file.write_text(json.dumps(content), "utf-8")
    with pytest.raises(ValueError, match="tokenizer.json cannot cut this text"):
        load_writer(tmp_path / "model").write("a" * 40 + "b", 3)
    capfd.readouterr()    # the library says more


def test_nothing_that_is_written_commands_the_terminal(model, capsys):
    """Neither what was typed nor what the model, which has every byte, adds to it."""
    for seed in range(3):
        main(["write", "The\n\t\x1b[2J\x07\x9b old \xa0é", "--model", str(model),
              "--count", "60", "--temperature", "99", "--seed", str(seed)])
        written = capsys.readouterr().out
        assert written.startswith("The\n\t�[2J�� old \xa0é")
        assert not any(unicodedata.category(letter) == "Cc" for letter in written
                       if letter not in "\n\t")
