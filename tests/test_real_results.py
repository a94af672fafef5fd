"""The results of real text: how they are counted, and whether they come out again."""

import json
from dataclasses import fields, replace
from functools import cache

import pytest
import torch
from softdict import runtime
from softdict.batches import make_batch
from softdict.decoding import greedy
from softdict.experiments import captions, keeping_real, real_text
from softdict.saving.folder import FolderConfig
from softdict.saving.recipes import RECIPES
from softdict.subwords import subword_data
from softdict.texts.real_text import multi30k
from softdict.training import Settings, TrainingState, token_loss, train, train_on
from test_real_text import DATA, needs_data

REFERENCES = ["the old dog sleeps in the snow", "a man rides a red bike today",
              "two girls play near the water", "people wait for the last train"]
# learning the pieces of all captions takes seconds; nobody writes into the data
prepared = cache(subword_data)
# three losses so exact tell of another rate what five within 1e-3 do, in less time
FIRST, TOLERANCE = 3, 1e-4
WORSE = ["the old cat sleeps in a house", *REFERENCES[1:3], "people for train wait"]


def again(record):
    """The first losses of a record, as another machine computes them."""
    return pytest.approx(record["first"][:FIRST], rel=TOLERANCE)


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
def test_the_first_losses_come_out_again(file):
    record = json.loads(file.read_text("utf-8"))
    data, _ = prepared(*(tuple(multi30k(split, *record["languages"], DATA / "multi30k"))
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
    state.settings = Settings(**settings | {"interval": FIRST})
    try:
        with pytest.raises(Enough):
            train(state, ids, stop)
    finally:
        torch.set_num_threads(threads)
    assert [line["loss"] for line in state.history] == again(record)


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
def test_the_first_losses_of_a_study_come_out_again(file, monkeypatch):
    monkeypatch.setattr(keeping_real, "subword_data",
                        lambda *texts: prepared(*map(tuple, texts)))
    record = json.loads(file.read_text("utf-8"))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        state, *_, pairs = keeping_real.start(DATA / "multi30k", record["seed"])
        state.settings = replace(state.settings, updates=FIRST)
        losses = [line["loss"] for line in train(state, pairs)]
    finally:
        torch.set_num_threads(threads)
    assert losses == again(record)


# What each rule of decoding writes

SAID = ["A man in a red hat sits.", "A man in a blue hat runs.", "A dog runs in snow.",
        "Two dogs run in the snow.", "A man sits in the snow.", "Two men run."]


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A folder of six captions, and a model of them that is trained in a second."""
    for split in ("train", "val"):
        for language in ("de", "en"):
            (tmp_path / f"{split}.{language}").write_text("\n".join(SAID) + "\n")
    monkeypatch.setattr(captions, "OPTIONS", captions.OPTIONS | {
        "width": 16, "heads": 2, "kv_heads": 2, "layers": 1, "hidden": 16,
        "context_length": 32})
    monkeypatch.setattr(captions, "SETTINGS", Settings(
        updates=20, batch_size=4, peak_rate=2e-2, interval=10))
    for name, value in (("VOCAB_SIZE", 50), ("DRAWS", 3), ("NEW", 12),
                        ("SEEDS", (0, 1))):
        monkeypatch.setattr(captions, name, value)
    return tmp_path


@pytest.fixture
def writer(tiny):
    data = captions.Captions(tiny, captions.VOCAB_SIZE)
    state = captions.start(data)
    captions.train(state, data)
    return data, state.model.eval()


def test_a_run_of_four_words_counts_from_its_second_time():
    assert captions.repeated("a b c d. A b c d") == pytest.approx(1 / 5)
    assert captions.repeated("a a a a a a a") == 3 / 4
    assert captions.repeated("a b c d e") == captions.repeated("a b c") == 0


def test_windows_are_whole_captions_one_behind_the_other(tiny):
    data = captions.Captions(tiny, captions.VOCAB_SIZE)
    torch.manual_seed(0)
    batch = next(captions.text_batches(data.ids, 8, 30))
    assert torch.equal(batch.ids[:, 1:], batch.targets[:, :-1])
    firsts = set()
    for row in batch.ids.tolist():
        said = data.text(row)
        while len(said) > 24:    # the last one may be cut
            [first] = [one for one in SAID if said.startswith(one)]
            said = said.removeprefix(first).strip()
            firsts.add(first)
    assert len(firsts) > 3


def test_a_search_writes_what_whole_passes_say(writer):
    """A beam of one is greedy; log p is that of the model, piece by piece."""
    data, model = writer
    begin = data.read("A man in")
    [greedily] = captions.searched(model, [begin], 1, 12)
    [wide] = captions.searched(model, [begin], 4, 12)
    ids, total = list(begin), 0.0
    for number in greedily:
        with torch.no_grad():
            logs = captions.spoken(model(torch.tensor([ids]))[0, -1]).log_softmax(-1)
        assert number == logs.argmax().item()
        total += logs[number].item()
        ids.append(number)
    assert captions.log_p(model, begin, greedily) == pytest.approx(total / 12, abs=1e-5)
    assert len(wide) == 12 and (captions.log_p(model, begin, wide)
                                > captions.log_p(model, begin, greedily) - 1e-6)
    # top-k of 1 is greedy, too, for beginnings of several lengths at once
    both = [begin, data.read("Two")]
    assert captions.drawn(model, both, 12, 0, top_k=1) == captions.searched(
        model, both, 1, 12)


def test_the_study_of_rules_writes_its_result_whole(tiny, monkeypatch):
    monkeypatch.chdir(tiny)
    monkeypatch.setattr(real_text, "REAL", tiny)
    assert captions.main(["--data-dir", str(tiny)]) == 0
    record = json.loads((tiny / "captions.json").read_text("utf-8"))
    assert len(record["texts"]) == len(record["rules"]) == 8
    for name, texts in record["texts"].items():
        assert all(text.startswith("A man in") for text in texts)
        searches = "beam_size" in record["rules"][name]
        assert len(texts) == (1 if searches else 3)
        for place in ("one beginning", "beginnings of val"):
            assert all(len(row) == (1 if searches else 2)
                       for row in record[place][name].values())
    assert record["val"]["unknown"] == 0 < record["val"]["different"] <= 1
    # the checkpoint is whole: the same command counts again, and trains no more
    monkeypatch.setattr(captions, "window_update", None)
    assert captions.main(["--data-dir", str(tiny)]) == 0
    again = json.loads((tiny / "captions.json").read_text("utf-8"))
    assert again == record


def test_a_study_of_rules_without_data_ends_with_one_sentence(
        tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert captions.main(["--data-dir", str(tmp_path / "gone")]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "gone" in line


def test_the_counts_of_the_stored_texts_are_those_of_the_texts():
    """And the beginning, the command and the machine stand beside them."""
    record = json.loads((real_text.REAL / "captions.json").read_text("utf-8"))
    assert record["command"].startswith("python -m softdict.experiments.captions")
    assert record["hardware"] and record["versions"]["torch"]
    for name, texts in record["texts"].items():
        assert len(texts) == (1 if "beam_size" in record["rules"][name]
                              else record["draws"])
        assert all(text.startswith(record["beginning"]) for text in texts)
        means = {"repeated": map(captions.repeated, texts),
                 "words": [len(captions.words(text)) for text in texts]}
        for key, values in means.items():
            values = list(values)
            assert record["one beginning"][name][key][0] == pytest.approx(
                sum(values) / len(values), rel=1e-5)


@needs_data
def test_the_first_losses_of_the_captions_come_out_again():
    record = json.loads((real_text.REAL / "captions.json").read_text("utf-8"))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        data = captions.Captions(DATA / "multi30k")
        state = captions.start(data, record["seed"])
        state.settings = replace(state.settings, updates=FIRST)
        losses = [line["loss"] for line in train_on(
            state, captions.text_batches(
                data.ids, state.settings.batch_size,
                state.model.config.context_length), None, None, captions.window_update)]
    finally:
        torch.set_num_threads(threads)
    assert losses == again(record)
