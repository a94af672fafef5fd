"""Early stopping: when a training ends, which weights are kept, and that an
interruption at any place changes neither."""

import json
import os
import re
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
import torch

from interruptions import steps
from softdict.__main__ import main
from softdict.programs import pair_trainer, text_trainer
from softdict.programs.stopping import BEST, METRICS, best_in, checked_metric, evaluator
from softdict.programs.writer import load_writer
from softdict.saving.folder import load_folder
from softdict.scoring import bleu, chrf
from softdict.texts.own_text import own_data
from softdict.training import Settings, TrainingState, train
from softdict.transformer import TransformerConfig, make_transformer

PAIRS = [([4 + n % 7, 5], [4 + n % 5, 6]) for n in range(8)]
FOUND = [3.0, 2.0, 2.5, 1.0, 1.5, 1.0, 1.75, 0.5]    # losses, one an evaluation
NOUNS = ["dog", "cat", "man", "old", "owl", "hen"]
LINES = [f"The {a} saw a {b}.\tIch {b} sah {a}!" for a in NOUNS for b in NOUNS]
# with which each metric finds its best early
RATES = {"loss": "0.5", "bleu": "0.03", "chrf": "0.03"}


def small(updates=8):
    """A training of a small Transformer that is evaluated behind each update."""
    torch.manual_seed(0)
    return TrainingState(make_transformer(11, 11, TransformerConfig(8, 2, 1, 8)),
                         Settings(updates=updates, batch_size=4, interval=1))


def weights(model):
    return torch.cat([part.detach().flatten().clone() for part in model.parameters()])


def judged(folder, metric, patience, found=FOUND):
    """A small training whose evaluations find these losses, or scores as good; the
    weights that each found, by update."""
    state, seen = small(), {}
    key, more = METRICS[metric or "loss"]

    def measure(model):
        done = len(state.history)
        seen[done] = weights(model)
        return {key: -found[done - 1] if more else found[done - 1]}

    with best_in(folder, state, metric):
        train(state, PAIRS, evaluator(state, measure, metric and folder / BEST[metric],
                                      patience, metric))
    return state, seen


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("patience, updates, best", [
    (1, 3, 2), (2, 6, 4), (3, 7, 4), (4, 8, 8), (0, 8, 8)])
def test_patience_stops_and_the_best_are_kept(tmp_path, metric, patience, updates,
                                              best):
    """The sixth is as good as the fourth: it is not better."""
    state, seen = judged(tmp_path, metric, patience)
    key, more = METRICS[metric]
    assert [record[key] for record in state.history] == [
        -loss if more else loss for loss in FOUND[:updates]]
    assert max(seen) == updates
    assert torch.equal(weights(state.model), seen[best])


@pytest.mark.parametrize("metric, best", [("loss", 4), ("chrf", 4), (None, 8)])
def test_a_metric_without_patience_keeps_the_best_and_never_stops(tmp_path, metric,
                                                                  best):
    state, seen = judged(tmp_path, metric, 0, FOUND[:7] + [9.0])
    assert len(state.history) == 8
    assert torch.equal(weights(state.model), seen[best])
    assert os.listdir(tmp_path) == ([BEST[metric]] if metric else [])


def test_patience_alone_means_the_loss():
    assert [checked_metric(*given) for given in (
        (0, None), (3, None), (0, "bleu"), (3, "chrf"))] == [
            None, "loss", "bleu", "chrf"]
    with pytest.raises(ValueError, match="--metric must be one of loss, bleu, chrf; "
                                         "got 'BLEU'"):
        checked_metric(0, "BLEU")


# From the command line


@pytest.fixture
def pairs(tmp_path, monkeypatch):
    """A file of 36 pairs; a training is evaluated behind every second update."""
    monkeypatch.setattr(pair_trainer, "EVERY", 2)
    monkeypatch.setattr(pair_trainer, "real_text_recipe",
                        lambda *given, **more: ({}, Settings(interval=2)))
    (tmp_path / "pairs.tsv").write_text("\n".join(LINES), encoding="utf-8")
    return str(tmp_path / "pairs.tsv")


def patient(pairs, out, *more, rate="0.03"):
    return ["train", "--pairs", pairs, "--valid", pairs, "--out", str(out), "--updates",
            "16", "--width", "16", "--heads", "2", "--layers", "1", "--rate", rate,
            *more]


def history(folder):
    return list(map(json.loads, (folder / "history.jsonl").read_text().splitlines()))


@pytest.mark.parametrize("metric", METRICS)
def test_a_training_stops_by_its_own_scores(pairs, tmp_path, metric):
    out = tmp_path / "model"
    main(patient(pairs, out, "--metric", metric, "--patience", "1", rate=RATES[metric]))
    key, more = METRICS[metric]
    records = history(out)
    found = [record[key] for record in records if key in record]
    best = (max if more else min)(found)
    assert len(records) < 16 and found.index(best) == len(found) - 2
    assert all("validation loss" in record for record in records if key in record)
    saved, data = load_folder(out), own_data(pairs, pairs)[1]
    assert saved.config.settings["metric"] == metric
    if metric == "loss":
        ids = [(saved.source_vocab.ids(source), saved.target_vocab.ids(target))
               for source, target in data]
        assert pair_trainer.validation_loss(saved.model, ids) == pytest.approx(best)
    else:
        assert pair_trainer.validation_score(saved, data, metric) == best
    assert not set(os.listdir(out)) & {*BEST.values(), pair_trainer.UNFINISHED}


