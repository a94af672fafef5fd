"""today: one text for two languages, what its loss counts, one change at a time."""

import json
import random
from dataclasses import asdict
from types import SimpleNamespace

import pytest
import torch
from softdict.batches import Batch, make_batch
from softdict.experiments import runner, sentences, today
from softdict.experiments.runner import run
from softdict.experiments.sentences import Example
from softdict.saving import recipes
from softdict.saving.recipes import RECIPES
from softdict.training import Settings, batch_loss, train
from softdict.vocab import BOS, EOS, PAD

NOUNS = {"dog": "개", "cat": "고양이", "cow": "소"}
SMALL = {"width": 16, "heads": 4, "kv_heads": 4, "layers": 2, "hidden": 24,
         "context_length": 120, "dropout": 0.0}
FEW = Settings(updates=7, batch_size=8, peak_rate=2e-3, interval=3)
NAMES = list(today.CHANGES)
each = pytest.mark.parametrize("name", NAMES)


def make_examples(count, seed):
    """Sentences of 2 to 6 nouns, and their nouns in Korean."""
    rng, examples = random.Random(seed), []
    for _ in range(count):
        nouns = rng.choices(list(NOUNS), k=rng.randint(2, 6))
        examples.append(Example(["<plain>", *nouns], [NOUNS[noun] for noun in nouns],
                                ["NOUN"] * len(nouns), (), len(nouns) + 2))
    return examples


