"""checkpoint: killed at any moment a training comes to the same end; a file that does not fit changes nothing."""

import json
import os
import subprocess
import sys
import textwrap
from dataclasses import replace

import pytest
import safetensors
import torch
from torch import nn

from softdict import runtime, training
from softdict.batches import epoch_batches
from softdict.checkpoint import load, load_model, save
from softdict.training import train, update
from test_training import PAIRS, SHORT, make_training, weights


@pytest.mark.parametrize("kill_after", range(1, 10))
def test_killed_after_any_update_and_resumed_it_ends_in_the_same_weights(tmp_path, kill_after, monkeypatch):
    whole = make_training()
    train(whole, PAIRS, path=tmp_path / "whole.safetensors")
    count, real = 0, training.update

    def update_then_die(*arguments):
        nonlocal count
        count += 1
        if count > kill_after:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(training, "update", update_then_die)
    if kill_after < 9:
        with pytest.raises(KeyboardInterrupt):
            train(make_training(), PAIRS, path=tmp_path / "killed.safetensors")
    monkeypatch.undo()
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
        training.train(test_training.make_training(), test_training.PAIRS, path={path!r})
    """
    path = tmp_path / "killed.safetensors"
    script = textwrap.dedent(script).format(tests=os.path.dirname(__file__), path=str(path))
    done = subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 9
    assert len(list(tmp_path.iterdir())) == 2    # the checkpoint, and a whole file that was not yet renamed
    resumed, whole = make_training(), make_training()
    load(resumed, path)
    assert len(resumed.history) == 3
    train(resumed, PAIRS, path=path)
    train(whole, PAIRS)
    assert torch.equal(weights(resumed), weights(whole))


def test_without_the_moments_of_adam_it_would_not_be_the_same(tmp_path):
    """What the comparison above would catch: a checkpoint that holds the weights alone."""
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
            assert torch.equal(loaded.optimizer.state[mine][name], saved.optimizer.state[yours][name])


@pytest.fixture
def file(tmp_path):
    save(make_training(), tmp_path / "a.safetensors")
    return tmp_path / "a.safetensors"


@pytest.mark.parametrize("other, message", [
    (dict(vocabulary="other words"), "a.safetensors was trained with another vocabulary"),
    (dict(width=14), r"a model of another size: encoder.rnn.weight_ih_l0 is \[18, 5\] there and \[21, 5\] here"),
    (dict(settings=replace(SHORT, seed=1)), "belongs to a training with other settings"),
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
    with pytest.raises(ValueError, match="a.safetensors is damaged, cut short or no checkpoint"):
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
    with pytest.raises(OSError, match="a.safetensors was not saved, and an earlier one is untouched: No space left"):
        train(make_training(), PAIRS, path=file)
    assert file.read_bytes() == before
    monkeypatch.undo()
    assert len(train(make_training(), PAIRS, path=file)) == 9


def test_notes_of_a_checkpoint_are_json(file):
    with safetensors.safe_open(file, framework="pt") as content:
        notes = json.loads(content.metadata()["softdict"])
    assert set(notes) == {"vocabulary", "settings", "history", "scaler"}
