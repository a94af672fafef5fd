"""pretrained and writing: folders that Hugging Face's library writes and reads, text of
any kind, a training that is stopped and goes on, and going on from a text."""

import json
import os
import re
import shutil
from collections import Counter
from dataclasses import dataclass, fields, replace

import pytest
import safetensors.torch
import torch
from copied import draw
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, normalizers, processors

from interruptions import bits, flipped, steps, stopped_in
from softdict.__main__ import main
from softdict.attention import attention, sdpa
from softdict.decoder_only import (
    LLAMA, DecoderOnly, DecoderOnlyConfig, GELUFeedForward, Layer)
from softdict.programs import text_trainer, writer
from softdict.programs.text_trainer import (
    TextBatch, language_loss, text_update, train_text)
from softdict.programs.writer import load_writer
from softdict.saving.hf_format import (
    PARTS, family_of, load_library, save_library, to_library)
from softdict.subwords import train_subwords
from softdict.texts import long_text
from softdict.texts.long_text import NONE, characters, scan, windows
from softdict.training import Settings

SIZES = {"vocab_size": 11, "width": 12, "heads": 3, "kv_heads": 3, "layers": 2,
         "hidden": 7, "context_length": 16}
CONFIGS = {"gpt2": DecoderOnlyConfig(**SIZES),
           "gpt2, untied": DecoderOnlyConfig(**SIZES, tied=False),
           "llama": DecoderOnlyConfig(
               **{**SIZES, **LLAMA, "kv_heads": 1, "theta": 500.0}),
           "llama, tied": DecoderOnlyConfig(**{**SIZES, **LLAMA, "tied": True}),
           "llama, biases": DecoderOnlyConfig(**{**SIZES, **LLAMA, "bias": True})}
IDS = torch.tensor([[1, 2, 3, 4, 5], [9, 8, 10, 0, 1]])


def make(name="gpt2"):
    """A model in float64 whose weights are far from where a training begins."""
    model = DecoderOnly(CONFIGS[name]).double().eval()
    with torch.no_grad():
        for number, part in enumerate(model.parameters()):
            part.copy_(0.4 * draw(number, *part.shape) + (part.dim() == 1))
    return model


@pytest.fixture
def folder(tmp_path):
    """A folder with a GPT-2 of ours."""
    save_library(make(), tmp_path / "model")
    return tmp_path / "model"


def changed(folder, **changes):
    """The folder with other values in its config; None takes a name away."""
    content = json.loads((folder / "config.json").read_text()) | changes
    (folder / "config.json").write_text(json.dumps(
        {name: value for name, value in content.items() if value is not ...}))
    return folder


# Folders

@pytest.mark.parametrize("name", CONFIGS)
def test_a_model_comes_back(tmp_path, name):
    model = make(name)
    save_library(model, tmp_path)
    again = load_library(tmp_path, torch.float64)
    assert again.config == model.config and not again.training
    for key, values in model.state_dict().items():
        assert torch.equal(again.state_dict()[key], values)
    torch.testing.assert_close(again(IDS), model(IDS), rtol=0, atol=1e-12)
    assert (again.generator.weight is again.embedding.weight) == model.config.tied
    again(IDS).sum().backward()    # it can be trained
    assert all(part.grad is not None for part in again.parameters())
    assert load_library(tmp_path)(IDS).dtype == torch.float32


def test_gpt2s_matrices_lie_on_their_side():
    model = make()
    tensors, layer = to_library("gpt2", model), model.layers[1]
    for name, part in (("attn.c_proj", layer.attention.out),
                       ("mlp.c_fc", layer.feed_forward.up),
                       ("mlp.c_proj", layer.feed_forward.down)):
        assert torch.equal(tensors[f"transformer.h.1.{name}.weight"], part.weight.T)
        assert torch.equal(tensors[f"transformer.h.1.{name}.bias"], part.bias)
    asked = [layer.attention.query, layer.attention.key, layer.attention.value]
    assert torch.equal(tensors["transformer.h.1.attn.c_attn.weight"],
                       torch.cat([part.weight.T for part in asked], dim=1))
    assert "lm_head.weight" not in tensors
    assert "lm_head.weight" in to_library("gpt2", make("gpt2, untied"))


def stored(folder):
    return safetensors.torch.load_file(folder / "model.safetensors")


def store(folder, tensors):
    safetensors.torch.save_file(tensors, folder / "model.safetensors")


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_files_of_older_versions_are_read(tmp_path, name):
    """Without the start of each name, and with buffers that are no weights."""
    model = make(name)
    save_library(model, tmp_path)
    start = "transformer." if name == "gpt2" else "model."
    tensors = {key.removeprefix(start): part for key, part in stored(tmp_path).items()}
    kept = tensors | {"h.0.attn.bias": torch.ones(1, 1, 16, 16).byte(),
                      "h.1.attn.masked_bias": torch.tensor(-1e4),
                      "layers.0.self_attn.rotary_emb.inv_freq": torch.ones(2)}
    store(tmp_path, kept)
    torch.testing.assert_close(load_library(tmp_path, torch.float64)(IDS), model(IDS),
                               rtol=0, atol=1e-12)


