"""baselines: against counts and EM written as loops, and against what they cannot
do."""

import math
from collections import defaultdict
from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from softdict.baselines import (
    likely_dictionary, linked_dictionary, nearest_sentence, place_counts, place_links,
    skeleton, soft_links, translation_table, twentieth, word_for_word, word_rarity)
from softdict.scoring import alignment_error_rate, heaviest_links, hits
from softdict.vocab import BOS, Vocab

PAIRS = [("the dog slept".split(), "개 는 자".split()),
         ("the cat saw the dog".split(), "고양이 는 개 를 보".split()),
         ("the cat slept".split(), "고양이 는 자".split()),
         ("dogs slept".split(), "개 들 은 자".split())]
LINKS = [[(1, 0), (2, 2)], [(1, 0), (4, 2), (2, 4)], [(1, 0), (2, 2)],
         [(0, 0), (0, 1), (1, 3)]]
few = settings(max_examples=30, deadline=None)


def test_dictionary_holds_the_commonest_link():
    assert (linked_dictionary(PAIRS, LINKS)
            == {"dog": "개", "slept": "자", "cat": "고양이", "saw": "보", "dogs": "개"})
    with pytest.raises(ValueError):
        linked_dictionary(PAIRS, LINKS[:-1])


def test_of_equally_common_links_the_first_in_the_alphabet_wins():
    pairs = [(["a"], ["y"]), (["a"], ["x"])]
    assert (linked_dictionary(pairs, [[(0, 0)]] * 2)
            == linked_dictionary(pairs[::-1], [[(0, 0)]] * 2) == {"a": "x"})


def test_word_for_word_keeps_the_order_of_the_source():
    dictionary = linked_dictionary(PAIRS, LINKS)
    assert (word_for_word("the dog saw a cat".split(), dictionary)
            == ["개", "보", "고양이"])
    assert word_for_word(["owl"], dictionary) == []


def similarity_by_loop(query, sentence, sources):
    def weigh(words):
        found = defaultdict(float)
        for word in words:
            holding = sum(word in source for source in sources)
            if holding:
                found[word] += math.log(len(sources) / holding)
        return found

    left, right = weigh(query), weigh(sentence)
    lengths = math.hypot(*left.values()) * math.hypot(*right.values())
    return (sum(left[word] * right[word] for word in left if word in right) / lengths
            if lengths else 0.0)


@few
@given(st.lists(st.sampled_from("the cat dog dogs saw slept owl".split()), min_size=1,
                max_size=6))
def test_nearest_sentence_equals_a_loop(query):
    sources, targets = zip(*PAIRS)
    scores = [similarity_by_loop(query, source, sources) for source in sources]
    [found] = nearest_sentence([query], sources, targets)
    best = {tuple(target) for target, score in zip(targets, scores)
            if score > max(scores) - 1e-6}
    assert tuple(found) in best


def test_a_training_sentence_finds_its_own_translation():
    sources, targets = zip(*PAIRS)
    assert nearest_sentence(sources, sources, targets) == list(targets)


def test_a_word_in_every_sentence_says_nothing():
    vocab = Vocab([["a", "b"], ["a"]])
    rarity = word_rarity([["a", "b"], ["a"]], vocab)
    assert (rarity[vocab.numbers["a"]] == 0
            and math.isclose(rarity[vocab.numbers["b"]], math.log(2), rel_tol=1e-6))
    assert rarity[:4].tolist() == [0, 0, 0, 0]


def test_skeleton_changes_content_words_only():
    tokens, kinds = ("개 는 고양이 를 보 았 다".split(),
                     ["noun", None, "noun", None, "verb", None, None])
    pool = {"noun": ["소", "말"], "verb": ["먹"]}
    made = [skeleton(tokens, kinds, pool, seed) for seed in range(20)]
    assert made[3] == skeleton(tokens, kinds, pool, 3)
    for sentence in made:
        assert ([word for word, kind in zip(sentence, kinds) if kind is None]
                == ["는", "를", "았", "다"])
        assert sentence[4] == "먹" and {sentence[0], sentence[2]} <= {"소", "말"}
    assert len({tuple(sentence) for sentence in made}) == 4


def table_by_loop(pairs, rounds):
    """IBM model 1 with dictionaries in place of a table."""
    table = defaultdict(lambda: 1.0)
    for _ in range(rounds):
        counts, totals = defaultdict(float), defaultdict(float)
        for source, target in pairs:
            for word in target:
                total = sum(table[asked, word] for asked in [BOS] + source)
                for asked in [BOS] + source:
                    counts[asked, word] += table[asked, word] / total
                    totals[asked] += table[asked, word] / total
        table = defaultdict(float, {(asked, word): count / totals[asked]
                                    for (asked, word), count in counts.items()})
    return table


@few
@given(st.lists(st.tuples(*[st.lists(st.integers(4, 6), min_size=1, max_size=4)] * 2),
                min_size=1, max_size=5))
