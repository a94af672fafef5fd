"""roles: heads by name, scored against gold links and against an offset, silenced and
weighed."""

from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from softdict import corpus, roles
from softdict.batches import make_batch
from softdict.decoding import greedy
from softdict.programs import translator
from softdict.transformer import TransformerConfig, make_transformer, recorded_weights
from softdict.vocab import PAD

few = settings(max_examples=30, deadline=None)
CONFIG = TransformerConfig(width=12, heads=3, layers=2, hidden=20, dropout=0.0)
PAIRS = [([4, 5, 6, 7, 8, 9, 10], [4, 5, 6, 7]), ([8, 7, 3], [9, 5])]    # S=7, T=5
NAMES = [f"{stack} {layer}.{head}" for stack in ("encoder", "decoder", "cross")
         for layer in (1, 2) for head in (1, 2, 3)]


@pytest.fixture
def model():
    """A Transformer in double precision whose weights are far from 0."""
    torch.manual_seed(0)
    model = make_transformer(11, 10, CONFIG).double()
    with torch.no_grad():
        for part in model.parameters():
            part.add_(0.2 * torch.randn_like(part))
    return model.eval()


@pytest.fixture(scope="module")
def batch():
    return make_batch(PAIRS)


def logits_of(model, batch):
    return model(batch.source, batch.source_lengths, batch.target_in)


def attention_of(model, name):
    return roles.heads(model)[name]


# Heads by name


def test_every_head_has_its_name_in_the_order_of_the_stacks(model):
    known = roles.heads(model)
    assert list(known) == NAMES
    stacks = {"encoder": lambda layer: model.encoder.layers[layer].self_attention,
              "decoder": lambda layer: model.decoder.layers[layer].self_attention,
              "cross": lambda layer: model.decoder.layers[layer].cross_attention}
    for name, (part, number) in known.items():
        stack, place = name.split()
        layer, head = map(int, place.split("."))
        assert part is stacks[stack](layer - 1) and number == head - 1


