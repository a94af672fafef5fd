"""The splits: what is drawn for training, what is held out, and why no sentence is in
two places."""

import gc
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, lru_cache

from softdict.corpus.chance import Chance, fingerprint
from softdict.corpus.english import english
from softdict.corpus.grammar import KINDS, Grammar
from softdict.corpus.kept import kept, packed, unpacked
from softdict.corpus.korean import korean
from softdict.corpus.lexicon import lexicon
from softdict.corpus.pairs import key, pair
from softdict.corpus.trees import predications

BINS = ((4, 8), (9, 12), (13, 16), (17, 20), (21, 24))
LONG = ((25, 30), (31, 40))
REGISTERS = ("polite", "polite", "plain", "formal")
# never subjects in training
ROLE = ("rabbit", "horse", "monkey", "lion", "nurse", "lawyer", "singer", "neighbor",
        "daughter", "guest")
NESTING = tuple(kind for kind in KINDS if kind != "simple")

FRAMES = ("adjectives", "intransitive", "transitive", "ditransitive", "saying",
          "locative")

# name: number of sentences, length bins, constructions
SPLITS = {
    "iid": (1000, BINS, KINDS), "long": (400, LONG, KINDS),
    "deep": (200, ((17, 24),), NESTING), "pairs": (500, BINS, KINDS),
    "role": (300, BINS, KINDS), "ambig": (300, BINS, KINDS),
    "agree": (200, ((9, 16),), ("relative",)),
    "register": (300, BINS[:3], KINDS), "valid": (1000, BINS, KINDS),
    "pairs-500": (500, BINS, KINDS), "train": (20000, BINS, KINDS),
    "mono-en": (20000, BINS, KINDS), "mono-ko": (20000, BINS, KINDS),
}