def test_configs_of_older_versions_are_read(tmp_path):
    save_library(make("llama"), tmp_path)
    changed(tmp_path, rope_parameters=..., rope_scaling=None, attention_bias=...,
            mlp_bias=..., num_key_value_heads=1, head_dim=4)
    assert load_library(tmp_path).config == CONFIGS["llama"]
    changed(tmp_path, rope_theta=...)
    assert load_library(tmp_path).config.theta == 10000


@pytest.mark.parametrize("dtype, apart", [(torch.float16, 2e-3),
                                          (torch.bfloat16, 0.02)])
def test_half_precision_is_read_as_float32(folder, dtype, apart):
    store(folder, {name: part.to(dtype) for name, part in stored(folder).items()})
    model = load_library(folder)
    assert {part.dtype for part in model.parameters()} == {torch.float32}
    for name, values in make().state_dict().items():
        torch.testing.assert_close(model.state_dict()[name].double(), values,
                                   rtol=apart, atol=apart)


def test_a_generator_that_is_the_table_may_be_stored_again(folder):
    tensors = stored(folder)
    head = tensors["transformer.wte.weight"].clone()
    store(folder, tensors | {"lm_head.weight": head})
    load_library(folder)
    store(folder, tensors | {"lm_head.weight": head + 1})
    refused(folder, r"lm_head is the embedding's table \(tie_word_embeddings\), and mo")


def test_parts_that_the_library_does_not_mix_are_not_saved(tmp_path):
    for change in ({"norm": "rms"}, {"kv_heads": 1}, {"bias": False}):
        config = DecoderOnlyConfig(**{**SIZES, **change})
        with pytest.raises(ValueError, match="library transformers.* has these parts"):
            save_library(DecoderOnly(config), tmp_path / "model")
    other = DecoderOnlyConfig(**{**SIZES, **LLAMA, "pairing": "interleaved"})
    with pytest.raises(ValueError, match="rotary positions by halves"):
        save_library(DecoderOnly(other), tmp_path / "model")
    assert not (tmp_path / "model").exists()


class Parallel(Layer):
    """Attention and feed-forward beside each other: no size is another."""

    def forward(self, x, angles, allowed, cache=None, layer=0):
        read = self.norm1(x)
        return (x + self.attention(read, angles, allowed, cache, layer)
                + self.feed_forward(read))


class Halved(Layer):
    def forward(self, *given):
        return super().forward(*given) / 2


Halved.__name__ = "Layer"    # a name is no proof


class OwnText(DecoderOnly):
    """A language model of one's own."""

    def __init__(self, config):
        super().__init__(config)
        self.layers[1] = Parallel(config)


@dataclass(frozen=True)
class OwnConfig(DecoderOnlyConfig):
    gain: float = 1.0


def cold(query, key, value, allowed=None):
    return sdpa(0.3 * query, key, value, allowed)


def with_part(part, place=1, name="llama"):
    model = make(name)
    model.layers[place] = part(model.config)
    return model


def with_feed_forward():
    model = make("llama")
    model.layers[0].feed_forward = GELUFeedForward(12, 7, False)
    return model


def with_heads():
    model = make("llama")
    model.layers[0].attention.config = replace(model.config, pairing="interleaved")
    return model


@pytest.mark.parametrize("model, problem", [
    (lambda: with_part(Parallel), "layers.1 is a Parallel and no Layer of softdict"),
    (lambda: with_part(Halved, 0), "layers.0 is a Layer and no Layer of softdict"),
    (lambda: OwnText(CONFIGS["gpt2"]), "the whole is a OwnText and no DecoderOnly of"),
    (with_feed_forward, "layers.0.feed_forward is a GELUFeedForward and no SwiGLU of"),
    (with_heads, "layers.0.attention is GroupedAttention .*interleaved.* where the"),
    (lambda: DecoderOnly(replace(CONFIGS["llama"], attend=cold)), "attends with cold"),
    (lambda: DecoderOnly(OwnConfig(**SIZES, gain=3.0)), "gain, which is 3.0"),
    (lambda: DecoderOnly(OwnConfig(**SIZES)), "gain, which is 1.0")])
def test_what_the_librarys_format_cannot_hold_is_not_saved(tmp_path, model, problem):
    """It was written as a plain Llama, and another model was loaded."""
    with pytest.raises(ValueError, match=f"transformers.*{problem}") as refusal:
        save_library(model(), tmp_path / "model")
    assert "\n" not in str(refusal.value)
    assert not (tmp_path / "model").exists()


OTHERS = {"vocab_size": 13, "width": 18, "heads": 6, "kv_heads": 1, "layers": 3,
          "hidden": 8, "context_length": 9, "pairing": "interleaved", "bias": True,
          "tied": True, "eps": 1e-6, "theta": 300.0, "attend": cold}
# what the library's folder has no place for: of no use to who reads
LOST = {"gpt2": {"dropout": 0.5, "pairing": "interleaved", "theta": 300.0},
        "llama": {"dropout": 0.5}}
PLAIN = {"gpt2": CONFIGS["gpt2, untied"],
         "llama": replace(CONFIGS["llama"], kv_heads=3)}


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("field", [part.name for part in fields(DecoderOnlyConfig)])
def test_each_field_of_a_config_comes_back_or_is_not_saved(tmp_path, name, field):
    """Whoever adds one is told here that it would be lost."""
    plain, lost = PLAIN[name], LOST[name]
    if field in ("positions", "norm", "feed_forward"):
        other = getattr(PLAIN["gpt2" if name == "llama" else "llama"], field)
    else:
        other = (OTHERS | lost)[field]
    config = replace(plain, **{"kv_heads": 6} if field == "heads" else {},
                     **{field: other})
    try:
        save_library(DecoderOnly(config), tmp_path / "model")
    except ValueError:
        assert field not in lost and not (tmp_path / "model").exists()
    else:
        again = getattr(load_library(tmp_path / "model").config, field)
        assert again == (getattr(plain, field) if field in lost else other)


