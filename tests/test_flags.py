"""The flags of `train`: each with each kind of training, files that hold them, and
run.toml, which repeats a training."""

import os
import re
import tomllib
from itertools import combinations

import pytest

from interruptions import steps
from softdict import subwords
from softdict.__main__ import command_line, main
from softdict.corpus import split
from softdict.programs import commands, pair_trainer, text_trainer
from softdict.programs.flags import FLAGS, KINDS, NAMES, RUN, chosen, read_config
from softdict.saving import recipes
from softdict.saving.folder import FolderConfig
from softdict.training import Settings

NOUNS = ["dog", "cat", "man", "old", "owl", "hen"]
LINES = [f"The {a} saw a {b}.\tIch {b} sah {a}!" for a in NOUNS for b in NOUNS]
LINES.append(f"{'The owl saw a cat ' * 7}\t{'Ich cat sah owl ' * 7}")    # 35 words
TEXT = "".join(f"The dog number {number} sees {number + 1}.\n" for number in range(100))
FAMILIES = {"rnn": "attention-dot", "transformer": "transformer-rotary",
            "llama": "gpt2", "gpt2": "llama"}    # each with another model of its kind
OWN = "pairs", "data", "text"    # each begins a training of its own
CASES = [(kind, family) for kind in KINDS for family in FAMILIES
         if (kind == "text") == (family in ("llama", "gpt2"))]


@pytest.fixture
def places(tmp_path, monkeypatch):
    """What is learned from, all of it small; the current folder is empty."""
    few = split("iid")[:40]
    monkeypatch.setattr(pair_trainer.corpus, "split", lambda name, **more: few)
    recipes.vocabs.cache_clear()
    (tmp_path / "pairs.tsv").write_text("\n".join(LINES), encoding="utf-8")
    (tmp_path / "other.tsv").write_text("\n".join(LINES[:9]), encoding="utf-8")
    (tmp_path / "text.txt").write_text(TEXT)
    (tmp_path / "other.txt").write_text(TEXT * 2)
    (tmp_path / "five.toml").write_text("seed = 5\n")
    for folder, lines in (("multi30k", LINES), ("more", LINES[:9])):
        (tmp_path / folder).mkdir()
        for number, language in enumerate(("en", "de", "fr")):
            for name in ("train", "val"):
                (tmp_path / folder / f"{name}.{language}").write_text("".join(
                    f"{line.split(chr(9))[number % 2]} {language}\n" for line in lines))
    monkeypatch.setenv("SOFTDICT_CACHE", str(tmp_path))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    yield tmp_path
    recipes.vocabs.cache_clear()


def asked(kind, family, places):
    """The flags of a training of this kind."""
    return ["--model", family] + {
        "corpus": [], "pairs": ["--pairs", f"{places}/pairs.tsv"],
        "pieces": ["--pairs", f"{places}/pairs.tsv", "--pieces", "60"],
        "data": ["--data", "multi30k"], "text": ["--text", f"{places}/text.txt"]}[kind]


def other(name, family, places):
    """A flag with a value that is no default."""
    values = {
        "pairs": f"{places}/other.tsv", "valid": f"{places}/other.tsv",
        "data": "multi30k", "data-dir": f"{places}/more", "from": "fr", "to": "fr",
        "text": f"{places}/other.txt", "pieces": 35, "max-length": 30, "min-count": 3,
        "context-length": 30,
        "model": FAMILIES[family], "preset": "gpu", "width": 24, "layers": 3,
        "heads": 2, "hidden": 20, "dropout": 0.25, "updates": 7, "batch": 5,
        "rate": 0.125, "warmup": 9, "schedule": "cosine", "clip": 0.5,
        "smoothing": 0.25, "precision": "bfloat16", "micro-batches": 2, "seed": 3,
        "patience": 4, "metric": "loss", "half": None, "lowercase": None,
        "out": "elsewhere", "config": f"{places}/five.toml"}
    assert values.keys() == NAMES.keys(), "give the new flag a value here"
    return [f"--{name}", *([] if values[name] is None else [str(values[name])])]


def parsed(*words):
    return command_line().parse_args(["train", *words])


def told(*words):
    """All that a training is told by such a command, as a text; or the sentence that
    refuses it."""
    try:
        out, training = commands.planned(parsed(*words))
    except ValueError as error:
        return False, str(error)
    given = {name: value for name, value in training.keywords.items()
             if name not in ("run", "say")}
    return True, "\n".join(map(spelled, [out, training.func, *training.args,
                                         *sorted(given.items())]))


