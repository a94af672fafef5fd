"""scoring: by hand, against sacrebleu's own corpus score, and what a perfect and an
empty translation get."""

import math
import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from softdict import corpus
from softdict.scoring import (
    BINS, Estimate, alignment_error_rate, best_links, bleu, by_length, chrf,
    content_shares, exact_match_scores, heaviest_links, hits, linked_words, masses,
    share)

REFERENCES = ["개 는 고양이 를 보 았 다".split(), "고양이 가 자 ㄴ다".split(),
              "그 여자 는 책 을 읽 었 다".split()] * 5
HYPOTHESES = ["개 는 고양이 를 보 았 다".split(), "개 가 자 ㄴ다".split(),
              "그 남자 는 책 을 읽 었 어".split()] * 5
few = settings(max_examples=30, deadline=None)


def test_exact_match_scores():
    assert exact_match_scores(HYPOTHESES, REFERENCES)[:3] == [1.0, 0.0, 0.0]
    with pytest.raises(ValueError):
        exact_match_scores(HYPOTHESES, REFERENCES[:-1])


def test_content_words_are_counted_once_for_each_time_they_stand_there():
    reference, flags = "개 가 개 를 보".split(), [True, False, True, False, True]
    assert content_shares([["개", "보"]], [reference], [flags]) == [(2, 3)]
    assert content_shares([["개", "개", "개"]], [reference], [flags]) == [(2, 3)]
    assert (content_shares([["가", "를"], reference], [reference] * 2, [flags] * 2)
            == [(0, 3), (3, 3)])


def bleu_by_hand(hypotheses, references):
    """Geometric mean of four n-gram precisions over all sentences, times the brevity
    penalty; no smoothing."""
    logs = []
    for n in range(1, 5):
        right = total = 0
        for hypothesis, reference in zip(hypotheses, references):
            grams, wanted = ([tuple(words[i:i + n]) for i in range(len(words) - n + 1)]
                             for words in (hypothesis, reference))
            right += sum(min(grams.count(gram), wanted.count(gram))
                         for gram in set(grams))
            total += len(grams)
        logs.append(math.log(right / total))
    ours, theirs = sum(map(len, hypotheses)), sum(map(len, references))
    return 100 * math.exp(sum(logs) / 4 + min(0, 1 - theirs / ours))


@pytest.mark.parametrize("hypotheses",
                         [HYPOTHESES, [words[:-1] for words in HYPOTHESES], REFERENCES])
def test_bleu_equals_its_formula(hypotheses):
    value, signature = bleu(hypotheses, REFERENCES, rounds=20)
    assert math.isclose(value.value, bleu_by_hand(hypotheses, REFERENCES), rel_tol=1e-9)
    assert value.low <= value.value + 5 and value.high >= value.value - 5
    assert "tok:none" in signature and "version:" in signature


def test_scores_are_those_of_sacrebleu():
    from sacrebleu.metrics import BLEU, CHRF

    hypotheses, references = [*map(" ".join, HYPOTHESES)], [*map(" ".join, REFERENCES)]
    theirs = BLEU(tokenize="none").corpus_score(hypotheses, [references],
                                                n_bootstrap=1000)
    ours = bleu(HYPOTHESES, REFERENCES)[0]
    assert math.isclose(ours.value, theirs.score)
    assert math.isclose((ours.high - ours.low) / 2, theirs._ci, rel_tol=0.1)
    assert math.isclose(chrf(hypotheses, references)[0].value,
                        CHRF().corpus_score(hypotheses, [references]).score)


def test_intervals_stand_where_some_draws_score_nothing():
    value, _ = chrf(["가", "나"], ["가", "다"])
    assert value.low == 0 and value.high == 100


def test_a_perfect_translation_gets_100_and_an_empty_one_0():
    for metric, right, empty in ((bleu, REFERENCES, [[]] * 15),
                                 (chrf, [*map("".join, REFERENCES)], [""] * 15)):
        assert math.isclose(metric(right, right)[0].value, 100, rel_tol=1e-9)
        assert metric(empty, right)[0].value == 0


def test_bleu_is_not_the_mean_of_sentences():
    hypotheses, references = [REFERENCES[0], ["x"] * 4], REFERENCES[:2]
    each = [bleu([h], [r], rounds=2)[0].value for h, r in zip(hypotheses, references)]
    assert bleu(hypotheses, references)[0].value > sum(each) / 2 + 10


def test_chrf_compares_letters_of_the_surface():
    near, far = (chrf([text], ["개는 고양이를 보았다"])[0].value
                 for text in ("개는 고양이를 보았어", "책을 읽었다"))
    assert 100 > near > far > 0
    assert chrf(["가나"], ["가나"])[1].startswith("nrefs:1")