def test_translation_table_equals_loops_also_for_words_that_stand_twice(pairs):
    table, loop = translation_table(pairs, 7, 7, rounds=3), table_by_loop(pairs, 3)
    expected = torch.tensor([[loop[source, target] for target in range(7)]
                             for source in range(7)])
    torch.testing.assert_close(table, expected)


def test_each_target_word_shares_one_among_the_source_words():
    table = torch.rand(6, 7, generator=torch.Generator().manual_seed(0))
    weights = soft_links(table, torch.tensor([2, 4, 5]), torch.tensor([3, 3, 6, 1]))
    assert weights.shape == (4, 3)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(4))
    torch.testing.assert_close(weights[0], weights[1])
    torch.testing.assert_close(weights[2],
                               table[[2, 4, 5], 6] / table[[2, 4, 5], 6].sum())


def test_without_any_link_the_table_finds_the_words():
    source_vocab, target_vocab = (Vocab(side) for side in zip(*PAIRS))
    ids = [(source_vocab.ids(source), target_vocab.ids(target))
           for source, target in PAIRS]
    table = translation_table(ids, len(source_vocab), len(target_vocab), rounds=20)
    dictionary = likely_dictionary(table, source_vocab, target_vocab)
    assert ({word: dictionary[word] for word in ("dog", "cat", "slept")}
            == {"dog": "개", "cat": "고양이", "slept": "자"})
    assert "<pad>" not in dictionary and "<eos>" not in dictionary


def test_a_target_word_that_nothing_explains_has_no_weights():
    table = torch.tensor([[0.5, 0.0], [0.5, 0.0]])
    assert (soft_links(table, torch.tensor([0, 1]), torch.tensor([0, 1])).tolist()
            == [[0.5, 0.5], [0, 0]])


def test_model_1_aligns_without_any_link():
    vocabs = [Vocab(side) for side in zip(*PAIRS)]
    ids = [(vocabs[0].ids(source), vocabs[1].ids(target)) for source, target in PAIRS]
    table = translation_table(ids, *map(len, vocabs), rounds=20)
    weights = [soft_links(table, torch.tensor(source), torch.tensor(target))
               for source, target in ids]
    # the cat saw the dog
    assert heaviest_links(weights[1], LINKS[1]) == {(1, 0), (4, 2), (2, 4)}
    found = [heaviest_links(rows, links) for rows, links in zip(weights, LINKS)]
    assert alignment_error_rate(found[:3], LINKS[:3], LINKS[:3]).value == 0


def test_places_are_counted_by_lengths_and_by_twentieths():
    pairs = [(["a"] * 4, ["b"] * 5)] * 2 + [(["a"] * 5, ["b"] * 5)]
    exact, rough = place_counts(pairs, [[(3, 0), (1, 4)], [(2, 0)], []])
    assert exact == {(0, 4, 5): {3: 1, 2: 1}, (4, 4, 5): {1: 1}}
    assert rough == {2: {17: 1, 12: 1}, 18: {7: 1}}


@few
@given(st.integers(1, 60), st.data())
def test_a_twentieth_holds_the_middle_of_its_word(size, data):
    place = data.draw(st.integers(0, size - 1))
    assert 0 <= twentieth(place, size) <= 19
    assert (twentieth(place, size) <= Fraction(2 * place + 1, 2 * size) * 20
            < twentieth(place, size) + 1)


def test_place_links_know_nothing_but_places():
    pairs = [(["a"] * 7, ["b"] * 5)] * 3
    counts = place_counts(pairs, [[(6, 0), (0, 4)], [(6, 0), (1, 4)], [(5, 0), (0, 4)]])
    weights = place_links(counts, 7, 5)
    assert weights.shape == (5, 7) and weights[1:4].count_nonzero() == 0
    torch.testing.assert_close(weights[0], torch.tensor([0, 0, 0, 0, 0, 1, 2]) / 3)
    torch.testing.assert_close(weights[4], torch.tensor([2, 1, 0, 0, 0, 0, 0]) / 3)
    assert hits([weights], [[(6, 0), (0, 4), (3, 2)]]) == [(2, 3)]


def test_other_lengths_are_guessed_from_twentieths():
    # crossed
    counts = place_counts([(["a"] * 10, ["b"] * 10)] * 2,
                          [[(i, 9 - i) for i in range(10)]] * 2)
    weights = place_links(counts, 20, 20)
    assert (0, 10) not in counts[0] and weights.shape == (20, 20)
    # the middle of word 0 of 10 stands in twentieth 1, as word 1 of 20 does
    for j in range(1, 20, 2):
        assert weights[j].argmax() == 20 - j
    kept = place_counts([(["a"] * 10, ["b"] * 10)] * 2,
                        [[(i, 9 - i) for i in range(10)]] * 2)
    assert counts == kept
