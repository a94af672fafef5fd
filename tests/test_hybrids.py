"""The stacks of chapter 23: their memories are the package's, and the kinds
differ in their layers alone."""

import pytest
import torch
from softdict.decoder_only import DecoderOnlyConfig
from softdict.experiments import hybrids, recall
from softdict.experiments.hybrids import KINDS, Memory, Stack
from softdict.heads import merge_heads, split_heads
from softdict.linear_attention import gated_delta_rule


@pytest.fixture(autouse=True)
def seeded():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def some_layer():
    return Memory(DecoderOnlyConfig(9, width=8, heads=2, kv_heads=2)).double()


def test_a_memory_layer_is_the_gated_delta_rule_of_each_head():
    layer, x = some_layer(), torch.randn(2, 37, 8, dtype=torch.float64)
    query, key, value, strength, gate = (
        split_heads(part(x), 2) for part in (layer.query, layer.key, layer.value,
                                             layer.strength, layer.gate))
    key = key / key.norm(dim=-1, keepdim=True)
    answers, _ = gated_delta_rule(query, key, value, strength.sigmoid(),
                                  (gate + 4).sigmoid())
    torch.testing.assert_close(layer(x, None, None),
                               layer.out(merge_heads(answers)))


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_depends_on_no_later_word(kind):
    model = Stack(kind, 8).eval()
    keys, values, asked, _ = recall.rows("twice", 3, 16)
    other = asked.clone()
    other[:, 5:] = asked[:, 5:].roll(1, dims=1)
    one, two = (model(keys, values, ids)[:, :5] for ids in (asked, other))
    torch.testing.assert_close(one, two)
    assert not torch.allclose(one, model(keys, values.roll(1, dims=1), asked)[:, :5])


def test_the_kinds_differ_by_strengths_and_gates_alone():
    sizes = {kind: sum(part.numel() for part in Stack(kind).parameters())
             for kind in KINDS}
    assert sizes["memory"] - sizes["hybrid"] == 2 * 33
    assert sizes["memory"] - sizes["softmax"] == 4 * 2 * 33
    names = [type(layer.attention).__name__ for layer in Stack("hybrid").layers]
    assert names == ["Memory"] * 3 + ["GroupedAttention"]
    assert sizes["softmax first"] == sizes["hybrid"]


def test_every_kind_gets_the_same_rows(monkeypatch):
    seen = []
    monkeypatch.setattr(recall, "rows", lambda *given, rows=recall.rows, **more:
                        seen.append(rows(*given, **more)) or seen[-1])
    for kind in KINDS:
        list(hybrids.trained("once", kind, 1, updates=2)[1])
    assert len(seen) == 2 * len(KINDS)
    for number, row in enumerate(seen):
        assert all(map(torch.equal, row, seen[number % 2]))


def test_a_result_holds_every_kind_and_a_hybrid_learns(monkeypatch):
    for module, name, small in ((recall, "KEYS", 8), (hybrids, "KEYS", 8),
                                (recall, "VALUES", 4), (hybrids, "VALUES", 4),
                                (hybrids, "PAIR_COUNTS", (2, 4))):
        monkeypatch.setattr(module, name, small)
    table = hybrids.recalled("twice", 0, kinds=["hybrid"], updates=150)
    assert set(table) == {"pairs", "updates", "rate", "hybrid"}
    one = table["hybrid"]
    assert len(one["loss"]) == 3 and one["loss"][-1] < 0.7 * one["loss"][0]
    assert len(one["right"]) == 2 and len(hybrids.first("once", 0)) == 5
