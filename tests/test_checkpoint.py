"""checkpoint: killed at any moment a training comes to the same end; a file that does
not fit changes nothing."""

import json
import math
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import pytest
import safetensors
import safetensors.torch
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from softdict import runtime
from softdict.attention import attention, scaled_dot, sdpa
from softdict.batches import epoch_batches, make_batch
from softdict.decoder_only import LLAMA, DecoderOnly, DecoderOnlyConfig
from softdict.heads import rotary
from softdict.lookup import dot
from softdict.saving.checkpoint import (
    CorruptFile, architecture, begin_anew, checksum, load, load_model,
    options, packed, save, save_model)
from softdict.seq2seq import (
    Attend, BahdanauDecoder, Decoder, Encoder, LastState, LuongDecoder, Seq2Seq)
from softdict.training import TrainingState, train, update
from softdict.transformer import EncoderLayer, TransformerConfig, make_transformer
from softdict.variants import make_variant
from interruptions import bits, flipped, stopped_in
from test_damage import changed
from test_training import PAIRS, SHORT, make_training, weights


@pytest.mark.parametrize("kill_after", range(1, 10))
def test_killed_after_any_update_and_resumed_it_ends_in_the_same_weights(
        tmp_path, kill_after):
    whole, killed = make_training(), make_training()
    train(whole, PAIRS, path=tmp_path / "whole.safetensors")
    if kill_after < 9:
        with stopped_in(kill_after + 1):
            train(killed, PAIRS, path=tmp_path / "killed.safetensors")
        assert len(killed.history) == kill_after
    torch.manual_seed(99)    # another process has other random numbers
    torch.rand(7)
    resumed = make_training()
    history = train(resumed, PAIRS, path=tmp_path / "killed.safetensors")
    assert torch.equal(weights(resumed), weights(whole))
    assert history == whole.history


def test_a_process_killed_while_it_saves_leaves_the_last_checkpoint(tmp_path):
    script = """
        import os, sys
        sys.path.insert(0, {tests!r})
        import conftest, test_training
        from softdict import training
        real, saves = os.replace, []

        def die_at_the_second(*arguments):
            saves.append(1)
            if len(saves) == 2:
                os._exit(9)
            real(*arguments)

        os.replace = die_at_the_second
        training.train(test_training.make_training(), test_training.PAIRS, \
path={path!r})
    """
    path = tmp_path / "killed.safetensors"
    script = textwrap.dedent(script).format(tests=os.path.dirname(__file__),
                                            path=str(path))
    done = subprocess.run([sys.executable, "-c", script],
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 9
    # the checkpoint, and a whole file that was not yet renamed
    assert len(list(tmp_path.iterdir())) == 2
    resumed, whole = make_training(), make_training()
    load(resumed, path)
    assert len(resumed.history) == 3
    train(resumed, PAIRS, path=path)
    train(whole, PAIRS)
    assert torch.equal(weights(resumed), weights(whole))


def test_without_the_moments_of_adam_it_would_not_be_the_same(tmp_path):
    """What the comparison above would catch: a checkpoint that holds the weights
    alone."""
    whole, begun, resumed = make_training(), make_training(), make_training()
    train(whole, PAIRS)
    for batch in epoch_batches(PAIRS, 6, 0, 0)[:3]:
        runtime.seed(len(begun.history))
        begun.history.append(update(begun, batch))
    save(begun, tmp_path / "a.safetensors")
    load(resumed, tmp_path / "a.safetensors")
    resumed.optimizer.state.clear()
    train(resumed, PAIRS)
    assert not torch.equal(weights(resumed), weights(whole))


@pytest.mark.parametrize("half", [False, True])
def test_what_was_saved_is_loaded(tmp_path, half):
    saved = make_training(replace(SHORT, precision="float16" if half else "float32"))
    train(saved, PAIRS)
    save(saved, tmp_path / "a.safetensors")
    loaded = make_training(replace(SHORT, precision="float16" if half else "float32"))
    load(loaded, tmp_path / "a.safetensors")
    assert torch.equal(weights(loaded), weights(saved))
    assert loaded.history == saved.history
    assert loaded.scaler.state_dict() == saved.scaler.state_dict()
    for mine, yours in zip(loaded.model.parameters(), saved.model.parameters()):
        for name in ("step", "exp_avg", "exp_avg_sq"):
            assert torch.equal(loaded.optimizer.state[mine][name],
                               saved.optimizer.state[yours][name])


@pytest.fixture
def file(tmp_path):
    save(make_training(), tmp_path / "a.safetensors")
    return tmp_path / "a.safetensors"


@pytest.mark.parametrize("other, message", [
    (dict(vocabulary="other words"),
     "a.safetensors was trained with another vocabulary"),
    (dict(width=14), r"a model of another size: encoder.rnn.weight_ih_l0 is \[18, 5\] "
     r"there and \[21, 5\] here"),
    (dict(settings=replace(SHORT, seed=1)),
     "belongs to a training with other settings"),
])
def test_a_checkpoint_that_does_not_fit_changes_nothing(file, other, message):
    run = make_training(**other)
    before = weights(run)
    with pytest.raises(ValueError, match=message) as refusal:
        load(run, file)
    assert "\n" not in str(refusal.value)
    assert torch.equal(weights(run), before)


def test_a_model_of_more_layers_is_refused(file):
    run = make_training()
    run.model.decoder.rnn = nn.GRU(17, 12, 2, batch_first=True)
    with pytest.raises(ValueError, match="decoder.rnn.weight_ih_l1 is missing there"):
        load(run, file)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.99])
