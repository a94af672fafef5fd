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
        refuse(self.end in before, "runs_past_end")
        refuse(len(before) >= self.limit + 3, "ignores_limit", limit=self.limit)
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
        raise Mistake("no_pairs") from None
    refuse(len(found) > size, "too_many", size=size, got=len(found))
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
        refuse(began != [], "not_empty", began=began)
        refuse(any(end in words for words, _ in returned), "keeps_end")
        got.append(returned)

    def as_if(more=0, **options):
        return [search(Writer(words, end, limit, seed, ending), size, limit + more, end,
                       **options) for words, end, size, limit, seed, ending in cases]

    right = as_if()
    if close(got, right, 1e-6):
        return
    greedy = [search(Writer(words, end, limit, seed, ending), 1, limit, end)
              for words, end, _, limit, seed, ending in cases]
    # in two orders: ranked by what is returned, or by the sum
    divided = [[[(words, total / max(len(words) + more, 1)) for words, total in pairs]
                for pairs in made] for more in (0, 1)
               for made in (right, as_if(sums=("means", "means_with_end")[more]))]
    backwards = [sorted(pairs, key=lambda pair: pair[1]) for pairs in right]
    blame(got, [
        ("greedy", greedy),
        ("stops_at_first_end", as_if(stop="first")),
        ("stops_when_full", as_if(stop="full")),
        ("loses_finished", as_if(kept="last")),
        ("late_ends", as_if(ends="all")),
        ("beam_shrinks", as_if(going="shrinks")),
        ("ended_stay", as_if(going="stays", kept="last")),
        ("size_of_each", as_if(going="each")),
        ("last_word_only", as_if(sums="last")),
        ("adds_probabilities", as_if(sums="shares")),
        ("keeps_worst", as_if(worst=["going"]), as_if(worst=["going", "whole"])),
        ("returns_worst", as_if(worst=["whole"])),
        ("by_length", as_if(sums="means"), as_if(sums="means_with_end")),
        ("by_length-returned", *divided),
        ("wrong_limit", as_if(1)),
        ("wrong_limit-less", as_if(-1)),
        ("worst_first", backwards)], 1e-6)
    mine, true = ([
        [words for words, _ in pairs] for pairs in one] for one in (got, right))
    refuse(close(mine, true), "wrong_sums")
    n = next(n for n in range(len(cases)) if not close(got[n], right[n], 1e-6))
    size, limit = cases[n][2:4]
    refuse(not got[n], "finds_nothing", size=size, limit=limit)
    refuse(any(len(words) >= limit for words, _ in got[n]), "returns_unfinished")
    refuse(len(got[n]) != len(right[n]), "wrong_number", size=size, limit=limit,
           right=len(right[n]), got=len(got[n]))
    place, mine, true = next((place, *pairs) for place, pairs in enumerate(
        zip(got[n], right[n]), start=1) if not close(*pairs, 1e-6))
    raise Mistake("wrong_translations", size=size, limit=limit, place=place,
                  right=true[0], total=true[1], got=mine[0], got_total=mine[1])


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
        if kind.startswith("written_back"):
            new = past.clone() if kind == "written_back" else 0 * past
            for row, parent in enumerate(parents.tolist()):
                new[parent] = past[row]
            return best, words, new
        if kind == "swapped":
            return best, parents, past[words.clamp(max=R - 1)]
        owners = {"other_way": parents.argsort(),
                  "by_old_sums": totals.argsort(descending=True),
                  "owners_sorted": parents.sort().values,
                  "owners_falling": parents.sort(descending=True).values,
                  "wrong_owner": places % R}.get(kind, parents)
        return best, words, past if kind == "not_sorted" else past[owners]

    got, names = [], ("sums", "words", "memories")
    for case in cases:
        R = len(case[0])
        returned = ask(advance, *case,
                       likely=[("no_such_beginning", "out of bounds", "out of range")])
        refuse(not isinstance(returned, (tuple, list)) or len(returned) != 3,
               "not_three_things")
        count, *rest = getattr(returned[2], "shape", (R,))
        refuse(rest == list(case[2].shape[1:]) and count < R, "each_once", R=R,
               count=count)
        owners = (case[0][:, None] + case[1]).flatten().topk(R).indices // len(
            case[1][0])
        shape, right = list(getattr(returned[2], "shape", ())), list(case[2].shape)
        refuse(shape == [R] and close(returned[2], owners), "owners_returned")
        refuse(len(shape) == 3 and shape != right and close(
            returned[2], case[2][owners, :shape[1], :shape[2]]), "first_numbers",
            right=right, got=shape)
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
        return
    likely = [
        "not_sorted", "own_best", "no_totals", "divides_by_beams", "swapped",
        "other_way", "by_old_sums", "wrong_owner", "places", "worst"]
    blame(got, [(code, made(code)) for code in likely] + [
        ("divides_by_beams-winner", made("parents_by_beams")),
        ("overwritten", made("overwritten")),
        ("written_back", made("written_back"), made("written_back_on_zeros")),
        ("owners_sorted", made("owners_sorted"), made("owners_falling"))])
    for n, name in enumerate(names):
        for mine, wanted, (totals, logs, _) in zip(got, right, cases):
            refuse(not close(mine[n], wanted[n]), f"wrong_{name}",
                   beginnings=len(totals), words=logs.shape[1])


