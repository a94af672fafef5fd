"""Settings: each of them counts in each kind of training."""

import json
import tempfile
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path

import pytest
import torch
from torch import distributed as torch_distributed

from softdict.pretraining import TextModel, masked_update, next_word_update
from softdict.programs import distributed, text_trainer
from softdict.programs.text_trainer import train_text
from softdict.training import Settings, TrainingState, train
from softdict.transformer import TransformerConfig, make_transformer

USUAL = Settings(updates=6, batch_size=8, peak_rate=4e-3, clip=0.05, interval=3)
OTHER = {"updates": 7, "batch_size": 9, "peak_rate": 5e-3, "clip": 0.04, "seed": 1,
         "interval": 2, "precision": "bfloat16", "warmup": 3,
         "schedule": "inverse_sqrt", "smoothing": 0.1, "micro_batches": 2}
# what goes with them: the schedule "inverse_sqrt" needs a warm-up
WITH = {"schedule": {"warmup": 3}}
PAIRS = [([4 + (n * k) % 7 for k in range(1, 2 + n % 5)],
          [4 + (n + k) % 7 for k in range(1, 2 + n % 4)]) for n in range(30)]
TEXT = "".join(f"The dog number {number} sees {number + 1}.\n" for number in range(40))
SIZES = TransformerConfig(8, 2, 1, 12, dropout=0.2)


@pytest.fixture(autouse=True)
def no_samples(monkeypatch):
    """Neither samples nor pictures: they take most of the time, and change nothing."""
    monkeypatch.setattr(text_trainer, "sample_text", lambda *given, **more: "")
    monkeypatch.setattr(text_trainer, "curves", lambda *given, **more: b"")


def ended(training):
    """What a training has come to: its history and its weights."""
    return json.dumps(training.history), torch.cat(
        [weight.detach().flatten() for weight in training.model.parameters()])


def found(model):
    return {"found": 1}


def translator(settings):
    torch.manual_seed(0)
    training = TrainingState(make_transformer(11, 11, SIZES), settings)
    train(training, PAIRS, found)
    return ended(training)


@contextmanager
def group_of_one():
    torch_distributed.init_process_group(
        "gloo", store=torch_distributed.HashStore(), rank=0, world_size=1)
    try:
        yield
    finally:
        torch_distributed.destroy_process_group()


def several(settings):
    torch.manual_seed(0)
    training = TrainingState(make_transformer(11, 11, SIZES), settings)
    with group_of_one():
        distributed.train(training, PAIRS, found)
    return ended(training)


def text_model(update, settings):
    torch.manual_seed(0)
    training = TrainingState(TextModel(12, SIZES), settings)
    train(training, PAIRS, found, update=update)
    return ended(training)


def language_model(settings):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "text.txt").write_text(TEXT)
        changes = {part.name: getattr(settings, part.name) for part in fields(Settings)}
        train_text(Path(folder) / "text.txt", Path(folder) / "out", say=str,
                   sizes={"width": 8, "heads": 2, "layers": 1, "hidden": 12,
                          "context_length": 9, "dropout": 0.2}, **changes)
        return tuple((Path(folder) / "out" / name).read_bytes()
                     for name in ("history.jsonl", "model.safetensors"))


KINDS = {"a translator": translator, "several processes": several,
         "masked words": lambda settings: text_model(masked_update, settings),
         "next words": lambda settings: text_model(next_word_update, settings),
         "a text": language_model}


def same(one, other):
    return all(a == b if isinstance(a, (str, bytes)) else torch.equal(a, b)
               for a, b in zip(one, other))


@pytest.mark.parametrize("name", KINDS)
def test_each_setting_changes_each_kind_of_training_or_is_refused(name):
    """A new setting needs a line in OTHER; one that is ignored is found."""
    assert OTHER.keys() == {part.name for part in fields(Settings)}, (
        "say in OTHER how the new setting can be set")
    if name == "several processes" and not torch_distributed.is_gloo_available():
        pytest.skip("this PyTorch was built without gloo")
    kind, ignored = KINDS[name], []
    usual = kind(USUAL)
    assert same(usual, kind(USUAL))    # what differs below is not chance
    for setting, value in [*OTHER.items(), ("schedule", "cosine")]:
        before = replace(USUAL, **WITH.get(setting, {}))
        try:
            after = kind(replace(before, **{setting: value}))
        except ValueError as error:
            assert "\n" not in str(error)
            continue
        if same(usual if before == USUAL else kind(before), after):
            ignored.append(setting)
    assert ignored == []
