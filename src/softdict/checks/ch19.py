"""Checks for the exercises of chapter 19, real text."""

import random
import re
from collections import Counter
from collections.abc import Mapping
from itertools import groupby

import torch

from softdict.checks.answers import (
    ask, blame, close, copies, number, pair, short, something, tensor)
from softdict.checks.ch06 import ended
from softdict.checks.result import Mistake, attempt, exercise, refuse
from softdict.texts.real_text import folded


# 19-1

def word_counts(text):
    """The words of "b al l 5, x 2": the pieces of each, and how often it was seen."""
    rows = [row.split() for row in text.split(", ")]
    return {tuple(pieces): int(count) for *pieces, count in rows}


def drawn_words(seed):
    chance = random.Random(seed)
    return {tuple(chance.choices(["a", "b", "th", "o", "ab"], k=chance.randint(1, 6))):
            chance.randint(1, 9) for _ in range(9)}


MERGES = [*map(word_counts, (
    "l o w 5, l o w e r 2, n e w e s t 6, w i d e s t 3",
    "n m 2, b c 2, z y 2, k e 2",    # the smallest is met neither first nor last
    "ab a 3, a bc 3, x 9",    # the smallest pair, not the smallest text
    "a a a 4, b a a a a 3, c d 12, b 1",
    "b a n a n a 3, b a n 2, c a t 7",
    "k z 9, q z 1, q z o 1, a q z 1",
    "y b 2, b y 3, y b b 2, e b 4",
    "ba b 3, a b 5, a bc 2, b a b 1, ab b 2",    # the pair in longer pieces, too
    "1 3 7 2, 5 3 7 3 7 a 3, 37 3 4, 7 3 6",
    "3 . 5 4, 1 . 5 3, 3 1 5 2")), drawn_words(191), drawn_words(194)]


def letters(words):
    """The words with every piece cut into its letters."""
    return {tuple("".join(pieces)): count for pieces, count in words.items()}


