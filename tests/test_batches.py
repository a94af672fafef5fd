"""batches: nothing lost, little padding, targets shifted by one, the same order
again."""

import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from softdict.batches import epoch_batches, make_batch, padded, pads_behind
from softdict.vocab import BOS, EOS, PAD

few = settings(max_examples=30, deadline=None)

ids = st.lists(st.integers(4, 30), min_size=1, max_size=9)


def corpus_like(count, seed=0):
    """Made pairs with the lengths of the corpus: 4 to 24 source words, a third more
    target words, give or take."""
    rng = random.Random(seed)
    pairs = []
    for _ in range(count):
        length = rng.randint(4, 24)
        target = max(3, round(length * rng.uniform(1.0, 1.6)))
        pairs.append(([rng.randint(4, 99) for _ in range(length)],
                      [rng.randint(4, 99) for _ in range(target)]))
    return pairs


def share_of_real_words(batches):
    return sum((b.target_out != PAD).sum().item()
               for b in batches) / sum(b.target_out.numel() for b in batches)


def unpadded(batch):
    """The pairs that a batch was made of."""
    for source, length, target in zip(batch.source, batch.source_lengths,
                                      batch.target_out):
        yield source[:length].tolist(), target[:target.tolist().index(EOS)].tolist()


def test_the_target_is_shifted_by_one():
    batch = make_batch([([7, 8, 9], [4, 5]), ([6], [4])])
    assert batch.source.tolist() == [[7, 8, 9], [6, PAD, PAD]]
    assert batch.source_lengths.tolist() == [3, 1]
    assert batch.target_in.tolist() == [[BOS, 4, 5], [BOS, 4, PAD]]
    assert batch.target_out.tolist() == [[4, 5, EOS], [4, EOS, PAD]]


@few
@given(st.lists(st.tuples(ids, ids), min_size=1, max_size=40), st.integers(1, 9),
       st.integers(0, 99))
def test_every_pair_comes_once_an_epoch(pairs, size, epoch):
    batches = epoch_batches(pairs, size, seed=1, epoch=epoch)
    assert (sorted(pair for batch in batches for pair in unpadded(batch))
            == sorted(pairs))
    assert (sorted(len(batch.source) for batch in batches)[1:]
            == [size] * (len(batches) - 1))


@few
@given(st.tuples(ids, ids))
def test_what_goes_in_is_what_came_out_one_step_later(pair):
    batch = make_batch([pair])
    assert batch.target_in[0, 1:].tolist() == batch.target_out[0, :-1].tolist()


def test_at_least_95_percent_are_real_target_words_and_unsorted_batches_have_fewer():
    pairs = corpus_like(5000)
    assert share_of_real_words(epoch_batches(pairs, 64, seed=0, epoch=0)) > 0.95
    as_they_come = [make_batch(pairs[start:start + 64])
                    for start in range(0, len(pairs), 64)]
    assert share_of_real_words(as_they_come) < 0.6


def test_order_is_a_function_of_seed_and_epoch():
    pairs = corpus_like(300)

    def order(seed, epoch):
        return [batch.source.tolist()
                for batch in epoch_batches(pairs, 16, seed, epoch)]

    assert order(3, 2) == order(3, 2)
    random.seed(9)
    assert order(3, 2) == order(3, 2)
    assert len({str(order(seed, epoch)) for seed in (0, 1) for epoch in (0, 1, 2)}) == 6


def test_batches_of_an_epoch_are_not_sorted_by_length():
    lengths = [batch.target_out.shape[1]
               for batch in epoch_batches(corpus_like(1000), 20, seed=0, epoch=0)]
    assert lengths != sorted(lengths)


def test_pairs_are_left_as_they_are():
    pairs = corpus_like(50)
    kept = [(list(source), list(target)) for source, target in pairs]
    epoch_batches(pairs, 8, seed=0, epoch=0)
    assert pairs == kept


@pytest.mark.parametrize("pair", [([], [4]), ([4], [])])
def test_an_empty_sentence_is_refused(pair):
    with pytest.raises(ValueError, match="pair 1 has an empty sentence"):
        make_batch([([4], [5]), pair])


def test_a_batch_moves_as_a_whole_and_lengths_stay():
    batch = make_batch([([7, 8], [4])]).to("meta")
    assert {batch.source.device.type, batch.target_in.device.type,
            batch.target_out.device.type} == {"meta"}
    assert batch.source_lengths.device.type == "cpu"


def test_padded():
    assert torch.equal(padded([[4], [5, 6]]), torch.tensor([[4, PAD], [5, 6]]))


def moved_by_hand(row):
    """A row with the pads in front of its first word behind it."""
    words = list(row)
    while words and words[0] == PAD:
        words.pop(0)
    return words + [PAD] * (len(row) - len(words))


rows_of_ids = st.integers(1, 8).flatmap(lambda size: st.lists(
    st.lists(st.sampled_from([PAD, PAD, 4, 5, 6]), min_size=size, max_size=size),
    min_size=1, max_size=6))


@few
@given(rows_of_ids)
def test_pads_in_front_are_moved_behind_and_nothing_else_is(rows):
    given = torch.tensor(rows)
    moved = pads_behind(given)
    assert moved.tolist() == [moved_by_hand(row) for row in rows]
    assert given.tolist() == rows and moved.dtype == given.dtype
    assert torch.equal(pads_behind(moved), moved)


def test_rows_that_are_padded_behind_or_hold_pads_alone_stay():
    rows = torch.tensor([[4, 5, PAD], [PAD, PAD, PAD], [4, 5, 6]])
    assert torch.equal(pads_behind(rows), rows)
    assert torch.equal(pads_behind(rows[1:2]), rows[1:2])
    assert pads_behind(rows[:, :0]).shape == (3, 0)
