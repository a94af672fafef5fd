"""experiments: results kept, resumed, checked, refused.

On a made corpus of one-line grammar, with tiny models.
"""

import json
import math
import os
import random
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from softdict import runtime
from softdict.attention import attention, sdpa
from softdict.batches import make_batch
from softdict.experiments import (
    EXPERIMENTS, __main__, ablations, averaged, baselines, benchmark, bigrams, costs,
    endings, flags, hybrids, keeping, maps, measures, memory, padding, places,
    pretraining, recall, replaced, rivals, roles, runner, sentences, silence, stacks,
    today, translation, writing)
from softdict.experiments.measures import aligned
from softdict.experiments.noise import Noised, others
from softdict.experiments.replaced import Replaced, heaviest, instead, uniform
from softdict.experiments.runner import (
    difference, file_of, hardware, rounded, run, run_all, trained)
from softdict.experiments.sentences import Example
from softdict.experiments.translation import CONTROL, mixed, system
from softdict.heads import MultiHeadAttention, attending, merge_heads
from softdict.layers import Dropout
from softdict.lookup import softmax
from softdict.masks import padding_mask
from softdict.saving import checkpoint, recipes
from softdict.seq2seq import Attend, Decoder, Encoded, Encoder, Seq2Seq
from softdict.texts import files
from softdict.training import batch_loss, train
from softdict.transformer import TransformerConfig, make_transformer
from softdict.vocab import BOS, EOS, PAD

NOUNS = {"dog": "개", "cat": "고양이", "cow": "소", "owl": "부엉이"}
VERBS = {"saw": "보", "ate": "먹", "heard": "듣"}


def make_examples(count, seed):
    rng, examples = random.Random(seed), []
    for _ in range(count):
        subject, verb, other = (rng.choice(list(NOUNS)), rng.choice(list(VERBS)),
                                rng.choice(list(NOUNS)))
        examples.append(Example(
            ["<plain>", "the", subject, verb, "the", other],
            [NOUNS[subject], "-는", NOUNS[other], "-를", VERBS[verb], "-다"],
            ["NOUN", None, "NOUN", None, "VERB", None], ((2, 0), (3, 4), (5, 2)), 5))
    return examples


