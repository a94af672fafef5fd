"""The stacks of chapter 23 that translate: causal, the same in steps, and alike."""

import json
import math
import random
from functools import partial
from types import SimpleNamespace

import pytest
import torch
from softdict.batches import make_batch
from softdict.decoder_only import DecoderOnlyConfig
from softdict.experiments import runner, sentences, stacks, today
from softdict.experiments.hybrids import KINDS
from softdict.experiments.runner import run
from softdict.experiments.sentences import Example
from softdict.experiments.stacks import OneRow, StackSystem
from softdict.saving import recipes
from softdict.training import Settings, batch_loss, train
from softdict.vocab import BOS, EOS, PAD
from test_today import interrupted_at

NOUNS = {"dog": "개", "cat": "고양이", "cow": "소"}
SMALL = {"width": 16, "heads": 4, "kv_heads": 4, "hidden": 24, "context_length": 120,
         "positions": "rotary", "norm": "rms", "feed_forward": "swiglu"}
FEW = Settings(updates=5, batch_size=8, peak_rate=2e-3, interval=2)
each = pytest.mark.parametrize("kind", KINDS)


def make_examples(count, seed, most=12):
    """Sentences of 4 to `most` nouns, and their nouns in Korean."""
    rng, examples = random.Random(seed), []
    for _ in range(count):
        nouns = rng.choices(list(NOUNS), k=rng.randint(4, most))
        examples.append(Example(["<plain>", *nouns], [NOUNS[noun] for noun in nouns],
                                ["NOUN"] * len(nouns), (), len(nouns)))
    return examples


