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
    return "one merge; byte-pair encoding is nothing but many of them."


def returned_merge(merge_step, words):
    """The pair and the new words, if they were returned."""
    given = dict(words)
    returned = attempt(lambda: ended(lambda: merge_step(given)), (
        "endless", "your loop does not end; whatever it meets, it must go on to "
        "another place.", "does not end"), (
        "list_as_key", "a list can be no key of a dict; a tuple can.",
        "unhashable type: 'list'"), (
        "changes_in_loop", "a loop of yours runs through a dict that changes "
        "meanwhile; fill a new one.", "during iteration"), (
        "beyond_end", "yours reads a place that is not there. The last piece of a word "
        "has no neighbour behind it, and a word may be one piece.",
        "index out of range"))
    refuse(given != words, "changes_arguments",
           "yours changes the words that it was given; fill a new dict.")
    best, new = pair(returned, "the pair", "the new words")
    refuse(isinstance(best, str) and isinstance(new, str), "only_pair",
           "that is the pair alone; return the new words behind it.")
    refuse(isinstance(best, Mapping), "swapped",
           "return the pair first and the new words second.")
    refuse(isinstance(best, str), "joined_pair", "the pair is a tuple of two pieces; "
           "in yours they are one text already.")
    refuse(not isinstance(best, (tuple, list)) or len(best) != 2, "no_pair",
           "the pair is a tuple of two pieces; yours is of type "
           f"{type(best).__name__}.")
    refuse(isinstance(best[0], tuple), "pair_and_count",
           "return the pair alone; yours holds something else beside it.")
    refuse(not isinstance(new, Mapping), "no_dict", "the new words are a dict, as the "
           f"old ones are; yours are of type {type(new).__name__}.")
    for pieces in new:
        refuse(not isinstance(pieces, tuple), "words_as_texts", "a word is a tuple of "
               f"pieces; one of yours is {pieces!r}, of type {type(pieces).__name__}.")
        for piece in pieces:
            refuse(not isinstance(piece, str), "pair_in_word", "what was merged is one "
                   f"text; in a word of yours stands {piece!r}.")
    return tuple(best), {pieces: float(count) for pieces, count in new.items()}


def compare_pairs(got, right):
    """Raises the Mistake that explains wrong pairs."""
    if got == right:
        return

    def made(*kinds):
        return [best_pair(words, *kinds) for words in MERGES]

    ties = [("first_met", "of equal pairs yours takes the one that it met first; the "
             "smallest is asked for."),
            ("largest", "of equal pairs yours takes the largest one; the smallest is "
             "asked for."),
            ("smallest_text", "of equal pairs yours takes the smallest text; compare "
             "the pairs, piece by piece, before they are joined."),
            ("rarest", "yours takes the pair that is seen least often.")]
    counts = [("once", "yours counts each word once; a word that was seen 5 times "
               "shows its pairs 5 times."),
              ("different", "a pair that stands twice in a word is seen twice there."),
              ("words", "yours counts the words that have a pair; count how often the "
               "pair is seen."),
              ("apart", "in a, a, a the pair a, a is seen twice: two neighbours in "
               "front, and two behind."),
              ("across_words", "in yours the end of a word meets the start of another; "
               "neighbours stand in one word."),
              ("letters", "yours cuts pieces into letters again; neighbours are whole "
               "pieces, however long.")]
    blame(got, [(*one, made("right", one[0])) for one in ties])
    ways = {"across_words": ("across_words", "across_words_once")}
    blame(got, [(code, sentence, *[made(way, tie) for way in ways.get(code, [code])
                                   for tie in ("smallest", "first_met", "largest")])
                for code, sentence in counts])
    words, mine, best = next(row for row in zip(MERGES, got, right) if row[1] != row[2])
    raise Mistake("wrong_pair", f"of {words} the pair {best} is to be merged; yours is "
                  f"{mine}.")


