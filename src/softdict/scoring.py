"""How good is a translation: right as a whole, right in its content words, near in its
n-grams; and how sure is that.

Sentences are lists of words. Hypotheses are what a model wrote, references what it
should have written.
"""

from collections import Counter
from dataclasses import dataclass

import numpy

# source words, both ends included
BINS = [(4, 8), (9, 12), (13, 16), (17, 20), (21, 24), (25, 30), (31, 40)]


def exact_match_scores(hypotheses, references):
    """1.0 for each hypothesis that equals its reference, else 0.0."""
    return [float(hypothesis == reference)
            for hypothesis, reference in zip(hypotheses, references, strict=True)]


def content_shares(hypotheses, references, content):
    """For each sentence the number of content words found again and the number that
    there are.

    content says True or False for each word of each reference; a word that stands twice
    must be found twice
    """
    shares = []
    for hypothesis, reference, flags in zip(hypotheses, references, content,
                                            strict=True):
        wanted = Counter(word
                         for word, flag in zip(reference, flags, strict=True) if flag)
        shares.append(((wanted & Counter(hypothesis)).total(), wanted.total()))
    return shares


@dataclass(frozen=True)
class Estimate:
    """A value and its 95 % interval, found by random samples of the sentences."""

    value: float
    low: float
    high: float

    def __str__(self):
        return f"{self.value:.1f} [{self.low:.1f}, {self.high:.1f}]"


def share(found, wanted=None, rounds=1000):
    """Estimate of 100 * sum(found) / sum(wanted), one entry for each sentence; without
    `wanted`, of the mean of `found`.

    raises ValueError where there is nothing to score
    """
    found = numpy.asarray(found, dtype=float)
    wanted = (numpy.ones_like(found)
              if wanted is None else numpy.asarray(wanted, dtype=float))
    if not wanted.sum():
        raise ValueError("there is nothing to score")
    return estimate(lambda n: 100 * found[n].sum() / max(wanted[n].sum(), 1e-12),
                    len(found), rounds)


def estimate(score, count, rounds):
    """Estimate of score(numbers of sentences): for all `count` sentences, and for
    `rounds` samples of `count` sentences, chosen at random with replacement."""
    draws = numpy.random.default_rng(0).integers(count, size=(rounds, count))
    low, high = numpy.quantile([score(draw) for draw in draws], [0.025, 0.975])
    return Estimate(float(score(numpy.arange(count))), float(low), float(high))


def bleu(hypotheses, references, rounds=1000):
    """BLEU over all sentences together (Estimate) and sacrebleu's signature; words
    are compared as they stand."""
    from sacrebleu.metrics import BLEU

    return sacre(BLEU(tokenize="none", force=True), map(" ".join, hypotheses),
                 map(" ".join, references), rounds)


def chrf(hypotheses, references, rounds=1000):
    """chrF of whole sentences as people read them, given as strings: Estimate and
    sacrebleu's signature."""
    from sacrebleu.metrics import CHRF

    return sacre(CHRF(), hypotheses, references, rounds)


def sacre(metric, hypotheses, references, rounds):
    """A sacrebleu metric over all sentences, with its interval and signature.

    raises ValueError for no sentences, and for more of one side than of the other
    """
    hypotheses, references = list(hypotheses), list(references)
    if not hypotheses or len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses cannot be scored against "
                         f"{len(references)} references")
    # sacrebleu's own bootstrap (2.6.0) stops with a TypeError where one sample scores
    # 0: so `estimate` takes the samples, from the same counts
    counts = numpy.array(metric._extract_corpus_statistics(hypotheses, [references]))

    def score(numbers):
        return (metric._compute_score_from_stats(counts[numbers].sum(axis=0).tolist())
                .score)

    return estimate(score, len(counts), rounds), metric.get_signature().format()


def linked_words(links):
    """The target places that have a link; a link is (source place, target place)."""
    return sorted({j for _, j in links})


def heaviest_links(weights, links):
    """One link for each target word that has a gold link: from the source word with the
    largest weight.

    weights [T, S]: row t is that of the step that writes target word t; rows for
    EOS and pads may follow
    """
    return {(int(weights[j].argmax()), j) for j in linked_words(links)}


def best_links(sure, possible):
    """The best that one link for each target word can do: a sure one where there is
    one, else a possible one."""
    first = ({j: i for i, j in sorted(possible, reverse=True)}
             | {j: i for i, j in sorted(sure, reverse=True)})
    return {(i, j) for j, i in first.items()}


def hits(weights, links):
    """For each sentence the number of linked target words whose heaviest source word is
    a gold link, and of all linked.

    weights holds, for each sentence, a tensor as `heaviest_links` wants it; links holds
    lists of gold links
    """
    return [(len(heaviest_links(rows, gold) & set(gold)), len(linked_words(gold)))
            for rows, gold in zip(weights, links, strict=True)]


def masses(weights, links):
    """For each sentence the weight that lies on gold links, and the number of linked
    target words: at most 1 for each.

    weights and links as for `hits`
    """
    return [(sum(float(rows[j, i]) for i, j in set(gold)), len(linked_words(gold)))
            for rows, gold in zip(weights, links, strict=True)]


def alignment_error_rate(predicted, sure, possible, rounds=1000):
    """100 * (1 - (|A & S| + |A & P|) / (|A| + |S|)) with all sentences counted
    together: an Estimate, 0 is best.

    A predicted, S sure, P possible: for each sentence its links
    raises ValueError where S does not lie in P
    Och and Ney 2003
    """
    found, wanted = [], []
    for number, (a, s, p) in enumerate(zip(predicted, sure, possible, strict=True)):
        a, s, p = set(a), set(s), set(p)
        if not s <= p:
            raise ValueError(f"sentence {number} has sure links that are not among its "
                             "possible links")
        found.append(len(a & s) + len(a & p))
        wanted.append(len(a) + len(s))
    right = share(found, wanted, rounds)
    return Estimate(100 - right.value, 100 - right.high, 100 - right.low)


def by_length(lengths, bins=BINS):
    """Name of each bin, such as "4-8", and the numbers of the sentences in it.

    empty bins are left out; raises ValueError for a sentence that no bin takes
    """
    groups = {f"{low}-{high}": [] for low, high in bins}
    for number, length in enumerate(lengths):
        names = [f"{low}-{high}" for low, high in bins if low <= length <= high]
        if not names:
            raise ValueError(f"sentence {number} has {length} words, and no bin takes "
                             f"it: they are {', '.join(groups)}")
        for name in names:
            groups[name].append(number)
    return {name: group for name, group in groups.items() if group}
