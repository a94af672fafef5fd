"""cache: what a decoder keeps, and any order of its translations."""

import pytest
import torch
from copied import draw
from hypothesis import given, settings
from hypothesis import strategies as st
from machines import H, K, S, T, follows, machine, pairs_of_ids

from softdict.cache import DecoderCache
from softdict.masks import padding_mask

few = settings(max_examples=25, deadline=None, derandomize=True)
LAYERS = 2
ORDERS = [[0, 1], [1, 0], [0, 0], [1, 1], [0], [1], [0, 0, 1, 1], [1, 1, 0, 0],
          [0, 1, 0, 1], [0, 0, 0, 1], [1, 0, 0], [0, 1, 1, 0, 1, 0]]


def numbers(seed, *shape):
    return draw(seed, *shape), draw(seed + 1, *shape)


def make_cache(words=0, rows=2):
    """A cache for two sources, with so many words in each of the rows."""
    memory = [numbers(4 * layer, 2, H, S, K) for layer in range(LAYERS)]
    past = [numbers(20 + 4 * layer, rows, H, words, K) for layer in range(LAYERS)]
    allowed = padding_mask(torch.tensor([4, 7]), S)[:, None]
    return DecoderCache(memory, allowed, past)


# What is kept

def test_a_new_cache_holds_no_word():
    cache = make_cache()
    assert cache.length == 0 and len(cache.past) == LAYERS
    for pair, (key, value) in zip(cache.past, cache.memory):
        assert [part.shape for part in pair] == 2 * [(2, H, 0, K)]
        assert all(part.dtype == key.dtype == value.dtype for part in pair)


def test_words_are_put_behind_those_of_their_layer():
    cache, words = make_cache(), [numbers(40 + 2 * t, 2, H, 1, K) for t in range(3)]
    for t, (key, value) in enumerate(words):
        keys, values = cache.append(0, key, value)
        assert cache.length == t + 1
        assert torch.equal(keys, torch.cat([key for key, _ in words[:t + 1]], dim=2))
        assert torch.equal(values, torch.cat([value for _, value in words[:t + 1]], 2))
        assert cache.past[0][0] is keys and cache.past[0][1] is values
    assert cache.past[1][0].shape == (2, H, 0, K)
    cache.append(1, *numbers(60, 2, H, 3, K))    # several at once
    assert [key.shape[2] for key, _ in cache.past] == [3, 3]


def test_a_copy_grows_and_the_first_stays_as_it_was():
    cache = make_cache(words=2)
    before = [(key.clone(), value.clone()) for key, value in cache.past]
    copy = cache.copy()
    # no number is copied
    assert copy.memory is cache.memory and copy.memory_allowed is cache.memory_allowed
    assert all(one is other for pair, pair_of_copy in zip(cache.past, copy.past)
               for one, other in zip(pair, pair_of_copy))
    for layer in range(LAYERS):
        copy.append(layer, *numbers(40, 2, H, 1, K))
    assert (copy.length, cache.length) == (3, 2)
    for pair, wanted in zip(cache.past, before):
        assert all(map(torch.equal, pair, wanted))


def test_a_step_leaves_the_cache_that_it_was_given():
    model = machine().eval()
    source, lengths, target = pairs_of_ids()
    _, cache = model.step(target[:, 0], model.start(source, lengths))
    first, longer = model.step(target[:, 1], cache)
    other, _ = model.step(target[:, 2], cache)    # another word in its place
    again, _ = model.step(target[:, 1], cache)
    assert torch.equal(first, again) and not torch.allclose(first, other)
    assert (cache.length, longer.length) == (1, 2)


# In another order

