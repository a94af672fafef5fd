"""The results of real text: how they are counted, and whether they come out again."""

import json
from dataclasses import fields, replace

import pytest
import torch
from softdict import runtime
from softdict.batches import make_batch
from softdict.decoding import greedy
from softdict.experiments import keeping_real, real_text
from softdict.saving.folder import FolderConfig
from softdict.saving.recipes import RECIPES
from softdict.subwords import subword_data
from softdict.texts.real_text import multi30k
from softdict.training import Settings, TrainingState, token_loss, train
from test_real_text import DATA, needs_data

REFERENCES = ["the old dog sleeps in the snow", "a man rides a red bike today",
              "two girls play near the water", "people wait for the last train"]
WORSE = ["the old cat sleeps in a house", *REFERENCES[1:3], "people for train wait"]


def test_words_seen_once_or_never_are_missed():
    training = [["a", "b", "a"], ["b", "c"]]
    test = [["a", "c"], ["d", "a", "a"], ["b", "b"]]
    assert real_text.missed(training, test) == {
        "different": 3, "once": 1 / 3, "unknown": 2 / 7, "sentences": 2 / 3}


def test_the_better_of_two_systems_wins_the_paired_bootstrap():
    bad, good = (real_text.bleu_counts(lines, REFERENCES)
                 for lines in (WORSE, REFERENCES))
    better = real_text.compared(bad, good)
    assert better["wins"] > 0.9 and better["gain"] > 10
    worse = real_text.compared(good, bad)
    assert worse["wins"] == 0 and worse["gain"] == -better["gain"]
    same = real_text.compared(bad, bad)
    assert (same["wins"], same["gain"], same["interval"]) == (0, 0, [0, 0])


def test_a_model_is_compared_with_others_that_write_the_same_language(
        monkeypatch, tmp_path):
    monkeypatch.setattr(real_text, "REAL", tmp_path)
    counts = real_text.bleu_counts(WORSE, REFERENCES)

    def record(name, seed=0, target="en", **more):
        made = {"experiment": name, "seed": seed, "languages": ["xx", target], **more}
        real_text.keep(real_text.name_of(made), made)
        return made

    mine = record("mine", counts=counts)
    record("mine", seed=1, counts=counts)
    record("small", target="de", counts=counts)
    record("old")
    record("theirs", counts=counts)
    assert [real_text.name_of(other) for other in real_text.others(mine)] == [
        "mine.1", "theirs.0"]


def test_the_comparisons_of_the_results_are_those_of_their_counts():
    for file in real_text.REAL.glob("*.[0-9].json"):
        record = json.loads(file.read_text("utf-8"))
        for name, kept in record.get("compared", {}).items():
            other = json.loads((real_text.REAL / f"{name}.json").read_text("utf-8"))
            again = real_text.compared(other["counts"], record["counts"])
            assert again["wins"] == kept["wins"]
            assert [again["gain"], *again["interval"]] == pytest.approx(
                [kept["gain"], *kept["interval"]], abs=1e-4)


@needs_data
@pytest.mark.parametrize("file", sorted(real_text.REAL.glob("*.[0-9].json")),
                         ids=lambda file: file.stem)
def test_the_first_five_losses_come_out_again(file):
    record = json.loads(file.read_text("utf-8"))
    data, _ = subword_data(*(multi30k(split, *record["languages"], DATA / "multi30k")
                             for split in ("train", "val")))
    vocab = data[2]
    ids = [tuple(map(vocab.ids, pair)) for pair in data[0]]
    names = {part.name for part in fields(Settings)}
    settings = {name: value for name, value in record["settings"].items()
                if name in names}
    runtime.seed(record["seed"])
    model = FolderConfig(record["model"], record["options"],
                         vocabulary="pieces").build(len(vocab), len(vocab))
    state = TrainingState(model, Settings(**settings))

    class Enough(Exception):
        pass

    def stop(model):
        raise Enough

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    state.settings = Settings(**settings | {"interval": 5})
    try:
        with pytest.raises(Enough):
            train(state, ids, stop)
    finally:
        torch.set_num_threads(threads)
    assert [line["loss"] for line in state.history] == pytest.approx(
        record["first"], rel=1e-3)


@pytest.mark.parametrize("line", ['{"loss": 1', "[1]", '{"rate": 1}', '{"loss": "x"}'])
def test_a_damaged_history_is_named(tmp_path, line):
    (tmp_path / "history.jsonl").write_text(f'{{"loss": 2.5}}\n{line}\n')
    with pytest.raises(ValueError, match="history.jsonl, line 2: this is no record"):
        real_text.history_of(tmp_path)


def test_a_folder_without_a_model_is_a_sentence(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(real_text, "REAL", tmp_path)
    assert real_text.main([str(tmp_path / "gone-de-en")]) == 2
    said = capsys.readouterr().err
    assert "gone-de-en" in said and len(said.splitlines()) == 1


# Which checkpoint to keep

SMALL = {"width": 16, "hidden": 16, "heads": 2, "layers": 1, "dropout": 0.0}


@pytest.mark.parametrize("size", [1, 3, 100])
def test_a_split_is_measured_as_in_one_batch(size, monkeypatch):
    """In slices of any size, and each translation beside its own reference."""
    monkeypatch.setattr(keeping_real, "SLICE", size)
    texts = [(one.split(" ", 1)[1], one) for one in [*REFERENCES, "a dog sleeps"]]
    (pairs, _, vocab, *_), pieces = subword_data(texts, texts, size=60)
    torch.manual_seed(1)
    model = RECIPES["transformer"].build(len(vocab), len(vocab), **SMALL)
    ids = [tuple(map(vocab.ids, pair)) for pair in pairs]
    train(TrainingState(model, Settings(updates=40, peak_rate=1e-2)), ids)
    batch = make_batch(ids)
    with torch.no_grad():
        model.eval()
        logits = model(batch.source, batch.source_lengths, batch.target_in)
        table = keeping_real.measured(model, texts, vocab, pieces)
    assert table["loss"] == pytest.approx(
        token_loss(logits, batch.target_out).item(), rel=1e-5)
    lines = [pieces.join(vocab.tokens(row))
             for row in greedy(model, batch.source, batch.source_lengths)]
    assert len(set(lines)) > 1    # else their order would not show
    score, _ = real_text.chrf(lines, [reference for _, reference in texts])
    assert table["chrf"] == pytest.approx(score.value, abs=1e-9)


def test_a_study_without_data_ends_with_one_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert keeping_real.main(["--data-dir", str(tmp_path / "gone")]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "gone" in line


@needs_data
@pytest.mark.parametrize("file", sorted(real_text.REAL.glob("keeping-*.json")),
                         ids=lambda file: file.stem)
def test_the_first_losses_of_a_study_come_out_again(file):
    record = json.loads(file.read_text("utf-8"))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        state, *_, pairs = keeping_real.start(DATA / "multi30k", record["seed"])
        state.settings = replace(state.settings, updates=5)
        losses = [line["loss"] for line in train(state, pairs)]
    finally:
        torch.set_num_threads(threads)
    assert losses == pytest.approx(record["first"], rel=1e-3)
