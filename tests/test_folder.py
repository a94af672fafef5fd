"""folder: a trained model comes back from its folder, and nothing else does."""

import json
import os
import shutil
import struct
from dataclasses import asdict, dataclass, fields, replace

import pytest
import safetensors.torch
import torch

from softdict import runtime
from softdict.programs.translator import BUNDLED
from softdict.saving import folder
from softdict.saving.checkpoint import packed
from softdict.saving.folder import FolderConfig, Saved, curves, load_folder, save_folder
from softdict.saving.recipes import RECIPES
from softdict.subwords import train_subwords
from softdict.texts import files
from softdict.vocab import Vocab

SMALL = {"width": 8, "heads": 2, "layers": 1, "hidden": 8}
SOURCE, TARGET = Vocab.of(["the", "dog", "Ann"]), Vocab.of(["개", "-는"])
HISTORY = [{"loss": 3.0 / k, "norm": 1.0, "rate": 0.1} for k in range(1, 5)]
HISTORY[1] = HISTORY[1] | {"validation loss": 2.0}


def saved(name="transformer", options=SMALL, **parts):
    """A small model that no one has trained."""
    runtime.seed(1)
    config = FolderConfig(name, options, max_source_length=9, **parts)
    return Saved(config.build(len(SOURCE), len(TARGET)).eval(), SOURCE, TARGET, config)


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A folder with such a model, not to be changed."""
    path = tmp_path_factory.mktemp("first") / "model"
    save_folder(path, saved(), HISTORY)
    return path


@pytest.fixture
def made(first, tmp_path):
    """A copy of this folder."""
    return shutil.copytree(first, tmp_path / "model")


@pytest.mark.parametrize("name", RECIPES)
def test_every_model_comes_back(tmp_path, name):
    given = saved(name, SMALL if "transformer" in name else {"width": 8})
    save_folder(tmp_path, given)
    again = load_folder(tmp_path)
    assert again.config == given.config and not again.model.training
    assert again.source_vocab.words == SOURCE.words
    assert again.target_vocab.words == TARGET.words
    assert again.model.state_dict().keys() == given.model.state_dict().keys()
    for name, values in given.model.state_dict().items():
        assert torch.equal(again.model.state_dict()[name], values)
    assert again.translate(["the", "dog"]) == given.translate(["the", "dog"])


def test_what_lies_in_the_folder(made):
    assert sorted(os.listdir(made)) == [
        "config.json", "curves.svg", "history.jsonl", "source.txt", "target.txt",
        "weights.safetensors"]
    assert (made / "source.txt").read_bytes() == b"the\ndog\nAnn\n"
    lines = (made / "history.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == HISTORY
    config = json.loads((made / "config.json").read_text(encoding="utf-8"))
    assert config["format"] == 2 and config["model"] == "transformer"
    assert config["kind"] == "encoder-decoder" and config["vocabulary"] == "words"


def test_the_picture_shows_both_losses_and_the_norm():
    picture = curves(HISTORY).decode("utf-8")
    assert picture.startswith("<?xml") and picture.count("<svg") == 1
    for colour in ("#767676", "#db3f24", "#3299e3"):
        assert f"stroke: {colour}" in picture
    assert "#db3f24" not in curves(HISTORY[:1]).decode("utf-8")
    assert curves(HISTORY) == curves(HISTORY)    # no id is drawn anew


def test_half_the_bytes(tmp_path, made):
    save_folder(tmp_path / "half", saved(), dtype=torch.float16)
    stored = safetensors.torch.load_file(tmp_path / "half" / "weights.safetensors")
    assert {tensor.dtype for tensor in stored.values()} == {torch.float16}
    whole, half = (load_folder(path).model for path in (made, tmp_path / "half"))
    for name, values in whole.state_dict().items():
        assert half.state_dict()[name].dtype == torch.float32
        torch.testing.assert_close(half.state_dict()[name], values, rtol=1e-3,
                                   atol=1e-4)


def test_editors_that_change_the_ends_of_lines_do_no_harm(made):
    for name in ("source.txt", "target.txt", "config.json"):
        content = (made / name).read_bytes()
        (made / name).write_bytes(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"))
    assert load_folder(made).source_vocab.words == SOURCE.words


def test_words_are_known_in_small_letters_and_capitals():
    given = saved()
    assert given.known(["The", "DOG", "ann", "cat"]) == ["the", "dog", "Ann", "<unk>"]
    assert given.unknown(["The", "cat", "owl", "cat"]) == ["cat", "owl"]
    assert isinstance(given.translate(["cat", "owl"]), list)


@pytest.mark.parametrize("broken", [0, 2, 4, 5])
def test_a_full_disk_leaves_no_model(tmp_path, monkeypatch, broken):
    """Whatever file fails, the config is not there, and no half file is."""
    calls, real = [], os.fsync

    def full(*arguments):
        calls.append(1)
        if len(calls) > broken:
            raise OSError(28, "No space left on device")
        real(*arguments)

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="was not saved.*No space left"):
        save_folder(tmp_path / "model", saved(), HISTORY)
    names = os.listdir(tmp_path / "model")
    assert len(names) == broken and "config.json" not in names
    with pytest.raises(ValueError, match="holds no trained model: config.json is miss"):
        load_folder(tmp_path / "model")


@pytest.mark.parametrize("name", ["config.json", "weights.safetensors", "source.txt",
                                  "target.txt"])
def test_a_missing_file_is_named(made, name):
    (made / name).unlink()
    with pytest.raises(ValueError, match=f"holds no trained model: {name} is missing"):
        load_folder(made)
    (made / name).mkdir()
    with pytest.raises(ValueError, match=f"{name} is missing"):
        load_folder(made)
    (made / folder.UNFINISHED).touch()
    with pytest.raises(ValueError, match="training is not finished, and the same comm"):
        load_folder(made)


def test_a_file_in_place_of_the_folder_is_named(made):
    for path in (made / "config.json", made / "nowhere", "/dev/null"):
        with pytest.raises(ValueError, match="is no folder; a model is a folder that"):
            load_folder(path)


DEEP = b"[" * 100_000
CONFIGS = [
    (b"", "config.json is damaged: it is no JSON in UTF-8"),
    (b"{", "is no JSON"), (DEEP, "is no JSON"), (b"\xff\xfe{}", "is no JSON"),
    (b'{"format": ' + b"9" * 5000 + b"}", "is no JSON"),
    (b"[]", "config.json: train did not write it: it names no format"),
    (b"null", "no format"), (b"{}", "no format"), (b'{"model": "rnn"}', "no format"),
    (b'{"format": 3, "new": 1}', "config.json: written by a newer version of softdict: "
     "its format is 3, and this version reads up to 2$"),
    (b'{"format": ' + b"9" * 4000 + b"}", r"its format is 9*\.\.\., and this version"),
    (b'{"format": "' + b"x" * 5000 + b'"}', "format is 'xxx.*\\.\\.\\.$"),
    *((b'{"format": %s, "model": "rnn"}' % value, "did not write it: format is ")
      for value in (b"0", b"-1", b"1.0", b"true", b"null", b"[2]", b"NaN")),
    (b'{"format": 1}', "config.json: train did not write it: it names no model"),
    (b'{"format": 2, "text": "plain"}', "it names no model")]


@pytest.mark.parametrize("content, message", CONFIGS, ids=range(len(CONFIGS)))
def test_a_damaged_config_is_refused(made, content, message):
    (made / "config.json").write_bytes(content)
    with pytest.raises(ValueError, match=message) as refusal:
        load_folder(made)
    assert len(str(refusal.value)) < 400 and "\n" not in str(refusal.value)
    assert str(refusal.value).startswith(f"the model in {made} cannot be used: ")


NUMBERS = [0, -1, 1.5, 10 ** 9, 10 ** 400, float("nan"), float("inf"), True, None, "8",
           [8], {"a": 8}]


@pytest.mark.parametrize("changes, message", [
    ({"model": "gpt"}, "model is 'gpt'; this version knows rnn, attention-dot"),
    ({"model": ["rnn"]}, "model is \\['rnn'\\]"), ({"model": None}, "model is None"),
    ({"kind": "decoder"}, "kind is 'decoder'; this version knows encoder-decoder"),
    ({"vocabulary": "subwords"}, "vocabulary is 'subwords'; this version knows words, "
     "pieces"), ({"vocabulary": "pieces"}, "no trained model: pieces.json is missing"),
    ({"text": {}}, "text is {}; this version knows corpus, plain"),
    ({"extra": 1}, "this version of softdict knows no field 'extra'$"),
    ({"x" * 999: 1}, "no field 'xxx.*\\.\\.\\.$"), ({"": 1}, "no field ''$"),
    *(({"lowercase": value}, "lowercase must be true or false, not")
      for value in (1, 0, None, "true", [True])),
    ({"text": "corpus", "lowercase": True}, "lowercase is for text of one's own"),
    ({"max_source_length": "9"},
     "max_source_length must be a number of words, not '9'"),
    ({"max_source_length": float("nan")}, "not nan"),
    ({"options": [1]}, "options must be names with values, not \\[1\\]"),
    ({"options": {"depth": 2}}, "no option 'depth'; the options are width, embedding"),
    ({"options": {"width": 9, "heads": 2}}, "heads"),
    ({"options": {**SMALL, "width": 7, "heads": 1}}, "another model"),
    ({"options": {**SMALL, "layers": 64}}, "weights.safetensors is smaller than the "
     "model of which config.json and its words tell"),
    ({"options": {"width": 8192}}, "is smaller than"),
    ({"options": {**SMALL, "layers": 2}}, "another model"),
    ({"model": "rnn", "options": {"width": 8}}, "holds another model"),
    ({"model": "rnn"}, "the model rnn has not all of the options width, heads"),
    *(({"options": {**SMALL, "width": value}}, "width must be a number from 1 to 8192, "
       "not") for value in NUMBERS),
    *(({"options": {**SMALL, "dropout": value}}, "dropout must be a number from 0.0 to "
       "0.9, not") for value in (1, -0.5, float("nan"), True, "0"))])
def test_a_config_that_cannot_be_built_is_refused(made, changes, message):
    config = json.loads((made / "config.json").read_text(encoding="utf-8"))
    (made / "config.json").write_text(json.dumps(config | changes), encoding="utf-8")
    with pytest.raises(ValueError, match=message) as refusal:
        load_folder(made)
    assert len(str(refusal.value)) < 500 and "\n" not in str(refusal.value)


def rewritten(path, **changes):
    """The content of a config.json with these fields; those that are ... lack."""
    content = json.loads(path.read_text("utf-8")) | changes
    path.write_text(json.dumps({name: value for name, value in content.items()
                                if value is not ...}), "utf-8")


@pytest.mark.parametrize("number", [1, 2])
def test_fields_that_lack_have_their_defaults(made, number):
    """All but the model's name; what was saved with the defaults is read the same."""
    plain = replace(load_folder(made).config, max_source_length=0)
    assert plain != FolderConfig("transformer", SMALL, "corpus")
    lacking = [part.name for part in fields(FolderConfig)
               if part.name not in ("model", "options")]
    rewritten(made / "config.json", format=number, **dict.fromkeys(lacking, ...))
    again = load_folder(made)
    assert again.config == plain and again.tokenize("The Dog") == ["The", "Dog"]
    save_folder(made, again)
    content = json.loads((made / "config.json").read_text("utf-8"))
    assert content["format"] == 2 and content["lowercase"] is False
    assert load_folder(made).config == plain