@pytest.fixture(autouse=True)
def made_corpus(tmp_path, monkeypatch):
    splits = {"train": make_examples(40, 0, 20), "valid": make_examples(30, 1, 20),
              "iid": make_examples(12, 2, 16)}
    monkeypatch.setattr(sentences, "split", splits.__getitem__)
    monkeypatch.setattr(recipes.corpus, "split", lambda name, *given, **more: [
        SimpleNamespace(words=example.source, morphemes=example.target)
        for example in splits[name]])
    monkeypatch.setattr(sentences, "join", " ".join)
    monkeypatch.setattr(runner, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(runner, "UNFINISHED", tmp_path / "unfinished")
    today.vocabulary.cache_clear()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield
    today.vocabulary.cache_clear()


def some(kind):
    """A small stack in double precision whose weights are far from 0."""
    config = DecoderOnlyConfig(len(today.vocabulary()), **SMALL)
    model = OneRow(config, kind).double().eval()
    for part in model.parameters():
        part.data.add_(0.6 * torch.randn_like(part))
    return model


def system(kind):
    return StackSystem(lambda: some(kind).float(), FEW)


# One row

@each
def test_no_state_depends_on_a_later_word(kind):
    model, ids = some(kind).model, torch.randint(4, 9, (3, 40))
    other = ids.clone()
    other[:, 20:] = ids[:, 20:].roll(1, dims=1)
    one, two = model(ids), model(other)
    torch.testing.assert_close(one[:, :20], two[:, :20], rtol=0, atol=1e-12)
    other[:, 0] = 4 + (ids[:, 0] == 4)    # and each depends on the first one
    assert ((model(other) - one)[:, :20].abs().amax(dim=-1) > 1e-6).all()


@each
@pytest.mark.parametrize("cuts", [[1] * 37, [33, 1, 3], [5, 32]], ids=len)
def test_a_row_in_steps_scores_as_the_whole_in_blocks(kind, cuts):
    model, ids = some(kind).model, torch.randint(4, 9, (2, 37))
    cache, parts = model.start(), []
    for part in ids.split(cuts, dim=1):
        parts.append(model(part, cache=cache))
    assert cache.length == 37
    torch.testing.assert_close(torch.cat(parts, dim=1), model(ids),
                               rtol=0, atol=1e-11)


@each
def test_a_loss_counts_the_words_of_the_target_and_no_pad_is_read(kind):
    model, pairs = some(kind), system(kind).ids(sentences.split("iid")[:6])
    batch = make_batch(pairs)
    assert (batch.source == PAD).any() and (batch.target_in == PAD).any()
    losses = []
    for source, target in pairs:    # each row alone
        logs = model.model(torch.tensor([[*source, BOS, *target]])).log_softmax(-1)
        losses += [-logs[0, len(source) + n, word]
                   for n, word in enumerate([*target, EOS])]
    torch.testing.assert_close(batch_loss(model, batch, FEW).double(),
                               torch.stack(losses).mean(), rtol=1e-5, atol=1e-6)


def test_four_softmax_layers_are_the_model_of_today():
    ours, theirs = some("softmax"), today.OneText(
        DecoderOnlyConfig(len(today.vocabulary()), **SMALL)).double().eval()
    theirs.load_state_dict(ours.state_dict())
    batch = make_batch(system("softmax").ids(sentences.split("iid")[:6]))
    real = batch.target_in != PAD
    one, two = (model.states(batch.source, batch.source_lengths, batch.target_in)[real]
                for model in (ours, theirs))
    torch.testing.assert_close(one, two, rtol=0, atol=1e-11)


@each
def test_a_translation_does_not_depend_on_its_batch(kind, monkeypatch):
    model, examples = some(kind), sentences.split("iid")[:7]
    monkeypatch.setattr(today, "generate", partial(today.generate, count=9))
    wanted = []
    for source, _ in system(kind).ids(examples):
        text = [*source, BOS]
        while text[-1] != EOS and len(text) < len(source) + 10:
            logits = model.model(torch.tensor([text]))[0, -1]
            logits[[PAD, BOS]] = -math.inf
            text.append(logits.argmax().item())
        line = text[len(source) + 1:]
        wanted.append(today.vocabulary().tokens(line[:-1] if line[-1] == EOS else line))
    assert len({tuple(line) for line in wanted}) > 1
    assert system(kind).translate(model, examples) == wanted
    assert system(kind).translate(model, examples, size=2) == wanted


# Alike but for the layers

def test_kinds_differ_by_strengths_and_gates_alone():
    sizes = {kind: sum(part.numel() for part in some(kind).parameters())
             for kind in KINDS}
    small = 2 * (16 + 1) * 4    # two layers from 16 numbers to 4 heads
    assert sizes["hybrid"] == sizes["softmax first"] == sizes["memory"] - small
    assert sizes["memory"] == sizes["softmax"] + 4 * small
    names = [type(layer.attention).__name__ for layer in some("hybrid").model.layers]
    assert names == ["Memory"] * 3 + ["GroupedAttention"]
    assert len({one.settings for one in stacks.SYSTEMS.values()}) == 1


def test_all_kinds_are_trained_on_the_same_short_rows(monkeypatch):
    seen = {}
    for kind in KINDS:
        training, pairs = system(kind).start(3)
        assert max(len(source) for source, _ in pairs) == 1 + stacks.LONGEST
        assert 0 < len(pairs) < len(sentences.split("train"))
        rows = seen[kind] = []
        monkeypatch.setattr(training.model, "states", lambda *given, rows=rows,
                            states=training.model.states:
                            rows.append(given) or states(*given))
        train(training, pairs)
    assert {len(rows) for rows in seen.values()} == {5}
    for rows in seen.values():
        for one, two in zip(rows, seen["softmax"]):
            assert all(map(torch.equal, one, two))


def test_all_weights_begin_as_those_of_a_model_of_today():
    config = DecoderOnlyConfig(len(today.vocabulary()), **SMALL | {"width": 64})
    for name, part in OneRow(config, "hybrid").named_parameters():
        if name.endswith("bias"):
            assert not part.any(), name
        elif part.dim() == 2:
            std = 0.02 / 8 ** 0.5 if name.endswith(("out.weight", "down.weight")) \
                else 0.02
            assert part.std().item() == pytest.approx(std, rel=0.3), name


# What is stored

@pytest.mark.parametrize(("kind", "kept"), [
    ("softmax", lambda words: 4 * 2 * 16 * words), ("memory", lambda _: 4 * 4 * 4 * 4),
    ("hybrid", lambda words: 2 * 16 * words + 3 * 4 * 4 * 4)])
def test_bytes_of_a_cache_are_those_of_keys_values_and_states(kind, kept):
    model = system(kind).start(0)[0].model
    assert (system(kind).cache_bytes(model)
            == {str(words): 4 * kept(words) for words in stacks.WORDS})


def test_a_result_is_resumed_and_holds_short_and_longer_sentences(monkeypatch):
    one = system("hybrid")
    experiment = today.watched("hybrids-translation-hybrid", one, one.finish,
                               group="hybrids")
    run(experiment, 1)
    [file] = runner.RESULTS.glob("*.json")
    record = json.loads(file.read_text(encoding="utf-8"))
    result = record["result"]
    assert set(result) == {"updates", "loss on valid", "parameters", "loss",
                           "cache bytes", "loss on longer", "by length"}
    assert result["updates"] == [2, 4, 5] and len(set(result["loss on valid"])) == 3
    sizes = [example.length for example in sentences.split("iid")]
    assert [part["sentences"] for part in result["by length"].values()] == [
        sum(low <= size <= high for size in sizes)
        for low, high in ((4, 8), (9, 12), (13, 16))]
    path = runner.UNFINISHED / "half.safetensors"

    with monkeypatch.context() as patch:
        patch.setattr(today, "train", interrupted_at(4))
        with pytest.raises(KeyboardInterrupt):
            experiment.result(1, path)
    resumed = experiment.result(1, path)
    assert resumed["loss on valid"] == pytest.approx(result["loss on valid"], rel=1e-5)
    assert experiment.first(1) == pytest.approx(record["first"], rel=1e-5)