@exercise("17-3", points=1)
def check_17_3(errors):
    cases = [(-3.0, -2.5, []), (-2.5, -3.0, []), (-2.5, -2.5, []),
             (-3.0, -2.8, [-2.6]), (-3.0, -3.2, [-2.9, -4.0]), (-2.0, -2.0, [-2.4]),
             (-2.0, -2.0, [-1.9]), (-3.1, -2.6, [-3.0, -3.5]), (-0.5, -0.5, [-0.5]),
             (-2.1, -2.7, [-2.1, -2.5]), (-1.2, -1.7, [-1.5, -9.0])]
    got = []
    for case in cases:
        returned = pair(ask(errors, *case,
                            likely=[("empty", "empty sequence", "argument is empty")]))
        got.append(tuple(map(bool, returned)))

    def made(search, model):
        return [(bool(search(*case)), bool(model(*case))) for case in cases]

    def missed(found, right, others):
        return max(found, right, *others) > found

    def preferred(found, right, others):
        return max(found, right, *others) > right

    right = made(missed, preferred)
    if got == right:
        return
    likely = [
        ("swapped", preferred, missed),
        ("others_ignored", lambda found, right, others: right > found,
         lambda found, right, others: found > right),
        ("right_alone", lambda found, right, others: right > found, preferred),
        ("found_alone", missed, lambda found, right, others: found > right),
        ("right_ignored", lambda found, right, others: max([found, *others]) > found,
         preferred),
        ("one_or_the_other", missed, lambda *case: not missed(*case)),
        ("one_or_the_other", lambda found, right, others: right > found,
         lambda found, right, others: not right > found),
        ("one_or_the_other", missed,
         lambda *case: preferred(*case) and not missed(*case)),
        ("nothing_is_zero",
         lambda found, right, others: max([right, *(others or [0])]) > found,
         lambda found, right, others: max([found, *(others or [0])]) > right),
        *[("all_others",
           lambda found, right, others, some=some: right > found or (
               (not some or others) and all(other > found for other in others)),
           lambda found, right, others, some=some: found > right or (
               (not some or others) and all(other > right for other in others)))
          for some in (False, True)],
        ("lower_is_better",
         lambda found, right, others: min(found, right, *others) < found,
         lambda found, right, others: min(found, right, *others) < right),
        ("ties", lambda found, right, others: max([right, *others]) >= found,
         lambda found, right, others: max([found, *others]) >= right)]
    blame(got, [(code, made(search, model)) for code, search, model in likely], 0)
    refuse(any(got[2]), "ties-equal")
    (found, mark, others), mine, wanted = next(
        row for row in zip(cases, got, right) if row[1] != row[2])
    raise Mistake("wrong_verdict", found=found, mark=mark, others=others, right=wanted,
                  got=mine)


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
        returned = ask(likeliest, shares, p,
                       likely=[(Mistake("nothing_kept", p=p), "division by zero")])
        returned = [float(share) for share in returned]
        refuse(len(returned) != len(shares), "wrong_length", words=len(shares),
               got=len(returned))
        got.append(returned)

    tied, _ = got.pop(), cases.pop()    # which of the equal ones stay is free
    right = made(lambda shares, p: first(shares, p, falling(shares)))
    if close(got, right, 1e-6):
        kept = sum(share > 0 for share in tied)
        refuse(kept == 3, "more_than_p")
        refuse(not close(sorted(tied), [0.0, 0.0, 0.5, 0.5], 1e-6), "equal_shares",
               kept=kept)
        return
    evenly = [[(share > 0) / sum(map(bool, row)) for share in row] for row in right]
    exponentials = [[math.exp(share) if kept else 0.0
                     for share, kept in zip(shares, row)]
                    for (shares, _), row in zip(cases, right)]
    unscaled = [[share if kept else 0.0 for share, kept in zip(shares, row)]
                for (shares, _), row in zip(cases, right)]
    blame(got, [
        ("not_shared", unscaled),
        ("divided_by_p",
         [[share / p for share in row] for row, (_, p) in zip(unscaled, cases)]),
        ("in_given_order",
         made(lambda shares, p: first(shares, p, range(len(shares))))),
        ("rarest_first",
         made(lambda shares, p: first(shares, p, falling(shares)[::-1]))),
        ("one_too_many", made(lambda shares, p: first(shares, p, falling(shares), 1))),
        ("sorted", [sorted(row, reverse=True) for row in right]),
        ("softmax", [[share / sum(row) for share in row] for row in exponentials]),
        ("evenly", evenly)], 1e-6)
    below = made(lambda shares, p: first(shares, p, falling(shares), -1))
    refuse(all(not sum(less) or close(mine, less, 1e-6)
               for mine, less in zip(got, below)), "too_little")
    (shares, p), mine, wanted = next(
        case for case in zip(cases, got, right) if not close(*case[1:], 1e-6))
    kept, count = (sum(share > 0 for share in row) for row in (mine, wanted))
    refuse(kept != count, "wrong_number", shares=shares, p=p, count=count, kept=kept)
    raise Mistake("wrong_shares", shares=shares, p=p, right=short(wanted),
                  got=short(mine))