@dataclass(frozen=True)
class Wider(FolderConfig):
    """The Config of somebody who adds a field."""

    beam_size: int = 1


def test_one_more_field_leaves_every_saved_model_readable(made, monkeypatch):
    """Also the one that the package has, whose format is an earlier one."""
    old = [load_folder(path) for path in (made, BUNDLED)]
    assert json.loads((BUNDLED / "config.json").read_text("utf-8"))["format"] == 1
    monkeypatch.setattr(folder, "FolderConfig", Wider)
    for path, before in zip((made, BUNDLED), old):
        after = load_folder(path)
        assert after.config == Wider(**asdict(before.config), beam_size=1)
        assert after.model.state_dict().keys() == before.model.state_dict().keys()
    # what they save is read by them, and refused by its name here
    after = load_folder(made)
    save_folder(made, replace(after, config=replace(after.config, beam_size=4)))
    assert load_folder(made).config.beam_size == 4
    monkeypatch.undo()
    with pytest.raises(ValueError, match="cannot be used: config.json: this version of "
                       "softdict knows no field 'beam_size'$"):
        load_folder(made)


def test_a_config_does_not_change_what_it_is_made_of():
    content = {"format": 1, "model": "rnn"}
    assert FolderConfig.of(content) == FolderConfig("rnn")
    assert Wider.of(content) == Wider("rnn")
    assert content == {"format": 1, "model": "rnn"}