def compare_words(got, right):
    """Raises the Mistake that explains wrong new words, where the pairs are right."""
    def made(kind="right"):
        return [{merged(pieces, best, kind): count for pieces, count in words.items()}
                for words, best in zip(MERGES, right)]

    wanted = made()
    if got == wanted:
        return
    several = list(zip(MERGES, right, wanted))
    whole = [(*mistake, made(mistake[0])) for mistake in [
        ("first_only", "yours joins one pair in a word; it may stand there more "
         "often."),
        ("right_to_left",
         "in a, a, a yours joins the last two; go from left to right."),
        ("overlap", "in a, a, a yours uses the middle one twice; what was joined is "
         "used up."),
        ("both_stay", "in yours the second piece of a pair stands there once more, "
         "behind the joined one."),
        ("runs", "in a, a, a yours joins all three; one merge joins two pieces."),
        ("inside", "yours finds the pair inside of longer pieces; compare whole "
         "pieces."),
        ("any_sign", "a point stands for any sign in a regular expression; "
         "`re.escape` makes it a point.")]]
    whole += [
        ("first_only", "yours joins the last pair of a word alone.", made("last_only")),
        ("not_merged", "your new words are the old ones; the pair should be one piece. "
         "Are you comparing a list with a tuple? They are never equal.",
         MERGES),
        ("forgets_words", "words without the pair are missing in yours; they stay.",
         [{pieces: count for pieces, count in new.items() if "".join(best) in pieces
           and pieces not in words} for words, best, new in several]),
        ("old_words_stay", "words that have become others are still there in yours.",
         [words | new for words, _, new in several]),
        ("loses_counts", "the words are right; each keeps the count that it had.",
         [dict.fromkeys(new, 1) for new in wanted]),
        ("letters", "yours cuts pieces into letters again; `row += text` adds each "
         "letter, and `append` the whole.", [letters(words) for words in MERGES],
         made("letters"))]
    for code, sentence, *things in whole:
        refuse(got in things, code, sentence)
    words, best, mine, new = next(row for row in zip(MERGES, right, got, wanted)
                                  if row[2] != row[3])
    for pieces, count in words.items():
        row = merged(pieces, best)
        refuse(row not in mine, "wrong_words", f"where {best} is merged, {pieces} "
               f"becomes {row}; yours are {list(mine)}.")
        refuse(mine[row] != count, "wrong_counts",
               f"{row} was seen {count} times; yours says {mine[row]:g}.")
    raise Mistake("too_many_words", f"where {best} is merged, {len(new)} words come "
                  f"out; yours are {list(mine)}.")


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
    got = [number(ask(leak, *case, advice="make lists or sets of your own"))
           for case in LEAKS]

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
        return "so much of a score may be memory."
    blame(got, [
        ("pairs", "yours compares pairs; a source sentence with another translation "
         "was seen, too.", made(share),
         [share(training, test) for training, test in LEAKS]),
        ("targets", "yours compares the targets; the source is what a model is asked.",
         made(lambda training, test: share(*[[target for _, target in pairs]
                                             for pairs in (training, test)]))),
        ("not_folded", "*Go.* and *go* are one sentence; fold before you compare.",
         as_if(str)),
        ("folds_one_side", "yours folds one side; the other must be folded, too, or "
         "equal sentences do not meet.", as_if(folded, str), as_if(str, folded)),
        ("signs_stay", "in yours *Run!* and *Run* are two sentences; `fold` takes the "
         "signs out.", as_if(str.casefold), as_if(str.lower)),
        ("capitals_stay", "in yours *Run* and *run* are two sentences; `fold` makes "
         "them equal.", as_if(lambda text: " ".join(re.findall(r"\w+", text)))),
        ("blanks_lost", "in yours *snow ball* and *snowball* are one sentence; `fold` "
         "keeps the blanks.", as_if(lambda text: folded(text).replace(" ", ""))),
        ("lower", "in yours *Straße* and *STRASSE* are two words; `fold` makes them "
         "equal.",
         as_if(lambda text: " ".join(re.findall(r"\w+", text.lower())))),
        ("divided_by_training", "yours divides by the pairs of the training; a share "
         "of the test is asked for.",
         made(lambda training, test: hits(training, test) / len(training))),
        ("divided_by_all", "yours divides by all pairs; a share of the test is asked "
         "for.", made(lambda training, test: hits(training, test)
                      / len(training + test))),
        ("counts_once", "a sentence that stands in the test twice counts twice.",
         made(lambda training, test: common(training, test) / len(test)),
         made(lambda training, test: common(training, test)
              / len({*sources(test)}))),
        ("every_time", "a sentence of the test counts once, however often the training "
         "has it.", made(lambda training, test: sum(
             sources(training).count(one) for one in sources(test)) / len(test))),
        ("other_way", "yours asks which of the training stand in the test; ask the "
         "other way.", made(lambda training, test: hits(test, training)
                            / len(training)),
         made(lambda training, test: hits(test, training) / len(test)),
         made(lambda training, test: common(training, test)
              / len({*sources(training)}))),
        ("percent", "yours is in percent; return a share from 0 to 1.",
         [100 * value for value in right]),
        ("count", "yours is how many were found; return their share of the test.",
         made(hits)),
        ("new_ones", "yours is the share of the test that is new.",
         [1 - value for value in right]),
        ("inside", "in yours *the dog* was seen where *I see the dog* was; compare "
         "whole sentences.", made(lambda training, test: sum(
             any(one in other for other in sources(training))
             for one in sources(test)) / len(test))),
        ("same_place", "yours compares the first with the first, the second with the "
         "second; a sentence may stand anywhere in the training.",
         made(lambda training, test: sum(map(
             str.__eq__, sources(training), sources(test))) / len(test))),
        ("either_side", "yours looks among the targets of the training, too; only its "
         "sources count.", made(lambda training, test: share(
             [text for both in training for text in both], sources(test)))),
        ("yes_or_no", "yours says whether there is a leak; return how large it is.",
         [float(value > 0) for value in right]),
        ("finds_nothing", "yours is always 0. Is a sentence looked for among "
         "sentences, not pairs? And // drops what is behind the point.",
         [0.0] * len(LEAKS))])
    (training, test), mine, wanted = next(
        row for row in zip(LEAKS, got, right) if not close(*row[1:]))
    raise Mistake("wrong_share", f"of the test {sources(test)} a share of {wanted:.3f} "
                  f"is among {sources(training)}; yours says {mine:.3f}.")


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
        refuse(mine.isnan().any(), "nan", "where a process has no words, yours becomes "
               "nan. Even 0 times nan is nan; leave that process out.")
        refuse(not mine.any(), "nan_too_late", "one process hands in nan, and yours is "
               "0 altogether; mend that one before the sum.")
        compare_numbers([mine], [wanted], [one])
    return "every word counts the same, whichever process computed it."


