"""experiments: on a made corpus of one-line grammar, with tiny models: results kept, resumed, checked, refused."""

import json
import random
from dataclasses import replace

import pytest
import torch

from softdict import runtime
from softdict.experiments import EXPERIMENTS, __main__, frame, memory, padding, sentences, translation
from softdict.experiments.frame import difference, file_of, hardware, rounded, run, run_all, trained
from softdict.experiments.replaced import Replaced, heaviest, instead, uniform
from softdict.experiments.sentences import Example
from softdict.experiments.translation import System, aligned, look
from softdict.seq2seq import Attend, Encoded, Encoder
from softdict.vocab import PAD

NOUNS = {"dog": "개", "cat": "고양이", "cow": "소", "owl": "부엉이"}
VERBS = {"saw": "보", "ate": "먹", "heard": "듣"}


def make_examples(count, seed):
    chance, examples = random.Random(seed), []
    for _ in range(count):
        subject, verb, other = chance.choice(list(NOUNS)), chance.choice(list(VERBS)), chance.choice(list(NOUNS))
        examples.append(Example(
            ["<plain>", "the", subject, verb, "the", other],
            [NOUNS[subject], "-는", NOUNS[other], "-를", VERBS[verb], "-다"],
            ["NOUN", None, "NOUN", None, "VERB", None], ((2, 0), (3, 4), (5, 2)), 5))
    return examples


