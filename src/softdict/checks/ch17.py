"""Checks for the exercises of chapter 17, one word at a time."""

import math
import random

import torch

from softdict.checks.answers import ask, blame, close, pair, short, something, tensor
from softdict.checks.result import Mistake, exercise, refuse


class Writer:
    """Made-up probabilities behind each beginning, and the beginnings it was asked."""

    def __init__(self, words, end, limit, seed, ending=0.0):
        self.words, self.end, self.limit = words, end, limit
        self.seed, self.ending = seed, ending
        self.asked = []

    def __call__(self, before):
        before = list(before)
        self.asked.append(before)
        refuse(self.end in before, "runs_past_end", "yours asks what comes behind a "
               "translation that has ended; put it aside.")
        refuse(len(before) >= self.limit + 3, "ignores_limit",
               f"yours goes on after {self.limit} steps; stop at the limit.")
        chance = random.Random(f"{self.seed} {before}")
        scores = [2 * chance.gauss(0, 1) for _ in self.words]
        scores.append(2 * chance.gauss(0, 1) + self.ending)
        total = math.log(sum(map(math.exp, scores)))
        return {word: score - total
                for word, score in zip([*self.words, self.end], scores)}


def search(writer, size, limit, end, ends="first", going="all", sums="added",
           stop="limit", kept="all", worst=()):
    """What exercise 17-1 asks for, or one of its common misreadings."""
    beams, whole = [([], 0.0)], []
    for _ in range(limit):
        longer = []
        for words, total in beams:
            if words[-1:] == [end]:    # only where what has ended stays
                longer.append((words, total))
                continue
            own = [(words + [word], {"last": log, "shares": total + math.exp(log)}.get(
                sums, total + log))
                   for word, log in writer(words).items()]
            own.sort(key=lambda pair: -pair[1])
            longer += own[:size] if going == "each" else own
        longer.sort(key=lambda pair: pair[1], reverse="going" not in worst)
        ended = [pair for pair in (longer[:size] if ends == "first" else longer)
                 if pair[0][-1] == end]
        if kept == "last":
            whole = []
        whole += [(words[:-1], total) for words, total in ended]
        rest = [pair for pair in longer if pair[0][-1] != end]
        first = longer[:size]
        beams = {"shrinks": [pair for pair in first if pair in rest], "stays": first,
                 "each": rest}.get(going, rest[:size])
        if len(whole) >= {"first": 1, "full": size}.get(stop, math.inf):
            break
    more = {"means": 0, "means_with_end": 1}.get(sums)

    def rank(pair):
        return pair[1] if more is None else pair[1] / max(len(pair[0]) + more, 1)

    return sorted(whole, key=rank, reverse="whole" not in worst)[:size]


def hypotheses(returned, size):
    """The pairs of a list of words and a number, if they were returned."""
    try:
        found = [(list(words), float(total)) for words, total in returned]
    except (TypeError, ValueError):
        raise Mistake("no_pairs", "return a list of pairs, each a list of words and "
                      "the sum of its logs.") from None
    refuse(len(found) > size, "too_many", f"for a beam of {size} return at most {size} "
           f"translations; yours has {len(found)}.")
    return found