def test_scores_are_those_of_greedy_translations(pairs, tmp_path):
    """In one batch or several, of words and of pieces: what `translate` writes."""
    for name, cut in (("words", []), ("pieces", ["--pieces", "35"])):
        main(patient(pairs, tmp_path / name, *cut, rate="0.06"))
        saved = load_folder(tmp_path / name)
        sides = [line.split("\t") for line in LINES]
        data = [tuple(map(saved.tokenize, side)) for side in sides]
        written = [saved.translate(source) for source, _ in data]
        texts = list(map(saved.join, written))
        wanted = [saved.join(target) for _, target in data]
        words = [re.findall(r"\w+|[.!]", text) for text in texts]
        right = [re.findall(r"\w+|[.!]", text) for text in wanted]
        for size in (5, 100):
            score = {metric: pair_trainer.validation_score(saved, data, metric, size)
                     for metric in ("bleu", "chrf")}
            assert score["bleu"] == pytest.approx(bleu(words, right)[0].value)
            assert score["chrf"] == pytest.approx(chrf(texts, wanted)[0].value)
        assert score["bleu"] > 0.5 and score["chrf"] > 10


def test_so_many_pairs_are_scored(pairs, tmp_path, monkeypatch):
    """The first ones: a score of theirs alone is in the history."""
    monkeypatch.setattr(pair_trainer, "SCORED", 7)
    main(patient(pairs, tmp_path / "model", "--metric", "chrf", "--updates", "2"))
    [score] = [record["chrF"] for record in history(tmp_path / "model")[1:]]
    saved, data = load_folder(tmp_path / "model"), own_data(pairs, pairs)[1]
    assert score == pair_trainer.validation_score(saved, data[:7], "chrf")
    assert score != pair_trainer.validation_score(saved, data, "chrf")


@contextmanager
def stopped_at_file(number):
    """KeyboardInterrupt where a file with this number gets its name."""
    replace, numbers = os.replace, count(1)

    def interrupted(*names):
        if next(numbers) == number:
            raise KeyboardInterrupt
        replace(*names)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", interrupted)
        yield numbers


def refused(capsys, *arguments):
    """The sentence with which a command ends."""
    with pytest.raises(SystemExit) as stop:
        main(list(map(str, arguments)))
    said = stop.value.code if isinstance(stop.value.code, str) else (
        capsys.readouterr().err)
    assert len(said.strip().splitlines()) == 1
    return said.strip()


def same_folders(one, other, but=()):
    assert sorted(os.listdir(one)) == sorted(os.listdir(other))
    for file in Path(one).iterdir():
        if file.name not in but:
            assert file.read_bytes() == (Path(other) / file.name).read_bytes()


def test_an_interruption_at_any_file_ends_in_the_same_bytes(pairs, tmp_path, capsys):
    """Also between the best weights and the checkpoint behind them, where they are
    renamed."""
    command = patient(pairs, tmp_path / "whole", "--metric", "chrf", "--updates", "5",
                      "--patience", "9")
    with stopped_at_file(0) as numbers:
        main(command)
    files = next(numbers) - 1
    assert files > 12
    for number in range(1, files + 1):
        out = tmp_path / f"stopped at {number}"
        command[command.index("--out") + 1] = str(out)
        with stopped_at_file(number):
            assert refused(capsys, *command).startswith("Stopped. The same command ")
        main(command)
        (out / f"{BEST['chrf']}.damaged1").unlink(missing_ok=True)
        same_folders(tmp_path / "whole", out)


@pytest.mark.parametrize("metric", METRICS)
def test_an_interruption_in_an_update_ends_in_the_same_bytes(pairs, tmp_path, capsys,
                                                             metric):
    command = patient(pairs, tmp_path / "whole", "--metric", metric, "--patience", "2",
                      rate=RATES[metric])
    main(command)
    command[command.index("--out") + 1] = str(tmp_path / "parts")
    # in the last: the best lies behind, and so does the first that was no better
    with steps(stop=len(history(tmp_path / "whole"))):
        refused(capsys, *command)
    main(command)
    same_folders(tmp_path / "whole", tmp_path / "parts")


@pytest.mark.parametrize("begun, then, kept, asked", [
    ([], ["--patience", "2"], "the last weights", "the best weights by loss"),
    ([], ["--metric", "bleu"], "the last weights", "the best weights by bleu"),
    (["--patience", "2"], [], "the best weights by loss", "the last weights"),
    (["--metric", "bleu"], ["--metric", "chrf"], "the best weights by bleu",
     "the best weights by chrf")])