def beam_like(chosen, rows, sources=2):
    """Whether as many are chosen of each source, source by source."""
    share = [number // (rows // sources) for number in chosen]
    return share == sorted(share) and len({share.count(n) for n in range(sources)}) == 1


@pytest.mark.parametrize("chosen", ORDERS, ids=str)
@pytest.mark.parametrize("rows", [2, 6])
def test_keys_and_values_follow_the_order(rows, chosen):
    cache = make_cache(words=3, rows=rows)
    chosen = torch.tensor([number * rows // 2 + number for number in chosen])
    chosen = chosen.clamp(max=rows - 1)
    before, new = cache.copy(), cache.reorder(chosen)
    for pair, wanted in zip(new.past, cache.past):
        assert all(torch.equal(one, other[chosen]) for one, other in zip(pair, wanted))
    sources = chosen // (rows // 2)
    if beam_like(chosen.tolist(), rows):
        # the source stays in its place, and nothing of it is copied
        assert new.memory is cache.memory
        assert new.memory_allowed is cache.memory_allowed
    else:
        assert torch.equal(new.memory_allowed, cache.memory_allowed[sources])
        for pair, wanted in zip(new.memory, cache.memory):
            assert all(torch.equal(one, other[sources])
                       for one, other in zip(pair, wanted))
    # the old one goes on as before
    assert all(one is other for pair, same in zip(cache.past, before.past)
               for one, other in zip(pair, same))


@pytest.mark.parametrize("chosen", ORDERS, ids=str)
def test_a_cache_without_a_word_is_ordered_by_its_sources(chosen):
    """A pair of None is as keys and values of no word, one translation a source."""
    chosen, empty = torch.tensor(chosen), make_cache()
    none = DecoderCache(empty.memory, empty.memory_allowed, [None] * LAYERS)
    wanted, found = empty.reorder(chosen), none.reorder(chosen)
    assert found.past == [None] * LAYERS and found.length == 0
    assert torch.equal(found.memory_allowed, wanted.memory_allowed)
    for pair, right in zip(found.memory, wanted.memory):
        assert all(map(torch.equal, pair, right))


def test_a_cache_without_a_source_is_ordered():
    begun = DecoderCache([], None, [None] * LAYERS)
    assert begun.reorder(torch.tensor([0, 0])).past == [None] * LAYERS
    for layer in range(LAYERS):
        begun.append(layer, *numbers(40 + 4 * layer, 3, H, 2, K))
    chosen = torch.tensor([2, 0, 2, 1])
    found = begun.reorder(chosen)
    assert found.memory == [] and found.memory_allowed is None and found.length == 2
    for pair, old in zip(found.past, begun.past):
        assert all(torch.equal(one, other[chosen]) for one, other in zip(pair, old))


BEAMS = [[0, 0, 0, 1, 1, 1], [2, 0, 1, 3, 3, 4], [0, 1, 2, 5, 4, 3], [2, 2, 2, 3, 5, 3]]
WILD = [[1, 0], [1, 1, 0], [2, 0, 2, 1], [3], [0, 0, 0], [1, 2]]


@pytest.mark.parametrize("turns", [BEAMS, WILD, BEAMS[:2] + WILD, WILD[:2] + BEAMS],
                         ids=["beams", "wild", "beams, then wild", "wild, then beams"])
@pytest.mark.parametrize("encoding", ["sinusoidal", "learned", "rotary"])
@pytest.mark.parametrize("pre_norm", [True, False], ids=["pre", "post"])
def test_scores_in_any_order_are_those_of_each_translation_alone(
        encoding, pre_norm, turns):
    follows(machine(positional_encoding=encoding, pre_norm=pre_norm).eval(), turns)


def test_scores_in_drawn_orders_are_those_of_each_translation_alone():
    model = machine().eval()
    order = st.lists(st.integers(0, 11), min_size=1, max_size=6)

    @few
    @given(st.lists(order, min_size=1, max_size=4))
    def check(turns):
        follows(model, turns)
    check()


def test_translations_of_one_source_ask_as_rows_of_one_query():
    model = machine().eval()
    source, lengths, _ = pairs_of_ids()
    begun, seen = model.start(source, lengths), []
    many = model.reorder(begun, torch.tensor([0, 0, 0, 1, 1, 1]))
    assert many.memory is begun.memory
    heads = model.decoder.layers[0].cross_attention
    heads.attend, attend = (lambda query, *rest: seen.append(query.shape)
                            or attend(query, *rest)), heads.attend
    ids = torch.tensor([5, 6, 7, 5, 6, 7])
    logits, many = model.step(ids, many)
    assert seen == [(2, H, 3, K)] and many.length == 1
    for row, word in enumerate(ids.tolist()):
        alone, _ = model.step(torch.tensor([word, word]), begun)
        torch.testing.assert_close(logits[row], alone[row // 3], rtol=0, atol=1e-12)


# Broken on purpose

def past_forgotten(cache, chosen):
    return DecoderCache(cache.memory, cache.memory_allowed, list(cache.past))


def source_forgotten(cache, chosen):
    return DecoderCache(cache.memory, cache.memory_allowed, ordered(cache.past, chosen))


def mask_forgotten(cache, chosen):
    right = cache.reorder_rightly(chosen)
    if len(right.memory_allowed) == len(cache.memory_allowed):
        right.memory_allowed = cache.memory_allowed
    return right


def values_forgotten(cache, chosen):
    right = cache.reorder_rightly(chosen)
    if cache.length and len(chosen) == len(cache.past[0][1]):
        right.past = [(key, value) for (key, _), (_, value)
                      in zip(right.past, cache.past)]
    return right


def rows_for_sources(cache, chosen):
    """As if there were one translation of each source."""
    return copied_from(cache, chosen, chosen.clamp(max=len(cache.memory_allowed) - 1))


def sources_side_by_side(cache, chosen):
    """As if the rows were first one translation of each source, then the next."""
    return copied_from(cache, chosen, chosen % len(cache.memory_allowed))


def copied_from(cache, chosen, sources):
    """The order that was asked for, and these sources where they must be copied."""
    right = cache.reorder_rightly(chosen)
    if right.memory is not cache.memory:
        right.memory = ordered(cache.memory, sources)
        right.memory_allowed = cache.memory_allowed[sources]
    return right


def never_copied_where_as_many(cache, chosen):
    """Looks at how many are chosen, and not at which."""
    right = cache.reorder_rightly(chosen)
    if len(chosen) % len(cache.memory_allowed) == 0:
        right.memory, right.memory_allowed = cache.memory, cache.memory_allowed
    return right


def ordered(pairs, rows):
    return [pair and tuple(part[rows] for part in pair) for pair in pairs]


BROKEN = [past_forgotten, source_forgotten, mask_forgotten, values_forgotten,
          rows_for_sources, sources_side_by_side, never_copied_where_as_many]


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.__name__)
def test_rows_of_another_translation_are_found(broken, monkeypatch, recorder):
    monkeypatch.setattr(DecoderCache, "reorder_rightly", DecoderCache.reorder,
                        raising=False)
    monkeypatch.setattr(DecoderCache, "reorder", broken)
    found = 0
    with recorder.pause():    # so that scores tell, and not shapes
        for turns in (BEAMS, WILD, BEAMS[:2] + [[4, 1], [1, 0], [0, 1]], [[1, 0]]):
            try:
                follows(machine().eval(), turns)
            except (AssertionError, RuntimeError, IndexError):
                found += 1
    assert found


def test_a_step_that_changes_the_cache_it_was_given_is_found(monkeypatch):
    monkeypatch.setattr(DecoderCache, "copy", lambda cache, *given, **more: cache)
    with pytest.raises(AssertionError):
        test_a_step_leaves_the_cache_that_it_was_given()
    with pytest.raises(AssertionError):
        test_a_copy_grows_and_the_first_stays_as_it_was()


def test_a_cache_without_places_for_its_words_is_found(monkeypatch):
    """A new word at position 0, as if none stood before it."""
    monkeypatch.setattr(DecoderCache, "length", 0)
    monkeypatch.setattr(DecoderCache, "check", lambda *_, **more: None)
    with pytest.raises(AssertionError):
        follows(machine().eval(), [[0, 1]] * T)