@pytest.fixture(autouse=True)
def made_corpus(tmp_path, monkeypatch):
    splits = {"train": make_examples(60, 0), "iid": make_examples(12, 1),
              "long": make_examples(5, 2)}
    splits["agree"] = [replace(example, spot=2) for example in make_examples(4, 3)]
    monkeypatch.setattr(sentences, "split", splits.__getitem__)
    monkeypatch.setattr(recipes.corpus, "split", lambda name, **more: [
        SimpleNamespace(words=example.source, morphemes=example.target)
        for example in splits[name]])
    monkeypatch.setattr(sentences, "join", " ".join)
    monkeypatch.setattr(sentences, "HELD_OUT", ("iid", "long"))
    monkeypatch.setattr(sentences, "pool", lambda *given, **more: {
        "NOUN": list(NOUNS.values()), "VERB": list(VERBS.values())})
    cached = (recipes.vocabs, baselines.ibm, endings.vocabularies, endings.rows,
              bigrams.numbers, bigrams.word_pairs)
    for function in cached:
        function.cache_clear()
    monkeypatch.setattr(runner, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(runner, "UNFINISHED", tmp_path / "unfinished")
    yield
    for function in cached:    # the next tests want those of the real corpus
        function.cache_clear()


SMALL = system("rnn", {"width": 8}, updates=7)
DOTS = system("attention-dot", {"width": 8}, updates=7)
SMALL_RUN = trained("small", "test", SMALL.start, SMALL.finish, seeds=(0, 1))


def test_a_result_says_what_it_is_and_where_it_comes_from():
    record = json.loads(run(SMALL_RUN, 1).read_text(encoding="utf-8"))
    assert record["command"] == "python -m softdict.experiments small --seed 1"
    assert list(record) == [
        "experiment", "seed", "date", "command", "hardware", "versions", "seconds",
        "first", "result"]
    assert (len(record["first"]) == 5
            and set(record["versions"]) >= {"python", "torch", "softdict"})
    measures = {"sentences", "signatures", "exact", "content", "bleu", "chrf", "ending"}
    assert set(record["result"]["by length"]["4-8"]) == measures
    assert set(record["result"]["splits"]) == {"iid", "long"}
    assert record["result"]["by length"]["4-8"]["sentences"] == 17


def test_what_is_done_is_skipped(monkeypatch):
    file = run(SMALL_RUN, 0)
    content = file.read_bytes()
    monkeypatch.setattr(runner, "train", None)
    assert run(SMALL_RUN, 0) == file and file.read_bytes() == content


def test_an_interrupted_experiment_goes_on(monkeypatch):
    real = runner.train

    def interrupted(training, pairs, path, *given, **more):
        def stop(model):
            raise KeyboardInterrupt
        training.settings = training.settings.__class__(**{**training.settings.__dict__,
                                                           "interval": 3})
        real(training, pairs, path=path,
             evaluate=lambda model: stop(model) if len(training.history) == 6 else {})

    monkeypatch.setattr(runner, "train", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(SMALL_RUN, 0)
    assert (not file_of(SMALL_RUN, 0).exists()
            and [*runner.UNFINISHED.glob("small.0.safetensors")])


def test_the_check_passes_today_and_fails_when_behaviour_changes(monkeypatch):
    run(SMALL_RUN, 0)
    assert difference(SMALL_RUN, 0) < 1e-5
    wider = system("rnn", {"width": 10}, updates=7)
    assert difference(trained("small", "test", wider.start, wider.finish), 0) > 1e-3
    monkeypatch.setattr(Encoder, "forward", padding.PadsBehind.forward)
    assert difference(SMALL_RUN, 0) > runner.TOLERANCE


def test_the_first_losses_are_those_of_the_whole_training():
    record = json.loads(run(SMALL_RUN, 0).read_text(encoding="utf-8"))
    assert record["first"] == pytest.approx(SMALL_RUN.first(0), rel=1e-6)


def test_seeds_differ():
    assert SMALL_RUN.first(0) != SMALL_RUN.first(1)


def test_seconds_are_those_of_all_sessions(monkeypatch):
    """Killed twice; what came after the last checkpoint is done again, and counts once.
    """
    clock, real = [1000.0], runner.train
    monkeypatch.setattr(runner.time, "time", lambda: clock[0])

    def session(saved, end):
        """A training that writes its file after some seconds, and goes on to an end."""
        def train(training, pairs, path):
            clock[0] += saved
            path.write_bytes(b"so far")
            os.utime(path, (clock[0], clock[0]))
            clock[0] += end - saved
            raise SystemExit
        return train

    for saved, end in ((300, 340), (200, 900)):
        monkeypatch.setattr(runner, "train", session(saved, end))
        with pytest.raises(SystemExit):
            run(SMALL_RUN, 0)
        clock[0] += 10_000    # nobody works

    def last(training, pairs, path, *given, **more):
        clock[0] += 60
        return real(training, pairs)

    monkeypatch.setattr(runner, "train", last)
    record = json.loads(run(SMALL_RUN, 0).read_text(encoding="utf-8"))
    assert record["seconds"] == 300 + 200 + 60
    assert not list(runner.UNFINISHED.iterdir())


def test_a_second_process_on_one_experiment_is_told():
    runner.UNFINISHED.mkdir(parents=True)
    with files.alone(runner.UNFINISHED / "small.0.safetensors"):
        with pytest.raises(ValueError, match="another process is at work on small.0"):
            run(SMALL_RUN, 0)
    assert run(SMALL_RUN, 0).exists()


def test_a_damaged_unfinished_training_begins_anew(capsys):
    wanted = json.loads(run(SMALL_RUN, 0).read_text(encoding="utf-8"))["result"]
    for damage in (b"", b"no training", bytes(2000)):
        file_of(SMALL_RUN, 0).unlink()
        (runner.UNFINISHED / "small.0.safetensors").write_bytes(damage)
        assert json.loads(run(SMALL_RUN, 0).read_text(
            encoding="utf-8"))["result"] == wanted
        assert "small.0.safetensors is damaged" in capsys.readouterr().err


def test_an_unfinished_training_of_another_kind_is_a_sentence(monkeypatch, capsys):
    training, _ = SMALL.start(0)
    training.settings = replace(training.settings, updates=8)
    runner.UNFINISHED.mkdir(parents=True)
    checkpoint.save(training, runner.UNFINISHED / "small.0.safetensors")
    monkeypatch.setattr(__main__, "EXPERIMENTS", {"small": SMALL_RUN})
    assert __main__.main(["small", "--seed", "0"]) == 2
    [sentence] = capsys.readouterr().err.splitlines()
    assert "other settings (updates is 8 there and 7 here)" in sentence
    assert sentence.endswith("deleting it begins anew")


def test_a_result_that_is_empty_or_damaged_is_none(monkeypatch, capsys):
    monkeypatch.setattr(__main__, "EXPERIMENTS", {"small": SMALL_RUN})
    whole = {seed: run(SMALL_RUN, seed).read_bytes() for seed in (0, 1)}
    for damage in (b"", b"{", b"{}", b"[]", b"\xff",
                   b'{"seed": 0, "first": [1], "result": {}}'):
        file_of(SMALL_RUN, 0).write_bytes(damage)
        assert __main__.main(["--list"]) == 0
        assert ([line.split()[-1] for line in capsys.readouterr().out.splitlines()]
                == ["-", "done"])
        assert __main__.main(["--check"]) == 1
        damaged, good = capsys.readouterr().out.splitlines()
        assert damaged == "small seed 0: STALE, small.0.json is empty or damaged"
        assert good.startswith("small seed 1: differs by")
        again = json.loads(run(SMALL_RUN, 0).read_bytes())
        assert again["result"] == json.loads(whole[0])["result"]


def test_an_experiment_that_gives_nothing_is_not_kept():
    nothing = replace(SMALL_RUN, result=lambda seed, path: {})
    with pytest.raises(ValueError, match="small gave no result with the seed 0"):
        run(nothing, 0)
    assert not file_of(SMALL_RUN, 0).exists()


def test_a_check_that_breaks_goes_on(monkeypatch, capsys):
    def broken(seed):
        raise RuntimeError("no such layer")

    run(SMALL_RUN, 0)
    other = replace(SMALL_RUN, name="broken", first=broken, seeds=(0,))
    file_of(other, 0).write_bytes(file_of(SMALL_RUN, 0).read_bytes())
    monkeypatch.setattr(__main__, "EXPERIMENTS", {"broken": other, "small": SMALL_RUN})
    assert __main__.main(["--check"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "broken seed 0: STALE, RuntimeError: no such layer"
    assert told[1].startswith("small seed 0: differs by")


@pytest.mark.parametrize("problem, told", [
    (KeyboardInterrupt, "\nStopped. The same command goes on from where it was."),
    (OSError(28, "No space left on device", "x"),
     "python -m softdict.experiments: x: No space left on device")])
def test_an_experiment_ends_in_words(monkeypatch, problem, told):
    def ends(*arguments):
        raise problem

    monkeypatch.setattr(__main__, "EXPERIMENTS", {"small": SMALL_RUN})
    monkeypatch.setattr(__main__, "run", ends)
    with pytest.raises(SystemExit) as ended:
        __main__.spoken(["small", "--seed", "0"])
    assert ended.value.code == told


def test_run_all_starts_one_process_a_job_and_names_failures(monkeypatch, capsys):
    commands = []

    def pretend(command, env, **streams):
        commands.append((command[3:], env["OMP_NUM_THREADS"]))
        return type("Done", (), {"returncode": int(command[-1])})

    monkeypatch.setattr(runner.subprocess, "run", pretend)
    failed = run_all([(SMALL_RUN, 0), (SMALL_RUN, 1)])
    assert failed == [(SMALL_RUN, 1)]
    assert sorted(commands) == [(["small", "--seed", "0"], "1"),
                                (["small", "--seed", "1"], "1")]
    assert "small seed 1: FAILED, see" in capsys.readouterr().out


def test_the_command_line(monkeypatch, capsys):
    monkeypatch.setattr(__main__, "EXPERIMENTS", {"small": SMALL_RUN})
    assert __main__.main([]) == __main__.main(["smal"]) == 2
    assert (capsys.readouterr().err.splitlines()
            == ["Name a group (test) or an experiment (small)."] * 2)
    assert __main__.main(["small", "--seed", "0"]) == 0
    assert __main__.main(["--list"]) == 0
    assert ([line.split()[-1] for line in capsys.readouterr().out.splitlines()[-2:]]
            == ["done", "-"])
    assert __main__.main(["--check"]) == 0
    file = file_of(SMALL_RUN, 0)
    file.write_text(file.read_text(encoding="utf-8")
                    .replace('"first": [\n', '"first": [\n  9.0,\n'), encoding="utf-8")
    assert __main__.main(["--check"]) == 1
    assert "STALE" in capsys.readouterr().out


@pytest.mark.parametrize("arguments, sentence", [
    (["small"], "There is no seed 7 for small: choose from 0, 1."),
    (["test", "--check"], "There is no seed 7 for test: choose from 0, 1, 5."),
    (["--list"], "There is no seed 7 for any: choose from 0, 1, 5.")])
def test_a_seed_that_is_not_planned_is_refused_with_one_sentence(
        arguments, sentence, monkeypatch, capsys):
    other = trained("other", "test", SMALL.start, SMALL.finish, seeds=(5,))
    monkeypatch.setattr(__main__, "EXPERIMENTS", {"small": SMALL_RUN, "other": other})
    assert __main__.main([*arguments, "--seed", "7"]) == 2
    assert capsys.readouterr().err == sentence + "\n"


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("side", ("stored", "new"))
def test_a_number_that_is_none_is_stale(side, place, monkeypatch, capsys):
    good = [1.0, 2.0, 3.0, 4.0, 5.0]
    bad = [*good[:place], math.nan, *good[place + 1:]]
    first = {"stored": [bad, good], "new": [good, bad]}[side]
    experiment = runner.Experiment("five", "test", lambda seed: first[0],
                                   lambda seed, path: {"all": 1}, seeds=(0,))
    run(experiment, 0)
    first.reverse()
    assert difference(experiment, 0) == math.inf
    monkeypatch.setattr(__main__, "EXPERIMENTS", {"five": experiment})
    assert __main__.main(["--check"]) == 1
    assert capsys.readouterr().out == "five seed 0: STALE, differs by inf\n"


def test_a_check_without_a_result_is_no_success(monkeypatch, capsys):
    monkeypatch.setattr(__main__, "EXPERIMENTS", {"small": SMALL_RUN})
    assert __main__.main(["--check"]) == 1
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "There is nothing to check: no result is "
                                    "stored.\n")
    run(replace(SMALL_RUN, first=lambda seed: [],
                result=lambda seed, path: {"all": 1}), 0)
    assert __main__.main(["--check"]) == 1    # five numbers are wanted


def test_rounded_keeps_the_structure():
    assert (rounded({"a": [1.23456789, 2, "x"], "b": (True, None)})
            == {"a": [1.234568, 2, "x"], "b": [True, None]})
    assert "thread" in hardware()


def test_names_are_unique_and_every_group_of_the_book_is_there():
    parts = (baselines, translation, ablations, padding, memory, costs, endings,
             flags, keeping, maps, writing, roles, pretraining, today, bigrams, places,
             silence, averaged, recall, hybrids, stacks)
    every = [experiment for part in parts for experiment in part.EXPERIMENTS]
    assert len(every) == len(EXPERIMENTS)
    # a command names the one or the other
    assert not {experiment.group for experiment in every} & set(EXPERIMENTS)
    assert {"rnn", "rnn-reversed", "rnn-wide", "rnn-long", "rnn-1k", "rnn-5k",
            "skeleton", "ibm1"} < set(EXPERIMENTS)
    assert {"heads-1", "positions-none", "depth-6-post", "dropout-10", "gradients",
            "spread", "cost"} < set(EXPERIMENTS)
    assert ({"heads", "positions", "depth", "dropout", "costs"}
            < {experiment.group for experiment in every})
    assert all(len(experiment.seeds) >= 3 for experiment in EXPERIMENTS.values()
               if experiment.name.startswith("rnn"))


def test_results_are_read_back(monkeypatch, tmp_path):
    monkeypatch.setattr(runtime, "ASSETS", tmp_path)
    run(SMALL_RUN, 0)
    run(SMALL_RUN, 1)
    assert [record["seed"] for record in runtime.results("small")] == [0, 1]
    with pytest.raises(FileNotFoundError, match="no result of 'other'"):
        runtime.results("other")


# The baselines and the models

def test_the_books_models_are_those_of_the_recipes():
    known = {name: one for group in translation.SYSTEMS.values()
             for name, one in group.items()}
    assert {"rnn", "transformer", "transformer-rotary"} < set(known)
    for name, recipe in recipes.RECIPES.items():
        system = {"attention-dot": "attention"}.get(name, name)
        assert system in known, "a recipe is one of SYSTEMS in experiments/translation"
        one = known[system]
        assert (one.build.func, one.settings) == (
            getattr(recipe.build, "func", recipe.build), recipe.settings)
        assert recipe.words.startswith(("an RNN ", "a Transformer "))
        source_vocab, target_vocab = recipes.vocabs()
        sizes = len(source_vocab), len(target_vocab)
        assert isinstance(recipe.build(*sizes), Seq2Seq) == ("RNN" in recipe.words)


def test_a_system_differs_from_its_recipe_in_what_is_said():
    one = system("attention-additive", {"width": 8}, pairs=9, updates=3)
    assert (one.settings, one.pairs) == (
        replace(recipes.RECIPES["attention-additive"].settings, updates=3), 9)
    training, pairs = one.start(4)
    assert training.settings.seed == 4 and len(pairs) == 9
    assert training.model.decoder.context.score.energy_layer.in_features == 8



def test_baselines_on_the_made_corpus():
    examples = sentences.split("iid")
    for translate in (baselines.word_for_word_with_links,
                      baselines.word_for_word_with_ibm):
        words = translate(examples)
        assert all(set(e.target[::2]) <= set(line) for e, line in zip(examples, words))
    perfect = [example.target for example in examples]
    assert measures.quality(examples, perfect)["exact"] == (100, 100, 100)
    assert (baselines.nearest(sentences.split("train")[:9])
            == [e.target for e in sentences.split("train")[:9]])
    assert all(line[1::2] == ["-는", "-를", "-다"]
               for line in baselines.random_content(examples))


def test_translations_come_back_in_their_order():
    training, _ = SMALL.start(0)
    examples = sentences.split("iid")
    examples = [*examples, Example(["the", "dog"], ["개"], ["NOUN"], [(1, 0)], 2)]
    together = measures.translations(SMALL, training.model, examples, size=4)
    assert together == [measures.translations(SMALL, training.model, [example])[0]
                        for example in examples]


def test_a_reversed_system_reads_backwards():
    (source, target), *_ = replace(SMALL, reverse=True).start(0)[1]
    assert (source[::-1], target) == SMALL.start(0)[1][0]


def test_accuracies_are_told_and_own():
    training, _ = SMALL.start(0)
    table = measures.accuracies(SMALL, training.model)
    assert table["told by place"][0] == table["own by place"][0]
    assert len(table["own by place"]) == 7 and 0 <= table["own"] <= 1


def test_a_model_that_mixed_in_training_is_told_when_it_is_measured():
    forced = system("rnn", {"width": 8} | mixed(0.5), updates=7)
    (training, pairs), (plain, _) = forced.start(0), SMALL.start(0)
    for model in (training.model, plain.model):
        with torch.no_grad():    # so that its own word is never the right one
            model.generator.bias[EOS] = 50.0
    batch = make_batch(pairs)
    assert (batch_loss(training.model, batch, training.settings)
            != batch_loss(plain.model, batch, plain.settings))
    logits = [measures.scores(one, model, sentences.split("iid"))[0]
              for one, model in ((forced, training.model), (SMALL, plain.model))]
    assert torch.equal(*logits)


def test_noise_stands_where_the_model_itself_would_be_wrong():
    runtime.seed(0)
    model, read = Noised(Encoder(9, 4, 8), Decoder(9, 4, 8), 0.0), []
    plain = Seq2Seq(model.encoder, model.decoder)
    batch = make_batch([([4, 5], [5, 6, 7, 6]), ([6], [8, 5])])
    given = batch.source, batch.source_lengths, batch.target_in
    with torch.no_grad():
        model.generator.bias[5] = 50.0    # what it would write, always
    model.decoder.register_forward_pre_hook(lambda part, given: read.append(given[0]))
    model.states(*given)
    rows, gold = torch.stack(read, dim=1), batch.target_in    # [B, T]
    right = (gold == 5) | (gold == BOS)
    assert torch.equal(rows == gold, right)
    assert {5} < set(rows[~right].tolist()) <= {5, 6, 7, 8}    # not its own alone
    model.eval()
    assert torch.equal(model.states(*given), plain.states(*given))


def test_noise_is_drawn_as_often_as_the_batch_has_the_word():
    runtime.seed(0)
    target_in = torch.tensor([[BOS, 5, 6, 6, 6], [BOS, 5, 7, PAD, PAD]])    # [B, T]
    drawn = [word for _ in range(1000)
             for word in others(target_in[:, 1], target_in).tolist()]
    assert set(drawn) == {6, 7} and 0.71 < drawn.count(6) / 2000 < 0.79


def test_agreement_compares_each_sentence_with_its_twin(monkeypatch):
    examples = [Example(["the", "dog"], ["는", word], [None, None], (), 2, spot=1)
                for word in ("개", "소", "개", "개")]
    monkeypatch.setattr(sentences, "split",
                        {"train": make_examples(60, 0), "agree": examples}.__getitem__)
    training, _ = SMALL.start(0)
    word = recipes.vocabs(SMALL.pairs)[1].numbers["개"]
    with torch.no_grad():
        training.model.generator.bias[word] = 50.0    # it wins against every other
    assert measures.agreement(SMALL, training.model)[0] == 25


def test_pads_in_front_are_read_first(monkeypatch):
    seen = []
    monkeypatch.setattr(padding, "SIZE", 5)
    encoder = padding.PadsInFront(9, 4, 8)
    encoder.embedding.register_forward_hook(
        lambda module, inputs, output: seen.append(inputs[0].tolist()))
    encoder(torch.tensor([[5, 6, PAD], [5, 6, 7]]), torch.tensor([2, 3]))
    assert seen == [[[PAD, PAD, PAD, 5, 6], [PAD, PAD, 5, 6, 7]]]


def test_only_the_reader_that_meets_the_pads_last_is_disturbed_most():
    table = padding.pads_and_states(0)
    assert (table["behind"]["forward"][0] == pytest.approx(1)
            == table["in front"]["backward"][0])
    assert table["behind"]["forward"][4] < 0.8 < table["behind"]["backward"][4]
    assert table["in front"]["backward"][4] < 0.8 < table["in front"]["forward"][4]


# What a state can carry

def test_gradient_norms_equal_one_gradient_at_a_time():
    torch.manual_seed(0)
    model = memory.Recall(torch.nn.GRU, 6, 9)
    torch.manual_seed(1)
    [norm] = memory.gradient_norms(model, [3])
    torch.manual_seed(1)
    rows, direction = (torch.randint(9, (64, 4)),
                       torch.nn.functional.normalize(torch.randn(64, 6), dim=-1))
    total = 0.0
    for row in range(64):
        words = model.embedding(rows[row:row + 1]).detach().requires_grad_()
        (model.rnn(words)[0][0, -1] * direction[row]).sum().backward()
        total += words.grad[0, 0].norm().item() / 64
    assert norm == pytest.approx(total, rel=1e-4)


def test_reach_and_copy_have_the_lengths_that_they_name():
    table = memory.reach("gru", 0, updates=20, width=8, distances=(0, 1, 5))
    assert (len(table["untrained"]) == len(table["trained"]) == 3
            and table["recalled at"] == [1, 5])
    assert (memory.reach_first("gru", 0)[0]
            == pytest.approx(memory.reach_first("gru", 0)[0]))
    training, pairs = memory.copy_start(8, 5, 0)
    assert all(source == target for source, target in pairs)
    assert {len(source) for source, _ in pairs} == set(range(1, 25))
    table = memory.copy_finish(training, lengths=(1, 3))
    assert table["lengths"] == [1, 3] and len(table["exact"]) == 2


@pytest.mark.parametrize("copy, place, edits, any_order", [
    ([5, 6, 7], 3, 3, 3), ([6, 7], 0, 2, 2), ([7, 5, 6], 0, 1, 3), ([], 0, 0, 0),
    ([5, 5, 5], 1, 1, 1), ([5, 6, 9, 7], 2, 2, 3), ([8, 9, 8, 9, 8, 9], 0, 0, 0)])
def test_a_copy_is_scored_in_place_by_edits_and_in_any_order(copy, place, edits,
                                                             any_order):
    row = [5, 6, 7]
    assert memory.in_place(copy, row) == place
    assert memory.by_edits(copy, row) == edits
    assert memory.in_any_order(copy, row) == any_order
    # a copy of its row, if the row is as long or longer
    assert memory.by_edits(row[:len(copy)], copy) <= memory.by_edits(copy, copy)


def test_a_perfect_copier_keeps_all_and_chance_is_another_rows(monkeypatch):
    training, _ = memory.copy_start(8, 5, 0)
    monkeypatch.setattr(memory, "greedy", lambda model, source, *given, **more:
                        source.tolist())
    table = memory.order_finish(training, lengths=(6,))
    for measure in memory.MEASURES:
        assert table[measure] == [6]
        assert table[f"{measure}, by chance"][0] < 2.5
    assert table["in any order, by chance"] > table["in place, by chance"]
    assert table["written"] == [6]


class Sorting(nn.Module):
    """Its state counts the words of a row, and of the order it keeps the first alone.
    """

    def forward(self, source, lengths):
        counts = torch.stack([(source == word).sum(dim=1)
                              for word in range(memory.WORDS)], dim=1)
        first = torch.nn.functional.one_hot(source[:, 0], memory.WORDS)
        states = torch.cat([counts, first], dim=1).float()
        return Encoded(states, states[None], source != PAD)


def test_a_probe_finds_words_where_there_is_no_order():
    training = SimpleNamespace(device="cpu", model=SimpleNamespace(encoder=Sorting()))
    found = memory.probe(training, 7, rows=800, tests=300)
    assert found["there"] > 0.99 and found["there, by chance"] < 0.4
    # the first place, and of the six others the share that its words allow
    assert 1.5 < found["in place"] < 3


def test_seconds_gives_a_time_for_each_length():
    table = memory.seconds(0, sizes=(2, 4), width=4, batch=2)
    assert all(len(table[f"{name} {part}"]) == 2 for name in ("gru", "parallel")
               for part in ("forward", "both"))


def test_a_model_with_attention_is_scored_against_the_links():
    example = Example(["<plain>", "the", "dog"], ["개", "-는"], ["NOUN", None],
                      ((2, 0),), 4, possible=((2, 0), (2, 1), (1, 1)))
    gold, swapped = torch.zeros(3, 3), torch.zeros(3, 3)    # a row for <eos> behind
    gold[0, 2] = gold[1, 1] = swapped[0, 0] = swapped[1, 0] = 1
    assert (aligned([example], [gold])
            == {"4-8": {"error": (0, 0, 0), "hits": (100,) * 3, "mass": (100,) * 3}})
    assert (aligned([example], [swapped])
            == {"4-8": {"error": (100,) * 3, "hits": (0, 0, 0), "mass": (0, 0, 0)}})
    # wrong for the word that has a possible link only
    half = torch.stack([gold[0], swapped[1], gold[2]])
    assert aligned([example], [half])["4-8"]["error"][0] == pytest.approx(100 / 3)


def test_only_a_model_that_looks_has_an_alignment(monkeypatch):
    linked = [replace(example, possible=example.links)
              for example in make_examples(12, 1)]
    splits = {"train": make_examples(60, 0), "iid": linked, "long": linked,
              "agree": linked}
    monkeypatch.setattr(sentences, "split", splits.__getitem__)
    control = system("attention-dot", {"width": 8} | CONTROL, updates=7)
    for one in (SMALL, DOTS, control):
        training, _ = one.start(0)
        training.model.eval()
        assert ("alignment" in one.finish(training)) == (one is DOTS)


def test_a_transformer_is_measured_in_the_same_ways(monkeypatch):
    linked = [replace(example, possible=example.links, spot=2)
              for example in make_examples(12, 1)]
    splits = {"train": make_examples(60, 0), "iid": linked, "long": linked,
              "agree": linked}
    monkeypatch.setattr(sentences, "split", splits.__getitem__)
    options = {"width": 12, "heads": 3, "layers": 1, "hidden": 16}
    small = system("transformer", options, updates=3, warmup=2, smoothing=0.1)
    training, pairs = small.start(0)
    assert (training.settings.warmup, training.settings.smoothing) == (2, 0.1)
    train(training, pairs)
    training.model.eval()
    found = small.finish(training)
    assert set(found["splits"]) == {"iid", "long"} and 0 <= found["told"] <= 1
    # the row that predicts a word, and the row behind it, which reads it
    assert found["alignment"]["4-8"] != found["alignment reading"]["4-8"]
    assert found["parameters"] == sum(part.numel()
                                      for part in training.model.parameters())


# Weights exchanged for others

def encoded_for(batch, size, width):
    torch.manual_seed(batch)
    states = torch.randn(batch, size, width)
    allowed = torch.arange(size) < torch.randint(1, size + 1, (batch, 1))
    return Encoded(states, states[None, :, 0], allowed)


def test_replaced_weights_are_those_that_average_the_states():
    context, encoded, query = Attend(), encoded_for(3, 7, 12), torch.randn(3, 12)
    even = Replaced(context, uniform)
    answer, weights = even(query, even.start(encoded))
    for n in range(3):
        real = encoded.states[n, encoded.allowed[n]]
        torch.testing.assert_close(answer[n], real.mean(dim=0))
        assert weights[n].sum().item() == pytest.approx(1)
    hard = Replaced(context, heaviest)
    answer, weights = hard(query, hard.start(encoded))
    best = context(query, context.start(encoded))[1].argmax(dim=-1)
    assert (torch.equal(answer, encoded.states[torch.arange(3), best])
            and set(weights.flatten().tolist()) == {0.0, 1.0})


def test_given_rows_take_their_own_step_and_empty_rows_leave_the_model_alone():
    context, encoded, query = Attend(), encoded_for(2, 5, 4), torch.randn(2, 4)
    rows = torch.zeros(2, 3, 5)
    rows[0, 1, 0] = rows[1, 0, 0] = 1
    given = Replaced(context, instead(rows))
    _, own = context(query, context.start(encoded))
    for _ in range(2):    # start begins anew
        source = given.start(encoded)
        steps = torch.stack([given(query, source)[1] for _ in range(3)],
                            dim=1)    # [B, T, S]
        for n in range(2):
            for t in range(3):
                torch.testing.assert_close(steps[n, t], rows[n, t] if rows[n, t].any()
                                           else own[n])


def test_replacements_leave_the_model_as_it_was(monkeypatch):
    linked = [replace(example, possible=example.links)
              for example in make_examples(12, 1)]
    splits = {"train": make_examples(60, 0), "iid": linked, "long": linked,
              "agree": linked}
    monkeypatch.setattr(sentences, "split", splits.__getitem__)
    model = DOTS.start(0)[0].model.eval()
    context = model.decoder.context
    # a word with two links
    linked[0] = replace(linked[0], links=(*linked[0].links, (1, 0)))
    seen = []
    monkeypatch.setattr(replaced, "instead",
                        lambda rows, *given, **more: seen.append(rows) or instead(
                            rows, *given, **more))
    table = replaced.replacements(DOTS, model)
    gold = torch.zeros_like(seen[0])
    gold[:, 0, 2] = gold[:, 4, 3] = gold[:, 2, 5] = 1
    gold[0, 0, 1] = gold[0, 0, 2] = 0.5
    assert torch.equal(seen[0], gold)
    assert (model.decoder.context is context
            and list(table) == ["own", "uniform", "heaviest", "gold"])
    assert all(0 <= part["linked"] <= 100 and 0 <= part["others"] <= 100
               for part in table.values())
    assert "free" in table["heaviest"] and "free" not in table["gold"]
    right = measures.scores(DOTS, model, linked)[0].argmax(dim=-1)
    batch = measures.scores(DOTS, model, linked)[1]
    places = torch.tensor([[0, 2, 4]] * 12)    # targets with a link
    want = (right.gather(1, places)
            == batch.target_out.gather(1, places)).double().mean().item() * 100
    assert table["own"]["linked"] == pytest.approx(want)


def test_aligners_on_the_made_corpus():
    examples = [replace(example, possible=example.links)
                for example in sentences.split("iid")]
    short = Example(["<plain>", "the", "dog"], ["개", "-는"], ["NOUN", None], ((2, 0),),
                    4, possible=((2, 0),))
    for draw in (baselines.ibm_links, baselines.links_by_place,
                 baselines.best_single_links):
        assert ([tuple(rows.shape) for rows in draw([examples[0], short], 60)]
                == [(6, 6), (2, 3)])
    # the made grammar has one order
    for draw in (baselines.links_by_place, baselines.best_single_links):
        assert aligned(examples, draw(examples, 60))["4-8"]["error"] == (0, 0, 0)
    assert aligned(examples, baselines.ibm_links(examples, 60))["4-8"]["hits"][0] > 80


def test_the_empty_word_takes_what_no_other_explains(monkeypatch):
    examples = [replace(example, possible=example.links)
                for example in sentences.split("iid")
                if example.source[2] != example.source[5]]
    table, source_vocab, target_vocab = baselines.ibm(60)
    assert baselines.links_or_none(examples, 60) == [set(e.links) for e in examples]
    # a particle of all sentences, explained by the empty word
    table = table.clone()
    table[BOS, target_vocab.numbers["-는"]] = 1.0
    monkeypatch.setattr(baselines, "ibm",
                        lambda *given, **more: (table, source_vocab, target_vocab))
    ends = [replace(example, possible=(*example.links, (1, 1)))
            for example in examples]
    assert baselines.links_or_none(ends, 60) == [set(e.links) for e in examples]
    assert [len(baselines.heaviest_links(rows, e.possible))
            for rows, e in zip(baselines.ibm_links(ends, 60), ends)] == len(ends) * [4]


def test_an_unrelated_sentence_has_pieces_of_its_own_and_the_length():
    examples = sentences.split("iid")
    lines = baselines.unrelated(examples)
    assert all(line in [e.target for e in sentences.split("train")] for line in lines)
    assert lines == baselines.unrelated(examples) and len(set(map(tuple, lines))) > 3
    glued, others = baselines.pieces_found(examples, lines)
    assert glued == 100 and others < 60
    perfect = [example.target for example in examples]
    assert baselines.pieces_found(examples, perfect) == [100, 100]


# The word before

def test_kneser_ney_shares_what_it_takes_by_the_words_that_a_word_follows():
    count = torch.tensor([[3.0, 1.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    shares = bigrams.kneser_ney(count.double())
    # three pairs were seen: each word follows one
    usual = torch.tensor([1.0, 1.0, 1.0]).double() / 3
    wanted = torch.stack([
        torch.tensor([2.25, 0.25, 0.0]) / 4 + 1.5 / 4 * usual,
        torch.tensor([0.0, 0.0, 1.25]) / 2 + 0.75 / 2 * usual, usual])
    torch.testing.assert_close(shares, wanted.double())
    torch.testing.assert_close(shares.sum(dim=1), torch.ones(3).double())


def test_the_tables_and_the_model_are_scored_on_the_same_pairs(monkeypatch):
    monkeypatch.setattr(sentences, "split", {
        "train": make_examples(60, 0), "valid": make_examples(9, 5)}.__getitem__)
    table = bigrams.compared(0)
    assert table["pairs"] == 9 * 5 and table["never counted"] == 0
    for name in ("added", "Kneser-Ney", "model, longer"):
        assert 0.5 < table[name]["all"] < 1.2    # three choices of four or three words


# What reading costs, apart from writing

class Ticking:
    """A translator whose start takes as long as its source, and a step 1 and a tenth of
    what is written."""

    def __init__(self, monkeypatch):
        self.clock = 0.0
        monkeypatch.setattr(writing.time, "process_time", lambda: self.clock)

    def start(self, source, lengths):
        self.clock += source.shape[1]
        return 0

    def step(self, ids, written):
        self.clock += 1 + written / 10
        return torch.zeros(len(ids), 9), written + 1


def test_steps_are_timed_without_the_reading_of_the_source(monkeypatch):
    model, source = Ticking(monkeypatch), torch.full((2, 7), 5)
    row = writing.steps(model, source, torch.full((2,), 7), count=3, every=4)
    # steps 0 to 3, 4 to 7, 8 to 11, in milliseconds
    assert row == pytest.approx([1150, 1550, 1950])
    assert writing.least(lambda: model.start(source, None)) == pytest.approx(7000)


def test_the_best_offset_is_that_of_most_links():
    assert roles.best_offset([(0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 5, 6)]) == (1, 3)


# Flags of sentences

def test_flags_say_of_each_sentence_whether_it_is_exact_and_what_it_has(monkeypatch):
    system, training = SMALL, SMALL.start(0)[0]
    monkeypatch.setattr(flags, "translations", lambda system, model, examples, **more: [
        example.target if n % 2 else example.target[:1]
        for n, example in enumerate(examples)])
    monkeypatch.setattr(flags, "FROM_EACH", 9)
    table = flags.finish(replace(system, pairs=20), training)
    assert table["iid"]["exact"] == "01" * 6 and table["known"]["exact"] == "010101010"
    assert table["long"]["found"] == "1 3 1 3 1" and table["long"]["wanted"] == (
        "3 3 3 3 3")
    assert flags.known(replace(system, pairs=20)) == sentences.split("train")[:9]
    monkeypatch.setattr(averaged, "compared", lambda model, *given, **more: [model])
    assert "averaged" not in table
    assert flags.finish(roles.SYSTEM, training)["averaged"] == [training.model]


# Which endings a word gets

BABIES = Example(
    ["<polite>", "two", "babies", "showed", "the", "cat", "that", "was", "playing"],
    ["아기", "두", "명", "-이", "놀", "-던", "고양이", "-를", "보여", "주", "-었",
     "-어요"],
    ["NOUN", "NUM", None, None, "VERB", None, "NOUN", None, "VERB", "VERB", None, None],
    ((1, 1), (2, 0), (3, 8), (3, 9), (5, 6), (8, 4)), 8)


def test_labels_are_what_stands_behind_the_last_piece_of_a_word():
    assert endings.endings(BABIES) == [None, "명 -이", "-", "-었 -어요", None, "-를",
                                       None, None, "-던"]
    assert (endings.endings(sentences.split("iid")[0])
            == [None, None, "-는", "-다", None, "-를"])


def test_rows_ask_for_labels_of_words_and_have_a_pad_where_none_is_asked():
    words, labels = endings.vocabularies()
    assert sorted(labels.words[4:]) == ["-는", "-다", "-를"]
    for example, (source, wanted) in zip(sentences.split("iid"), endings.rows("iid")):
        assert words.tokens(source[:-1]) == example.source and source[-1] == EOS
        assert wanted[0] == wanted[1] == wanted[4] == PAD
        assert labels.tokens([wanted[2], wanted[3], wanted[5]]) == ["-는", "-다", "-를"]


class SaysTopic(nn.Module):
    """Answers every question with the topic particle."""

    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(3))

    def forward(self, source, lengths):
        labels = endings.vocabularies()[1]
        return torch.eye(len(labels))[labels.numbers["-는"]].expand(*source.shape, -1)


def test_right_answers_are_counted():
    assert endings.answers(SaysTopic(), "iid") == [{2: True, 3: False, 5: False}] * 12
    assert endings.finish(SimpleNamespace(model=SaysTopic())) == {
        "parameters": 3, "iid": pytest.approx(1 / 3),
        "by length": {"4-8": [pytest.approx(1 / 3), 3 * 17]},
        "by part": {"NOUN": [0.5, 24], "VERB": [0, 12]}}


def test_answers_of_many_sentences_come_in_their_order(monkeypatch):
    examples = [replace(BABIES, source=BABIES.source[:n],
                        links=BABIES.links[:2] if n > 2 else BABIES.links[:1])
                for n in (2, 3, 9, 4) * 30]
    monkeypatch.setattr(sentences, "split",
                        {"train": examples, "iid": examples}.__getitem__)
    assert ([list(row) for row in endings.answers(CountsWords(), "iid")]
            == [[1], [1, 2], [1, 2], [1, 2]] * 30)
    first = [row[1] for row in endings.answers(CountsWords(), "iid")]
    assert first == [False, False, True, False] * 30


class CountsWords(nn.Module):
    """Right for sentences of nine words and the end, and for no others."""

    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, source, lengths):
        labels = endings.vocabularies()[1]
        right = labels.ids([endings.endings(sentences.split("iid")[2])[1]])[0]
        return (torch.eye(len(labels))[torch.where(lengths == 10, right, PAD)][:, None]
                .expand(-1, source.shape[1], -1))


def test_connections_do_what_they_say():
    torch.manual_seed(0)
    x, allowed = torch.randn(2, 5, 12), padding_mask(torch.tensor([5, 3]), 5)[:, None]
    # around each sub-layer: what it reads, and what becomes of its answer
    wanted = {"pre": (lambda x, norm: norm(x), lambda x, answer, norm: x + answer),
              "post": (lambda x, norm: x, lambda x, answer, norm: norm(x + answer)),
              "residual": (lambda x, norm: x, lambda x, answer, norm: x + answer),
              "norm": (lambda x, norm: norm(x), lambda x, answer, norm: answer),
              "neither": (lambda x, norm: x, lambda x, answer, norm: answer)}
    assert wanted.keys() == endings.CONNECTIONS.keys()
    for name, (before, after) in wanted.items():
        model = endings.Labeller(9, 5, width=12, connection=name)
        for layer in model.layers:
            for norm in (layer.norm1, layer.norm2):    # so that each is its own
                nn.init.normal_(norm.weight), nn.init.normal_(norm.bias)
            answer = layer.self_attention(before(x, layer.norm1), allowed=allowed)
            inner = after(x, answer, layer.norm1)
            answer = layer.feed_forward(before(inner, layer.norm2))
            torch.testing.assert_close(layer(x, allowed),
                                       after(inner, answer, layer.norm2))


@pytest.mark.parametrize("connection", endings.CONNECTIONS)
def test_both_answers_go_through_dropout(connection):
    model = endings.Labeller(9, 5, width=12, dropout=0.5, connection=connection)
    for layer in model.layers:
        seen = []
        layer.dropout.register_forward_hook(
            lambda part, inputs, output: seen.append(output))
        layer(torch.randn(2, 5, 12))
        assert len(seen) == 2 and all((part == 0).any() for part in seen)


def test_nearer_equals_a_loop():
    torch.manual_seed(0)
    query, key, value = torch.randn(3, 2, 3, 5, 4).double()
    allowed = padding_mask(torch.tensor([5, 3]), 5)[:, None, None, :]
    context, weights = endings.nearer(query, key, value, allowed)
    for b in range(2):
        for h in range(3):
            for t in range(5):
                scores = [query[b, h, t] @ key[b, h, s] / 2 - abs(s - t) / 2 ** (h + 1)
                          for s in range((5, 3)[b])]
                shares = torch.stack(scores).softmax(dim=-1)
                torch.testing.assert_close(weights[b, h, t, :len(shares)], shares)
                torch.testing.assert_close(context[b, h, t],
                                           shares @ value[b, h, :len(shares)])
    assert weights[1, ..., 3:].count_nonzero() == 0


@pytest.mark.parametrize("positions", endings.POSITIONS)
def test_a_labeller_reads_a_sentence_alone_as_in_a_batch_and_knows_its_order_or_not(
        positions):
    torch.manual_seed(0)
    model = endings.Labeller(30, 7, positions, heads=2, width=16).double()
    source = torch.tensor([[5, 6, 7, PAD, PAD], [8, 9, 10, 11, 12]])
    logits = model(source, torch.tensor([3, 5]))
    assert logits.shape == (2, 5, 7)
    torch.testing.assert_close(logits[:1, :3], model(source[:1, :3], torch.tensor([3])))
    turned = model(source[1:].flip(1), torch.tensor([5])).flip(1)
    same = torch.allclose(turned, logits[1:])
    assert same == (positions in ("none", "distance"))    # a distance has no direction


@pytest.mark.parametrize("positions", endings.POSITIONS)
def test_who_reads_places_minds_a_shift_and_who_reads_distances_does_not(positions):
    torch.manual_seed(0)
    words, labels = endings.vocabularies()
    model = endings.Labeller(len(words), len(labels), positions, heads=2, width=16)
    pairs = endings.rows("iid") + [([5, 6, EOS], [PAD, 4, PAD])]
    sure = model(*given(pairs)).argmax(dim=-1).tolist()
    told = [(source, [guess if label else PAD for guess, label in zip(line, row)])
            for line, (source, row) in zip(sure, pairs)]
    assert places.shifted(model.eval(), told, 0) == 1
    moved = [places.shifted(model, told, step) for step in (3, 9)]
    assert (min(moved) == 1) == (positions in ("none", "rotary", "distance"))


def given(pairs):
    batch = make_batch(pairs)
    return batch.source, batch.source_lengths


def test_a_word_drowns_its_code_in_a_narrow_sum_and_not_in_a_wide_one():
    table = places.read(0, widths=(24, 512), words=200)
    narrow, wide = table["place read"]
    assert narrow < 0.5 < 0.9 < wide
    # a code has as many sines as cosines: its square is half of the width
    assert table["spread of the word"] == pytest.approx([12 ** 0.5, 16], rel=0.1)
    assert table["lead of the own code"][0] == pytest.approx(
        (1 - torch.cos(10_000 ** (-torch.arange(12) / 12))).sum().item(), rel=1e-3)


# A head silent

def test_the_needs_of_an_ending_are_read_off_it(monkeypatch):
    endings_of = {"-지 않 -으시 -었 -습니다": ("formal", True, True, True),
                  "-아요": ("요", False, False, False),
                  "-시 -었 -다": ("다", True, False, True)}
    for ending, wanted in endings_of.items():
        assert tuple(part(ending) for part in silence.NEEDS.values()) == wanted


def test_each_need_is_counted_where_it_is_there(monkeypatch):
    labels = ["-", "-아요", "-시 -어요", "-를", "-지 않 -시 -었 -다"]
    monkeypatch.setattr(endings, "vocabularies", lambda *given, **more: (
        None, SimpleNamespace(words=labels)))
    model = SaysNothing()
    pairs = [([5, 6, EOS], [1, 3, PAD]), ([7, 8, EOS], [4, 2, PAD])]
    table = silence.verbs_right(model, pairs)
    assert table == {"register": [pytest.approx(200 / 3), 3], "honour": [100, 2],
                     "past": [0, 1], "not": [0, 1],
                     "all": [pytest.approx(100 / 3), 3]}


def test_the_loss_falls_apart_into_right_and_wrong_words():
    logits = torch.tensor([[[0.0, 3.0, 1.0], [2.0, 2.5, 0.0], [9.0, 0.0, 0.0]]])
    target = torch.tensor([[1, 2, PAD]])    # right, wrong, no word
    table = keeping.certainty(logits, target)
    first, second = logits[0, :2].softmax(dim=-1).tolist()
    assert table["right"] == 0.5
    assert table["log p, right"] == pytest.approx(math.log(first[1]), abs=1e-6)
    assert table["log p, wrong"] == pytest.approx(math.log(second[2]), abs=1e-6)
    for name, shares in (("right", first), ("wrong", second)):
        assert table[f"entropy, {name}"] == pytest.approx(
            -sum(share * math.log(share) for share in shares), abs=1e-6)


def test_a_checkpoints_numbers_stand_beside_its_updates(monkeypatch, tmp_path):
    seen = []

    def evaluate(model, *given, **more):
        seen.append(model.training)
        return {"valid": {"loss": len(seen)}, "iid": {"loss": -len(seen)}}

    monkeypatch.setattr(keeping, "evaluate", evaluate)
    monkeypatch.setattr(keeping, "UPDATES", {20: 5})
    monkeypatch.setattr(keeping, "SETTINGS", replace(keeping.SETTINGS, interval=2))
    table = keeping.result(20, "rnn", 0, tmp_path / "training")
    assert table["updates"] == [2, 4, 5] and seen == 3 * [False]
    assert table["valid"] == {"loss": [1, 2, 3]}
    assert table["iid"] == {"loss": [-1, -2, -3]}
    rates = [record["rate"] for record in table["history"]]
    assert rates == sorted(rates) and len(rates) == 5    # still in its warm-up


def test_only_short_sentences_are_kept_by(monkeypatch):
    lengths = {"train": [12, 13, 4]}
    monkeypatch.setattr(sentences, "split", lambda name, **more: [
        SimpleNamespace(length=length) for length in lengths[name]])
    assert [example.length for example in keeping.short("train")] == [12, 4]


def test_a_head_answers_its_mean_over_words_and_the_others_as_before():
    runtime.seed(0)
    model = make_transformer(9, 9, TransformerConfig(8, 2, 1, 12, dropout=0.0)).eval()
    batch = make_batch([([4, 5, 6], [7, 8]), ([5], [4, 5, 6, 7])])
    part, kept = model.decoder.layers[0].cross_attention, []

    def keep(query, key, value, allowed=None):
        kept.append(sdpa(query, key, value, allowed)[0])    # [B, H, T, K]
        return kept[-1], None

    given = batch.source, batch.source_lengths, batch.target_in
    with torch.no_grad(), attending({part: keep}):
        model(*given)
    words = [kept[0][b, :, t] for b, t in (batch.target_in != PAD).nonzero().tolist()]
    means = averaged.mean_answers(model, batch)
    torch.testing.assert_close(means[part], sum(words) / len(words))
    x, memory = torch.randn(2, 3, 8), torch.randn(2, 4, 8)
    with torch.no_grad():
        before = part(x, memory)
        query, (key, value) = part.queries(x), part.keys_and_values(memory)
        wanted = sdpa(query, key, value)[0].clone()         # [B, H, T, K]
        wanted[:, 1] = means[part][1]
        with averaged.averaged(model, ["cross 1.2"], means):
            torch.testing.assert_close(part(x, memory),
                                       part.out(merge_heads(wanted)))
        torch.testing.assert_close(part(x, memory), before)


class SaysNothing(nn.Module):
    """Answers every question with label 2."""

    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, source, lengths):
        return torch.eye(5)[2].expand(*source.shape, -1)


def test_a_labeller_starts_with_the_pairs_that_are_asked_for_and_learns():
    training, pairs = endings.start(0, pairs=10, heads=2, width=16)
    assert (pairs == endings.rows("train")[:10]
            and training.settings.updates == endings.UPDATES)
    small = trained("labels", "test",
                    lambda seed: endings.start(seed, peak_rate=1e-2, heads=2, width=16),
                    None)
    losses = small.first(0)
    assert len(losses) == 5 and losses[-1] < losses[0]


def test_gradients_have_a_length_for_each_layer_and_connection():
    table = endings.gradients(0, depth=3)
    assert list(table) == ["depth", *endings.CONNECTIONS] and table["depth"] == 3
    for connection in endings.CONNECTIONS:
        assert len(table[connection]) == 3 and min(table[connection]) > 0
    assert len({tuple(table[connection]) for connection in endings.CONNECTIONS}) == 5
    assert endings.gradients(0, depth=3) == table


def test_gradients_are_those_of_words_and_of_no_pads(monkeypatch):
    pads = make_examples(8, 0)
    pads[1::2] = [replace(example, source=[*example.source, "the"])
                  for example in pads[1::2]]
    monkeypatch.setattr(sentences, "split", {"train": pads}.__getitem__)
    real = endings.EncoderLayer.forward
    given = []

    def noted(layer, x, *others, **more):
        given.append(x)
        x.register_hook(lambda gradient: given.append(gradient))
        return real(layer, x, *others, **more)

    monkeypatch.setattr(endings.EncoderLayer, "forward", noted)
    monkeypatch.setattr(endings, "CONNECTIONS", {"pre": endings.CONNECTIONS["pre"]})
    [norm] = endings.gradients(0, depth=1)["pre"]
    x, gradient = given
    assert x.shape == gradient.shape == (8, 8, 96)
    lengths = [len(source) for source, _ in endings.rows("train")]
    assert set(lengths) == {7, 8}
    total = sum(gradient[b, t].square().sum() for b, length in enumerate(lengths)
                for t in range(length))
    assert norm == pytest.approx(total.sqrt().item(), rel=1e-5)


# What self-attention costs

def test_scores_spread_with_the_root_of_the_width_and_their_gradients_vanish():
    table = costs.spread(0, widths=(4, 64))
    for width, spread in zip((4, 64), table["dot"]["spread"]):
        assert spread == pytest.approx(width ** 0.5, rel=0.1)
    assert table["scaled"]["spread"] == pytest.approx((1, 1), rel=0.1)
    low, high = table["dot"]["top weight"]
    assert low < 0.7 < 0.8 < high and max(table["scaled"]["top weight"]) < 0.4
    assert table["dot"]["jacobian"][1] < 0.5 * table["dot"]["jacobian"][0]
    assert (table["scaled"]["jacobian"]
            == pytest.approx([table["scaled"]["jacobian"][0]] * 2, rel=0.1))


def test_the_jacobian_is_softmaxs():
    torch.manual_seed(0)
    scores = torch.randn(3, 1, 5)
    spread, top, norm = costs.measures(scores)
    norms = [torch.autograd.functional.jacobian(softmax, row[0]).norm().item()
             for row in scores]
    assert norm == pytest.approx(sum(norms) / 3, rel=1e-5)
    assert top == pytest.approx(sum(softmax(row).max().item() for row in scores) / 3)
    assert spread == pytest.approx(scores.std().item())


class Twice(nn.Module):
    """Needs what it is given twice, and two parts of it again."""

    def forward(self, words):
        return words * words + (words[:5] * words[5:]).sum()


def test_what_is_kept_is_counted_once_and_weights_are_not_counted():
    words = torch.randn(10, requires_grad=True)
    assert costs.kept(Twice(), words) == pytest.approx(10 * 4 / 1e6)
    assert (costs.kept(nn.Linear(4, 3), torch.randn(2, 4, requires_grad=True))
            == pytest.approx(2 * 4 * 4 / 1e6))
    assert costs.kept(nn.Identity(), words) == 0


def test_weights_are_what_attention_keeps_and_fused_does_not():
    torch.manual_seed(0)
    grown = {}
    for function in (attention, sdpa):
        layer = costs.Layer(16, 4, function)
        short, long = (costs.kept(layer, torch.randn(1, size, 16, requires_grad=True))
                       for size in (64, 256))
        grown[function] = long / short
    # 16 times the weights, 4 times the words
    assert grown[attention] > 8 and grown[sdpa] < 5


def test_the_layer_that_is_timed_is_multi_head_attention():
    torch.manual_seed(0)
    layer, heads, words = (costs.Layer(12, 3, attention), MultiHeadAttention(12, 3),
                           torch.randn(2, 5, 12))
    with torch.no_grad():
        for part, weight, bias in zip((heads.query, heads.key, heads.value),
                                      layer.made.weight.chunk(3),
                                      layer.made.bias.chunk(3)):
            part.weight.copy_(weight), part.bias.copy_(bias)
        heads.out.load_state_dict(layer.out.state_dict())
    torch.testing.assert_close(layer(words), heads(words))


def test_cost_gives_three_numbers_for_each_length_and_layer():
    table = costs.cost(0, lengths=(4, 8), width=8, heads=2)
    for name in ("lstm", "explicit", "fused"):
        assert ({part: len(numbers) for part, numbers in table[name].items()}
                == dict.fromkeys(
                    ("forward", "both", "megabytes"), 2))
        assert table[name]["megabytes"][0] < table[name]["megabytes"][1]


def test_the_first_numbers_of_the_new_experiments_are_five_and_come_again():
    for name in ("spread", "cost", "gradients", "pace"):
        numbers = EXPERIMENTS[name].first(0)
        assert (len(numbers) == 5 and numbers == EXPERIMENTS[name].first(0)
                and min(numbers) > 0)


def test_each_system_makes_the_same_updates_when_it_is_paced():
    trainings, times = costs.paces(0, 1)
    assert list(trainings) == list(times) == ["rnn", "attention-additive",
                                              "transformer", "transformer-rotary"]
    # one of them does not count
    assert all(len(training.history) == 2 for training in trainings.values())
    assert all(len(row) == 1 and row[0] > 0 for row in times.values())


# The benchmark

@pytest.fixture
def small_rivals(monkeypatch):
    """Systems that take a moment."""
    small = replace(rivals.CONFIG, width=16, heads=2, layers=2, hidden=32)
    monkeypatch.setattr(rivals, "CONFIG", small)
    for module in (rivals, benchmark):
        monkeypatch.setattr(module, "VOCABULARY", 60)


def test_the_variants_of_the_benchmark_do_the_work_of_ours(small_rivals):
    batch = make_batch(benchmark.sentences(4, random.Random(0)))
    ours, explicit, short = (rivals.trainer(name)(batch)
                             for name in ("ours", "explicit attention", "bfloat16"))
    assert explicit == pytest.approx(ours, rel=1e-5)
    assert short == pytest.approx(ours, rel=1e-2) and short != ours


def test_the_equalised_torch_does_what_ours_does(small_rivals):
    model = rivals.equalised()
    plain = [name for name, part in model.named_modules() if type(part) is nn.Dropout]
    ours = [part.p for part in model.modules() if isinstance(part, Dropout)]
    assert not plain and ours == [rivals.CONFIG.dropout] * len(ours)
    # one at the embeddings, then as many as in our layers: 3 and 4 where torch has them
    assert len(ours) == 1 + 3 * rivals.CONFIG.layers + 4 * rivals.CONFIG.layers
    assert all(part.dropout == 0.0 for part in model.modules()
               if isinstance(part, nn.MultiheadAttention))


def test_the_equalised_torch_learns_as_torch_does(small_rivals, monkeypatch):
    monkeypatch.setattr(rivals, "CONFIG", replace(rivals.CONFIG, dropout=0.0))
    batch = make_batch(benchmark.sentences(4, random.Random(0)))
    steps = {name: rivals.trainer(name) for name in ("torch", "equalised")}
    losses = {name: [step(batch) for _ in range(3)] for name, step in steps.items()}
    assert losses["equalised"] == pytest.approx(losses["torch"], rel=1e-4)
    assert losses["torch"][2] < losses["torch"][0]


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_readers_read_and_torch_takes_its_fast_path(small_rivals, monkeypatch):
    batch, calls = make_batch(benchmark.sentences(4, random.Random(0))), []
    real = torch._transformer_encoder_layer_fwd
    monkeypatch.setattr(torch, "_transformer_encoder_layer_fwd",
                        lambda *given: calls.append(given) or real(*given))
    memory = {name: rivals.reader(name)(batch) for name in ("ours", "torch")}
    assert memory["ours"].shape == memory["torch"].shape
    assert len(calls) == rivals.CONFIG.layers and calls[0][0].is_nested


@pytest.fixture
def tiny(small_rivals, monkeypatch):
    """A benchmark that takes seconds, without Marian, which may not be installed."""
    monkeypatch.setattr(rivals, "WRITTEN", 3)
    monkeypatch.setattr(benchmark, "PAIRS", 40)
    monkeypatch.setattr(benchmark, "SIZE", 4)
    monkeypatch.setattr(benchmark.metadata, "version", lambda name: "1.0")
    monkeypatch.setattr(benchmark, "peak", {"ours": 1.0, "torch": None}.get)
    monkeypatch.setattr(benchmark, "PLAIN", ["ours", "torch"])
    # tested below
    monkeypatch.setattr(benchmark, "spent", lambda *given, **more: {})
    real = benchmark.writer
    monkeypatch.setattr(benchmark, "writer", lambda name, *given, **more: real(
        "ours" if name == "marian" else name, *given, **more))


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_the_benchmark_measures_every_row_and_names_the_machine(tiny, monkeypatch):
    threads = []    # one is enough here: on a busy machine two wait for each other
    monkeypatch.setattr(torch, "set_num_threads", threads.append)
    record = benchmark.measured(count=4)
    assert threads == [1, 1, 2]
    rows = record["threads"][1]["ratios"]
    assert {"step, random batches / torch", "step, random batches / equalised",
            "step, bucketed batches / torch", "step, bucketed batches / equalised",
            "encoder, random batches / torch",
            "bucketed / random", "greedy 64 / torch", "greedy 1 / torch",
            "beam 5 / marian"} == set(rows) == set(record["threads"][2]["ratios"])
    assert all(0 < low <= median <= high for median, low, high in rows.values())
    assert "encoder, random batches, ours" in record["threads"][1]["milliseconds"]
    lines = benchmark.table(record).splitlines()
    assert lines[0] == record["hardware"] and len(lines) == 3 + len(rows)
    assert lines[-1].endswith("ours 1 MB, torch not measured")


def test_the_experiments_load_where_there_is_no_resource():
    code = ("import sys; sys.modules['resource'] = None; import softdict.experiments; "
            "from softdict.experiments import benchmark; print(benchmark.largest())")
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          check=True)
    assert said.stdout == "None\n"
    assert benchmark.largest() is None or benchmark.largest() > 10


def test_the_parts_of_a_step_are_what_the_system_does(small_rivals, monkeypatch):
    rng = random.Random(0)
    rows = [make_batch(benchmark.sentences(4, rng)) for _ in range(2)]
    with_dropout = benchmark.spent(["ours", "torch"], rows, rng)
    monkeypatch.setattr(rivals, "CONFIG", replace(rivals.CONFIG, dropout=0.0))
    without = benchmark.spent(["ours", "torch"], rows, rng)
    for name in ("ours", "torch"):
        assert list(with_dropout[name]) == ["products", "random numbers",
                                            "Adam", "rest"]
        assert (with_dropout[name]["random numbers"] > 0
                == without[name]["random numbers"])
        assert min(without[name][part] for part in ("products", "Adam")) > 0