@pytest.mark.parametrize("content, message", [
    (b"", "another model|another size|vocabulary"), (b"the\nthe\n", "each word once"),
    (b"the\n\xff\n", "source.txt, line 2: this is not UTF-8"),
    (b"the\nAnn\ndog\n", "trained with another vocabulary"),
    (b"the\ndog\nAnn\n\n", "another vocabulary"),
    (b"".join(b"%d\n" % k for k in range(10_000)), "weights.safetensors is smaller")])
def test_a_damaged_vocabulary_is_refused(made, content, message):
    (made / "source.txt").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        load_folder(made)


def header(content):
    """A safetensors file of this header and a few zeros."""
    return struct.pack("<Q", len(content)) + content + bytes(20_000)


WEIGHTS = [
    b"", b"\0" * 7, struct.pack("<Q", 2 ** 63) + bytes(20_000), header(DEEP[:20_000]),
    header(b"{}"), header(b'{"__metadata__": {"softdict": "7"}}'),
    header(b'{"__metadata__": {"softdict": "' + DEEP + b'"}}'),
    header(b'{"a": {"dtype": "F32", "shape": [9999999999], "data_offsets": [0, 4]}}'),
    header(b'{"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}')]


@pytest.mark.parametrize("content", WEIGHTS, ids=range(len(WEIGHTS)))
def test_damaged_weights_are_refused(made, content):
    (made / "weights.safetensors").write_bytes(content)
    with pytest.raises(ValueError, match="cannot be used: weights.safetensors is "
                       "(damaged|smaller)"):
        load_folder(made)