def test_a_truncated_checkpoint_is_refused_wherever_it_was_cut(file, share):
    content = file.read_bytes()
    file.write_bytes(content[:int(len(content) * share)])
    with pytest.raises(ValueError,
                       match="a.safetensors is damaged, cut short or no checkpoint"):
        load(make_training(), file)


def test_a_missing_checkpoint_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="none.safetensors"):
        load_model(make_training().model, tmp_path / "none.safetensors", "words")


def test_load_model_needs_no_training(file):
    run = make_training()
    with torch.no_grad():
        run.model.generator.bias.fill_(3.0)
    load_model(run.model, file, "words")
    assert torch.equal(weights(run), weights(make_training()))


def test_a_full_disk_keeps_the_old_checkpoint(file, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    before = file.read_bytes()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="a.safetensors was not saved, and an earlier one "
                       "is untouched: No space left"):
        train(make_training(), PAIRS, path=file)
    assert file.read_bytes() == before
    monkeypatch.undo()
    assert len(train(make_training(), PAIRS, path=file)) == 9


def opened(file):
    """Tensors and notes of a file."""
    with safetensors.safe_open(file, framework="pt") as content:
        return ({name: content.get_tensor(name) for name in content.keys()},
                json.loads(content.metadata()["softdict"]))


def test_notes_of_a_checkpoint_are_json_and_name_the_architecture(file):
    notes = opened(file)[1]
    assert set(notes) == {"vocabulary", "architecture", "options", "settings",
                          "history", "scaler", "optimizer"}
    assert notes["architecture"] == {
        "": "ScheduledSampling", "encoder": "Encoder", "decoder": "Decoder"}


# Models of one size that are not the same

def transformers(**options):
    config = TransformerConfig(12, 3, 1, 20, dropout=0.0)
    return lambda: make_variant(11, 10, config, **options)


def attending(decoder, **options):
    return lambda: Seq2Seq(Encoder(11, 5, 12), decoder(10, 5, 12, **options))


def nearer(query, key, value, allowed=None, slope=1.0):
    """Positions of one's own, which change no size and no class."""
    far = torch.arange(key.shape[-2]) - torch.arange(query.shape[-2])[:, None]
    return attention(query, key, value, allowed,
                     lambda *given: scaled_dot(*given) - slope * far.abs())


def placed(attend):
    """A model of rotary size that attends with another function."""
    def make():
        model = transformers(positional_encoding="rotary")()
        for stack in (model.encoder, model.decoder):
            stack.layers[0].self_attention.attend = attend
        return model
    return make


def text_model(attend):
    config = DecoderOnlyConfig(11, 12, 3, 3, 1, 20, 8, attend=attend)
    return lambda: DecoderOnly(config)