@pytest.mark.parametrize("metric", [bleu, chrf])
def test_uneven_lists_are_refused(metric):
    with pytest.raises(ValueError,
                       match="1 hypotheses cannot be scored against 2 references"):
        metric(["a"], ["a", "b"])


@few
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(3, 6)), min_size=1,
                max_size=20))
def test_a_share_lies_in_its_interval(shares):
    found, wanted = zip(*shares)
    estimate = share(found, wanted, rounds=200)
    assert math.isclose(estimate.value, 100 * sum(found) / sum(wanted))
    assert 0 <= estimate.low <= estimate.high <= 100
    assert estimate == share(found, wanted, rounds=200)


def test_the_interval_is_that_of_the_binomial_and_shrinks():
    chance = random.Random(0)
    values = [float(chance.random() < 0.3) for _ in range(1600)]
    estimate = share(values)
    expected = 100 * 1.96 * math.sqrt(0.3 * 0.7 / 1600)
    assert math.isclose((estimate.high - estimate.low) / 2, expected, rel_tol=0.15)
    part = share(values[:100])
    assert part.high - part.low > 3 * (estimate.high - estimate.low)


def test_long_sentences_weigh_more_in_a_share_of_words():
    assert share([1, 0], [1, 9]).value == 10 and share([1, 0]).value == 50


def test_nothing_to_score_is_refused():
    for arguments in (([],), ([0], [0])):
        with pytest.raises(ValueError, match="nothing to score"):
            share(*arguments)


def test_by_length_puts_each_sentence_into_one_bin():
    assert by_length([4, 8, 9, 40, 25, 24]) == {
        "4-8": [0, 1], "9-12": [2], "21-24": [5], "25-30": [4], "31-40": [3]}
    assert by_length([]) == {}
    assert by_length([2, 0, 1], [(0, 1), (2, 2)]) == {"0-1": [1, 2], "2-2": [0]}
    assert [low for low, _ in BINS[1:]] == [high + 1 for _, high in BINS[:-1]]


@pytest.mark.parametrize("length", [0, 3, 41, 400])
def test_a_sentence_that_no_length_takes_is_named_and_not_dropped(length):
    with pytest.raises(ValueError, match=f"sentence 2 has {length} words, and no bin "
                       "takes it: they are 4-8, 9-12, .*, 31-40") as refusal:
        by_length([4, 40, length, 3])
    assert "\n" not in str(refusal.value)
    with pytest.raises(ValueError, match="sentence 1 has 6 words"):
        by_length([4, 6, 7], [(4, 5), (7, 9)])


def test_every_sentence_of_the_corpus_has_its_length():
    for name in ("train", "valid", "iid", "long", "deep", "agree", "register"):
        lengths = [pair.length for pair in corpus.split(name)]
        groups = by_length(lengths).values()
        assert sorted(n for group in groups for n in group) == [*range(len(lengths))]


def test_an_estimate_prints_as_a_reader_wants_it():
    assert str(Estimate(12.3456, 10.0, 14.96)) == "12.3 [10.0, 15.0]"


# Alignment

WEIGHTS = torch.tensor([
    [0.6, 0.3, 0.1, 0.0],     # target word 0, mostly from source word 0
    [0.1, 0.2, 0.3, 0.4],     # target word 1, mostly from source word 3
    [0.0, 0.5, 0.4, 0.1],     # target word 2, which has no link
    [0.2, 0.1, 0.6, 0.1],     # EOS
    [0.25, 0.25, 0.25, 0.25]])    # a pad
SURE, POSSIBLE = [(0, 0)], [(0, 0), (1, 1), (2, 1)]


def test_alignment_by_hand():
    assert linked_words(POSSIBLE) == [0, 1]
    assert heaviest_links(WEIGHTS, POSSIBLE) == {(0, 0), (3, 1)}
    assert (hits([WEIGHTS], [POSSIBLE]) == [(1, 2)]
            and hits([WEIGHTS], [SURE]) == [(1, 1)])
    assert masses([WEIGHTS], [SURE]) == [(pytest.approx(0.6), 1)]
    assert masses([WEIGHTS], [POSSIBLE]) == [(pytest.approx(0.6 + 0.2 + 0.3), 2)]
    # A has 2 links, 1 of them sure and possible; S has 1
    found = heaviest_links(WEIGHTS, POSSIBLE)
    assert (alignment_error_rate([found], [SURE], [POSSIBLE]).value
            == pytest.approx(100 * (1 - (1 + 1) / (2 + 1))))