def gradient_of(global_gradient, gradients, words):
    """The gradient that was returned, if it is one and nothing else has changed."""
    given = copies([gradients, words])
    returned = something(attempt(lambda: global_gradient(*given), (
        "wrong_axis", "in yours the words meet another axis than that of the "
        "processes; gradients may have any number of axes.",
        "must match the size", "could not be broadcast",
        "Expected size for first two dimensions")))
    kept = len(given[0]) == len(gradients) and given[1] == words and all(
        torch.equal(one.nan_to_num(7), other.nan_to_num(7))
        for one, other in zip(given[0], gradients))
    refuse(not kept, "changes_arguments",
           "yours changes what it was given; make new tensors.")
    if gradients[0].dim() == 1 and isinstance(returned, torch.Tensor):
        share = torch.tensor(words)[:, None, None] / sum(words)
        refuse(close(returned, (share * torch.stack(gradients)).sum(dim=0)),
               "axes_of_matrix", "yours gives the words two more axes, which suits "
               "matrices alone; gradients may have any number of axes.")
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
        ("plain_mean", "each process counts alike in yours; each *word* should.",
         made(lambda words: torch.ones_like(words) / len(words))),
        ("plain_sum", "yours adds the gradients up; how many words each stands for "
         "plays no part.", made(torch.ones_like)),
        ("not_divided", "yours is the gradient of the sum over all words; the mean is "
         "asked for.", made(lambda words: words)),
        ("divided_twice", "yours divides by the number of processes as well.",
         made(lambda words: words / words.sum() / len(words))),
        ("divided_by_processes", "yours divides by the number of processes; how many "
         "words are there in all?", made(lambda words: words / len(words))),
        ("inverted", "in yours many words make a gradient small; more words should "
         "count more.", made(lambda words: 1 / words / (1 / words).sum()),
         made(lambda words: 1 / words), made(lambda words: words.sum() / words)),
        ("softmax", "yours makes shares by softmax; a process with twice the words "
         "should count twice.", made(lambda words: words.softmax(dim=0))),
        ("squared", "the words count twice over in yours, as their squares.",
         made(lambda words: words ** 2 / (words ** 2).sum()),
         made(lambda words: words ** 2 / words.sum()),
         made(lambda words: words ** 2 / words.sum() ** 2)),
        ("whole_numbers", "your shares are whole numbers; `//` drops what is behind "
         "the point.", made(lambda words: words // words.sum())),
        ("divided_by_most", "yours divides by the largest number of words; divide by "
         "all of them.", made(lambda words: words / words.max())),
        ("largest_only", "yours is the gradient of the process with the most words; "
         "the others count, too.",
         made(lambda words: (words == words.max()) * 1.0)),
        ("one_left_out", "one process plays no part in yours, the first or the last.",
         *[made(but(left, total)) for left in (0, -1) for total in ("all", "rest")]),
        ("median", "yours is a median; a mean is asked for.",
         chosen(lambda rows: rows.median(dim=0).values),
         chosen(lambda rows: rows.quantile(0.5, dim=0))),
        ("largest_number", "yours takes the largest number at each place; a mean is "
         "asked for.", chosen(lambda rows: rows.amax(dim=0)))])
    compare_numbers(got, right, cases)


def compare_numbers(got, right, cases):
    """Raises a Mistake that shows the first gradient that is not right."""
    for mine, wanted, (_, words) in zip(got, right, cases):
        refuse(not close(mine, wanted), "wrong_gradient", f"for processes with {words} "
               f"words the gradient should begin {short(wanted.flatten()[:3])}; yours "
               f"begins {short(mine.flatten()[:3])}.")