@exercise("17-1", points=3)
def check_17_1(beam):
    cases = [(["a", "b", "c", "d"], "</s>", 3, 5, seed, 0.3) for seed in range(8)]
    cases += [([4, 5, 6], 0, size, limit, seed, ending)
              for size, limit, seed, ending in ((1, 4, 20, 0.5), (2, 6, 21, 1.0),
                                                (4, 3, 22, 0.0), (6, 4, 23, 1.0),
                                                (2, 7, 24, 0.5))]
    got = []
    for words, end, size, limit, seed, ending in cases:
        writer = Writer(words, end, limit, seed, ending)
        returned = hypotheses(something(beam(writer, size, limit, end)), size)
        began = writer.asked[0] if writer.asked else []
        refuse(began != [], "not_empty",
               f"the first beginning has no words; yours begins with {began}.")
        refuse(any(end in words for words, _ in returned), "keeps_end", "the words "
               "that you return hold the end; only its log belongs to the sum.")
        got.append(returned)

    def as_if(more=0, **options):
        return [search(Writer(words, end, limit, seed, ending), size, limit + more, end,
                       **options) for words, end, size, limit, seed, ending in cases]

    right = as_if()
    if close(got, right, 1e-6):
        return "several beginnings at once, and what is whole is kept."
    greedy = [search(Writer(words, end, limit, seed, ending), 1, limit, end)
              for words, end, _, limit, seed, ending in cases]
    # in two orders: ranked by what is returned, or by the sum
    divided = [[[(words, total / max(len(words) + more, 1)) for words, total in pairs]
                for pairs in made] for more in (0, 1)
               for made in (right, as_if(sums=("means", "means_with_end")[more]))]
    backwards = [sorted(pairs, key=lambda pair: pair[1]) for pairs in right]
    blame(got, [
        ("greedy", "yours keeps one beginning, whatever the size is.", greedy),
        ("stops_at_first_end", "yours stops as soon as something has ended; what goes "
         "on may still become better.", as_if(stop="first")),
        ("stops_when_full", "yours stops when `size` translations are whole; what goes "
         "on may still become better than they are.", as_if(stop="full")),
        ("loses_finished", "yours returns only what ended in the last step; what ended "
         "before is lost.", as_if(kept="last")),
        ("late_ends", "of all that end in a step, only those among the first `size` "
         "are put aside.", as_if(ends="all")),
        ("beam_shrinks", "in yours an end takes the place of one that goes on; of all "
         "that do not end, `size` go on.", as_if(going="shrinks")),
        ("ended_stay", "in yours what has ended keeps its place in the beam; put it "
         "aside, so that `size` others go on.", as_if(going="stays", kept="last")),
        ("size_of_each", "yours keeps `size` continuations of each beginning; all "
         "continuations compete for `size` places.", as_if(going="each")),
        ("last_word_only", "yours ranks by the log of the last word; the sum of all "
         "words counts.", as_if(sums="last")),
        ("adds_probabilities", "yours adds probabilities; what `next_logs` returns is "
         "to be added as it is.", as_if(sums="shares")),
        ("keeps_worst", "in yours the lowest sums go on; the highest should. Does your "
         "sort need `reverse=True`?", as_if(worst=["going"]),
         as_if(worst=["going", "whole"])),
        ("returns_worst", "of all that ended, yours returns the lowest sums; return "
         "the highest.", as_if(worst=["whole"])),
        ("by_length", "yours ranks by the sum for each word; here the sum itself "
         "counts, whatever the length is.", as_if(sums="means"),
         as_if(sums="means_with_end")),
        ("by_length", "you return the sum divided by the length; the sum itself is "
         "asked for.", *divided),
        ("wrong_limit", "yours takes one step more than the limit.", as_if(1)),
        ("wrong_limit", "yours takes one step less than the limit.", as_if(-1)),
        ("worst_first", "these are the right translations, the worst first.",
         backwards)], 1e-6)
    mine, true = ([
        [words for words, _ in pairs] for pairs in one] for one in (got, right))
    refuse(close(mine, true), "wrong_sums",
           "the words are right; their sums are not. Does the log of the end count?")
    n = next(n for n in range(len(cases)) if not close(got[n], right[n], 1e-6))
    size, limit = cases[n][2:4]
    refuse(not got[n], "finds_nothing", f"with size {size} and limit {limit} something "
           "ends here; yours returns nothing.")
    refuse(any(len(words) >= limit for words, _ in got[n]), "returns_unfinished",
           "some that you return have not ended by the limit; they do not count.")
    refuse(len(got[n]) != len(right[n]), "wrong_number", f"with size {size} and limit "
           f"{limit}, {len(right[n])} translations should come here; yours are "
           f"{len(got[n])}.")
    place, mine, true = next((place, *pairs) for place, pairs in enumerate(
        zip(got[n], right[n]), start=1) if not close(*pairs, 1e-6))
    raise Mistake("wrong_translations", f"with size {size} and limit {limit}, number "
                  f"{place} should be {true[0]} with the sum {true[1]:.3f}; yours is "
                  f"{mine[0]} with {mine[1]:.3f}.")


