"""What a trained model must beat: translators and aligners that train no network."""

from functools import cache

import torch

from softdict.baselines import (
    likely_dictionary, linked_dictionary, nearest_sentence, place_counts, place_links,
    skeleton, soft_links, translation_table, word_for_word)
from softdict.experiments import sentences
from softdict.experiments.measures import aligned, found_content, report
from softdict.experiments.runner import Experiment
from softdict.recipes import vocabs
from softdict.scoring import best_links, masses
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
    aligner("links-best", best_single_links)]