@pytest.mark.parametrize("change, message", [
    (lambda tensor: tensor * float("nan"), "weights that are no numbers"),
    (lambda tensor: tensor[..., :1], "another size"),
    (lambda tensor: tensor.to(torch.float8_e4m3fn), "damaged \\(.*not implemented")])
def test_weights_that_fit_not_are_refused(made, change, message):
    path = made / "weights.safetensors"
    tensors = safetensors.torch.load_file(path)
    with safetensors.safe_open(path, framework="pt") as file:
        notes = {"softdict": file.metadata()["softdict"]}
    name = sorted(tensors)[0]
    tensors[name] = change(tensors[name]).contiguous()
    path.write_bytes(b"".join(packed(tensors, notes)))
    with pytest.raises(ValueError, match=message):
        load_folder(made)


def test_the_bound_refuses_no_model_that_there_is(made):
    """It asks for less than any recipe has, in whatever size."""
    for name in RECIPES:
        for width in (None, 8, 64, 256):
            options = {} if width is None else {"width": width}
            config = FolderConfig(name, options)
            more = replace(config, options=options | {"layers": 3, "hidden": 300})
            for config in [config, more] if "transformer" in name else [config]:
                weights = config.build(30, 40).state_dict().values()
                size = sum(part.numel() for part in weights)
                folder.check_size(config, 70, 2 * size)


# Pieces of words


PIECES = train_subwords(["the dog saw Ann", "the dog saw the dog"] * 2, 40)


def in_pieces(name="transformer", options=SMALL):
    """A small model of pieces that no one has trained."""
    runtime.seed(1)
    config, vocab = FolderConfig(name, options, vocabulary="pieces"), PIECES.vocab()
    model = config.build(len(vocab), len(vocab)).eval()
    return Saved(model, vocab, vocab, config, PIECES)


@pytest.fixture
def cut(tmp_path):
    """The folder of such a model."""
    save_folder(tmp_path / "cut", in_pieces())
    return tmp_path / "cut"


def tables(model):
    """The embeddings of source and target."""
    return [part for part in model.modules() if isinstance(part, torch.nn.Embedding)]


@pytest.mark.parametrize("name", RECIPES)
def test_every_model_of_pieces_comes_back(tmp_path, name):
    given = in_pieces(name, SMALL if "transformer" in name else
                      {"width": 8, "embedding_width": 6, "dropout": 0.5})
    save_folder(tmp_path, given)
    assert sorted(os.listdir(tmp_path)) == [
        "config.json", "pieces.json", "weights.safetensors"]
    again = load_folder(tmp_path)
    assert again.config == given.config
    assert again.source_vocab.words == given.target_vocab.words == (
        again.target_vocab.words)
    words = again.tokenize(" The d\u00f6g\t")
    typed = " The d\u00f6g\t"
    assert words == given.tokenize(typed) == PIECES.tokenize(typed)
    assert again.unknown(words) == [] and again.join(words) == " The d\u00f6g\t"
    assert again.translate(words) == given.translate(words)
    assert len(tables(again.model)) == 1    # the same of both languages