@exercise("17-2", points=2)
def check_17_2(advance):
    chance = torch.Generator().manual_seed(15)
    cases = []
    for R, V, P in ((3, 5, 2), (4, 3, 1), (5, 11, 4), (2, 2, 3), (4, 9, 0)):
        # the best is not in front
        totals = torch.randn(R, generator=chance).mul(1.5).sort().values
        logs = torch.randn(R, V, generator=chance).mul(1.5).log_softmax(dim=-1)
        cases.append((totals, logs, torch.randn(R, P, 6, generator=chance)))

    def step(totals, logs, past, kind="right"):
        R, V = logs.shape
        sums = logs if kind == "no_totals" else totals[:, None] + logs
        if kind == "own_best":
            best, words = sums.max(dim=-1)
            return best, words, past
        best, places = sums.flatten().topk(R, largest=kind != "worst")
        parents, words = places // V, places if kind == "places" else places % V
        if kind == "divides_by_beams":
            parents, words = (places // R).clamp(max=R - 1), places % R
        if kind == "parents_by_beams":
            parents = (places // R).clamp(max=R - 1)
        if kind == "overwritten":
            past = past.clone()
            for row, parent in enumerate(parents.tolist()):
                past[row] = past[parent]
            return best, words, past
        if kind == "swapped":
            return best, parents, past[words.clamp(max=R - 1)]
        owners = {"other_way": parents.argsort(),
                  "by_old_sums": totals.argsort(descending=True),
                  "wrong_owner": places % R}.get(kind, parents)
        return best, words, past if kind == "not_sorted" else past[owners]

    got, names = [], ("sums", "words", "memories")
    for case in cases:
        R = len(case[0])
        returned = ask(advance, *case, advice="make new tensors", likely=[
            ("no_such_beginning", "yours takes a memory that is not there: a row of "
             "the table has V columns, so the beginning is place // V.",
             "out of bounds", "out of range")])
        refuse(not isinstance(returned, (tuple, list)) or len(returned) != 3,
               "not_three_things", "return three things: sums, words, memories.")
        count, *rest = getattr(returned[2], "shape", (R,))
        refuse(rest == list(case[2].shape[1:]) and count < R, "each_once", f"{R} "
               f"winners need {R} memories, and yours has {count}: two winners may "
               "come from one beginning.")
        returned = list(map(tensor, returned, ((R,), (R,), case[2].shape), names))
        # any order of the winners will do
        order = returned[0].argsort(descending=True)
        got.append([part[order] for part in returned])

    def made(kind="right"):
        results = [step(*case, kind) for case in cases]
        return [[part[best.argsort(descending=True)] for part in (best, *rest)]
                for best, *rest in results]

    right = made()
    if close(got, right):
        return "each beginning goes on with its own memory."
    likely = [
        ("not_sorted", "the memories stand as they stood; which old beginning does "
         "each winner come from?"),
        ("own_best", "in yours each beginning goes on with its own best word; all R · "
         "V sums compete for R places."),
        ("no_totals", "yours ranks by the next word alone; the sums so far count too."),
        ("divides_by_beams",
         "a row of the table has V columns: divide by V, not by R."),
        ("swapped",
         "row and column are the wrong way round: which of the two is the word?"),
        ("other_way", "yours sorts the other way: memory r of the result is that of "
         "the beginning that winner r comes from."),
        ("by_old_sums", "your memories stand in the order of the old sums; each winner "
         "takes that of the beginning it comes from."),
        ("wrong_owner", "the sums and words are right; each winner has somebody else's "
         "memory. Whose row is it?"),
        ("places", "your words are places in the flat row of R · V sums; the word is "
         "the place % V."),
        ("worst", "yours keeps the worst sums; the largest go on.")]
    blame(got, [(*mistake, made(mistake[0])) for mistake in likely] + [
        ("divides_by_beams", "a row of the table has V columns: a winner comes from "
         "beginning place // V, and not place // R.", made("parents_by_beams")),
        ("overwritten", "yours moves the memories one by one inside one tensor, so a "
         "later winner reads a row that is overwritten already.", made("overwritten"))])
    for n, name in enumerate(names):
        for mine, wanted, (totals, logs, _) in zip(got, right, cases):
            refuse(not close(mine[n], wanted[n]), f"wrong_{name}",
                   f"the {name} of the winners are not right; there are {len(totals)} "
                   f"beginnings and {logs.shape[1]} words here."
                   + " Which old beginning does each winner come from?" * (n == 2))


@exercise("17-3", points=1)
def check_17_3(errors):
    cases = [(-3.0, -2.5, []), (-2.5, -3.0, []), (-2.5, -2.5, []),
             (-3.0, -2.8, [-2.6]), (-3.0, -3.2, [-2.9, -4.0]), (-2.0, -2.0, [-2.4]),
             (-2.0, -2.0, [-1.9]), (-3.1, -2.6, [-3.0, -3.5]), (-0.5, -0.5, [-0.5]),
             (-2.1, -2.7, [-2.1, -2.5]), (-1.2, -1.7, [-1.5, -9.0])]
    got = []
    for case in cases:
        returned = pair(ask(errors, *case, advice="make a new list", likely=[
            ("empty", "`others` may be empty; the best of all scores is still there.",
             "empty sequence", "argument is empty")]),
            "whether a search error is proved", "whether a model error is")
        got.append(tuple(map(bool, returned)))

    def made(search, model):
        return [(bool(search(*case)), bool(model(*case))) for case in cases]

    def missed(found, right, others):
        return max(found, right, *others) > found

    def preferred(found, right, others):
        return max(found, right, *others) > right

    right = made(missed, preferred)
    if got == right:
        return "the best known score proves both, each by its own comparison."
    likely = [
        ("swapped", "first the search error, then the model error.", preferred, missed),
        ("others_ignored", "yours compares `found` and `right` alone; whatever scores "
         "higher is a proof, also one of the others.",
         lambda found, right, others: right > found,
         lambda found, right, others: found > right),
        ("right_alone", "the search has missed whatever scores higher than `found`, "
         "not the right translation alone.",
         lambda found, right, others: right > found, preferred),
        ("found_alone", "a model error is proved by whatever scores higher than the "
         "right translation, not by `found` alone.", missed,
         lambda found, right, others: found > right),
        ("right_ignored", "the score of the right translation counts too: where it is "
         "above `found`, the search has missed something.",
         lambda found, right, others: max([found, *others]) > found, preferred),
        ("one_or_the_other", "in yours a mistake is either the search's or the "
         "model's; one sentence can have both, or none.", missed,
         lambda *case: not missed(*case)),
        ("one_or_the_other", "in yours a mistake is either the search's or the "
         "model's; one sentence can have both, or none.",
         lambda found, right, others: right > found,
         lambda found, right, others: not right > found),
        ("one_or_the_other", "in yours a mistake is either the search's or the "
         "model's; one sentence can have both, or none.", missed,
         lambda *case: preferred(*case) and not missed(*case)),
        ("nothing_is_zero", "without others, yours takes 0 for the best of them, which "
         "no logarithm reaches; then only `found` and `right` count.",
         lambda found, right, others: max([right, *(others or [0])]) > found,
         lambda found, right, others: max([found, *(others or [0])]) > right),
        *[("all_others", "yours asks whether all the others score higher; one that "
           "does is enough.",
           lambda found, right, others, some=some: right > found or (
               (not some or others) and all(other > found for other in others)),
           lambda found, right, others, some=some: found > right or (
               (not some or others) and all(other > right for other in others)))
          for some in (False, True)],
        ("lower_is_better", "the scores are negative, and nearer to 0 is better.",
         lambda found, right, others: min(found, right, *others) < found,
         lambda found, right, others: min(found, right, *others) < right),
        ("ties", "equal scores prove nothing: compare with >.",
         lambda found, right, others: max([right, *others]) >= found,
         lambda found, right, others: max([found, *others]) >= right)]
    blame(got, [(code, sentence, made(search, model))
                for code, sentence, search, model in likely], 0)
    refuse(any(got[2]), "ties", "where `found` and `right` are equal, and there are no "
           "others, nothing is proved.")
    (found, mark, others), mine, wanted = next(
        row for row in zip(cases, got, right) if row[1] != row[2])
    raise Mistake("wrong_verdict", f"for found {found}, right {mark} and others "
                  f"{others} it should be {wanted}; yours is {mine}.")


@exercise("17-4", points=2)
def check_17_4(likeliest):
    cases = [([0.12, 0.5, 0.02, 0.2, 0.06, 0.1], 0.75), ([0.3, 0.41, 0.29], 0.4),
             ([0.05, 0.15, 0.8], 0.9), ([0.1, 0.2, 0.33, 0.37], 0.98),
             ([0.11, 0.09, 0.26, 0.31, 0.23], 0.55), ([0.6, 0.4], 0.05),
             ([0.25] * 4, 0.5)]

    def scaled(shares, kept):
        total = sum(shares[n] for n in kept)
        return [shares[n] / total if n in kept else 0.0 for n in range(len(shares))]

    def first(shares, p, order, more=0):
        kept, total = [], 0.0
        for n in order:
            if total >= p:
                break
            kept.append(n)
            total += shares[n]
        return list(order)[:max(len(kept) + more, 0)]

    def falling(shares):
        return sorted(range(len(shares)), key=lambda n: -shares[n])

    def made(choose):
        return [scaled(shares, choose(shares, p)) for shares, p in cases]

    got = []
    for shares, p in cases:
        returned = ask(likeliest, shares, p, advice="make a new list", likely=[
            ("nothing_kept", f"with p = {p} yours keeps nothing; the likeliest word "
             "always stays.", "division by zero")])
        returned = [float(share) for share in returned]
        refuse(len(returned) != len(shares), "wrong_length",
               f"return a share for each of the {len(shares)} words, 0 for those that "
               f"are not kept; yours has {len(returned)}.")
        got.append(returned)

    tied, _ = got.pop(), cases.pop()    # which of the equal ones stay is free
    right = made(lambda shares, p: first(shares, p, falling(shares)))
    if close(got, right, 1e-6):
        kept = sum(share > 0 for share in tied)
        refuse(kept == 3, "more_than_p", "of four shares of .25, p = .5 keeps two "
               "words; yours keeps three. They need not have more than p.")
        refuse(not close(sorted(tied), [0.0, 0.0, 0.5, 0.5], 1e-6), "equal_shares",
               "of four shares of .25, p = .5 keeps two words, with .5 each; yours "
               f"keeps {kept}. Words that have equal shares are still several words.")
        return "the fewest words that have it, and they share what the others had."
    evenly = [[(share > 0) / sum(map(bool, row)) for share in row] for row in right]
    exponentials = [[math.exp(share) if kept else 0.0
                     for share, kept in zip(shares, row)]
                    for (shares, _), row in zip(cases, right)]
    unscaled = [[share if kept else 0.0 for share, kept in zip(shares, row)]
                for (shares, _), row in zip(cases, right)]
    blame(got, [
        ("not_shared", "the right words are kept; their shares should make 1 again.",
         unscaled),
        ("divided_by_p", "the right words are kept; divide their shares by what they "
         "have together, and not by p.",
         [[share / p for share in row] for row, (_, p) in zip(unscaled, cases)]),
        ("in_given_order",
         "yours takes the words in the order of the list; the likeliest come first.",
         made(lambda shares, p: first(shares, p, range(len(shares))))),
        ("rarest_first", "yours takes the rarest words first.",
         made(lambda shares, p: first(shares, p, falling(shares)[::-1]))),
        ("one_too_many", "yours keeps one word more than it needs.",
         made(lambda shares, p: first(shares, p, falling(shares), 1))),
        ("sorted", "the shares are right, and stand in another order than the words.",
         [sorted(row, reverse=True) for row in right]),
        ("softmax", "the right words are kept; their shares are divided by their sum, "
         "without exp.", [[share / sum(row) for share in row] for row in exponentials]),
        ("evenly", "the right words are kept; their old proportions should stay.",
         evenly)], 1e-6)
    below = made(lambda shares, p: first(shares, p, falling(shares), -1))
    refuse(all(not sum(less) or close(mine, less, 1e-6)
               for mine, less in zip(got, below)), "too_little",
           "together your words have less than p; the word that reaches p stays too.")
    (shares, p), mine, wanted = next(
        case for case in zip(cases, got, right) if not close(*case[1:], 1e-6))
    kept, count = (sum(share > 0 for share in row) for row in (mine, wanted))
    refuse(kept != count, "wrong_number",
           f"of the shares {shares}, p = {p} keeps {count}; yours keeps {kept}.")
    raise Mistake("wrong_shares", f"of the shares {shares}, p = {p} should make "
                  f"{short(wanted)}; yours are {short(mine)}.")