def test_what_computes_plain_attention_is_saved(tmp_path):
    save_library(DecoderOnly(replace(CONFIGS["llama"], attend=attention)), tmp_path)


def refused(folder, message):
    with pytest.raises(ValueError, match=message) as refusal:
        load_library(folder)
    assert len(str(refusal.value)) < 500 and "\n" not in str(refusal.value)


WRONG = [0, -1, 1.5, 10 ** 9, 10 ** 400, float("nan"), float("inf"), True, "8", [8],
         {"a": 8}]


@pytest.mark.parametrize("changes, message", [
    ({"model_type": "mistral"}, "model_type is 'mistral'; known here are gpt2 and lla"),
    ({"model_type": ["gpt2"]}, r"model_type is \['gpt2'\]"),
    ({"model_type": ...}, "model_type is None"),
    ({"architectures": ["GPT2DoubleHeadsModel"]}, "architectures is .'GPT2Double"),
    ({"architectures": "GPT2LMHeadModel"}, "architectures is 'GPT2LM"),
    ({"activation_function": "relu"}, "activation_function is 'relu'; known here is g"),
    ({"scale_attn_weights": False}, "scale_attn_weights is False"),
    ({"scale_attn_by_inverse_layer_idx": True}, "inverse_layer_idx is True"),
    ({"add_cross_attention": True}, "add_cross_attention is True"),
    ({"quantization_config": {"bits": 4}}, "quantization_config is .* not known here"),
    ({"tie_word_embeddings": "yes"}, "tie_word_embeddings is 'yes', not true or false"),
    ({"tie_word_embeddings": False}, "'lm_head.weight' is missing; config.json tells"),
    ({"n_head": 5}, "width must be a multiple of heads; got width 12 and 5 heads"),
    ({"n_embd": ...}, "n_embd must be a number from 1 to 1000000, not None"),
    ({"n_inner": 8}, r"mlp.c_fc.weight' is \[12, 7\]; config.json tells of \[12, 8\]"),
    ({"n_inner": None}, r"tells of \[12, 48\]"),
    ({"n_layer": 3}, "'transformer.h.2.ln_1.weight' is missing"),
    ({"n_layer": 1}, "'transformer.h.1.*; config.json tells of none"),
    ({"n_layer": 999}, "holds 28 tensors, too few for 999 layers"),
    ({"vocab_size": 12}, r"'transformer.wte.weight' is \[11, 12\]"),
    ({"n_positions": 17}, r"'transformer.wpe.weight' is \[16, 12\]"),
    ({"layer_norm_epsilon": -1}, "layer_norm_epsilon must be a number from 0 to 1"),
    *(({"n_embd": value}, "n_embd must be a number from 1 to 1000000, not")
      for value in WRONG),
    *(({"n_layer": value}, "n_layer must be a number from 1 to 1000, not")
      for value in WRONG),
    *(({"vocab_size": value}, "vocab_size must be a number from 1 to 10000000, not")
      for value in WRONG)], ids=str)
def test_a_gpt2_that_would_be_another_is_refused(folder, changes, message):
    refused(changed(folder, **changes), message)


@pytest.mark.parametrize("changes, message", [
    ({"hidden_act": "gelu"}, "hidden_act is 'gelu'; known here is silu"),
    ({"rope_scaling": {"type": "linear", "factor": 2.0}}, "rope_scaling is"),
    ({"rope_parameters": {"rope_type": "llama3", "factor": 8.0}}, "scaled are not"),
    ({"rope_parameters": {"rope_type": "yarn"}}, "scaled are not known here"),
    ({"rope_parameters": {"rope_theta": 5.0, "partial_rotary_factor": 0.5}}, "scaled"),
    ({"rope_parameters": [1]}, "rope_parameters is"),
    ({"rope_parameters": {"rope_theta": 0}}, "rope_theta must be a number from 1"),
    ({"rope_parameters": {"rope_theta": "x"}}, "rope_theta must be a number from 1"),
    ({"sliding_window": 4096}, "sliding_window is 4096, which is not known here"),
    ({"head_dim": 8}, "head_dim is 8; known here .* 4 numbers each"),
    ({"attention_bias": True}, "attention_bias and mlp_bias are .* everywhere or nowh"),
    ({"attention_bias": True, "mlp_bias": True}, "q_proj.bias' is missing"),
    ({"tie_word_embeddings": True}, "rotary|another one"),
    ({"num_key_value_heads": 2}, "heads must be a multiple of kv_heads"),
    ({"num_key_value_heads": 3}, r"k_proj.weight' is \[4, 12\]; config.json tells of"),
    ({"num_key_value_heads": ...}, r"k_proj.weight' is \[4, 12\]; config.json tells"),
    ({"num_attention_heads": 4}, "width must be even; got 3"),
    ({"intermediate_size": 9}, r"gate_proj.weight' is \[7, 12\]")], ids=str)