def heads(count):
    config = TransformerConfig(12, count, 1, 20, dropout=0.0)
    return lambda: make_variant(11, 10, config)


def test_dropout_is_no_part_of_what_was_learned(tmp_path):
    path = tmp_path / "a.safetensors"
    model, other = (make_variant(11, 10, TransformerConfig(12, 3, 1, 20, dropout=share))
                    for share in (0.1, 0.0))
    save_model(model, path, "words")
    load_model(other, path, "words")
    assert all(torch.equal(part, other.state_dict()[name])
               for name, part in model.state_dict().items())


@pytest.mark.parametrize("there, here, message", [
    (transformers(), transformers(positional_encoding="rotary"),
     "encoder.embedding is Embedding there and UnplacedEmbedding here"),
    (transformers(positional_encoding="rotary"), transformers(),
     "encoder.embedding is UnplacedEmbedding there and Embedding here"),
    (transformers(), transformers(pre_norm=False),
     "encoder.layers.0 is EncoderLayer there and PostNormEncoderLayer here"),
    (transformers(pre_norm=False), transformers(),
     "encoder.layers.0 is PostNormEncoderLayer there and EncoderLayer here"),
    (transformers(), transformers(positional_encoding="learned"),
     "encoder.embedding is Embedding there and LearnedEmbedding here"),
    (heads(3), heads(4),
     "encoder.layers.0.self_attention is MultiHeadAttention heads=3 "
     "there and MultiHeadAttention heads=4 here"),
    (transformers(positional_encoding="rotary"), placed(nearer),
     "encoder.layers.0.self_attention is MultiHeadAttention heads=3 rotary "
     "there and MultiHeadAttention heads=3 nearer here"),
    (placed(nearer), placed(partial(nearer, slope=0.5)),
     "encoder.layers.0.self_attention is MultiHeadAttention heads=3 nearer "
     "there and MultiHeadAttention heads=3 nearer 0.5 here"),
    (text_model(sdpa), text_model(nearer),
     "the whole is DecoderOnly there and DecoderOnly nearer here"),
    (attending(LuongDecoder), attending(LuongDecoder, context=Attend(scaled_dot)),
     "decoder.context is Attend dot there and Attend scaled_dot here"),
    (attending(LuongDecoder, context=Attend(scaled_dot)),
     attending(LuongDecoder, context=Attend(dot)),
     "decoder.context is Attend scaled_dot there and Attend dot here"),
    (attending(LuongDecoder), attending(LuongDecoder, context=LastState()),
     "decoder.context is Attend dot there and LastState here"),
    (attending(Decoder), attending(BahdanauDecoder),
     "decoder is Decoder there and BahdanauDecoder here"),
    (attending(Decoder), transformers(), "the whole is Seq2Seq there and Transformer"),
])
def test_another_model_is_refused_by_name_though_every_size_fits(
        tmp_path, there, here, message):
    path, run = tmp_path / "a.safetensors", TrainingState(here(), SHORT, "words")
    before = weights(run)
    whole = TrainingState(there(), SHORT, "words")
    for write, read in ((lambda: save(whole, path), lambda: load(run, path)),
                        (lambda: save_model(whole.model, path, "words"),
                         lambda: load_model(run.model, path, "words"))):
        write()
        with pytest.raises(ValueError, match=f"a.safetensors holds another model: "
                           f"{message}") as refusal:
            read()
        assert "\n" not in str(refusal.value)
        assert torch.equal(weights(run), before)


@dataclass(frozen=True)
class OwnConfig(TransformerConfig):
    gain: float = 1.0
    parts: tuple = (1, 2)
    act: Callable = torch.relu


class Gained(EncoderLayer):
    """A layer of one's own, which keeps an option as a number."""

    def __init__(self, config):
        super().__init__(config)
        self.gain = config.gain

    def forward(self, *given):
        return self.gain * super().forward(*given)


class Configured(EncoderLayer):
    """Another one, which keeps its config."""

    def __init__(self, config):
        super().__init__(config)
        self.config = config

    def forward(self, *given):
        return self.config.gain * super().forward(*given)


def own(layer=Gained, **options):
    def make():
        config = OwnConfig(12, 3, 1, 20, dropout=0.0, **options)
        model = make_transformer(11, 10, config)
        model.encoder.layers[0] = layer(config)
        return model
    return make