def test_the_layers_of_a_model_without_stacks_are_layers():
    class Alone(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList(
                roles.MultiHeadAttention(12, 2) for _ in range(2))

    assert list(roles.heads(Alone())) == ["layer 1.1", "layer 1.2", "layer 2.1",
                                          "layer 2.2"]


def test_head_weights_are_those_that_were_recorded(model, batch):
    with torch.no_grad(), recorded_weights(model) as kept:
        logits_of(model, batch)
    found = roles.head_weights(model, batch.source, batch.source_lengths,
                               batch.target_in)
    places = {"encoder": "encoder.layers.{}.self_attention",
              "decoder": "decoder.layers.{}.self_attention",
              "cross": "decoder.layers.{}.cross_attention"}
    assert set(found) == set(places)
    for stack, place in places.items():
        assert torch.equal(found[stack], torch.cat(
            [kept[place.format(layer)] for layer in (0, 1)], dim=1))
        assert not found[stack].requires_grad


# Silence


@pytest.mark.parametrize("name", ["encoder 1.2", "decoder 2.3", "cross 2.1"])
def test_a_silent_head_is_one_whose_rows_of_the_matrix_are_zero(model, batch, name):
    with roles.ablated(model, [name]):
        silent = logits_of(model, batch)
    before = logits_of(model, batch)
    part, number = attention_of(model, name)
    size = CONFIG.width // CONFIG.heads
    with torch.no_grad():
        part.out.weight[:, number * size:(number + 1) * size] = 0
    torch.testing.assert_close(silent, logits_of(model, batch), atol=1e-12, rtol=0)
    assert (silent - before).abs().max() > 1e-3


def test_silent_heads_of_one_attention_leave_its_bias(model, batch):
    names = [name for name in NAMES if name.startswith("cross 1")]
    with roles.ablated(model, names):
        silent = logits_of(model, batch)
    part, _ = attention_of(model, names[0])
    with torch.no_grad():
        part.out.weight.zero_()
    torch.testing.assert_close(silent, logits_of(model, batch), atol=1e-12, rtol=0)


def test_heads_speak_again_behind_the_block_and_behind_an_error(model, batch):
    before, functions = logits_of(model, batch), [
        part.attend for part, _ in roles.heads(model).values()]
    with roles.ablated(model, []):
        assert torch.equal(logits_of(model, batch), before)
    with pytest.raises(ZeroDivisionError), roles.ablated(model, NAMES):
        _ = 1 / 0
    assert functions == [part.attend for part, _ in roles.heads(model).values()]
    assert torch.equal(logits_of(model, batch), before)


def test_silence_within_silence_adds_up(model, batch):
    with roles.ablated(model, ["cross 1.1", "cross 1.3"]):
        both = logits_of(model, batch)
    with roles.ablated(model, ["cross 1.1"]), roles.ablated(model, ["cross 1.3"]):
        torch.testing.assert_close(logits_of(model, batch), both)


def test_a_head_that_is_not_there_is_one_sentence_and_silences_nothing(model, batch):
    before = logits_of(model, batch)
    with pytest.raises(ValueError, match=r"no head 'cross 3.1'; it has encoder 1.1, "):
        with roles.ablated(model, ["cross 1.1", "cross 3.1"]):
            pass
    assert torch.equal(logits_of(model, batch), before)


def test_a_gate_may_be_one_for_each_sentence(model, batch):
    part, _ = attention_of(model, "encoder 1.1")
    gate = torch.ones(2, 3, 1, 1).double()
    gate[0, 2] = 0
    with roles.gates(model, {part: gate}):
        mixed = logits_of(model, batch)
    with roles.ablated(model, ["encoder 1.3"]):
        silent = logits_of(model, batch)
    torch.testing.assert_close(mixed[0], silent[0])
    torch.testing.assert_close(mixed[1], logits_of(model, batch)[1])


# Scores


@few
@given(st.integers(0, 10_000), st.booleans())
def test_the_accuracy_of_a_head_is_that_of_a_loop(seed, itself):
    torch.manual_seed(seed)
    weights = torch.rand(2, 3, 5, 5 if itself else 7).softmax(dim=-1)
    links = [(int(b), int(q), int(k)) for b, q, k in zip(
        torch.randint(2, (6,)), torch.randint(5, (6,)), torch.randint(1, 5, (6,)))]
    shown = roles.words_only(weights, itself)
    wanted = []
    for head in range(3):
        found = 0
        for b, q, k in links:
            row = [-1 if s == 0 or (s == q and not itself) else weight
                   for s, weight in enumerate(weights[b, head, q].tolist())]
            found += row.index(max(row)) == k
        wanted.append(found / len(links))
    assert roles.head_accuracy(shown, links).tolist() == pytest.approx(wanted)
    assert (weights >= 0).all()    # not written into


def test_without_a_link_there_is_no_accuracy():
    with pytest.raises(ValueError, match="no link"):
        roles.head_accuracy(torch.ones(1, 1, 2, 2), [])


def test_the_ruler_by_hand():
    links = [(0, 3, 2), (0, 5, 4), (1, 6, 4), (1, 2, 4)]
    assert roles.most_common_offset(links) == -1
    assert roles.offset_accuracy(links, -1) == 0.5
    assert roles.offset_accuracy(links, 2) == roles.offset_accuracy(links, -2) == 0.25
    assert roles.offset_accuracy(links, 1) == 0


def test_neighbours_by_hand():
    assert roles.neighbour_links([4, 2], -1) == [(0, 2, 1), (0, 3, 2)]
    assert roles.neighbour_links([4, 2], 1) == [(0, 1, 2), (0, 2, 3)]
    assert roles.neighbour_links([3], 0) == [(0, 1, 1), (0, 2, 2)]


# Gold links


def token(relation, head):
    return SimpleNamespace(relation=relation, head=head)


def test_links_of_trees_by_hand():
    # the tag, "the happy dog barked"; and its Korean, "happy dog NOM bark HON"
    pair = SimpleNamespace(
        source=[token("tag", -1), token("det", 3), token("amod", 3), token("nsubj", 4),
                token("root", -1)],
        target=[token("amod", 1), token("nsubj", 3), token("case", 1),
                token("root", -1), token("hon", 3)])
    assert roles.relation_links([pair, pair], "amod") == [(0, 2, 3), (1, 2, 3)]
    assert roles.relation_links([pair], "nsubj", up=False) == [(0, 4, 3)]
    # the noun is not yet written when the adjective is; it stands behind BOS, at 2
    assert roles.written_links([pair], "amod") == []
    assert roles.written_links([pair], "amod", up=False) == [(0, 1, 1)]
    assert roles.written_links([pair], "case") == [(0, 2, 2)]
    # the honorific hangs on its verb, and is linked to the verb's subject
    assert roles.written_links([pair], "hon") == [(0, 4, 2)]
    assert roles.subject(pair.target, 3) == 1 and roles.subject(pair.target, 1) == -1


def test_links_of_the_corpus_are_mirrored_and_have_been_written():
    pairs = corpus.split("iid")[:200]
    for relation in ("amod", "nsubj", "cc", "mark"):
        up, down = (roles.relation_links(pairs, relation, way)
                    for way in (True, False))
        assert len(up) > 20 and sorted(down) == sorted(
            (b, key, query) for b, query, key in up)
        assert all(pairs[b].source[query].relation == relation for b, query, _ in up)
    for relation, up in (("nsubj", False), ("hon", True), ("case", True)):
        links = roles.written_links(pairs, relation, up)
        assert links and all(0 < key <= query for _, query, key in links)
    for b, query, key in roles.written_links(pairs, "hon"):
        assert pairs[b].target[key - 1].relation == "nsubj"


def test_alignment_by_hand():
    """Three rows: a sure link hit, a possible one hit, a sure one missed."""
    rows = torch.tensor([[0.1, 0.7, 0.2], [0.1, 0.3, 0.6], [0.2, 0.5, 0.3]])
    pair = SimpleNamespace(sure=[(1, 0), (2, 2)], possible=[(1, 0), (2, 1), (2, 2)])
    found = roles.alignment(rows[None], [pair])
    # drawn: (1, 0), (2, 1), (1, 2); sure 1 and possible 2 of 3 drawn and 2 sure
    assert found["error"] == pytest.approx(100 * (1 - 3 / 5))
    assert found["hits"] == pytest.approx(100 / 2)
    assert found["mass"] == pytest.approx(100 * (0.7 + 0.3) / 2)


# Losses, and what the gates say


def test_told_is_the_loss_of_each_word(model, batch):
    losses, right = roles.teacher_forced(model, batch)
    logits = logits_of(model, batch)
    for b in range(2):
        for t in range(batch.target_out.shape[1]):
            word = batch.target_out[b, t]
            if word == PAD:
                assert losses[b, t] == 0 and right[b, t]
            else:
                assert losses[b, t].item() == pytest.approx(
                    F.cross_entropy(logits[b, t], word).item())
                assert right[b, t] == (logits[b, t].argmax() == word)


def test_a_sentence_that_is_right_all_along_is_what_greedy_writes():
    model = translator.translator().cpu()
    english, korean = translator.vocabs()
    pairs = corpus.split("long")[:24]
    batch = make_batch([(english.ids(pair.words, "UNK"),
                         korean.ids(pair.morphemes, "UNK")) for pair in pairs])
    _, right = roles.teacher_forced(model, batch)
    with torch.no_grad():
        written = greedy(model, batch.source, batch.source_lengths, max_length=80)
    same = [korean.tokens(row) == pair.morphemes for row, pair in zip(written, pairs)]
    assert right.all(dim=1).tolist() == same and {True, False} == set(same)


def test_importance_is_the_mean_slope_of_the_losses(model, batch):
    """Against finite differences: the gate a little above 1 and a little below."""
    found = roles.importance(model, batch)
    assert list(found) == NAMES
    for name in NAMES:
        part, number = attention_of(model, name)
        losses = []
        for step in (1 - 1e-5, 1 + 1e-5):
            gate = torch.ones(3, 1, 1).double()
            gate[number] = step
            with roles.gates(model, {part: gate}):
                losses.append(roles.teacher_forced(model, batch)[0].sum(dim=1))
        slopes = (losses[1] - losses[0]) / 2e-5
        assert found[name] == pytest.approx(slopes.abs().mean().item(), rel=1e-5)
    assert all(part.grad is None for part in model.parameters())