def test_weights_without_rows_for_eos_and_pads_score_alike():
    for score in (hits, masses):
        assert (score([WEIGHTS[:3]], [POSSIBLE]) == score([WEIGHTS], [POSSIBLE])
                == score([WEIGHTS.numpy()], [POSSIBLE]))


def test_weights_that_are_one_step_late_score_otherwise():
    late = WEIGHTS[:4].roll(1, dims=0)
    assert hits([late], [POSSIBLE]) == [(0, 2)]


def test_possible_links_do_no_harm_and_sure_ones_must_be_found():
    def aer(links):
        return alignment_error_rate([links], [SURE], [POSSIBLE], rounds=10).value

    assert aer([(0, 0)]) == aer([(0, 0), (1, 1)]) == aer(POSSIBLE) == 0
    assert (aer([(1, 1), (2, 1)]) == pytest.approx(100 / 3)
            and aer([]) == aer([(3, 0)]) == 100)
    assert aer([(0, 0), (3, 1)]) == pytest.approx(100 / 3)


def test_alignment_error_counts_all_sentences_together():
    one, two = [(0, 0)], [(0, 0), (1, 1), (2, 2)]
    joint = alignment_error_rate([one, [(1, 0), (2, 1), (0, 2)]], [one, two],
                                 [one, two])
    assert (joint.value == pytest.approx(100 * (1 - 2 / 8))
            and joint.low <= joint.value <= joint.high)
    assert (joint.low, joint.high) == (0, 100)


def test_uneven_or_impossible_links_are_refused():
    with pytest.raises(ValueError, match="sentence 1 has sure links that are not among "
                       "its possible links"):
        alignment_error_rate([[], []], [SURE, SURE], [POSSIBLE, [(1, 1)]])
    for score in (hits, masses):
        with pytest.raises(ValueError):
            score([WEIGHTS], [SURE, SURE])
    with pytest.raises(ValueError):
        alignment_error_rate([SURE], [SURE], [])
    with pytest.raises(IndexError):
        hits([WEIGHTS], [[(0, 5)]])


places = st.tuples(st.integers(0, 6), st.integers(0, 4))    # S = 7, T = 5
some_links = st.sets(places, min_size=1, max_size=8)
gold = st.tuples(some_links, st.randoms(use_true_random=False)).map(
    lambda drawn: (sorted(link for link in drawn[0] if drawn[1].random() < 0.5),
                   sorted(drawn[0])))


@few
@given(st.lists(st.tuples(gold, some_links), min_size=2, max_size=2))    # B = 2
def test_alignment_error_equals_loops(drawn):
    a = s = both = 0
    for (sure, possible), links in drawn:
        for link in links:
            a += 1
            for right in (sure, possible):
                for other in right:
                    both += link == other
        for link in sure:
            s += 1
    estimate = alignment_error_rate([links for _, links in drawn],
                                    *zip(*[sides for sides, _ in drawn]), rounds=20)
    assert (estimate.value == pytest.approx(100 * (1 - both / (a + s)))
            and 0 <= estimate.low <= estimate.high <= 100)


@few
@given(some_links, st.integers(0, 99))
def test_hits_and_masses_equal_loops(links, seed):
    weights = torch.rand(6, 7,
                         generator=torch.Generator().manual_seed(seed)).softmax(dim=-1)
    hit = mass = words = 0
    for t in range(5):
        mine = [i for i, j in links if j == t]
        if mine:
            words += 1
            mass += sum(weights[t, i].item() for i in mine)
            hit += max(range(7), key=lambda i: weights[t, i].item()) in mine
    assert hits([weights], [links]) == [(hit, words)]
    [(found, count)] = masses([weights], [links])
    assert (count == words and found == pytest.approx(mass)
            and 0 <= found <= words + 1e-6)


def test_the_best_aligner_takes_sure_links_and_one_for_each_word():
    assert (best_links([(2, 1)], [(1, 1), (2, 1), (3, 1), (4, 0), (0, 2), (5, 2)])
            == {(2, 1), (4, 0), (0, 2)})


@few
@given(gold)
def test_no_aligner_with_one_link_for_each_word_beats_the_best(sides):
    sure, possible = sides

    def aer(links):
        return alignment_error_rate([links], [sure], [possible], rounds=2).value

    best, words = best_links(sure, possible), linked_words(possible)
    assert sorted(j for _, j in best) == words
    # every link of a word counts alone, so it is enough to change one
    for j in words:
        for i in range(7):
            assert (aer(best)
                    <= aer({link for link in best if link[1] != j} | {(i, j)}) + 1e-9)
    assert (hits([torch.eye(7)[[dict((j, i) for i, j in best).get(t, 0)
                                for t in range(5)]]], [possible])
            == [(len(words), len(words))])
