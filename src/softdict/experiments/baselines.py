"""What a trained model must beat: translators and aligners that train no network."""

import random
from dataclasses import astuple
from functools import cache

import torch

from softdict.baselines import (
    likely_dictionary, linked_dictionary, nearest_sentence, place_counts, place_links,
    skeleton, soft_links, translation_table, word_for_word)
from softdict.experiments import sentences
from softdict.experiments.measures import aligned, found_content, report
from softdict.experiments.runner import Experiment
from softdict.saving.recipes import vocabs
from softdict.scoring import (
    alignment_error_rate, best_links, by_length, content_shares, heaviest_links,
    linked_words, masses)
from softdict.vocab import BOS


@cache
def ibm(count):
    """IBM model 1 of the first pairs of the training: its table, its vocabularies."""
    source_vocab, target_vocab = vocabs(count)
    ids = [(source_vocab.ids(e.source), target_vocab.ids(e.target))
           for e in sentences.split("train")[:count]]
    table = translation_table(ids, len(source_vocab), len(target_vocab))
    return table, source_vocab, target_vocab


# Translators: the examples in, a list of morphemes for each out

def word_for_word_with_links(examples, count=None):
    train = sentences.split("train")[:count]
    dictionary = linked_dictionary([(e.source, e.target) for e in train],
                                   [e.links for e in train])
    return [word_for_word(example.source, dictionary) for example in examples]


def word_for_word_with_ibm(examples, count=None):
    dictionary = likely_dictionary(*ibm(count))
    return [word_for_word(example.source, dictionary) for example in examples]


def nearest(examples, count=None):
    train = sentences.split("train")[:count]
    return nearest_sentence([e.source for e in examples], [e.source for e in train],
                            [e.target for e in train])


def random_content(examples, count=None, seed=0):
    return [skeleton(example.target, example.kinds, sentences.pool(), seed)
            for example in examples]


def unrelated(examples, count=None):
    """For each the translation of another sentence, of as many English words.

    The question: how much of a translation is found without having read the source? It
    is the floor under every share of content words, particles and endings. The measure:
    quality, and shares of pieces found, of gold sentences of the training that have
    nothing to do with the sentence but its length.
    """
    by_size = {}
    for example in sentences.split("train")[:count]:
        by_size.setdefault(example.length, []).append(example.target)
    longest = max(by_size)    # beyond it, the longest of the training
    return [random.Random(" ".join(example.source)).choice(
        by_size[min(example.length, longest)]) for example in examples]


def pieces_found(examples, lines):
    """Shares of pieces found again, of 100: of particles and endings, and of others."""
    shares = []
    for glued in (True, False):
        flags = [[piece.startswith("-") == glued for piece in example.target]
                 for example in examples]
        found, wanted = zip(*content_shares(lines, [e.target for e in examples], flags))
        shares.append(100 * sum(found) / sum(wanted))
    return shares


def floors(seed, path=None):
    """Quality of unrelated sentences, and by length the pieces that they share."""
    examples = sentences.split("valid") + sentences.split("iid")
    groups = by_length([example.length for example in examples])
    return {**report(unrelated), "pieces": {
        size: pieces_found(chosen, unrelated(chosen)) for size, chosen in
        ((size, [examples[n] for n in group]) for size, group in groups.items())}}


def baseline(name, translate):
    """An experiment with a translator; its five numbers come from the first 500 pairs.
    """
    def first(seed):
        examples = sentences.split("iid")[:5]
        return [found / wanted
                for found, wanted in found_content(examples, translate(examples, 500))]

    return Experiment(name, "baselines", first,
                      lambda seed, path: report(translate), seeds=(0,))


# Aligners: the examples in, weights [T, S] for each out

def ibm_links(examples, count=None):
    """IBM model 1: which source word made which target word."""
    table, source_vocab, target_vocab = ibm(count)
    return [soft_links(table, torch.tensor([BOS] + source_vocab.ids(e.source, "UNK")),
                       torch.tensor(target_vocab.ids(e.target, "UNK")))[:, 1:]
            for e in examples]


def links_or_none(examples, count=None):
    """IBM model 1 again, a set of links for each: at most one for each target word.

    a target word that the empty word explains best has none
    The question: how good is model 1 if it may say that a word comes from no other, as
    it was made to? The measure is the error rate, on the target words that have a gold
    link; "links-ibm1" must draw one for each of them.
    """
    table, source_vocab, target_vocab = ibm(count)
    drawn = []
    for e in examples:
        weights = soft_links(
            table, torch.tensor([BOS] + source_vocab.ids(e.source, "UNK")),
            torch.tensor(target_vocab.ids(e.target, "UNK")))
        drawn.append({(i - 1, j) for i, j in heaviest_links(weights, e.possible) if i})
    return drawn


def with_empty(seed, path=None):
    """By length: the error rate, and of 100 words with a gold link how many have none.
    """
    examples, table = sentences.split("iid"), {}
    drawn = links_or_none(examples)
    for size, group in by_length([example.length for example in examples]).items():
        links, sure, possible = zip(*(
            (drawn[n], examples[n].links, examples[n].possible) for n in group))
        asked = sum(len(linked_words(gold)) for gold in possible)
        table[size] = {"error": astuple(alignment_error_rate(links, sure, possible)),
                       "without": 100 - 100 * sum(map(len, links)) / asked}
    return {"alignment": table}


def links_by_place(examples, count=None):
    """From places and lengths alone, learned from gold links."""
    train = sentences.split("train")[:count]
    counts = place_counts([(e.source, e.target) for e in train],
                          [e.links for e in train])
    return [place_links(counts, len(e.source), len(e.target)) for e in examples]


def best_single_links(examples, count=None):
    """The best that weights can do if each target word is given one link."""
    return list(map(one_link_each, examples))


def one_link_each(example):
    """Weights [T, S] that are 1 for a gold link of each target word, 0 elsewhere."""
    rows = torch.zeros(len(example.target), len(example.source))    # [T, S]
    for i, j in best_links(example.links, example.possible):
        rows[j, i] = 1.0
    return rows


def aligner(name, draw):
    """An experiment with an aligner; its five numbers come from the first 500 pairs."""
    def first(seed):
        examples = sentences.split("iid")[:5]
        return [found / wanted for found, wanted in masses(draw(examples, 500),
                                                           [e.links for e in examples])]

    def result(seed, path):
        examples = sentences.split("iid")
        return {"alignment": aligned(examples, draw(examples))}

    return Experiment(name, "aligners", first, result, seeds=(0,))


EXPERIMENTS = [
    baseline("word-for-word", word_for_word_with_links),
    baseline("ibm1", word_for_word_with_ibm),
    baseline("nearest", nearest), baseline("skeleton", random_content),
    aligner("links-ibm1", ibm_links), aligner("links-by-place", links_by_place),
    aligner("links-best", best_single_links),
    Experiment("unrelated", "baselines",
               lambda seed: [float(found) for found, _ in found_content(
                   sentences.split("iid")[:5],
                   unrelated(sentences.split("iid")[:5], 500))], floors, seeds=(0,)),
    Experiment("links-ibm1-empty", "aligners",
               lambda seed: [float(len(links)) for links in links_or_none(
                   sentences.split("iid")[:5], 500)], with_empty, seeds=(0,))]
