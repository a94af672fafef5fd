"""scoring: by hand, against sacrebleu's own corpus score, and what a perfect and an empty translation get."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softdict.scoring import BINS, Estimate, bleu, by_length, chrf, content_shares, exact_matches, share

REFERENCES = ["개 는 고양이 를 보 았 다".split(), "고양이 가 자 ㄴ다".split(), "그 여자 는 책 을 읽 었 다".split()] * 5
HYPOTHESES = ["개 는 고양이 를 보 았 다".split(), "개 가 자 ㄴ다".split(), "그 남자 는 책 을 읽 었 어".split()] * 5
few = settings(max_examples=30, deadline=None)


def test_exact_matches():
    assert exact_matches(HYPOTHESES, REFERENCES)[:3] == [1.0, 0.0, 0.0]
    with pytest.raises(ValueError):
        exact_matches(HYPOTHESES, REFERENCES[:-1])


def test_content_words_are_counted_once_for_each_time_they_stand_there():
    reference, flags = "개 가 개 를 보".split(), [True, False, True, False, True]
    assert content_shares([["개", "보"]], [reference], [flags]) == [(2, 3)]
    assert content_shares([["개", "개", "개"]], [reference], [flags]) == [(2, 3)]
    assert content_shares([["가", "를"], reference], [reference] * 2, [flags] * 2) == [(0, 3), (3, 3)]


def bleu_by_hand(hypotheses, references):
    """Geometric mean of four n-gram precisions over all sentences, times the brevity penalty; no smoothing."""
    logs = []
    for n in range(1, 5):
        right = total = 0
        for hypothesis, reference in zip(hypotheses, references):
            grams, wanted = ([tuple(words[i:i + n]) for i in range(len(words) - n + 1)]
                             for words in (hypothesis, reference))
            right += sum(min(grams.count(gram), wanted.count(gram)) for gram in set(grams))
            total += len(grams)
        logs.append(math.log(right / total))
    ours, theirs = sum(map(len, hypotheses)), sum(map(len, references))
    return 100 * math.exp(sum(logs) / 4 + min(0, 1 - theirs / ours))


@pytest.mark.parametrize("hypotheses", [HYPOTHESES, [words[:-1] for words in HYPOTHESES], REFERENCES])
def test_bleu_equals_its_formula(hypotheses):
    value, signature = bleu(hypotheses, REFERENCES, rounds=20)
    assert math.isclose(value.value, bleu_by_hand(hypotheses, REFERENCES), rel_tol=1e-9)
    assert value.low <= value.value + 5 and value.high >= value.value - 5
    assert "tok:none" in signature and "version:" in signature


def test_scores_are_those_of_sacrebleu():
    from sacrebleu.metrics import BLEU, CHRF

    hypotheses, references = [*map(" ".join, HYPOTHESES)], [*map(" ".join, REFERENCES)]
    theirs = BLEU(tokenize="none").corpus_score(hypotheses, [references], n_bootstrap=1000)
    ours = bleu(HYPOTHESES, REFERENCES)[0]
    assert math.isclose(ours.value, theirs.score)
    assert math.isclose((ours.high - ours.low) / 2, theirs._ci, rel_tol=0.1)
    assert math.isclose(chrf(hypotheses, references)[0].value, CHRF().corpus_score(hypotheses, [references]).score)


def test_intervals_stand_where_some_draws_score_nothing():
    value, _ = chrf(["가", "나"], ["가", "다"])
    assert value.low == 0 and value.high == 100


def test_a_perfect_translation_gets_100_and_an_empty_one_0():
    for metric, right, empty in ((bleu, REFERENCES, [[]] * 15), (chrf, [*map("".join, REFERENCES)], [""] * 15)):
        assert math.isclose(metric(right, right)[0].value, 100, rel_tol=1e-9)
        assert metric(empty, right)[0].value == 0


def test_bleu_is_not_the_mean_of_sentences():
    hypotheses, references = [REFERENCES[0], ["x"] * 4], REFERENCES[:2]
    each = [bleu([h], [r], rounds=2)[0].value for h, r in zip(hypotheses, references)]
    assert bleu(hypotheses, references)[0].value > sum(each) / 2 + 10


def test_chrf_compares_letters_of_the_surface():
    near, far = (chrf([text], ["개는 고양이를 보았다"])[0].value for text in ("개는 고양이를 보았어", "책을 읽었다"))
    assert 100 > near > far > 0
    assert chrf(["가나"], ["가나"])[1].startswith("nrefs:1")


@pytest.mark.parametrize("metric", [bleu, chrf])
def test_uneven_lists_are_refused(metric):
    with pytest.raises(ValueError, match="1 hypotheses cannot be scored against 2 references"):
        metric(["a"], ["a", "b"])


@few
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(3, 6)), min_size=1, max_size=20))
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
    assert by_length([4, 8, 9, 40, 25, 3, 41]) == {"4-8": [0, 1], "9-12": [2], "25-30": [4], "31-40": [3]}
    assert [low for low, _ in BINS[1:]] == [high + 1 for _, high in BINS[:-1]]


def test_an_estimate_prints_as_a_reader_wants_it():
    assert str(Estimate(12.3456, 10.0, 14.96)) == "12.3 [10.0, 15.0]"