@lru_cache(maxsize=1)
def unseen():
    """The word pairs that training never shows, as (relation, predicate, noun): a tenth
    of each predicate's nouns."""
    found, grammar = {}, Grammar(words(), None)
    for predicate in [entry for frame in FRAMES for entry in getattr(words(), frame)]:
        for slot in (("adjective",) if predicate.frame == "adjective"
                     else ("subject", "object")):
            names = [(slot, predicate.english, noun.english)
                     for noun in grammar.people + words().places
                     if grammar.goes(slot, predicate, noun)]
            names.sort(key=lambda item: fingerprint(" ".join(item)))
            if len(names) > 2:
                found |= dict.fromkeys(names[:(
                    len(names)
                    + fingerprint(f"{slot} {predicate.english}") % 10) // 10])
    return found


def never_subject(relation, predicate, noun):
    """True if the pair makes one of the ten nouns in ROLE a subject."""
    return relation == "subject" and noun.english in ROLE


def unseen_pair(relation, predicate, noun):
    """True if the pair is one of the tenth that is held out."""
    # already counted as adjective and noun
    if relation == "subject" and predicate.frame == "adjective":
        return False
    return (relation, predicate.english, noun.english) in unseen()


def unseen_sense(relation, predicate, noun):
    """True if a held-out pair is of an adjective whose Korean depends on the noun."""
    return (len({korean for korean, _, _ in predicate.senses}) > 1
            and unseen_pair(relation, predicate, noun))


def held_out(relation, predicate, noun):
    """True if a pair of words must not occur in training."""
    return (never_subject(relation, predicate, noun)
            or unseen_pair(relation, predicate, noun))


# split: what its grammar may not use, and what each of its sentences must contain
SPECIAL = {
    "pairs": (never_subject, unseen_pair), "ambig": (never_subject, unseen_sense),
    "role": (unseen_pair, never_subject),
}


@lru_cache(maxsize=1)
def words():
    return lexicon()


@contextmanager
def uncollected():
    """Python looks for no garbage meanwhile: trees and pairs make none, and to look for
    it takes a third of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@cache
@uncollected()
def derivations(name, seed=1):
    """Trees of a split, in order; none repeats the English of another split, nor its
    own.

    Splits that could overlap are drawn in the order of SPLITS, tests before training.
    Those with held-out words, longer or deeper sentences cannot overlap with training.
    Raises ValueError for another name than those of SPLITS.
    """
    if name not in SPLITS:
        raise ValueError(f"there is no split {name!r}; the splits are "
                         f"{', '.join(SPLITS)}")
    alike = [other for other in SPLITS if (other in SPECIAL) == (name in SPECIAL)
             and other not in ("long", "deep")]
    earlier = alike[:alike.index(name)] if name in alike else []
    return draw(name, {key(tree) for other in earlier
                       for tree in derivations(other, seed)}, seed)


def draw(name, taken, seed):
    """The trees of one split; `taken` is the English of earlier splits, and grows."""
    size, bins, kinds = SPLITS[name]
    avoided, wanted = SPECIAL.get(name, (held_out, None))
    chance = Chance(fingerprint(f"{seed} {name}"))
    deep = 3 if name == "deep" else None
    grammar = Grammar(words(), chance, avoided, deep or 2)
    found, turn = [], 0
    while len(found) < size:
        shortest, longest = bins[turn % len(bins)]
        tree = grammar.sentence(kinds[turn // len(bins) % len(kinds)], shortest,
                                longest, deep)
        tree.register = chance.choice(REGISTERS)
        if wanted and not any(wanted(*item) for item in predications(tree)):
            continue
        group = {"agree": agreeing,
                 "register": in_registers}.get(name, alone)(grammar, tree)
        keys = [key(tree) for tree in group]
        if group and not any(text in taken for text in keys):
            taken.update(keys)
            found += group
            turn += 1
    return tuple(found[:size])


def alone(grammar, tree):
    """The sentence as it is."""
    return [tree]


def in_registers(grammar, tree):
    """The same sentence in the three registers."""
    return [replace(tree, register=register)
            for register in ("plain", "polite", "formal")]


def agreeing(grammar, tree):
    """The sentence and its twin, alike but for the subject, honoured in the first;
    between them and the verb a person.

    Empty if the tree is unfit: the verb must show 시 right after its stem, and the
    relative clause must name a person, so that for one of the twins the nearer person
    is of the other sort.
    """
    main, subject = tree.main, tree.main.subject
    plain = not (main.negated or main.progressive or main.modal or main.verb.special)
    if subject.relative is None or subject.article != "the" or not plain:
        return []
    inner = subject.relative.clause
    about = [item for item in predications(tree) if item[2] is subject.noun]
    attractors = [phrase.noun for _, phrase in inner.arguments if phrase.noun.person]
    twins = [noun for noun in words().nouns if noun.person
             and noun.honorific != subject.noun.honorific and "kin" not in noun.kinds
             and all(grammar.goes(*item, noun) and not held_out(*item, noun)
                     for *item, _ in about)]
    if (not subject.noun.person or "kin" in subject.noun.kinds or not attractors
        or not twins):
        return []
    twin = with_subject(tree, grammar.chance.choice(twins))
    return [twin, tree] if twin.main.subject.noun.honorific else [tree, twin]


def with_subject(tree, noun):
    """A copy of the tree about another noun."""
    subject = replace(tree.main.subject, noun=noun)
    inner = subject.relative.clause
    subject.relative = replace(subject.relative,
                               clause=replace(inner, **{inner.gap: subject}))
    return replace(tree, main=replace(tree.main, subject=subject))


def split(name, seed=1):
    """The sentence pairs of a split, as a list of `Pair`; made once, then kept.

    raises ValueError for another name than those of SPLITS, and for those of `text`
    """
    if name in ("mono-en", "mono-ko"):
        raise ValueError(f"{name} holds text in one language only; ask text({name!r}) "
                         "for it")
    if name not in SPLITS:
        raise ValueError(f"there is no split {name!r}; the splits are "
                         f"{', '.join(SPLITS)}")
    with uncollected():
        return kept(name, seed, lambda: pairs(name, seed), packed, unpacked)


def pairs(name, seed):
    """The sentence pairs of a split, made from its trees."""
    return [pair(tree, spot(tree) if name == "agree" else -1)
            for tree in derivations(name, seed)]


def text(name, seed=1):
    """Sentences in one language, as lists of token forms: "mono-en" (no register tag)
    or "mono-ko"; made once, then kept.

    raises ValueError for another name
    """
    if name not in ("mono-en", "mono-ko"):
        raise ValueError(f"text is there for mono-en and mono-ko; got {name!r}")
    side = english if name == "mono-en" else korean
    with uncollected():
        return kept(name, seed, lambda: [[row[0] for row in side(tree)] for tree in
                                         derivations(name, seed)], list, list)


def spot(tree):
    """Place of the Korean token right after the main verb's stem: where 시 stands if
    the subject is honoured."""
    return next(j for j, row in enumerate(korean(tree))
                if row[1] is tree.main and row[2] == "head") + 1