@pytest.fixture(autouse=True)
def made_corpus(tmp_path, monkeypatch):
    splits = {"train": make_examples(40, 0), "valid": make_examples(130, 1),
              "iid": make_examples(9, 2), "long": make_examples(4, 3)}
    monkeypatch.setattr(sentences, "split", splits.__getitem__)
    monkeypatch.setattr(recipes.corpus, "split", lambda name, *given, **more: [
        SimpleNamespace(words=example.source, morphemes=example.target)
        for example in splits[name]])
    monkeypatch.setattr(sentences, "join", " ".join)
    monkeypatch.setattr(sentences, "HELD_OUT", ("iid", "long"))
    monkeypatch.setattr(runner, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(runner, "UNFINISHED", tmp_path / "unfinished")
    cached = (recipes.vocabs, today.vocabulary)
    for function in cached:
        function.cache_clear()
    yield
    for function in cached:    # the next tests want those of the real corpus
        function.cache_clear()


@pytest.fixture
def small(monkeypatch):
    """The seven systems with small models, whose weights are far from 0."""
    monkeypatch.setattr(today, "GPT2", SMALL)
    monkeypatch.setitem(today.CHANGES, "3-swiglu", {"feed_forward": "swiglu",
                                                    "hidden": 16})

    def build(name):
        model = today.OneText(today.config(name))
        with torch.no_grad():
            for part in model.parameters():
                part.add_(0.3 * torch.randn_like(part))
        return model

    made = {"today-0-both": today.Both(
        lambda *words: RECIPES["transformer"].build(*words, width=16, hidden=24,
                                                    dropout=0.0), FEW),
            **{f"today-{name}": today.DecoderOnlySystem(lambda name=name: build(name),
                                                        FEW) for name in NAMES}}
    monkeypatch.setattr(today, "SYSTEMS", made)
    return made


def some(small, name, count=9):
    """A model in double precision, and pairs of ids of several lengths."""
    system = small[f"today-{name}"]
    model = system.start(0)[0].model.double().eval()
    pairs = system.ids(sentences.split("iid"))[:count]
    assert len({len(source) for source, _ in pairs}) > 2
    return model, pairs


# What a loss counts

def losses_by_loop(model, source, target):
    """-log p of each target word and of EOS, read from the text of one pair alone."""
    text = [*source, BOS, *target]
    logs = model.model(torch.tensor([text]))[0].log_softmax(dim=-1)    # [T, V]
    return [-logs[len(source) + n, word] for n, word in enumerate([*target, EOS])]


@each
def test_a_loss_counts_the_words_of_the_target_alone(small, name):
    model, pairs = some(small, name)
    batch = make_batch(pairs)
    assert (batch.source == PAD).any() and (batch.target_in == PAD).any()
    found = batch_loss(model, batch, FEW)
    losses = [loss for pair in pairs for loss in losses_by_loop(model, *pair)]
    assert len(losses) == (batch.target_out != PAD).sum()
    # batch_loss turns logits to float32 before the loss
    torch.testing.assert_close(found.double(), torch.stack(losses).mean(),
                               rtol=1e-5, atol=1e-6)


@each
def test_more_pads_change_no_state(small, name):
    model, pairs = some(small, name)
    batch = make_batch(pairs)
    wide = Batch(torch.nn.functional.pad(batch.source, (0, 3), value=PAD),
                 batch.source_lengths,
                 torch.nn.functional.pad(batch.target_in, (0, 2), value=PAD),
                 batch.target_out)
    real = batch.target_in != PAD
    with torch.no_grad():
        few, more = (model.states(b.source, b.source_lengths, b.target_in)
                     for b in (batch, wide))
    torch.testing.assert_close(few[real], more[:, :real.shape[1]][real],
                               rtol=1e-9, atol=1e-9)


def test_the_loss_on_valid_is_the_mean_over_words_and_not_over_batches(small):
    system = small["today-1-decoder-only"]
    model = system.start(0)[0].model.double().eval()
    losses = [loss.item() for pair in system.ids(sentences.split("valid"))
              for loss in losses_by_loop(model, *pair)]
    assert system.valid_loss(model)["loss on valid"] == pytest.approx(
        sum(losses) / len(losses), rel=1e-5)


# What a model writes

@torch.no_grad()
def written_by_loop(model, source, count=100):
    """A greedy translation of one source, its text read anew for each word."""
    text = [*source, BOS]
    for _ in range(count):
        logits = model.model(torch.tensor([text]))[0, -1]    # [V]
        logits[[PAD, BOS]] = -torch.inf
        text.append(logits.argmax().item())
        if text[-1] == EOS:
            return text[len(source) + 1:-1]
    return text[len(source) + 1:]


@each
def test_a_translation_does_not_depend_on_its_batch(small, name):
    system, (model, pairs) = small[f"today-{name}"], some(small, name)
    examples = sentences.split("iid")
    wanted = [today.vocabulary().tokens(written_by_loop(model, source))
              for source, _ in pairs]
    assert len({tuple(line) for line in wanted}) > 1
    assert system.translate(model, examples) == wanted
    assert system.translate(model, examples, size=2) == wanted


# One change at a time

STEPS = {"2-rms-norm": {"norm": ("layer", "rms")},
         "3-swiglu": {"feed_forward": ("gelu", "swiglu"), "hidden": (624, 416)},
         "4-rotary": {"positions": ("learned", "rotary")},
         "5-grouped": {"kv_heads": (4, 2)},
         "6-no-biases": {"bias": (True, False)}}


def test_each_model_differs_from_the_one_before_in_the_named_change():
    assert NAMES == ["1-decoder-only", *STEPS]
    configs = [asdict(today.config(name)) for name in NAMES]
    for name, before, after in zip(STEPS, configs, configs[1:]):
        assert {key: (before[key], after[key]) for key in before
                if before[key] != after[key]} == STEPS[name]
    assert ([configs[0][key] for key in ("positions", "norm", "feed_forward", "bias",
                                         "tied", "heads", "kv_heads")]
            == ["learned", "layer", "gelu", True, True, 4, 4])


def test_seven_models_are_trained_alike():
    assert len(today.SYSTEMS) == 7
    assert {system.settings for system in today.SYSTEMS.values()} == {today.SETTINGS}
    assert len({system.pairs for system in today.SYSTEMS.values()}) == 1


def test_parameters_are_nearly_equal_until_something_is_taken_away(monkeypatch):
    # words of the book's corpus: 792 English, 443 Korean, with four specials each
    monkeypatch.setattr(today, "vocabulary",
                        lambda *given, **more: range(792 + 443 - 4))
    control = RECIPES["transformer"].build(792, 443)
    sizes = [sum(part.numel() for part in model.parameters()) for model in (
        control, *(today.OneText(today.config(name)) for name in NAMES))]
    assert max(sizes[:4]) / min(sizes[:4]) < 1.005
    assert 0.97 < sizes[4] / sizes[0] < 1               # no table of positions
    assert 0.9 < sizes[6] / sizes[0] < sizes[5] / sizes[0] < 0.95


@pytest.mark.parametrize(("name", "source", "target"), [
    ("0-both", 2 * 2 * 16 * 4, 2 * 2 * 16 * 4),
    ("1-decoder-only", 2 * 2 * 16 * 4, 2 * 2 * 16 * 4),
    ("5-grouped", 2 * 2 * 8 * 4, 2 * 2 * 8 * 4)])
def test_bytes_of_a_cache_are_those_of_its_keys_and_values(small, name, source, target):
    system = small[f"today-{name}"]
    assert (system.cache_bytes(system.start(0)[0].model)
            == {"source": source, "target": target})


# What is stored

def experiment(small, name):
    return today.watched(f"today-{name}", small[f"today-{name}"],
                         small[f"today-{name}"].finish)


def test_a_result_holds_its_loss_on_the_way(small):
    run(experiment(small, "1-decoder-only"), 1)
    [file] = runner.RESULTS.glob("*.json")
    record = json.loads(file.read_text(encoding="utf-8"))
    result = record["result"]
    assert result["updates"] == [3, 6, 7] and len(result["loss on valid"]) == 3
    assert len(set(result["loss on valid"])) == 3
    assert set(result) == {"updates", "loss on valid", "parameters", "loss",
                           "cache bytes a word", "by length", "splits", "samples"}
    assert record["first"] == pytest.approx(
        experiment(small, "1-decoder-only").first(1), rel=1e-5)


def interrupted_at(count):
    """`train`, which somebody interrupts after so many updates."""
    def interrupted(training, pairs, evaluate, path):
        def stop(model):
            if len(training.history) == count:
                raise KeyboardInterrupt
            return evaluate(model)
        return train(training, pairs, stop, path)
    return interrupted


@pytest.mark.parametrize("name", ["0-both", "6-no-biases"])
def test_an_interrupted_training_ends_with_the_same_losses(small, monkeypatch, name):
    whole = experiment(small, name).result(0, None)
    path = runner.UNFINISHED / "half.safetensors"
    path.parent.mkdir(parents=True)

    with monkeypatch.context() as patch:
        patch.setattr(today, "train", interrupted_at(6))
        with pytest.raises(KeyboardInterrupt):
            experiment(small, name).result(0, path)
    resumed = experiment(small, name).result(0, path)
    assert resumed["updates"] == whole["updates"] == [3, 6, 7]
    assert resumed["loss on valid"] == pytest.approx(whole["loss on valid"])
    assert resumed["by length"] == whole["by length"]


def test_every_model_makes_the_same_updates_when_it_is_paced(small):
    trainings, seconds = today.paces(0, 2)
    assert list(trainings) == list(seconds) == list(small)
    assert all(len(training.history) == 3 for training in trainings.values())
    assert all(len(row) == 2 and min(row) > 0 for row in seconds.values())
    batches = [[batch.target_out.ne(PAD).sum().item() for batch in today.epoch_batches(
        system.start(0)[1], 8, 0, 0)[:3]] for system in small.values()]
    assert batches == batches[:1] * 7    # the same pairs for all
    assert len(today.pace_first(0)) == 5
    table = today.pace(0, count=2)
    assert table["median"]["today-0-both"] > 0 and table["updates"] == 2


def test_the_group_is_complete():
    names = [experiment.name for experiment in today.EXPERIMENTS]
    assert len(names) == len(set(names)) == 7 + 4 + 1
    assert {experiment.group for experiment in today.EXPERIMENTS} == {"today"}
    assert all(len(experiment.seeds) == 3 for experiment in today.EXPERIMENTS[:7])
    assert names[7:11] == [f"today-rate-{name}-{rate}"    # 2 is that of the seven
                           for name in ("both", "decoder-only") for rate in (1, 4)]