def text_of(**options):
    return lambda: DecoderOnly(DecoderOnlyConfig(
        11, 12, 3, 3, 1, 20, 8, **LLAMA | options))


@pytest.mark.parametrize("there, here, message", [
    (own(gain=3.0), own(), "gain of encoder.layers.0 is 3.0 there and 1.0 here"),
    (own(Configured, gain=3.0), own(Configured),
     "gain of encoder.layers.0 is 3.0 there and missing here"),
    (own(Configured, parts=(1, 3)), own(Configured), r"parts of encoder.layers.0 is"),
    (own(Configured, act=torch.tanh), own(Configured), "act of encoder.layers.0 is"),
    (text_of(eps=1e-3), text_of(), "eps of layers.0.norm1 is 0.001 there and 1e-05")])
def test_options_that_leave_every_size_alike_are_compared(
        tmp_path, there, here, message):
    test_another_model_is_refused_by_name_though_every_size_fits(
        tmp_path, there, here, message)
    path = tmp_path / "own.safetensors"
    save_model(there(), path, "words")
    load_model(there(), path, "words")


def test_a_file_that_knows_no_options_is_read(tmp_path):
    """As those that were written before there were any."""
    path, model = tmp_path / "a.safetensors", own(gain=3.0)()
    save_model(model, path, "words")
    tensors, notes = opened(path)
    del notes["options"]
    path.write_bytes(b"".join(packed(tensors, {"softdict": json.dumps(notes)})))
    load_model(own()(), path, "words")


def test_each_field_of_a_config_changes_what_a_model_is_known_by():
    """Whoever adds one is told here if a saved model would not know it."""
    def known(model):
        return (architecture(model), options(model),
                {name: part.shape for name, part in model.state_dict().items()})

    others = {"width": 24, "heads": 6, "layers": 2, "hidden": 7, "attend": nearer,
              "vocab_size": 7, "kv_heads": 1, "theta": 3.0,
              "pairing": "interleaved",
              "bias": True, "tied": True, "eps": 0.1, "positions": "learned",
              "norm": "layer", "feed_forward": "gelu"}
    # no part of what was learned: rotary positions have no last one
    free = {"dropout", "context_length"}
    for make, plain in (
            (partial(make_transformer, 11, 10), TransformerConfig(12, 3, 1, 20)),
            (DecoderOnly, DecoderOnlyConfig(11, 12, 3, 3, 1, 20, 8, **LLAMA))):
        for name in vars(plain).keys() - free:
            changes = {name: others[name]}
            if name == "heads" and "kv_heads" in vars(plain):
                changes["kv_heads"] = 6
            assert known(make(plain)) != known(make(replace(plain, **changes))), name


def test_what_was_learned_with_one_attention_serves_another(tmp_path):
    """The fused one of torch, and ours, which keeps its weights."""
    path = tmp_path / "a.safetensors"
    for there, here in ((sdpa, attention), (partial(rotary, attend=sdpa),
                                            partial(rotary, attend=attention))):
        save_model(placed(there)(), path, "words")
        load_model(placed(here)(), path, "words")


@pytest.mark.parametrize("make", [
    transformers(), transformers(positional_encoding="rotary", pre_norm=False),
    transformers(positional_encoding="learned", tied=False), attending(LuongDecoder)])
def test_the_same_model_is_taken_back(tmp_path, make):
    path, (whole, again) = tmp_path / "a.safetensors", (make(), make())
    save_model(whole, path, "words")
    load_model(again, path, "words")
    assert architecture(whole) == architecture(again)
    assert all(map(torch.equal, whole.state_dict().values(),
                   again.state_dict().values()))
    save_model(whole, path, "words", torch.float16)
    load_model(again, path, "words")
    for name, part in again.state_dict().items():
        torch.testing.assert_close(part, whole.state_dict()[name], rtol=1e-3, atol=1e-6)


# Files that were whole once