def spelled(part):
    if isinstance(part, tuple):
        return " ".join(map(spelled, part))
    if hasattr(part, "tokenizer"):
        return part.tokenizer.to_str()
    return repr(getattr(part, "words", part))


def goes(name, kind, family):
    """Whether the table lets a flag go with such a training."""
    flag = NAMES[name]
    return kind in flag.goes and not (flag.transformers and family == "rnn")


@pytest.mark.parametrize("kind, family", CASES)
def test_each_flag_counts_in_each_kind_of_training_or_is_refused(kind, family, places):
    base = asked(kind, family, places)
    runs, usual = told(*base)
    assert runs and told(*base) == (True, usual)    # what differs is not chance
    for flag in FLAGS:
        more = other(flag.name, family, places)
        runs, said = told(*base, *more)
        if flag.name in OWN and kind == "corpus":
            assert runs and said != usual
        elif not goes(flag.name, kind, family):
            assert not runs and f"--{flag.name}" in said and "\n" not in said
            assert re.search("goes? with|not take|of their own; choose one", said)
        elif more != base[2:4]:    # it is given already
            assert runs, f"--{flag.name}: {said}"
            assert said != usual, f"--{flag.name} is ignored with {kind}, {family}"


@pytest.mark.parametrize("kind, family", CASES)
def test_each_two_flags_go_with_each_kind_of_training_or_are_refused(kind, family,
                                                                     places):
    """Whether they do is read from the table of one flag and one training."""
    parser = command_line()
    base = asked(kind, family, places)
    for pair in combinations(NAMES, 2):
        words = [word for name in pair for word in other(name, family, places)]
        own = {name for name in OWN if f"--{name}" in base + words}
        now = min(own, default="corpus")
        if now == "pairs" and ("pieces" in pair or kind == "pieces"):
            now = "pieces"
        # a flag of the base may go with the new kind no more, as --pieces
        right = len(own) < 2 and all(
            goes(name.removeprefix("--"), now,
                 FAMILIES[family] if "model" in pair and family != "rnn" else family)
            for name in base + words if name.startswith("--"))
        try:
            found, values = chosen(parser.parse_args(["train", *base, *words]))
        except ValueError as error:
            assert not right, f"{pair} with {kind}, {family}: {error}"
            assert any(f"--{name}" in str(error) for name in pair)
            assert "\n" not in str(error)
        else:
            assert right and found == now, f"{pair} with {kind}, {family}"
            assert "config" in pair or set(pair) <= values.keys()
            assert values["seed"] == (3 if "seed" in pair else 5 if "config" in pair
                                      else 0)