@pytest.fixture(autouse=True)
def made_corpus(tmp_path, monkeypatch):
    splits = {"train": make_examples(60, 0), "iid": make_examples(12, 1), "long": make_examples(5, 2)}
    splits["agree"] = [replace(example, spot=2) for example in make_examples(4, 3)]
    monkeypatch.setattr(sentences, "split", splits.__getitem__)
    monkeypatch.setattr(sentences, "join", " ".join)
    monkeypatch.setattr(sentences, "HELD_OUT", ("iid", "long"))
    monkeypatch.setattr(sentences, "pool", lambda: {"NOUN": list(NOUNS.values()), "VERB": list(VERBS.values())})
    translation.vocabs.cache_clear()
    translation.ibm.cache_clear()
    monkeypatch.setattr(frame, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(frame, "UNFINISHED", tmp_path / "unfinished")
    yield
    translation.vocabs.cache_clear()    # the next tests want those of the real corpus
    translation.ibm.cache_clear()


SMALL = System(width=8, updates=7)
SMALL_RUN = trained("small", "test", SMALL.start, SMALL.finish, seeds=(0, 1))


def test_a_result_says_what_it_is_and_where_it_comes_from():
    record = json.loads(run(SMALL_RUN, 1).read_text(encoding="utf-8"))
    assert record["command"] == "python -m softdict.experiments small --seed 1"
    assert list(record) == [
        "experiment", "seed", "date", "command", "hardware", "versions", "seconds", "first", "result"]
    assert len(record["first"]) == 5 and set(record["versions"]) >= {"python", "torch", "softdict"}
    measures = {"sentences", "signatures", "exact", "content", "bleu", "chrf", "ending"}
    assert set(record["result"]["by length"]["4-8"]) == measures
    assert set(record["result"]["splits"]) == {"iid", "long"}
    assert record["result"]["by length"]["4-8"]["sentences"] == 17


def test_what_is_done_is_skipped(monkeypatch):
    file = run(SMALL_RUN, 0)
    content = file.read_bytes()
    monkeypatch.setattr(frame, "train", None)
    assert run(SMALL_RUN, 0) == file and file.read_bytes() == content


def test_an_interrupted_experiment_goes_on(monkeypatch):
    real = frame.train

    def interrupted(training, pairs, path):
        def stop(model):
            raise KeyboardInterrupt
        training.settings = training.settings.__class__(**{**training.settings.__dict__, "every": 3})
        real(training, pairs, path=path, evaluate=lambda model: stop(model) if len(training.history) == 6 else {})

    monkeypatch.setattr(frame, "train", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(SMALL_RUN, 0)
    assert not file_of(SMALL_RUN, 0).exists() and [*frame.UNFINISHED.glob("small.0.safetensors")]


def test_the_check_passes_today_and_fails_when_behaviour_changes(monkeypatch):
    run(SMALL_RUN, 0)
    assert difference(SMALL_RUN, 0) < 1e-5
    wider = System(width=10, updates=7)
    assert difference(trained("small", "test", wider.start, wider.finish), 0) > 1e-3
    monkeypatch.setattr(Encoder, "forward", padding.PadsBehind.forward)
    assert difference(SMALL_RUN, 0) > frame.TOLERANCE


def test_the_first_losses_are_those_of_the_whole_training():
    record = json.loads(run(SMALL_RUN, 0).read_text(encoding="utf-8"))
    assert record["first"] == pytest.approx(SMALL_RUN.first(0), rel=1e-6)


def test_seeds_differ():
    assert SMALL_RUN.first(0) != SMALL_RUN.first(1)


def test_run_all_starts_one_process_a_job_and_names_failures(monkeypatch, capsys):
    commands = []

    def pretend(command, env, **streams):
        commands.append((command[3:], env["OMP_NUM_THREADS"]))
        return type("Done", (), {"returncode": int(command[-1])})

    monkeypatch.setattr(frame.subprocess, "run", pretend)
    failed = run_all([(SMALL_RUN, 0), (SMALL_RUN, 1)])
    assert failed == [(SMALL_RUN, 1)]
    assert sorted(commands) == [(["small", "--seed", "0"], "1"), (["small", "--seed", "1"], "1")]
    assert "small seed 1: FAILED, see" in capsys.readouterr().out


def test_the_command_line(monkeypatch, capsys):
    monkeypatch.setattr(__main__, "EXPERIMENTS", {"small": SMALL_RUN})
    assert __main__.main([]) == __main__.main(["smal"]) == 2
    assert capsys.readouterr().err.splitlines() == ["Name a group (test) or an experiment (small)."] * 2
    assert __main__.main(["small", "--seed", "0"]) == 0
    assert __main__.main(["--list"]) == 0
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()[-2:]] == ["done", "-"]
    assert __main__.main(["--check"]) == 0
    file = file_of(SMALL_RUN, 0)
    file.write_text(file.read_text(encoding="utf-8").replace('"first": [\n', '"first": [\n  9.0,\n'), encoding="utf-8")
    assert __main__.main(["--check"]) == 1
    assert "STALE" in capsys.readouterr().out


def test_rounded_keeps_the_structure():
    assert rounded({"a": [1.23456789, 2, "x"], "b": (True, None)}) == {"a": [1.234568, 2, "x"], "b": [True, None]}
    assert "thread" in hardware()


def test_names_are_unique_and_every_group_of_the_book_is_there():
    every = [*translation.EXPERIMENTS, *padding.EXPERIMENTS, *memory.EXPERIMENTS]
    assert len(every) == len(EXPERIMENTS)
    assert not {experiment.group for experiment in every} & set(EXPERIMENTS)    # a command names the one or the other
    assert {"rnn", "rnn-reversed", "rnn-wide", "rnn-long", "rnn-1k", "rnn-5k", "skeleton", "ibm1"} < set(EXPERIMENTS)
    assert all(len(experiment.seeds) >= 3 for experiment in EXPERIMENTS.values() if experiment.name.startswith("rnn"))


def test_results_are_read_back(monkeypatch, tmp_path):
    monkeypatch.setattr(runtime, "ASSETS", tmp_path)
    run(SMALL_RUN, 0)
    run(SMALL_RUN, 1)
    assert [record["seed"] for record in runtime.results("small")] == [0, 1]
    with pytest.raises(FileNotFoundError, match="no result of 'other'"):
        runtime.results("other")


# The baselines and the models

def test_baselines_on_the_made_corpus():
    examples = sentences.split("iid")
    for translate in (translation.word_for_word_with_links, translation.word_for_word_with_ibm):
        words = translate(examples)
        assert all(set(e.target[::2]) <= set(line) for e, line in zip(examples, words))
    perfect = [example.target for example in examples]
    assert translation.quality(examples, perfect)["exact"] == (100, 100, 100)
    assert translation.nearest(sentences.split("train")[:9]) == [e.target for e in sentences.split("train")[:9]]
    assert all(line[1::2] == ["-는", "-를", "-다"] for line in translation.random_content(examples))


def test_translations_come_back_in_their_order():
    training, _ = SMALL.start(0)
    examples = sentences.split("iid")
    examples = [*examples, Example(["the", "dog"], ["개"], ["NOUN"], [(1, 0)], 2)]
    together = translation.translations(SMALL, training.model, examples, size=4)
    assert together == [translation.translations(SMALL, training.model, [example])[0] for example in examples]


def test_a_reversed_system_reads_backwards():
    (source, target), *_ = System(width=8, reverse=True).start(0)[1]
    assert (source[::-1], target) == SMALL.start(0)[1][0]


def test_accuracies_are_told_and_own():
    training, _ = SMALL.start(0)
    table = translation.accuracies(SMALL, training.model)
    assert table["told by place"][0] == table["own by place"][0]
    assert len(table["own by place"]) == 7 and 0 <= table["own"] <= 1


def test_agreement_compares_each_sentence_with_its_twin(monkeypatch):
    examples = [Example(["the", "dog"], ["는", word], [None, None], (), 2, spot=1) for word in ("개", "소", "개", "개")]
    monkeypatch.setattr(sentences, "split", {"train": make_examples(60, 0), "agree": examples}.__getitem__)
    training, _ = SMALL.start(0)
    word = translation.vocabs(SMALL.pairs)[1].numbers["개"]
    with torch.no_grad():
        training.model.generator.bias[word] = 50.0    # it wins against every other
    assert translation.agreement(SMALL, training.model)[0] == 25


def test_pads_in_front_are_read_first(monkeypatch):
    seen = []
    monkeypatch.setattr(padding, "LONGEST", 5)
    encoder = padding.PadsInFront(9, 4, 8)
    encoder.embed.register_forward_hook(lambda module, inputs, output: seen.append(inputs[0].tolist()))
    encoder(torch.tensor([[5, 6, PAD], [5, 6, 7]]), torch.tensor([2, 3]))
    assert seen == [[[PAD, PAD, PAD, 5, 6], [PAD, PAD, 5, 6, 7]]]


def test_only_the_reader_that_meets_the_pads_last_is_disturbed_most():
    table = padding.pads_and_states(0)
    assert table["behind"]["forward"][0] == pytest.approx(1) == table["in front"]["backward"][0]
    assert table["behind"]["forward"][4] < 0.8 < table["behind"]["backward"][4]
    assert table["in front"]["backward"][4] < 0.8 < table["in front"]["forward"][4]


# What a state can carry

def test_gradient_norms_equal_one_gradient_at_a_time():
    torch.manual_seed(0)
    model = memory.Recall(torch.nn.GRU, 6, 9)
    torch.manual_seed(1)
    [norm] = memory.gradient_norms(model, [3])
    torch.manual_seed(1)
    rows, direction = torch.randint(9, (64, 4)), torch.nn.functional.normalize(torch.randn(64, 6), dim=-1)
    total = 0.0
    for row in range(64):
        words = model.embed(rows[row:row + 1]).detach().requires_grad_()
        (model.rnn(words)[0][0, -1] * direction[row]).sum().backward()
        total += words.grad[0, 0].norm().item() / 64
    assert norm == pytest.approx(total, rel=1e-4)


def test_reach_and_copy_have_the_lengths_that_they_name():
    table = memory.reach("gru", 0, updates=20, width=8, distances=(0, 1, 5))
    assert len(table["untrained"]) == len(table["trained"]) == 3 and table["recalled at"] == [1, 5]
    assert memory.reach_first("gru", 0)[0] == pytest.approx(memory.reach_first("gru", 0)[0])
    training, pairs = memory.copy_start(8, 5, 0)
    assert all(source == target for source, target in pairs)
    assert {len(source) for source, _ in pairs} == set(range(1, 25))
    table = memory.copy_finish(training, lengths=(1, 3))
    assert table["lengths"] == [1, 3] and len(table["exact"]) == 2


def test_seconds_gives_a_time_for_each_length():
    table = memory.seconds(0, sizes=(2, 4), width=4, batch=2)
    assert all(len(table[f"{name} {part}"]) == 2 for name in ("gru", "parallel") for part in ("forward", "both"))


def test_a_model_with_attention_is_scored_against_the_links():
    example = Example(["<plain>", "the", "dog"], ["개", "-는"], ["NOUN", None], ((2, 0),), 4,
                      possible=((2, 0), (2, 1), (1, 1)))
    gold, swapped = torch.zeros(3, 3), torch.zeros(3, 3)    # a row for <eos> behind
    gold[0, 2] = gold[1, 1] = swapped[0, 0] = swapped[1, 0] = 1
    assert aligned([example], [gold]) == {"4-8": {"error": (0, 0, 0), "hits": (100,) * 3, "mass": (100,) * 3}}
    assert aligned([example], [swapped]) == {"4-8": {"error": (100,) * 3, "hits": (0, 0, 0), "mass": (0, 0, 0)}}
    half = torch.stack([gold[0], swapped[1], gold[2]])    # wrong for the word that has a possible link only
    assert aligned([example], [half])["4-8"]["error"][0] == pytest.approx(100 / 3)


def test_only_a_model_that_looks_has_an_alignment(monkeypatch):
    linked = [replace(example, possible=example.links) for example in make_examples(12, 1)]
    splits = {"train": make_examples(60, 0), "iid": linked, "long": linked, "agree": linked}
    monkeypatch.setattr(sentences, "split", splits.__getitem__)
    for context in (look, translation.the_last):
        system = replace(SMALL, context=context)
        training, _ = system.start(0)
        training.model.eval()
        assert ("alignment" in system.finish(training)) == (context is look)


# Weights exchanged for others

def encoded_for(batch, size, width):
    torch.manual_seed(batch)
    states = torch.randn(batch, size, width)
    allowed = torch.arange(size) < torch.randint(1, size + 1, (batch, 1))
    return Encoded(states, states[None, :, 0], allowed)


def test_replaced_weights_are_those_that_average_the_states():
    context, encoded, query = Attend(), encoded_for(3, 7, 12), torch.randn(3, 12)
    even = Replaced(context, uniform)
    answer, weights = even(query, even.prepare(encoded))
    for n in range(3):
        real = encoded.states[n, encoded.allowed[n]]
        torch.testing.assert_close(answer[n], real.mean(dim=0))
        assert weights[n].sum().item() == pytest.approx(1)
    hard = Replaced(context, heaviest)
    answer, weights = hard(query, hard.prepare(encoded))
    best = context(query, context.prepare(encoded))[1].argmax(dim=-1)
    assert torch.equal(answer, encoded.states[torch.arange(3), best]) and set(weights.flatten().tolist()) == {0.0, 1.0}


def test_given_rows_take_their_own_step_and_empty_rows_leave_the_model_alone():
    context, encoded, query = Attend(), encoded_for(2, 5, 4), torch.randn(2, 4)
    rows = torch.zeros(2, 3, 5)
    rows[0, 1, 0] = rows[1, 0, 0] = 1
    given = Replaced(context, instead(rows))
    _, own = context(query, context.prepare(encoded))
    for _ in range(2):    # prepare begins anew
        source = given.prepare(encoded)
        steps = torch.stack([given(query, source)[1] for _ in range(3)], dim=1)    # [B, T, S]
        for n in range(2):
            for t in range(3):
                torch.testing.assert_close(steps[n, t], rows[n, t] if rows[n, t].any() else own[n])


def test_replacements_leave_the_model_as_it_was(monkeypatch):
    linked = [replace(example, possible=example.links) for example in make_examples(12, 1)]
    splits = {"train": make_examples(60, 0), "iid": linked, "long": linked, "agree": linked}
    monkeypatch.setattr(sentences, "split", splits.__getitem__)
    system = replace(SMALL, context=look)
    model = system.start(0)[0].model.eval()
    context = model.decoder.context
    linked[0] = replace(linked[0], links=(*linked[0].links, (1, 0)))    # a word with two links
    seen = []
    monkeypatch.setattr(translation, "instead", lambda rows: seen.append(rows) or instead(rows))
    table = translation.replacements(system, model)
    gold = torch.zeros_like(seen[0])
    gold[:, 0, 2] = gold[:, 4, 3] = gold[:, 2, 5] = 1
    gold[0, 0, 1] = gold[0, 0, 2] = 0.5
    assert torch.equal(seen[0], gold)
    assert model.decoder.context is context and list(table) == ["own", "uniform", "heaviest", "gold"]
    assert all(0 <= part["linked"] <= 100 and 0 <= part["others"] <= 100 for part in table.values())
    assert "free" in table["heaviest"] and "free" not in table["gold"]
    right = translation.scores(system, model, linked)[0].argmax(dim=-1)
    batch = translation.scores(system, model, linked)[1]
    places = torch.tensor([[0, 2, 4]] * 12)    # targets with a link
    want = (right.gather(1, places) == batch.target_out.gather(1, places)).double().mean().item() * 100
    assert table["own"]["linked"] == pytest.approx(want)


def test_aligners_on_the_made_corpus():
    examples = [replace(example, possible=example.links) for example in sentences.split("iid")]
    short = Example(["<plain>", "the", "dog"], ["개", "-는"], ["NOUN", None], ((2, 0),), 4, possible=((2, 0),))
    for draw in (translation.ibm_links, translation.links_by_place, translation.best_single_links):
        assert [tuple(rows.shape) for rows in draw([examples[0], short], 60)] == [(6, 6), (2, 3)]
    for draw in (translation.links_by_place, translation.best_single_links):    # the made grammar has one order
        assert aligned(examples, draw(examples, 60))["4-8"]["error"] == (0, 0, 0)
    assert aligned(examples, translation.ibm_links(examples, 60))["4-8"]["hits"][0] > 80