def test_words_are_cut_and_joined_as_words():
    given = saved()
    assert given.tokenize("The dog, Ann!") == ["The", "dog", ",", "Ann", "!"]
    assert given.join(["The", "dog", ",", "Ann", "!"]) == "The dog, Ann!"


TYPED = [("The DOG", "the dog"), ("THE\u00a0DÖG", "the\u00a0dög"), ("ΟΔΟΣ", "οδος"),
         ("Straße", "straße"),    # casefold makes it strasse
         ("İST", "i\u0307st"), ("I\u0307ST", "i\u0307st")]


@pytest.mark.parametrize("typed, small", TYPED)
def test_a_model_of_small_letters_reads_all_in_such(tmp_path, typed, small):
    for number, given in enumerate((saved(), in_pieces())):
        assert given.tokenize(typed) != given.tokenize(small)
        save_folder(tmp_path / str(number), replace(
            given, config=replace(given.config, lowercase=True)))
        again = load_folder(tmp_path / str(number))
        assert again.config.lowercase is True
        assert again.tokenize(typed) == given.tokenize(small)
        assert again.join(again.tokenize(typed)).replace("\u00a0", " ") == (
            small.replace("\u00a0", " "))


@pytest.mark.parametrize("text", ["", " ", "\t \u3000"])
def test_blanks_alone_are_nothing_to_translate(text):
    for given in (saved(), in_pieces()):
        assert given.tokenize(text) == []
        with pytest.raises(ValueError, match="the sentence is empty: there is nothing"):
            given.translate(given.tokenize(text))


def test_the_files_that_the_config_names_must_be_there(cut, made):
    (cut / "pieces.json").rename(made / "pieces.json")
    with pytest.raises(ValueError, match="trained model: pieces.json is missing"):
        load_folder(cut)
    assert load_folder(made).pieces is None    # a file too many does no harm
    (made / "source.txt").unlink()
    with pytest.raises(ValueError, match="trained model: source.txt is missing"):
        load_folder(made)


def test_pieces_that_do_not_fit_are_refused(cut):
    content = (cut / "pieces.json").read_text("utf-8")
    for other, message in (
            ("{", "pieces.json is damaged: it is no JSON"),
            ("{}", "pieces.json is not what train writes"),
            # a piece that has the name of a special
            (content.replace('"dog"', '"<unk>"').replace('"do"', '"<unk"').replace(
                '"g"', '">"'), "each word once|not what train writes")):
        assert other != content
        (cut / "pieces.json").write_text(other, "utf-8")
        with pytest.raises(ValueError, match=f"the model in {cut} cannot be used: "
                           f".*({message})") as refusal:
            load_folder(cut)
        assert "\n" not in str(refusal.value)
    train_subwords(["the cat saw Ann"] * 4, 40).save(cut / "pieces.json")
    with pytest.raises(ValueError, match="trained with another vocabulary"):
        load_folder(cut)


@pytest.mark.parametrize("options", [
    {"width": 8, "embedding_width": 8192}, {"width": 512},
    {"width": 512, "embedding_width": 64}])
def test_an_rnn_that_the_file_cannot_hold_is_refused(made, options):
    config = json.loads((made / "config.json").read_text("utf-8"))
    (made / "config.json").write_text(json.dumps(
        config | {"model": "rnn", "options": options}), "utf-8")
    with pytest.raises(ValueError, match="weights.safetensors is smaller than the mod"):
        load_folder(made)


@pytest.mark.parametrize("options", [
    {"width": 1024}, {"width": 512, "embedding_width": 1},
    {"width": 2, "embedding_width": 512}])
def test_the_bound_refuses_no_rnn_of_many_words(options):
    """In half precision, whatever its embedding is."""
    config = FolderConfig("rnn", options)
    weights = config.build(30_000, 20_000).state_dict().values()
    folder.check_size(config, 50_000, 2 * sum(part.numel() for part in weights))
