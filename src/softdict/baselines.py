"""Translators that learn next to nothing: what a trained model must beat before it may
be praised."""

import random
from collections import Counter, defaultdict

import torch

from softdict.lookup import cosine
from softdict.vocab import BOS, Vocab


def linked_dictionary(pairs, links):
    """For each source word the target word that it is linked to most often.

    pairs holds (source words, target words); links holds, for each pair, (source
    position, target position)
    """
    counts = defaultdict(Counter)
    for (source, target), between in zip(pairs, links, strict=True):
        for i, j in between:
            counts[source[i]][target[j]] += 1
    return {word: commonest(found) for word, found in counts.items()}


def commonest(counts):
    """The key with the highest count; of equals the first in the alphabet."""
    return min(counts, key=lambda word: (-counts[word], word))


def word_for_word(sentence, dictionary):
    """Each word looked up, in the order of the source; a word without an entry is left
    out."""
    return [dictionary[word] for word in sentence if word in dictionary]


def nearest_sentence(queries, sources, targets, score=cosine):
    """For each query sentence the translation of the training sentence whose rare words
    are most alike.

    A lookup with keys `sources` and values `targets`, all lists of words, where the
    best key takes all.
    """
    vocab = Vocab(sources)
    rarity = word_rarity(sources, vocab)                            # [V]
    keys = word_counts(sources, vocab) * rarity                     # [N, V]
    scores = score(word_counts(queries, vocab) * rarity, keys)      # [Q, N]
    return [targets[n] for n in scores.argmax(dim=-1).tolist()]


def word_counts(sentences, vocab):
    """How often each word stands in each sentence: [N, V] for N sentences."""
    counts = torch.zeros(len(sentences), len(vocab))    # [N, V]
    ids = [vocab.ids(sentence, unknown="UNK") for sentence in sentences]
    rows = torch.tensor([n for n, sentence in enumerate(ids) for _ in sentence],
                        dtype=torch.long)
    columns = torch.tensor([number for sentence in ids for number in sentence],
                           dtype=torch.long)
    return counts.index_put_((rows, columns), torch.ones(len(rows)), accumulate=True)


def word_rarity(sentences, vocab):
    """log(N / sentences that hold the word) for each word (idf); 0 for a word that no
    sentence holds."""
    holding = (word_counts(sentences, vocab) > 0).sum(dim=0)                # [V]
    return (len(sentences) / holding).log().where(holding > 0, 0)           # [V]


def skeleton(tokens, kinds, pool, seed):
    """The right sentence with its content words exchanged at random: what grammar alone
    is worth.

    kinds names a class for each content word and None for the others; pool holds the
    words of each class
    """
    rng = random.Random(f"{seed} {tokens}")
    return [word if kind is None else rng.choice(pool[kind])
            for word, kind in zip(tokens, kinds, strict=True)]


def soft_links(table, source, target):
    """Which source word made each target word: a soft lookup in which the target words
    ask.

    source [S], target [T]; table holds a number for each source word (row) and target
    word (column)
    returns weights [T, S]; each row adds up to 1, or is all 0 if no source word
    explains the target word
    """
    likely = table[source, target[:, None]]                              # [T, S]
    return likely / likely.sum(dim=-1, keepdim=True).clamp_min(1e-12)    # [T, S]


def translation_table(pairs, source_words, target_words, rounds=5):
    """IBM model 1: how likely each source word is to become each target word, learned
    from pairs without links.

    pairs holds (source ids, target ids); BOS joins each source, and
    explains the target words that no other word explains
    returns a table with a row for each source word and a column for each target word; a
    row adds up to 1, or to 0
    """
    pairs = [(torch.tensor([BOS] + source), torch.tensor(target))
             for source, target in pairs]
    table = torch.ones(source_words, target_words)
    for _ in range(rounds):
        counts = torch.zeros_like(table)
        for source, target in pairs:
            counts.index_put_((source, target[:, None]),
                              soft_links(table, source, target), accumulate=True)
        table = counts / counts.sum(dim=1, keepdim=True).clamp_min(1e-12)
    return table


def likely_dictionary(table, source_vocab, target_vocab):
    """For each source word the likeliest target word of the table; words never seen
    have no entry."""
    best, seen = table.argmax(dim=1).tolist(), (table.sum(dim=1) > 0).tolist()
    return {word: target_vocab.words[best[number]]
            for number, word in enumerate(source_vocab.words) if seen[number]}


def place_counts(pairs, links):
    """How often a source place is linked to a target place: among sentences of the same
    lengths, and among all.

    pairs and links as for `linked_dictionary`; the second counts are of twentieths of a
    sentence
    """
    exact, rough = defaultdict(Counter), defaultdict(Counter)
    for (source, target), between in zip(pairs, links, strict=True):
        S, T = len(source), len(target)
        for i, j in between:
            exact[j, S, T][i] += 1
            rough[twentieth(j, T)][twentieth(i, S)] += 1
    return dict(exact), dict(rough)


def twentieth(place, size):
    """In which twentieth of a sentence, from 0 to 19, the middle of a word stands."""
    return (2 * place + 1) * 10 // size


def place_links(counts, source_size, target_size):
    """Which source word made each target word, guessed from places and lengths alone:
    weights [T, S].

    counts as `place_counts` returns them; lengths that it never saw are guessed from
    twentieths of a sentence
    """
    exact, rough = counts
    weights = torch.zeros(target_size, source_size)    # [T, S]
    for j in range(target_size):
        found = exact.get((j, source_size, target_size))
        if found is None:
            near = rough.get(twentieth(j, target_size), Counter())
            found = {i: near[twentieth(i, source_size)] for i in range(source_size)}
        for i, count in found.items():
            weights[j, i] = count
    return weights / weights.sum(dim=-1, keepdim=True).clamp_min(1)    # [T, S]