def best_pair(words, counts="right", tie="smallest"):
    """The pair to merge, or that of a common mistake in counting or among equals."""
    if counts == "across_words":
        words = {sum((pieces * count for pieces, count in words.items()), ()): 1}
    if counts == "across_words_once":
        words = {sum(words, ()): 1}
    found = Counter()
    for pieces, count in (letters(words) if counts == "letters" else words).items():
        pairs = list(zip(pieces, pieces[1:]))
        if counts in ("different", "words"):
            pairs = dict.fromkeys(pairs)
        if counts == "apart":    # one a, a in a, a, a
            pairs = [one for one, run in groupby(pairs)
                     for _ in range((len([*run]) + 1) // 2)]
        for one in pairs:
            found[one] += 1 if counts in ("once", "words") else count
    most = (min if tie == "rarest" else max)(found.values())
    equal = [one for one in found if found[one] == most]
    return {"first_met": equal[0], "largest": max(equal),
            "smallest_text": min(equal, key="".join)}.get(tie, min(equal))


def merged(pieces, best, kind="right"):
    """A word in which the pair is one piece, or one of the common mistakes."""
    one = "".join(best)
    if kind == "inside":
        return tuple(" ".join(pieces).replace(" ".join(best), one).split())
    if kind == "any_sign":
        alone = rf"(?<!\S){' '.join(best)}(?!\S)"
        return tuple(re.sub(alone, one, " ".join(pieces)).split())
    if kind == "runs" and best[0] == best[1]:
        return tuple(part for piece, run in groupby(pieces)
                     for part in (["".join(run)] if piece == best[0] else run))
    hits = [n for n in range(len(pieces)) if pieces[n:n + 2] == best]
    starts = []
    for n in hits[::-1] if kind == "right_to_left" else hits:
        if kind in ("overlap", "both_stay") or not {n - 1, n + 1} & {*starts}:
            starts.append(n)
    starts = {"first_only": hits[:1], "last_only": hits[-1:]}.get(kind, starts)
    return tuple(part for n, piece in enumerate(pieces)
                 if kind == "both_stay" or n in starts or n - 1 not in starts
                 for part in ([one] if n in starts else
                              piece if kind == "letters" else [piece]))


@exercise("19-1", points=2)
def check_19_1(merge_step):
    got = [returned_merge(merge_step, words) for words in MERGES]
    right = [best_pair(words) for words in MERGES]
    compare_pairs([best for best, _ in got], right)
    compare_words([new for _, new in got], right)


def returned_merge(merge_step, words):
    """The pair and the new words, if they were returned."""
    given = dict(words)
    returned = attempt(
        lambda: ended(lambda: merge_step(given)), ("endless-words", "endless"),
        ("list_as_key", "unhashable type: 'list'"),
        ("changes_in_loop", "during iteration"), ("beyond_end", "index out of range"))
    refuse(given != words, "changes_arguments")
    best, new = pair(returned)
    refuse(isinstance(best, str) and isinstance(new, str), "only_pair")
    refuse(isinstance(best, Mapping), "swapped")
    refuse(isinstance(best, str), "joined_pair")
    refuse(not isinstance(best, (tuple, list)) or len(best) != 2, "no_pair",
           kind=type(best).__name__)
    refuse(isinstance(best[0], tuple), "pair_and_count")
    refuse(not isinstance(new, Mapping), "no_dict", kind=type(new).__name__)
    for pieces in new:
        refuse(not isinstance(pieces, tuple), "words_as_texts", pieces=pieces,
               kind=type(pieces).__name__)
        for piece in pieces:
            refuse(not isinstance(piece, str), "pair_in_word", piece=piece)
    return tuple(best), {pieces: float(count) for pieces, count in new.items()}


def compare_pairs(got, right):
    """Raises the Mistake that explains wrong pairs."""
    if got == right:
        return

    def made(*kinds):
        return [best_pair(words, *kinds) for words in MERGES]

    ties = "first_met", "largest", "smallest_text", "rarest"
    counts = "once", "different", "words", "apart", "across_words", "letters"
    blame(got, [(code, made("right", code)) for code in ties])
    ways = {"across_words": ("across_words", "across_words_once")}
    blame(got, [(code, *[made(way, tie) for way in ways.get(code, [code])
                         for tie in ("smallest", "first_met", "largest")])
                for code in counts])
    words, mine, best = next(row for row in zip(MERGES, got, right) if row[1] != row[2])
    raise Mistake("wrong_pair", words=words, best=best, got=mine)


def compare_words(got, right):
    """Raises the Mistake that explains wrong new words, where the pairs are right."""
    def made(kind="right"):
        return [{merged(pieces, best, kind): count for pieces, count in words.items()}
                for words, best in zip(MERGES, right)]

    wanted = made()
    if got == wanted:
        return
    several = list(zip(MERGES, right, wanted))
    whole = [(code, made(code)) for code in (
        "first_only", "right_to_left", "overlap", "both_stay", "runs", "inside",
        "any_sign")]
    whole += [
        ("first_only-last", made("last_only")),
        ("not_merged", MERGES),
        ("forgets_words",
         [{pieces: count for pieces, count in new.items() if "".join(best) in pieces
           and pieces not in words} for words, best, new in several]),
        ("old_words_stay", [words | new for words, _, new in several]),
        ("loses_counts", [dict.fromkeys(new, 1) for new in wanted]),
        ("letters-row", [letters(words) for words in MERGES], made("letters"))]
    for code, *things in whole:
        refuse(got in things, code)
    words, best, mine, new = next(row for row in zip(MERGES, right, got, wanted)
                                  if row[2] != row[3])
    for pieces, count in words.items():
        row = merged(pieces, best)
        refuse(row not in mine, "wrong_words", best=best, pieces=pieces, row=row,
               got=list(mine))
        refuse(mine[row] != count, "wrong_counts", row=row, count=count, got=mine[row])
    raise Mistake("too_many_words", best=best, right=len(new), got=list(mine))


# 19-2

LEAKS = [
    ([("One", "Un"), ("Two", "Deux"), ("Three", "Trois")], [("Four", "Quatre")]),
    ([("Who?", "Qui ?"), ("Hi.", "Salut !"), ("Hi.", "Salut."), ("Oh no!", "Oh non !"),
      ("I won!", "J'ai gagné !"), ("so what", "Et alors"), ("Hello!", "Bonjour !")],
     [("who", "Qui ?"), ("Hi.", "Coucou."), ("HELLO", "Bonjour !"), ("no", "non"),
      ("So what?", "Et alors ?")]),
    ([("It's me.", "C'est moi."), ("Ja", "Oui")],
     [("it's me", "Oui"), ("It s me!", "C'est moi."), ("Ja", "Oui"), ("Ja", "Ouais."),
      ("Oui", "Ja"), ("Nein", "Non"), ("So", "Ainsi"), ("It is me.", "C'est moi.")]),
    ([("Go.", "Va !"), ("Go.", "Marche."), ("Run!", "Cours !"), ("Stop it", "Arrête."),
      ("I see the dog.", "Je vois le chien."), ("A snowball", "Une boule de neige"),
      ("Die STRASSE.", "La rue."), ("Wait.", "Attends."), ("Wait.", "Attendez.")],
     [("go", "Bouge !"), ("Go.", "Va !"), ("Run", "Courez !"), ("run!", "Cours !"),
      ("the dog", "le chien"), ("Sit.", "Va !"), ("A snow ball", "Une boule"),
      ("Die Straße.", "La rue."), ("Cours !", "Run!"), ("Wait.", "Une minute."),
      ("Help", "Au secours")])]


@exercise("19-2", points=1)
def check_19_2(leak):
    got = [number(ask(leak, *case)) for case in LEAKS]

    def made(rule):
        return [rule([(folded(source), folded(target)) for source, target in training],
                     [(folded(source), folded(target)) for source, target in test])
                for training, test in LEAKS]

    def as_if(fold, fold_test=None):
        """What comes out if the sentences are folded in other ways."""
        fold_test = fold_test or fold
        return [share({fold(source) for source, _ in training},
                      [fold_test(source) for source, _ in test])
                for training, test in LEAKS]

    def share(seen, asked):
        return sum(one in seen for one in asked) / len(asked)

    def sources(pairs):
        return [source for source, _ in pairs]

    def hits(training, test):
        return sum(source in sources(training) for source in sources(test))

    def common(training, test):
        return len({*sources(training)} & {*sources(test)})

    right = as_if(folded)
    if close(got, right):
        return
    blame(got, [
        ("pairs", made(share), [share(training, test) for training, test in LEAKS]),
        ("targets",
         made(lambda training, test:
              share(*[[target for _, target in pairs] for pairs in (training, test)]))),
        ("not_folded", as_if(str)),
        ("folds_one_side", as_if(folded, str), as_if(str, folded)),
        ("signs_stay", as_if(str.casefold), as_if(str.lower)),
        ("capitals_stay", as_if(lambda text: " ".join(re.findall(r"\w+", text)))),
        ("blanks_lost", as_if(lambda text: folded(text).replace(" ", ""))),
        ("lower", as_if(lambda text: " ".join(re.findall(r"\w+", text.lower())))),
        ("divided_by_training",
         made(lambda training, test: hits(training, test) / len(training))),
        ("divided_by_all",
         made(lambda training, test: hits(training, test) / len(training + test))),
        ("counts_once", made(lambda training, test: common(training, test) / len(test)),
         made(lambda training, test: common(training, test) / len({*sources(test)}))),
        ("every_time", made(lambda training, test: sum(
            sources(training).count(one) for one in sources(test)) / len(test))),
        ("other_way", made(lambda training, test: hits(test, training) / len(training)),
         made(lambda training, test: hits(test, training) / len(test)),
         made(lambda training, test:
              common(training, test) / len({*sources(training)}))),
        ("percent", [100 * value for value in right]),
        ("count", made(hits)),
        ("new_ones", [1 - value for value in right]),
        ("inside", made(lambda training, test: sum(
            any(one in other for other in sources(training))
            for one in sources(test)) / len(test))),
        ("same_place", made(lambda training, test: sum(map(
            str.__eq__, sources(training), sources(test))) / len(test))),
        ("either_side", made(lambda training, test: share(
            [text for both in training for text in both], sources(test)))),
        ("yes_or_no", [float(value > 0) for value in right]),
        ("finds_nothing", [0.0] * len(LEAKS))])
    (training, test), mine, wanted = next(
        row for row in zip(LEAKS, got, right) if not close(*row[1:]))
    raise Mistake("wrong_share", test=sources(test), right=wanted,
                  training=sources(training), got=mine)


# 19-3

@exercise("19-3", points=2)
def check_19_3(global_gradient):
    chance = torch.Generator().manual_seed(193)

    def case(words, *shape, empty=0.0):
        gradients = [torch.randn(shape, generator=chance) for _ in words]
        return [gradient if count else torch.full_like(gradient, empty)
                for gradient, count in zip(gradients, words)], words

    cases = [case([3, 9], 3, 2), case([7, 2, 4], 2, 3), case([1, 6, 2, 5], 4),
             case([40, 8, 20], 2, 1, 3, 2), case([2, 11])]
    got = [gradient_of(global_gradient, *one) for one in cases]
    right = [whole(*one) for one in cases]
    if not close(got, right):
        explain_gradient(got, right, cases)
    for one in (case([5], 2, 2), case([6, 0, 2], 3, 3),
                case([0, 6, 2], 3, empty=torch.nan),
                case([4, 5, 0, 1], 2, 4, empty=torch.nan)):
        mine, wanted = gradient_of(global_gradient, *one), whole(*one)
        refuse(mine.isnan().any(), "nan")
        refuse(not mine.any(), "nan_too_late")
        compare_numbers([mine], [wanted], [one])


def gradient_of(global_gradient, gradients, words):
    """The gradient that was returned, if it is one and nothing else has changed."""
    given = copies([gradients, words])
    returned = something(attempt(lambda: global_gradient(*given), (
        "wrong_axis", "must match the size", "could not be broadcast",
        "Expected size for first two dimensions")))
    kept = len(given[0]) == len(gradients) and given[1] == words and all(
        torch.equal(one.nan_to_num(7), other.nan_to_num(7))
        for one, other in zip(given[0], gradients))
    refuse(not kept, "changes_arguments")
    if gradients[0].dim() == 1 and isinstance(returned, torch.Tensor):
        share = torch.tensor(words)[:, None, None] / sum(words)
        refuse(close(returned, (share * torch.stack(gradients)).sum(dim=0)),
               "axes_of_matrix")
    return tensor(returned, gradients[0].shape, "gradient")


def whole(gradients, words):
    """The gradient of the mean over all words."""
    return weighted(gradients, [count / sum(words) for count in words])


def weighted(gradients, weights):
    """The sum of the gradients, each times its weight; one of weight 0 is left out."""
    return sum((weight * gradient for gradient, weight in zip(gradients, weights)
                if weight), torch.zeros(gradients[0].shape)).double()


def explain_gradient(got, right, cases):
    """Raises the Mistake that explains gradients which are not those of all words."""
    def made(weigh):
        return [weighted(gradients, weigh(torch.tensor(words, dtype=torch.float64)))
                for gradients, words in cases]

    def but(left, total):
        """All words but those of one process."""
        def weigh(words):
            part = words.clone()
            part[left] = 0
            return part / (words if total == "all" else part).sum()
        return weigh

    def chosen(pick):
        return [pick(torch.stack(gradients)) for gradients, _ in cases]

    blame(got, [
        ("plain_mean", made(lambda words: torch.ones_like(words) / len(words))),
        ("plain_sum", made(torch.ones_like)),
        ("not_divided", made(lambda words: words)),
        ("divided_twice", made(lambda words: words / words.sum() / len(words))),
        ("divided_by_processes", made(lambda words: words / len(words))),
        ("inverted", made(lambda words: 1 / words / (1 / words).sum()),
         made(lambda words: 1 / words), made(lambda words: words.sum() / words)),
        ("softmax", made(lambda words: words.softmax(dim=0))),
        ("squared", made(lambda words: words ** 2 / (words ** 2).sum()),
         made(lambda words: words ** 2 / words.sum()),
         made(lambda words: words ** 2 / words.sum() ** 2)),
        ("whole_numbers", made(lambda words: words // words.sum())),
        ("divided_by_most", made(lambda words: words / words.max())),
        ("largest_only", made(lambda words: (words == words.max()) * 1.0)),
        ("one_left_out",
         *[made(but(left, total)) for left in (0, -1) for total in ("all", "rest")]),
        ("median", chosen(lambda rows: rows.median(dim=0).values),
         chosen(lambda rows: rows.quantile(0.5, dim=0))),
        ("largest_number", chosen(lambda rows: rows.amax(dim=0)))])
    compare_numbers(got, right, cases)


def compare_numbers(got, right, cases):
    """Raises a Mistake that shows the first gradient that is not right."""
    for mine, wanted, (_, words) in zip(got, right, cases):
        refuse(not close(mine, wanted), "wrong_gradient", words=words,
               right=short(wanted.flatten()[:3]), got=short(mine.flatten()[:3]))