def test_help_shows_the_flags_by_group(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    with pytest.raises(SystemExit, match="0"):
        main(["train", "--help"])
    said = capsys.readouterr().out
    for flag in FLAGS:
        part = said[said.index(f"\n{flag.group}:\n"):]
        part = part[:part.index("\n\n")]
        text = " ".join(part.split())
        assert re.search(rf"  --{flag.name}[ ,]", part) and flag.words in text


def test_what_help_says_is_so():
    """The numbers and names that it tells of other modules."""
    words = {flag.name: flag.words for flag in FLAGS}
    assert NAMES["pieces"].goes["data"] == subwords.SUBWORDS
    assert f"(default {subwords.SUBWORDS} with --data" in words["pieces"]
    assert f"the first {pair_trainer.SCORED} validation pairs" in words["metric"]
    assert f"(default {commands.MODELS}/NAME)" in words["out"]
    for flag in FLAGS:
        for default in set(flag.goes.values()) - {None, False}:
            assert str(default) in flag.words, f"--{flag.name}: {default}"
    fields = {flag.setting for flag in FLAGS if flag.setting}
    assert fields <= set(Settings.__dataclass_fields__)


@pytest.mark.parametrize("model", ["rnn", "attention-dot", "transformer"])
def test_the_table_knows_which_sizes_a_model_has(model):
    for flag in FLAGS:
        if "corpus" in flag.size:
            config = FolderConfig(model, {flag.name: 0.5 if flag.read is float else 8})
            try:
                config.build(9, 9)
            except ValueError:
                assert flag.transformers and model != "transformer", flag.name
            else:
                assert not flag.transformers or model == "transformer", flag.name


# Files of flags


def refused(capsys, *arguments):
    """The sentence with which a command ends."""
    with pytest.raises(SystemExit) as stop:
        main(list(map(str, arguments)))
    said = stop.value.code if isinstance(stop.value.code, str) else (
        capsys.readouterr().err)
    assert stop.value.code != 0 and len(said.strip().splitlines()) == 1
    return said.strip()


def test_the_command_line_wins_over_the_file(places):
    (places / "flags.toml").write_text(
        '# pairs\npairs = "pairs.tsv"\nupdates = 9\nrate = 1\nhalf = true\n'
        'min-count = 1\npatience = 0\n')
    config = ["--config", str(places / "flags.toml")]
    kind, values = chosen(parsed(*config))
    assert kind == "pairs" and values["rate"] == 1.0 and values["half"] is True
    assert (values["updates"], values["min-count"], values["max-length"]) == (9, 1, 40)
    _, values = chosen(parsed("--updates", "3", *config, "--no-half", "--rate", "0.5",
                              "--patience", "2", "--pairs", "other.tsv"))
    assert [values[name] for name in ("updates", "half", "rate", "patience", "pairs",
                                      "min-count")] == [
        3, False, 0.5, 2, "other.tsv", 1]


@pytest.mark.parametrize("content, message", [
    ("widht = 8", "flags.toml: there is no flag 'widht'; it may have those of train -"),
    ("data_dir = 'x'", "flags.toml: there is no flag 'data_dir'"),
    ("config = 'other.toml'", "flags.toml: there is no flag 'config'"),
    ("[train]\nwidth = 8", "flags.toml: there is no flag 'train'"),
    ("width = '8'", "flags.toml: width must be a whole number, not '8'"),
    ("width = 8.0", "flags.toml: width must be a whole number, not '8.0'"),
    ("width = true", "flags.toml: width must be a whole number, not 'True'"),
    ("width = 0", "flags.toml: width must be a whole number of 1 or more, up to nine"),
    ("seed = -1", "flags.toml: seed must be a whole number of 0 or more, up to nine"),
    ("rate = 'fast'", "flags.toml: rate must be a number, not 'fast'"),
    ("rate = false", "flags.toml: rate must be a number, not 'False'"),
    ("rate = nan", "peak_rate must be above 0; got nan"),
    ("half = 1", "flags.toml: half must be true or false, not '1'"),
    ("half = 'yes'", "flags.toml: half must be true or false, not 'yes'"),
    ("model = 3", "flags.toml: model must be a text, not '3'"),
    ("model = ['rnn']", "flags.toml: model must be a text"),
    ("model = 2026-11-25", "flags.toml: model must be a text"),
    ("width = {number = 8}", "flags.toml: width must be a whole number"),
    ("pairs = ''", "flags.toml: pairs must name a file or a folder; got ''"),
    ('pairs = "a\\u0000b"', "flags.toml: pairs must name a file or a folder"),
    ("model = 'gpt'", "the book has no model 'gpt'"),
    ("width = 8\nwidth = 9", "flags.toml is no TOML: Cannot overwrite a value"),
    ("width 8", "flags.toml is no TOML: Expected '=' after a key"),
    ("width = " + "[" * 9999, "flags.toml is no TOML: nested too deep|no TOML: "),
    ("min-count = 2", "--min-count goes with --pairs, not with the book's corpus"),
    ("text = 'x'\nhalf = true", "--half goes with .*, not with --text"),
    (b"model = '\xe9'", "flags.toml, line 1: this is not UTF-8; save the file as"),
    (b"width = 8\n\0", "flags.toml, line 2: a zero byte"),
    ("folder", "is a folder or a device; a text file is needed"),
    (None, "flags.toml: No such file or directory")])
def test_a_file_that_holds_no_such_flags_is_refused(places, capsys, content, message):
    path = places / "flags.toml"
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert re.search(message, refused(capsys, "train", "--config", path, "--out", "o"))
    assert os.listdir() == []


@pytest.mark.parametrize("name", ["pairs", "text", "data-dir", "valid", "out",
                                  "config"])
def test_an_empty_name_is_refused(places, capsys, name):
    assert f"argument --{name}: must name a file or a folder; got ' '" in refused(
        capsys, "train", f"--{name}", " ")
    assert os.listdir() == []


# run.toml

TINY = ["--width", "8", "--updates", "3", "--dropout", "0.25", "--seed", "4"]
SMALL = [*TINY, "--heads", "2", "--layers", "1", "--hidden", "8"]
RUNS = {
    "the book's corpus": ["--half", *SMALL],
    "an RNN": ["--model", "attention-additive", *TINY],
    "pairs": ["--pairs", "../pairs.tsv", "--valid", "../other.tsv", "--min-count", "1",
              "--max-length", "9", "--metric", "chrf", "--rate", "0.0123",
              "--schedule", "cosine", "--clip", "0.5", *SMALL],
    "pairs in pieces": ["--pairs", "../pairs.tsv", "--pieces", "50", "--patience", "2",
                        "--warmup", "1", "--precision", "bfloat16", *SMALL],
    "an RNN of pieces": ["--pairs", "../pairs.tsv", "--pieces", "50", "--model", "rnn",
                         *TINY],
    "data": ["--data", "multi30k", "--data-dir", "../more", "--from", "fr",
             "--micro-batches", "2", *SMALL],
    "a text": ["--text", "../text.txt", "--context-length", "12", "--smoothing", "0.1",
               "--batch", "3", *SMALL],
    "GPT-2 in pieces": ["--text", "../text.txt", "--model", "gpt2", "--pieces", "40",
                        "--metric", "loss", "--context-length", "12", *SMALL]}


@pytest.mark.parametrize("flags", RUNS.values(), ids=RUNS)
def test_what_a_training_writes_repeats_it_to_the_byte(places, monkeypatch, flags):
    """From another folder, all of its files."""
    monkeypatch.setattr(text_trainer, "SHOWN", 9)
    main(["train", *flags, "--out", "one"])
    one, two = places / "here" / "one", places / "two"
    monkeypatch.chdir(places / "more")
    main(["train", "--config", str(one / RUN), "--out", str(two)])
    assert sorted(os.listdir(one)) == sorted(os.listdir(two)) and RUN in os.listdir(one)
    for file in one.iterdir():
        assert file.read_bytes() == (two / file.name).read_bytes(), file.name
    # a flag beside it makes another training of it
    content = (one / RUN).read_text("utf-8")
    assert "\nseed = 4\n" in content and "out" not in tomllib.loads(content)


def test_all_that_counts_is_told(places):
    main(["train", "--pairs", "../pairs.tsv", "--pieces", "50", "--updates", "1",
          "--width", "8", "--heads", "2"])
    [name] = os.listdir("_build/models")
    usual, settings = recipes.real_text_recipe("transformer")
    content = (places / "here" / "_build" / "models" / name / RUN).read_text("utf-8")
    assert content.startswith("# softdict 0.1.0; train --config run.toml --out DIR ")
    assert tomllib.loads(content) == {
        "pairs": str(places / "pairs.tsv"), "pieces": 50, "max-length": 100,
        "lowercase": False,
        "model": "transformer", **usual, "width": 8, "heads": 2, "updates": 1,
        "batch": settings.batch_size, "rate": settings.peak_rate,
        "warmup": settings.warmup, "schedule": "wsd", "clip": settings.clip,
        "smoothing": settings.smoothing,
        "precision": "float32", "micro-batches": 1, "seed": 0, "patience": 0,
        "half": False}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_any_name_that_is_utf_8_is_written(places, capsys):
    name = 'a "b"\\c \x7f\n\t\x1b#\'☃.tsv'
    (places / name).write_bytes((places / "pairs.tsv").read_bytes())
    with steps(stop=1):
        refused(capsys, "train", "--pairs", places / name, "--out", "one", *TINY)
    assert read_config("one/run.toml")["pairs"] == str(places / name)
    strange = os.fsdecode(b"\xff.tsv")
    (places / strange).write_bytes((places / "pairs.tsv").read_bytes())
    with steps(stop=1):
        assert "run.toml cannot name a file whose name is not UTF-8" in refused(
            capsys, "train", "--pairs", places / strange, "--out", "two", *TINY)


def test_another_training_leaves_the_file_of_the_first(places, capsys, monkeypatch):
    monkeypatch.setattr(pair_trainer, "EVERY", 1)
    command = ["train", "--pairs", "../pairs.tsv", "--out", "one", *TINY]
    with steps(stop=3):
        refused(capsys, *command)
    run = places / "here" / "one" / RUN
    content = run.read_bytes()
    assert "other settings" in refused(capsys, *command, "--seed", "0")
    assert run.read_bytes() == content
    main(["train", "--config", str(run), "--out", "one"])
    assert run.read_bytes() == content and len(os.listdir("one")) == 7


def test_the_table_is_read_by_whoever_adds_a_flag():
    """Names, and what each says, are there once."""
    assert len(NAMES) == len(FLAGS)
    for flag in FLAGS:
        assert flag.goes.keys() <= KINDS.keys() and set(flag.size) <= KINDS.keys()
        # a flag of pairs cut into pieces is named as one of --pairs
        assert "pieces" not in flag.goes or "pairs" in flag.goes