def test_a_llama_that_would_be_another_is_refused(tmp_path, changes, message):
    save_library(make("llama"), tmp_path)
    refused(changed(tmp_path, **changes), message)


DEEP = b"[" * 100_000


@pytest.mark.parametrize("content, message", [
    (b"", "config.json is damaged: it is no short JSON"), (b"{", "no short JSON"),
    (DEEP, "no short JSON"), (b"\xff\xfe{}", "no short JSON"),
    (b'{"a": ' + b"9" * 5000 + b"}", "no short JSON"),
    (b'{"a": "' + b"x" * 2 * 10 ** 6 + b'"}', "no short JSON"),
    (b"[]", "it holds no names with values"), (b"null", "no names with values"),
    (b'{"format": 1, "kind": "encoder-decoder"}', "it translates.* use translate")],
    ids=range(9))
def test_a_damaged_config_is_refused(folder, content, message):
    (folder / "config.json").write_bytes(content)
    refused(folder, message)


def test_a_folder_without_a_model_is_refused(folder):
    (folder / "model.safetensors").rename(folder / "rest")
    refused(folder, "model that can be used: model.safetensors is missing")
    (folder / "pytorch_model.bin").touch()
    refused(folder, "its weights are a pytorch_model.bin; save it again as model")
    (folder / "model.safetensors.index.json").touch()
    refused(folder, "its weights lie in several files")
    (folder / "unfinished.safetensors").touch()
    refused(folder, "its training is not finished, and the same command goes on")
    refused(folder / "config.json", "is no folder; a model is a folder with config")
    refused(folder / "nowhere", "is no folder")


def test_weights_that_are_none_are_refused(folder):
    tensors = stored(folder)
    name = "transformer.h.1.attn.c_attn.weight"
    store(folder, tensors | {name: tensors[name].long()})
    refused(folder, f"numbers of the kind I64 in {name}; known here are floats")
    tensors[name][3, 4] = float("nan")
    store(folder, tensors)
    refused(folder, f"weights that are no numbers, in {name}")
    store(folder, tensors | {"x" * 500: torch.ones(1)})
    refused(folder, "'transformer.xxx.*config.json tells of none")
    store(folder, {})
    refused(folder, "holds 0 tensors, too few for 2 layers")


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 12_000), st.binary(max_size=8), st.booleans())
def test_damaged_weights_are_refused_or_read(place, patch, cut):
    import tempfile
    with tempfile.TemporaryDirectory() as name:
        save_library(make(), name)
        path = os.path.join(name, "model.safetensors")
        with open(path, "rb") as file:
            content = file.read()
        place %= len(content)
        damaged = content[:place] + patch + (b"" if cut else
                                             content[place + len(patch):])
        with open(path, "wb") as file:
            file.write(damaged)
        try:
            load_library(name)
        except ValueError as error:
            assert "\n" not in str(error) and len(str(error)) < 500
        else:
            assert len(damaged) == len(content)


# Against Hugging Face's

@pytest.fixture(scope="module")
def transformers():
    return pytest.importorskip(
        "transformers", reason="the library transformers, whose folders are read and "
        "written, is not installed: pip install transformers")


def theirs(transformers, name):
    """A model of the library with moved weights, in float64."""
    torch.manual_seed(0)
    config = CONFIGS[name]
    if name.startswith("gpt2"):
        model = transformers.GPT2LMHeadModel(transformers.GPT2Config(
            vocab_size=11, n_embd=12, n_head=3, n_layer=2, n_inner=7, n_positions=16,
            bos_token_id=1, eos_token_id=2, tie_word_embeddings=config.tied))
    else:
        model = transformers.LlamaForCausalLM(transformers.LlamaConfig(
            vocab_size=11, hidden_size=12, num_attention_heads=3, num_hidden_layers=2,
            num_key_value_heads=config.kv_heads, intermediate_size=7,
            max_position_embeddings=16, rope_theta=config.theta, rms_norm_eps=1e-5,
            attention_bias=config.bias, mlp_bias=config.bias,
            tie_word_embeddings=config.tied, bos_token_id=1, eos_token_id=[2, 3]))
    model = model.double().eval()
    with torch.no_grad():
        for number, part in enumerate(model.parameters()):
            part += 0.3 * draw(number, *part.shape)
    return model


def near(name):
    return {"rtol": 0, "atol": 1e-10 if name.startswith("gpt2") else 1e-5}


@pytest.mark.parametrize("name", CONFIGS)
def test_what_the_library_saves_is_loaded(transformers, tmp_path, name):
    model = theirs(transformers, name)
    model.save_pretrained(tmp_path)
    ours = load_library(tmp_path, torch.float64)
    assert ours.config == CONFIGS[name]
    torch.testing.assert_close(ours(IDS), model(IDS).logits, **near(name))
    assert writer.eos_ids_of(tmp_path) == ((2,) if name.startswith("gpt2") else (2, 3))