@pytest.fixture(params=["float32", "float16"])
def trained(tmp_path, request):
    """A training at its end, and its file."""
    settings = replace(SHORT, precision=request.param)
    run = make_training(settings)
    train(run, PAIRS, path=tmp_path / "a.safetensors")
    return make_training(settings), tmp_path / "a.safetensors"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a checkpoint, and a folder for damaged ones."""
    folder, run = tmp_path_factory.mktemp("damaged"), make_training()
    train(run, PAIRS, path=folder / "whole.safetensors")
    return (folder / "whole.safetensors").read_bytes(), folder / "file.safetensors"


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.data())
def test_any_bytes_are_loaded_or_refused_and_then_change_nothing(whole, data):
    content, file = whole
    notes = 8 + int.from_bytes(content[:8], "little")    # they stand in front
    place = data.draw(st.integers(0, notes) | st.integers(0, len(content) - 1))
    patch = data.draw(st.binary(max_size=8) | st.sampled_from([b"null", b"[]", b"-1"]))
    rest = data.draw(st.sampled_from([b"", content[place:],
                                      content[place + len(patch):]]))
    file.write_bytes(content[:place] + patch + rest)
    run = make_training()
    before = weights(run).clone()
    try:
        load(run, file)
    except ValueError as error:
        assert "\n" not in str(error) and len(str(error)) < 500
        assert torch.equal(weights(run), before) and run.history == []
    else:
        assert len(run.history) == 9


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.data())
def test_notes_with_any_value_are_refused(whole, data):
    content, file = whole
    file.write_bytes(content)
    tensors, notes = opened(file)
    notes = data.draw(changed(json.dumps(notes))).decode("utf-8")
    with safetensors.safe_open(file, framework="pt") as other:
        told = other.metadata()
    safetensors.torch.save_file(tensors, file, told | {"softdict": notes})
    run = make_training()
    before = weights(run).clone()
    try:
        load(run, file)
    except ValueError as error:
        assert "\n" not in str(error) and len(str(error)) < 900
        assert torch.equal(weights(run), before) and run.history == []
    else:
        assert notes == told["softdict"]


def state_of(run):
    """All that a training has come to, as values that can be compared."""
    held = run.optimizer.state_dict()["state"]
    return ([tensor.tolist() for tensor in run.model.state_dict().values()],
            {number: {name: value.tolist() if isinstance(value, torch.Tensor) else value
                      for name, value in state.items()}
             for number, state in held.items()}, run.history)


def test_a_flipped_bit_in_a_checkpoint_is_refused_or_changes_nothing(whole):
    content, file = whole
    file.write_bytes(content)
    right = make_training()
    load(right, file)
    refusals = 0
    for bit in bits(content, 1):
        file.write_bytes(flipped(content, bit))
        run = make_training()
        before = state_of(run)
        try:
            load(run, file)
        except ValueError as error:
            assert "\n" not in str(error) and len(str(error)) < 900
            assert state_of(run) == before
            refusals += 1
        else:
            assert state_of(run) == state_of(right)
    assert refusals > 35


@pytest.mark.parametrize("dtype", [None, torch.float16, torch.bfloat16], ids=str)
def test_a_flipped_bit_in_a_model_is_refused_or_changes_nothing(tmp_path, dtype):
    file, model = tmp_path / "a.safetensors", make_training().model
    save_model(model, file, "words", dtype)
    content = file.read_bytes()
    load_model(model, file, "words")
    right, refusals = weights_of(model), 0
    for bit in bits(content, 2):
        file.write_bytes(flipped(content, bit))
        other = make_training(width=12).model
        before = weights_of(other)
        try:
            load_model(other, file, "words")
        except ValueError as error:
            assert "\n" not in str(error) and len(str(error)) < 900
            assert torch.equal(weights_of(other), before)
            refusals += 1
        else:
            assert torch.equal(weights_of(other), right)
    assert refusals > 35


def weights_of(model):
    return torch.cat([part.detach().flatten().clone() for part in model.parameters()])


def test_a_flipped_bit_in_a_history_is_refused(whole):
    """A digit of a loss becomes another digit: all is read, and nothing fits worse."""
    content, file = whole
    place = content.index(b"loss") + content[content.index(b"loss"):].index(b".") + 2
    assert content[place:place + 1].isdigit()
    file.write_bytes(flipped(content, 8 * place))
    with pytest.raises(CorruptFile, match="its checksum"):
        load(make_training(), file)


def test_a_flipped_weight_is_named_with_a_way_out(file):
    content = file.read_bytes()
    file.write_bytes(flipped(content, 8 * len(content) - 5))
    run = make_training()
    for read in (lambda: load(run, file), lambda: load_model(run.model, file, "words")):
        with pytest.raises(CorruptFile) as refusal:
            read()
        assert str(refusal.value) == (
            "a.safetensors is damaged: its checksum (SHA-256) is not that of what it "
            "holds; copy it again, or train again")


def test_the_checksum_knows_names_kinds_shapes_and_notes():
    tensors = {"a": torch.arange(6.0), "b": torch.tensor(2.0)}
    others = [tensors | {"a": torch.arange(6.0).view(2, 3)},
              tensors | {"a": torch.arange(6.0).view(torch.int32)},
              {"c": tensors["a"], "b": tensors["b"]},
              {"a": tensors["a"]}, tensors | {"b": torch.tensor([2.0])},
              tensors | {"b": torch.tensor(-0.0)}, tensors | {"b": torch.tensor(0.0)}]
    told = {"softdict": "notes", "more": "1"}
    sums = [checksum(one, told) for one in [tensors, *others]]
    assert len({*sums, checksum(tensors, {"softdict": "others"}),
                checksum(tensors, {})}) == 10
    assert checksum(dict(reversed(tensors.items())),
                    dict(reversed(told.items()))) == sums[0]
    assert checksum({"a": torch.arange(6.0).view(2, 3).T.contiguous()}, {}) == checksum(
        {"a": torch.arange(6.0).view(2, 3).T}, {})


def test_the_same_content_gives_the_same_bytes_which_the_library_reads(tmp_path):
    tensors = {f"part {n}": torch.randn(n, 3) for n in range(1, 5)}
    told = {name: "\u00e9 \"quoted\" \n" * 5 for name in "abcdefgh"}
    [content] = {b"".join(packed(tensors, told)) for _ in range(20)}
    (tmp_path / "a.safetensors").write_bytes(content)
    with safetensors.safe_open(tmp_path / "a.safetensors", framework="pt") as file:
        assert file.metadata() == told | {"sha256": checksum(tensors, told)}
        assert all(torch.equal(file.get_tensor(name), tensors[name])
                   for name in tensors)


def test_a_model_of_an_earlier_version_is_read_and_saved_with_a_checksum(tmp_path):
    file = tmp_path / "a.safetensors"
    save_model(make_training().model, file, "words", torch.float16)
    tensors, notes = opened(file)
    whole, model = file.read_bytes(), make_training().model
    safetensors.torch.save_file(tensors, file, {"softdict": json.dumps(notes)})
    nn.utils.vector_to_parameters(torch.zeros(10 ** 5), model.parameters())
    load_model(model, file, "words")
    save_model(model, file, "words", torch.float16)
    assert file.read_bytes() == whole


def test_a_training_of_an_earlier_version_is_refused_and_kept(file):
    tensors, notes = opened(file)
    notes.pop("optimizer")
    safetensors.torch.save_file(tensors, file, {"softdict": json.dumps(notes)})
    refused(make_training(), file, "was written by an earlier version of softdict, and "
            "that one can go on with it; here, use another file")


def test_the_model_that_comes_with_the_package_has_a_checksum():
    with safetensors.safe_open(runtime.ASSETS / "transformer" / "weights.safetensors",
                               framework="pt") as content:
        assert len(content.metadata()["sha256"]) == 64


def signed(tensors, notes):
    """The bytes of a whole file with these notes."""
    return b"".join(packed(tensors, {"softdict": json.dumps(notes)}))


def dropped(*starts):
    return lambda tensors: [tensors.pop(name) for name in list(tensors)
                            if name.startswith(starts)]


def filled(name, value):
    return lambda tensors: tensors[name].fill_(value)


@pytest.mark.parametrize("notes, message", [
    ([], "damaged, cut short or no checkpoint"), (None, "damaged"), (3, "damaged"),
    ({}, "damaged"), ({"vocabulary": "words"}, "damaged"),
    ({"architecture": "Seq2Seq"}, "damaged"), ({"architecture": None}, "damaged"),
    ({"architecture": {}}, "holds another model: the whole is missing there"),
], ids=str)
def test_other_notes_are_one_sentence_and_change_nothing(trained, notes, message):
    run, file = trained
    tensors, whole = opened(file)
    if isinstance(notes, dict):
        notes = whole | notes if notes.keys() - {"vocabulary"} else notes
    file.write_bytes(signed(tensors, notes))
    refused(run, file, message)


@pytest.mark.parametrize("change, message", [
    (dropped("model."), "a model of another size: .* is missing there"),
    (dropped("model.generator.bias"), "generator.bias is missing there"),
    (filled("model.generator.bias", math.nan),
     "holds weights that are no numbers, in model.generator.bias: its training went"),
    (filled("model.encoder.embedding.weight", math.inf), "weights that are no numbers"),
    (filled("optimizer.1.exp_avg_sq", math.nan), "in optimizer.1.exp_avg_sq"),
    (lambda tensors: [filled(name, math.nan)(tensors) for name in tensors],
     "weights that are no numbers"),
])
def test_other_tensors_are_one_sentence_and_change_nothing(trained, change, message):
    run, file = trained
    tensors, notes = opened(file)
    change(tensors)
    file.write_bytes(signed(tensors, notes))
    refused(run, file, message)


def refused(run, file, message):
    """The training and its model both refuse the file, and stay as they are."""
    before = weights(run)
    with pytest.raises(ValueError, match=f"^a.safetensors .*{message}") as refusal:
        train(run, PAIRS, path=file)
    assert "\n" not in str(refusal.value)
    assert torch.equal(weights(run), before)
    assert not run.history and not run.optimizer.state_dict()["state"]


def test_a_damaged_file_is_renamed_and_no_earlier_one_is_lost(file):
    for number in (1, 2, 3):
        file.write_text(f"content {number}")
        with pytest.raises(CorruptFile) as damage:
            load(make_training(), file)
        assert begin_anew(file, damage.value) == (
            "a.safetensors is damaged, cut short or no checkpoint of softdict: the "
            "training begins anew, and the damaged file is kept as "
            f"a.safetensors.damaged{number}")
    assert {path.name: path.read_text() for path in file.parent.iterdir()} == {
        f"a.safetensors.damaged{number}": f"content {number}" for number in (1, 2, 3)}


def test_updates_that_the_scaler_skipped_are_no_damage(tmp_path):
    """With float16 a history may have more updates than its optimizer has steps."""
    settings = replace(SHORT, precision="float16")
    run, path = make_training(settings), tmp_path / "a.safetensors"
    handle = run.model.generator.weight.register_hook(
        lambda slope: slope * float("inf"))
    for batch in epoch_batches(PAIRS, 6, 0, 0)[:2]:
        run.history.append(update(run, batch))
        handle.remove()
    save(run, path)
    again = make_training(settings)
    load(again, path)
    assert len(again.history) == 2 and torch.equal(weights(again), weights(run))
    assert {int(state["step"]) for state in again.optimizer.state.values()} == {1}


# Optimizers of one's own

def two_groups(model, kind=torch.optim.AdamW, **changes):
    """Biases and norms are not shrunk, and learn at a rate of their own."""
    flat = [part for part in model.parameters() if part.ndim < 2]
    wide = [part for part in model.parameters() if part.ndim > 1]
    return kind([{"params": wide, "weight_decay": 0.3},
                 {"params": flat, "lr": 1e-3, "weight_decay": 0.0} | changes], lr=4e-3)


def frozen(model):
    for part in model.encoder.parameters():
        part.requires_grad_(False)
    return torch.optim.Adam(model.parameters(), lr=4e-3)


def decoder_alone(model):
    frozen(model)
    model.generator.requires_grad_(False)
    return torch.optim.AdamW(model.decoder.parameters(), lr=4e-3, amsgrad=True)


class Counting(torch.optim.Optimizer):
    """Its steps become shorter; it counts them in numbers, and not in tensors."""

    def __init__(self, weights, lr):
        super().__init__(weights, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for weight in group["params"]:
                state = self.state[weight]
                state["count"] = state.get("count", 0) + 1
                weight -= group["lr"] / state["count"] * weight.grad


OPTIMIZERS = {
    "numbers alone": lambda model: Counting(model.parameters(), lr=4e-3),
    "AdamW, two groups": two_groups,
    "another order": lambda model: torch.optim.Adam(
        list(model.parameters())[::-1], lr=4e-3),
    "a part alone": decoder_alone,
    "frozen weights": frozen,
    "no state": lambda model: torch.optim.SGD(model.parameters(), lr=4e-3),
    "momentum": lambda model: torch.optim.SGD(model.parameters(), 4e-3, momentum=0.9),
    "a tensor for all": lambda model: torch.optim.NAdam(model.parameters(), 4e-3),
    "rows and columns": lambda model: torch.optim.Adafactor(model.parameters(), 4e-3)}


def with_optimizer(make, model=None, **changes):
    model = model or make_training().model
    return TrainingState(model, replace(SHORT, **changes), "words",
                         optimizer=make(model))


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_any_optimizer_goes_on_as_if_nothing_had_happened(tmp_path, name):
    make, path = OPTIMIZERS[name], tmp_path / "a.safetensors"
    whole, killed, resumed = (with_optimizer(make) for _ in range(3))
    train(whole, PAIRS)
    with stopped_in(6):
        train(killed, PAIRS, path=path)
    content = path.read_bytes()
    train(resumed, PAIRS, path=path)
    assert state_of(resumed) == state_of(whole)
    assert len(resumed.history) == 9 and path.read_bytes() != content
    assert ([group | {"params": None} for group in resumed.optimizer.param_groups]
            == [group | {"params": None} for group in whole.optimizer.param_groups])
    # a state that is lost, or another weight's, would be seen
    if name != "no state":
        lost = with_optimizer(make)
        path.write_bytes(content)
        load(lost, path)
        lost.optimizer.state.clear()
        train(lost, PAIRS)
        assert state_of(lost) != state_of(whole)


@pytest.mark.parametrize("there, here, message", [
    (OPTIMIZERS["AdamW, two groups"], None, "the optimizer is AdamW there and Adam"),
    (None, OPTIMIZERS["AdamW, two groups"], "the optimizer is Adam there and AdamW"),
    (OPTIMIZERS["AdamW, two groups"],
     lambda model: torch.optim.AdamW(model.parameters(), lr=4e-3),
     "the number of its groups is 2 there and 1 here"),
    (OPTIMIZERS["another order"],
     lambda model: torch.optim.Adam(model.parameters(), lr=4e-3),
     "the place of encoder.embedding.weight is 16 of group 1 there and 1 of group 1"),
    (two_groups, lambda model: two_groups(model, weight_decay=0.1),
     "weight_decay of group 2 is 0.0 there and 0.1 here"),
    (two_groups, lambda model: two_groups(model, lr=2e-3),
     "factor of group 2 is 0.25 there and 0.5 here"),
    (two_groups, lambda model: two_groups(model, betas=(0.9, 0.98)),
     r"betas of group 2 is \[0.9, 0.999\] there and \[0.9, 0.98\] here"),
    (OPTIMIZERS["a part alone"],
     lambda model: torch.optim.AdamW(model.parameters(), lr=4e-3, amsgrad=True),
     "the place of encoder.embedding.weight is missing there and 1 of group 1 here"),
])
def test_a_checkpoint_of_other_groups_is_refused_by_what_differs(
        tmp_path, there, here, message):
    default = lambda model: None    # noqa: E731
    path = tmp_path / "a.safetensors"
    train(with_optimizer(there or default, updates=3), PAIRS, path=path)
    content = path.read_bytes()
    refused(with_optimizer(here or default, updates=3), path,
            f"belongs to a training with another optimizer: {message}")
    assert path.read_bytes() == content


def test_what_no_checkpoint_can_hold_is_said(tmp_path):
    run = make_training()
    update(run, make_batch(PAIRS[:6]))
    run.optimizer.state[run.model.generator.bias]["notes"] = ["a", "list"]
    with pytest.raises(ValueError, match="Adam keeps notes, a list: no checkpoint can"):
        save(run, tmp_path / "a.safetensors")
    assert not list(tmp_path.iterdir())
