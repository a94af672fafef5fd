"""The results of real text: how they are counted, and whether they come out again."""

import json
from dataclasses import fields

import pytest
import torch
from softdict import runtime
from softdict.experiments import real_text
from softdict.saving.folder import FolderConfig
from softdict.subwords import subword_data
from softdict.texts.real_text import multi30k
from softdict.training import Settings, TrainingState, train
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