@pytest.mark.parametrize("name", CONFIGS)
def test_what_is_saved_the_library_loads(transformers, tmp_path, name):
    """And it misses nothing: it would begin a missing tensor anew, without an error."""
    model = make(name)
    save_library(model, tmp_path, eos_ids=[4])
    kind = (transformers.GPT2LMHeadModel if name.startswith("gpt2")
            else transformers.LlamaForCausalLM)
    for loader in (kind, transformers.AutoModelForCausalLM):
        found, told = loader.from_pretrained(tmp_path, output_loading_info=True)
        assert not any(told.values())
        assert found.dtype == torch.float64 and isinstance(found, kind)
        torch.testing.assert_close(found(IDS).logits, model(IDS), **near(name))
        assert found.config.eos_token_id == [4]


def test_weights_in_several_files_are_refused(transformers, tmp_path):
    theirs(transformers, "gpt2").save_pretrained(tmp_path, max_shard_size="4KB")
    refused(tmp_path, "its weights lie in several files; save it again as one model.sa")


def test_scaled_positions_of_the_library_are_refused(transformers, tmp_path):
    transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=11, hidden_size=12, num_attention_heads=3, num_hidden_layers=1,
        intermediate_size=7, rope_parameters={
            "rope_type": "linear", "factor": 2.0, "rope_theta": 1e4})
        ).save_pretrained(tmp_path)
    refused(tmp_path, "rotary positions that are scaled are not known here")


# Text

TEXT = "Ein Wörterbuch ist eine Abbildung.\n사전은 함수다.\r\n𝄞 a\tb\n"


@pytest.mark.parametrize("block", [1, 2, 3, 5, 7, 1000])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_text_is_read_in_blocks_of_any_size(tmp_path, monkeypatch, block, mark):
    monkeypatch.setattr(long_text, "BLOCK", max(block, len(mark)))
    path = tmp_path / "text.txt"
    path.write_bytes(mark + TEXT.encode())
    counts, (begin, end), digest = scan(path)
    found = {chr(code): counts[code] for code in counts.nonzero()[0]}
    assert found == Counter(TEXT)
    assert path.read_bytes()[begin:end].decode() == TEXT
    monkeypatch.undo()
    assert scan(path)[2] == digest


def test_any_other_text_has_another_digest(tmp_path):
    digests = set()
    for text in ("abc", "abd", "abcc", ""):
        (tmp_path / "text.txt").write_text(text)
        digests.add(scan(tmp_path / "text.txt")[2])
    assert len(digests) == 4


@pytest.mark.parametrize("block", [4, 1000])
@pytest.mark.parametrize("content, message", [
    (b"one\ntwo\nth\xffree", "text.txt, line 3: this is not UTF-8; save the file as"),
    (b"one\ntwo\0", "text.txt, line 2: a zero byte; this is no text"),
    (b"\x89PNG\r\n\x1a\n\0\0", "line 1: this is not UTF-8"),
    (b"\x7fELF\2\1\1\0\0\0", "line 1: a zero byte"),
    ("one\n".encode("utf-16"), "line 1: this is not UTF-8"),
    (b"one\ntwo \xec\x82", "line 2: the text ends inside a character")], ids=range(6))