def test_a_training_that_keeps_other_weights_is_another(pairs, tmp_path, capsys, begun,
                                                        then, kept, asked):
    out = tmp_path / "model"
    with steps(stop=3):
        refused(capsys, *patient(pairs, out, *begun))
    content = {file.name: file.read_bytes() for file in out.iterdir()}
    said = refused(capsys, *patient(pairs, out, *then))
    assert f"it keeps {kept}, and this command {asked} (--metric, --patience)" in said
    assert said.endswith("or name a new folder with --out, or delete this one")
    assert content == {file.name: file.read_bytes() for file in out.iterdir()}


def test_another_patience_may_go_on(pairs, tmp_path, capsys):
    out = tmp_path / "model"
    with steps(stop=3):
        refused(capsys, *patient(pairs, out, "--patience", "1"))
    main(patient(pairs, out, "--metric", "loss"))
    assert len(history(out)) == 16


def test_best_weights_without_a_checkpoint_are_of_no_training(pairs, tmp_path, capsys):
    """The process was killed between the two: all begins anew, with other words too,
    and by another metric. It is said, and they are renamed."""
    out = tmp_path / "model"
    with stopped_at_file(3):
        assert "begins anew" in refused(capsys, *patient(pairs, out, "--patience", "2"))
    assert sorted(os.listdir(out)) == [BEST["loss"], "run.toml"]
    best, aside = (out / BEST["loss"]).read_bytes(), f"{BEST['loss']}.damaged1"
    capsys.readouterr()
    with steps(stop=3):
        refused(capsys, *patient(pairs, out, "--min-count", "1", "--metric", "bleu"))
    assert (f"{BEST['loss']} lies there without an unfinished training: the training "
            f"begins anew, and the file is kept as {aside}") in capsys.readouterr().err
    assert (out / aside).read_bytes() == best
    assert sorted(os.listdir(out)) == [BEST["bleu"], aside, "run.toml",
                                       "unfinished.safetensors"]
    main(patient(pairs, out, "--min-count", "1", "--metric", "bleu"))
    assert not set(os.listdir(out)) & set(BEST.values())


def test_best_weights_beside_a_damaged_checkpoint_are_kept(pairs, tmp_path, capsys):
    out, command = tmp_path / "model", patient(pairs, tmp_path / "model", "--patience",
                                               "2")
    with steps(stop=3):
        refused(capsys, *command)
    path = out / "unfinished.safetensors"
    path.write_bytes(path.read_bytes()[:-9])
    best = (out / BEST["loss"]).read_bytes()
    with steps(stop=1):
        refused(capsys, *command)
    assert (out / f"{BEST['loss']}.damaged1").read_bytes() == best
    main(command)


# A text


TEXT = "".join(f"The dog number {number} sees {number + 1}.\n" for number in range(100))


@pytest.fixture
def text(tmp_path, monkeypatch):
    preset = text_trainer.PRESETS["small"]
    monkeypatch.setitem(text_trainer.PRESETS, "small", text_trainer.Preset(
        preset.sizes, Settings(updates=24, batch_size=3, peak_rate=2.0, interval=2)))
    monkeypatch.setattr(text_trainer, "SHOWN", 9)
    (tmp_path / "text.txt").write_text(TEXT)
    return ["train", "--text", str(tmp_path / "text.txt"), "--width", "16", "--heads",
            "2", "--layers", "1", "--hidden", "16", "--context-length", "12"]


def test_a_training_on_a_text_stops_too(text, tmp_path, capsys):
    command = [*text, "--out", str(tmp_path / "model"), "--patience", "2"]
    main(command)
    found = [record["validation loss"] for record in history(tmp_path / "model")
             if "validation loss" in record]
    assert len(found) < 12 and found.index(min(found)) == len(found) - 3
    assert sorted(os.listdir(tmp_path / "model")) == [
        "config.json", "curves.svg", "history.jsonl", "model.safetensors", "run.toml",
        "tokenizer.json"]
    # the best are other weights than the last
    main([*text, "--out", str(tmp_path / "last"), "--updates", str(2 * len(found))])
    one, other = (load_writer(tmp_path / name).model.state_dict()
                  for name in ("model", "last"))
    assert not all(torch.equal(one[name], other[name]) for name in one)
    with steps(stop=7):
        refused(capsys, *[*text, "--out", tmp_path / "parts", "--patience", "2"])
    assert BEST["loss"] in os.listdir(tmp_path / "parts")
    main([*text, "--out", str(tmp_path / "parts"), "--patience", "2"])
    same_folders(tmp_path / "model", tmp_path / "parts")


def test_a_language_model_has_no_translations_to_score(text, tmp_path, capsys):
    for metric in ("bleu", "chrf"):
        assert refused(capsys, *text, "--metric", metric, "--out", tmp_path / "out"
                       ).endswith("a language model is chosen by its loss: with --text "
                                  f"--metric is loss, not {metric}")
    assert "--metric must be one of loss, bleu, chrf; got 'ppl'" in refused(
        capsys, *text, "--metric", "ppl", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()
