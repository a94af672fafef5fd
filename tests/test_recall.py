"""The experiment of chapter 23: its rows say what they ask, its memories are those of
the package, and each kind can learn what it should."""

import pytest
import torch

from softdict.experiments import recall
from softdict.experiments.recall import KEYS, KINDS, TASKS, VALUES, rows
from softdict.linear_attention import gated_delta_rule, linear_attention


@pytest.fixture(autouse=True)
def seeded():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


@pytest.mark.parametrize("pairs", [2, 4, 128])
@pytest.mark.parametrize("task", TASKS)
def test_the_right_answer_is_what_a_dict_says(task, pairs):
    for keys, values, asked, right in zip(*(part.tolist()
                                            for part in rows(task, 5, pairs))):
        table = {}
        for key, value in zip(keys, values):
            if key == KEYS:    # the mark
                assert value == VALUES
                table = dict.fromkeys(table, VALUES)
            else:
                table[key] = value
        assert right == [table[key] for key in asked] and len(table) == len(asked)
        assert len(set(asked)) == len(asked) == (pairs // 2 if task == "twice"
                                                 else pairs)
        assert len(keys) == pairs + (task == "void")
        assert max(map(keys.count, asked)) == (2 if task == "twice" else 1)


def test_the_mark_stands_in_the_middle():
    keys, _, asked, right = rows("void", 3, 8)
    assert (keys[:, 4] == KEYS).all()
    assert torch.equal(right == VALUES, torch.arange(8).expand(3, 8) < 4)
    assert torch.equal(torch.cat([keys[:, :4], keys[:, 5:]], 1), asked)


def parts(P=40):
    query, key, value = torch.randn(3, 2, P, 6, dtype=torch.float64)
    key = torch.nn.functional.normalize(key, dim=-1)
    return [query, key, value, *torch.rand(2, 2, P, 1, dtype=torch.float64)]


def test_the_memories_are_those_of_the_package():
    query, key, value, strength, gate = given = parts()
    every = query[:, -1:]
    torch.testing.assert_close(recall.by_delta(every, *given[1:]),
                               gated_delta_rule(*given)[0][:, -1:])
    one = torch.ones_like(gate)
    torch.testing.assert_close(recall.by_sum(every, key, value, one, one),
                               linear_attention(query, key, value)[0][:, -1:])
    by_steps = torch.zeros(2, 6, 6, dtype=torch.float64)
    for t in range(40):
        by_steps = gate[:, t, :, None] * by_steps + (
            strength[:, t, :, None] * key[:, t, :, None] * value[:, t, None])
    torch.testing.assert_close(recall.by_sum(*given), query @ by_steps)


def test_a_gate_of_softmax_multiplies_what_is_older():
    query, key, value, strength, gate = parts(3)
    a, b = gate[:, 1, 0], gate[:, 2, 0]
    left = torch.stack([a * b, b, torch.ones_like(a)], dim=-1)
    weights = (query @ key.mT).exp() * left[:, None]
    wanted = weights / weights.sum(-1, keepdim=True) @ value
    torch.testing.assert_close(recall.by_softmax(query, key, value, strength, gate),
                               wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_all_kinds_learn_four_pairs_and_differ_by_little(kind, monkeypatch):
    """Two pairs of few keys and values: enough to see that each kind learns."""
    monkeypatch.setattr(recall, "PAIR_COUNTS", (2, 4))
    monkeypatch.setattr(recall, "KEYS", 8)
    monkeypatch.setattr(recall, "VALUES", 4)
    model, curve = recall.trained("once", kind, 16, 0, updates=120)
    curve = list(curve)
    assert len(curve) == 120 and curve[-1] < 0.5 * curve[0]
    plain, _ = recall.trained("once", "softmax", 16, 0)
    sizes = [sum(part.numel() for part in one.parameters()) for one in (model, plain)]
    assert 0 <= sizes[0] - sizes[1] <= 2 * 17


def test_every_kind_gets_the_same_rows(monkeypatch):
    seen = []
    monkeypatch.setattr(recall, "rows", lambda *given, **more: seen.append(
        rows(*given, **more)) or seen[-1])
    for kind in ("softmax", "gated delta"):
        list(recall.trained("void", kind, 16, 1, updates=2)[1])
    for one, other in zip(seen[:2], seen[2:], strict=True):
        assert all(map(torch.equal, one, other))


def test_a_result_holds_every_kind_and_width(monkeypatch):
    monkeypatch.setattr(recall, "PAIR_COUNTS", (4,))
    table = recall.recalled("void", 0, kinds=["sum"], widths=[4, 6], updates=50)
    assert set(table) == {"pairs", "updates", "rate", "sum 4", "sum 6"}
    one = table["sum 4"]
    assert len(one["loss"]) == 1 and len(one["right"]) == 1
    mean = (one["first half"][0] + one["second half"][0]) / 2
    assert abs(one["right"][0] - mean) < 1e-6
    assert len(recall.first("once", 0)) == 5
    assert recall.first("once", 0) != recall.first("twice", 0)


def test_seconds_are_of_equal_answers():
    """What is timed computes what its name says."""
    given = recall.some_words(70)
    answers = {name: way(*(given[:3] if name == "softmax" else given))
               for name, way in recall.WAYS.items()}
    torch.testing.assert_close(answers["delta, in blocks"],
                               answers["delta, step by step"], atol=1e-4, rtol=1e-4)
    query, key, value = given[:3]
    torch.testing.assert_close(answers["sum, in blocks"],
                               (query @ key.mT).tril() @ value, atol=1e-3, rtol=1e-3)
    table = recall.seconds(0, lengths=(4, 8), repeats=1)
    assert all(len(row) == 2 for row in table.values())
    assert table["bytes, softmax"] == [2 * 4 * 4 * 64 * 4, 2 * 4 * 8 * 64 * 4]
    assert table["bytes, delta"] == [4 * 64 * 64 * 4] * 2
    assert len(recall.seconds_first(0)) == 4