def test_what_is_no_text_is_refused(tmp_path, monkeypatch, content, message, block):
    monkeypatch.setattr(long_text, "BLOCK", block)
    (tmp_path / "text.txt").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        train_text(tmp_path / "text.txt", tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_a_folder_a_device_and_nothing_are_no_text(tmp_path):
    for path in (tmp_path, "/dev/zero"):
        with pytest.raises(ValueError, match="is a folder or a device; a text file is"):
            scan(path)
    with pytest.raises(FileNotFoundError):
        scan(tmp_path / "nowhere.txt")


def test_characters_are_numbered_from_the_commonest_and_nothing_is_unknown(tmp_path):
    (tmp_path / "text.txt").write_text("ababac사사é", encoding="utf-8")
    tokenizer = characters(scan(tmp_path / "text.txt")[0])
    assert tokenizer.encode("abc").tokens == ["a", "b", "<0x63>"]    # c stands once
    assert tokenizer.encode("a").ids == [0]
    assert tokenizer.get_vocab_size() == 3 + 256
    for text in (TEXT, "a\0b", "  ", "é", "\N{ZERO WIDTH JOINER}"):
        assert tokenizer.decode(tokenizer.encode(text).ids) == text


@pytest.mark.parametrize("length", [1, 3, 8])
def test_windows_hold_each_piece_and_the_next(tmp_path, length):
    path = tmp_path / "text.txt"
    path.write_text(TEXT * 2, encoding="utf-8")
    counts, (begin, end), _ = scan(path)
    tokenizer, content = characters(counts), path.read_bytes()
    starts = list(range(begin, end))
    with open(path, "rb") as file:
        ids, targets = windows(file, tokenizer, starts, end, length)
    assert ids.shape == targets.shape == (len(starts), length)
    for start, row, wanted in zip(starts, ids, targets):
        text = content[start:end].decode("utf-8", "ignore")
        pieces = tokenizer.encode(text).ids[:length + 1]
        real = wanted != long_text.NONE
        assert row[real].tolist() == pieces[:-1] and wanted[real].tolist() == pieces[1:]
        assert real.sum() == max(0, min(length, len(pieces) - 1))


@pytest.mark.parametrize("size", [10, 1000, 100_000])
def test_pieces_are_learned_from_the_whole_of_a_small_text_and_from_all_of_a_large_one(
        tmp_path, monkeypatch, size):
    monkeypatch.setattr(long_text, "SAMPLE", 6400)
    path = tmp_path / "text.txt"
    path.write_text("".join(f"{number:09}\n" for number in range(size // 10)))
    text = "".join(long_text.parts_of(path, 0, size))
    if size <= 6400:
        assert text == path.read_text()
    else:
        assert 6000 <= len(text) <= 6400
        seen = [int(number) for number in re.findall(r"\d{9}(?=\n)", text)]
        assert seen[0] == 0 and max(seen) > 0.98 * size / 10
        assert max(b - a for a, b in zip(seen, seen[1:])) < 0.03 * size / 10


# Training

SMALL = {"width": 16, "heads": 2, "kv_heads": 1, "layers": 1, "hidden": 16,
         "context_length": 12}
QUICK = {"updates": 4, "interval": 2, "batch_size": 3}


@pytest.fixture(autouse=True)
def short_samples(monkeypatch):
    monkeypatch.setattr(text_trainer, "SHOWN", 20)


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("".join(f"The dog number {number} sees {number + 1}.\n"
                            for number in range(100)))
    return path


def trained(text, out, **changes):
    said = []
    train_text(text, out, sizes=SMALL, say=said.append, **QUICK | changes)
    return said


@pytest.mark.parametrize("model", ["llama", "gpt2"])
@pytest.mark.parametrize("pieces", [None, 40])
def test_a_training_fills_a_folder_from_which_one_can_write(tmp_path, text, model,
                                                            pieces):
    said = trained(text, tmp_path / "model", model=model, pieces=pieces)
    assert sorted(os.listdir(tmp_path / "model")) == [
        "config.json", "curves.svg", "history.jsonl", "model.safetensors",
        "tokenizer.json"]
    records = [json.loads(line) for line in open(tmp_path / "model" / "history.jsonl")]
    assert len(records) == 4 and "validation loss" in records[1] and records[3]["rate"]
    assert said[0].endswith("ones, bytes too" if pieces is None else "pieces")
    assert [line.split(":")[0] for line in said[1::2]] == ["update 2", "update 4"]
    assert len(said) == 5 and len(said[2]) > 20
    writer = load_writer(tmp_path / "model")
    assert writer.model.config.context_length == 12
    assert (writer.model.config.norm == "rms") == (model == "llama")
    written = writer.write("The dog", 30, seed=1)
    assert written.startswith("The dog") and len(written) > 20


def test_an_interrupted_training_ends_as_one_that_was_not(tmp_path, text):
    sizes = SMALL | {"dropout": 0.2}
    train_text(text, tmp_path / "whole", sizes=sizes, say=str, **QUICK)
    with stopped_in(3):
        train_text(text, tmp_path / "parts", sizes=sizes, say=str, **QUICK)
    assert os.listdir(tmp_path / "parts") == ["unfinished.safetensors"]
    with pytest.raises(ValueError, match="training is not finished, and the same comm"):
        load_writer(tmp_path / "parts")
    for changes, message in (({"seed": 1}, "other settings"),
                             ({"model": "gpt2"}, "another model"),
                             ({"pieces": 40}, "another text")):
        with pytest.raises(ValueError, match=f"cannot go on with: .*{message}"):
            train_text(text, tmp_path / "parts", sizes=sizes, say=str,
                       **QUICK | changes)
    content = text.read_bytes()
    text.write_bytes(content.replace(b"dog", b"god"))    # the same characters
    with pytest.raises(ValueError, match="with another text. Begin it as it was begun, "
                       "with the same text; or name a new folder"):
        train_text(text, tmp_path / "parts", sizes=sizes, say=str, **QUICK)
    text.write_bytes(content)
    with steps() as made:
        train_text(text, tmp_path / "parts", sizes=sizes, say=str, **QUICK)
    assert len(made) == 2
    for name in ("history.jsonl", "model.safetensors", "tokenizer.json"):
        assert ((tmp_path / "parts" / name).read_bytes()
                == (tmp_path / "whole" / name).read_bytes())


def test_the_validation_is_never_trained_on(tmp_path, text, monkeypatch):
    real, seen = long_text.windows, []

    def noted(file, tokenizer, starts, end, length, *given, **more):
        seen.append((starts, end, length))
        return real(file, tokenizer, starts, end, length, *given, **more)

    monkeypatch.setattr(text_trainer, "windows", noted)
    trained(text, tmp_path / "model")
    size = text.stat().st_size
    (held, end, _), *batches = seen
    edge = min(held)
    assert end == size and edge == size - size // 20 and len(held) == 64
    assert len(batches) == 4 and all(end == edge and max(starts) < edge - length
                                     for starts, end, length in batches)
    assert len({start for starts, *_ in batches for start in starts}) > 9


def test_a_model_learns_what_comes_next(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("abcdefgh" * 400)
    trained(path, tmp_path / "model", updates=60, interval=60, batch_size=8,
            peak_rate=2e-2, warmup=5)
    *_, last = open(tmp_path / "model" / "history.jsonl")
    record = json.loads(last)
    assert record["validation loss"] < 0.2
    # a character is a piece
    assert record["bits a character"] == pytest.approx(
        record["validation loss"] / torch.tensor(2.0).log().item(), rel=1e-6)
    writer = load_writer(tmp_path / "model")
    assert writer.write("bcd", 30, temperature=0) == "bcd" + "efghabcd" * 3 + "efghab"


def test_bits_a_character_compare_any_pieces(tmp_path, text):
    """A model that knows nothing: log V nats a piece, over its characters."""
    counts, (begin, end), _ = scan(text)
    parts = long_text.parts_of(text, begin, end)
    pieces = train_subwords(parts, 60).tokenizer
    model = DecoderOnly(DecoderOnlyConfig(pieces.get_vocab_size(), **SMALL))
    torch.nn.init.zeros_(model.generator.weight)
    with open(text, "rb") as file:
        batch = TextBatch(*windows(file, pieces, [0, 500], end, 12))
    record = text_trainer.validate(model, batch, pieces)
    nats = torch.tensor(float(pieces.get_vocab_size())).log()
    assert record["validation loss"] == pytest.approx(nats.item(), rel=1e-5)
    written = sum(len(pieces.decode(row.tolist())) for row in batch.targets)
    assert written > 30
    assert record["bits a character"] == pytest.approx(
        24 * nats.item() / torch.tensor(2.0).log().item() / written, rel=1e-5)


def test_a_batch_in_parts_is_the_batch(text):
    counts, (begin, end), _ = scan(text)
    with open(text, "rb") as file:    # the last window is shorter
        batch = TextBatch(*windows(file, characters(counts), [0, 50, end - 5], end, 12))
    weights = []
    for parts in (1, 2, 3):
        torch.manual_seed(0)
        model = DecoderOnly(DecoderOnlyConfig(300, **SMALL)).double()
        state = text_trainer.TrainingState(model, Settings(micro_batches=parts))
        record = text_update(state, batch)
        weights.append([record["loss"], record["norm"]])
        weights[-1] += [part.sum().item() for part in model.parameters()]
    assert weights[1] == pytest.approx(weights[0], rel=1e-6)
    assert weights[2] == pytest.approx(weights[0], rel=1e-6)


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.7])
def test_the_loss_is_torchs_smoothed_or_not(smoothing):
    """Of all pieces, the first one too, for none of them is a pad; values and
    gradients."""
    torch.manual_seed(0)
    model = DecoderOnly(DecoderOnlyConfig(7, **SMALL)).double()
    ids = torch.randint(7, (2, 5))
    batch = TextBatch(ids, torch.tensor([[0, 6, 3, 0, 5], [1, 0, NONE, NONE, NONE]]))
    wanted = torch.nn.functional.cross_entropy(
        model(ids).flatten(0, 1), batch.targets.flatten(), label_smoothing=smoothing)
    found = language_loss(model, batch, smoothing)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-10)
    for mine, theirs in zip(*(torch.autograd.grad(loss, list(model.parameters()))
                              for loss in (found, wanted)), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=0, atol=1e-10)


@pytest.mark.parametrize("content", ["a" * 5000, "word " * 1000, "사전은 함수다 " * 300,
                                     "\n" * 5000, "".join(map(chr, range(32, 5000)))],
                         ids=["letter", "words", "korean", "ends", "all once"])
@pytest.mark.parametrize("pieces", [None, 30])
def test_a_text_of_one_line_is_a_text(tmp_path, content, pieces):
    path = tmp_path / "text.txt"
    path.write_bytes(content.encode())
    if pieces and len(set(content)) > pieces:
        with pytest.raises(ValueError, match="30 pieces are too few"):
            trained(path, tmp_path / "model", pieces=pieces)
        return
    trained(path, tmp_path / "model", pieces=pieces)
    assert load_writer(tmp_path / "model").write("a", 5, seed=0).startswith("a")


@pytest.mark.parametrize("content", ["", "short"])
def test_a_text_that_is_too_short_is_refused(tmp_path, content):
    (tmp_path / "text.txt").write_text(content)
    with pytest.raises(ValueError, match="text.txt has [05] bytes: too few .* it takes "
                                         "480 or more"):
        trained(tmp_path / "text.txt", tmp_path / "model")


def test_folders_that_hold_something_are_refused(tmp_path, text):
    trained(text, tmp_path / "model")
    with pytest.raises(ValueError, match="holds a trained model already; name a new"):
        trained(text, tmp_path / "model")
    with pytest.raises(ValueError, match="holds other files; a model needs a folder"):
        trained(text, tmp_path)
    with pytest.raises(ValueError, match="is no folder"):
        trained(text, text)


def test_a_flipped_bit_in_the_weights_is_refused_or_changes_nothing(tmp_path, text):
    trained(text, tmp_path / "model")
    path = tmp_path / "model" / "model.safetensors"
    content, right = path.read_bytes(), load_library(path.parent).state_dict()
    refusals = 0
    for bit in bits(content, 3):
        path.write_bytes(flipped(content, bit))
        try:
            found = load_library(path.parent).state_dict()
        except ValueError as error:
            assert "\n" not in str(error) and len(str(error)) < 900
            refusals += 1
        else:
            assert all(torch.equal(found[name], right[name]) for name in right)
    assert refusals > 30
    path.write_bytes(flipped(content, 8 * len(content) - 5))
    with pytest.raises(ValueError, match="its checksum .SHA-256. is not that of what"):
        load_library(path.parent)


def test_unknown_names_are_refused(tmp_path, text):
    for wrong in ({"model": "bert"}, {"preset": "huge"}):
        with pytest.raises(ValueError, match="is one of gpt2, llama, with the sizes of "
                                             "small or gpu; got"):
            trained(text, tmp_path / "model", **wrong)


def test_other_heads_have_keys_of_their_own(tmp_path, text):
    sizes = {"width": 12, "layers": 1, "hidden": 8, "context_length": 12}
    for number, (more, kv_heads) in enumerate((
            ({"heads": 3}, 3), ({"heads": 4, "kv_heads": 1}, 1), ({"heads": 6}, 6))):
        out = tmp_path / str(number)
        train_text(text, out, sizes=sizes | {"width": 24} | more, say=str, **QUICK)
        assert load_library(out).config.kv_heads == kv_heads


def test_the_presets_fit_to_both_families():
    for preset in text_trainer.PRESETS.values():
        for model in PARTS:
            config = text_trainer.sized(model, 300, preset.sizes)
            assert family_of(config) == model and config.tied


# Writing

@pytest.fixture
def words(tmp_path, text):
    trained(text, tmp_path / "model")
    return tmp_path / "model"


def test_chance_begins_at_the_seed_and_the_best_piece_needs_none(words):
    writer = load_writer(words)
    assert writer.write("The", 20, seed=3) == writer.write("The", 20, seed=3)
    assert len({writer.write("The", 20, seed=seed) for seed in range(5)}) > 1
    assert len({writer.write("The", 20) for _ in range(5)}) > 1
    best = writer.write("The", 20, temperature=0)
    assert best == writer.write("The", 20, top_k=1)
    assert writer.write("The", 0) == "The"
    text = "사전 \x01\t The\r\n"
    assert writer.write(text, 9, seed=1).startswith(text)


def test_a_text_ends_at_the_end_of_the_library(words):
    writer = load_writer(words)
    best = writer.write("The dog", 9, temperature=0)
    end = writer.tokenizer.encode(best).ids[9]
    for ends in (end, [end, 10 ** 30, None, "x", True]):
        (words / "generation_config.json").write_text(
            json.dumps({"eos_token_id": ends}))
        stopped = load_writer(words).write("The dog", 9, temperature=0)
        assert best.startswith(stopped) and len(stopped) <= 9 < len(best)


def test_a_text_stays_as_it_was_typed_where_a_tokenizer_changes_it(words):
    tokenizer = Tokenizer.from_file(str(words / "tokenizer.json"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.save(str(words / "tokenizer.json"))
    writer = load_writer(words)
    assert writer.write("The DOG", 9, seed=1) == "The DOG" + writer.write(
        "the dog", 9, seed=1).removeprefix("the dog")


def test_what_cannot_be_written_is_refused(words):
    with pytest.raises(ValueError, match="the text is empty"):
        load_writer(words).write("")
    for wrong in ({"temperature": -1}, {"top_k": 0}, {"top_p": 2.0}, {"min_p": -1}):
        with pytest.raises(ValueError, match="temperature|top-k|top-p|min-p"):
            load_writer(words).write("The", **wrong)
    path = words / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.post_processor = processors.TemplateProcessing(
        "<s> $A", special_tokens=[("<s>", 99_999)])
    tokenizer.save(str(path))
    with pytest.raises(ValueError, match="makes a piece with the number 99999; the"):
        load_writer(words).write("The")
    tokenizer.add_tokens(["more"])
    tokenizer.save(str(path))
    with pytest.raises(ValueError, match="tokenizer.json has [0-9]+ pieces, and the"):
        load_writer(words)
    for content in (b"", b"{}", b"[1", b"\xff", b'{"model": {"type": "BPE"}}'):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="can be used: tokenizer.json is damaged"):
            load_writer(words)
    path.unlink()
    with pytest.raises(ValueError, match="tokenizer.json, which cuts text for it, is"):
        load_writer(words)


def test_a_model_of_the_library_with_its_tokenizer_writes_as_there(
        transformers, tmp_path, words, capsys):
    model = theirs(transformers, "llama")
    tokenizer = Tokenizer.from_file(str(words / "tokenizer.json"))
    config = model.config
    config.vocab_size, config.tie_word_embeddings = tokenizer.get_vocab_size(), False
    torch.manual_seed(1)
    model = transformers.LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for number, part in enumerate(model.parameters()):
            part += 0.3 * draw(number, *part.shape).float()
    model.save_pretrained(tmp_path / "theirs")
    shutil.copy(words / "tokenizer.json", tmp_path / "theirs")
    ids = torch.tensor([tokenizer.encode("The dog").ids])
    found = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=9,
                           do_sample=False, pad_token_id=0)[0].tolist()
    while found[-1] in (2, 3):    # the ends
        found.pop()
    written = load_writer(tmp_path / "theirs").write("The dog", 9, temperature=0)
    assert written == tokenizer.decode(found)
    main(["write", "The dog", "--model", str(tmp_path / "theirs"), "--count", "9",
          "--temperature", "0"])
    assert capsys.readouterr().out.endswith(f"{written}\n")


def test_a_trained_folder_is_one_of_the_library(transformers, words):
    writer = load_writer(words)
    model = transformers.AutoModelForCausalLM.from_pretrained(words)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(words / "tokenizer.json"))
    ids = tokenizer("The dog", return_tensors="pt").input_ids
    assert ids[0].tolist() == writer.tokenizer.encode("The dog").ids
    torch.testing.assert_close(model(ids).logits, writer.model(ids),
                               rtol=0, atol=1e-5)
