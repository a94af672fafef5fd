"""Checks for the exercises of chapter 15, one word at a time."""

import math
import random

import torch

from softdict.checks.result import Mistake, attempt, close, exercise, short


class Writer:
    """Made-up probabilities behind each beginning, the same at each call, and how it was asked."""

    def __init__(self, words, end, limit, seed, ending=0.0):
        self.words, self.end, self.limit, self.seed, self.ending = words, end, limit, seed, ending
        self.asked = []

    def __call__(self, before):
        before = list(before)
        self.asked.append(before)
        if self.end in before:
            raise Mistake("runs_past_end", "yours asks what comes behind a translation that has ended; put it aside.")
        if len(before) >= self.limit + 3:
            raise Mistake("ignores_limit", f"yours goes on after {self.limit} steps; stop at the limit.")
        chance = random.Random(f"{self.seed} {before}")
        scores = [2 * chance.gauss(0, 1) for _ in self.words]
        scores.append(2 * chance.gauss(0, 1) + self.ending)
        total = math.log(sum(map(math.exp, scores)))
        return {word: score - total for word, score in zip([*self.words, self.end], scores)}


def search(writer, size, limit, end, ends="first", going="all", sums="added", stop="limit", kept="all"):
    """What exercise 15-1 asks for, or one of its common misreadings."""
    beams, whole = [([], 0.0)], []
    for _ in range(limit):
        longer = []
        for words, total in beams:
            if words[-1:] == [end]:    # only where what has ended stays
                longer.append((words, total))
                continue
            own = [(words + [word], {"added": total + log, "last": log, "shares": total + math.exp(log)}[sums])
                   for word, log in writer(words).items()]
            own.sort(key=lambda pair: -pair[1])
            longer += own[:size] if going == "each" else own
        longer.sort(key=lambda pair: -pair[1])
        ended = [pair for pair in (longer[:size] if ends == "first" else longer) if pair[0][-1] == end]
        if kept == "last":
            whole = []
        whole += [(words[:-1], total) for words, total in ended]
        rest = [pair for pair in longer if pair[0][-1] != end]
        beams = ([pair for pair in longer[:size] if pair[0][-1] != end] if going == "shrinks"
                 else longer[:size] if going == "stays" else rest if going == "each" else rest[:size])
        if len(whole) >= {"first": 1, "full": size}.get(stop, math.inf):
            break
    return sorted(whole, key=lambda pair: -pair[1])[:size]


def same(one, other):
    return len(one) == len(other) and all(
        left[0] == right[0] and close(left[1], right[1], 1e-6) for left, right in zip(one, other))


def hypotheses(returned, size):
    """The reader's pairs, as (list of words, number); raises Mistake if they are something else."""
    if returned is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    try:
        found = [(list(words), float(total)) for words, total in returned]
    except (TypeError, ValueError):
        raise Mistake("no_pairs", "return a list of pairs, each a list of words and the sum of its logs.") from None
    if len(found) > size:
        raise Mistake("too_many", f"for a beam of {size} return at most {size} translations; yours has {len(found)}.")
    return found


@exercise("15-1", points=4)
def check_15_1(beam):
    cases = [(["a", "b", "c", "d"], "</s>", 3, 5, seed, 0.3) for seed in range(8)]
    cases += [([4, 5, 6], 0, size, limit, seed, ending) for size, limit, seed, ending in (
        (1, 4, 20, 0.5), (2, 6, 21, 1.0), (4, 3, 22, 0.0), (6, 4, 23, 1.0), (2, 7, 24, 0.5))]
    got = []
    for words, end, size, limit, seed, ending in cases:
        writer = Writer(words, end, limit, seed, ending)
        returned = hypotheses(beam(writer, size, limit, end), size)
        if writer.asked and writer.asked[0] != []:
            raise Mistake("not_empty", f"the first beginning has no words; yours begins with {writer.asked[0]}.")
        if any(end in words for words, _ in returned):
            raise Mistake("keeps_end", "the words that you return hold the end; only its log belongs to the sum.")
        got.append(returned)

    def as_if(more=0, **options):
        return [search(Writer(words, end, limit, seed, ending), size, limit + more, end, **options)
                for words, end, size, limit, seed, ending in cases]

    right = as_if()
    if all(map(same, got, right)):
        return "several beginnings at once, and what is whole is kept."
    greedy = [search(Writer(words, end, limit, seed, ending), 1, limit, end)
              for words, end, _, limit, seed, ending in cases]
    backwards = [sorted(pairs, key=lambda pair: pair[1]) for pairs in right]
    likely = [
        ("greedy", greedy, "yours keeps one beginning, whatever the size is."),
        ("stops_at_first_end", as_if(stop="first"), "yours stops as soon as something has ended; what goes on may still "
                                                 "become better."),
        ("stops_when_full", as_if(stop="full"), "yours stops when `size` translations are whole; what goes on may still "
                                                "become better than they are."),
        ("loses_finished", as_if(kept="last"), "yours returns only what ended in the last step; what ended before is "
                                               "lost."),
        ("late_ends", as_if(ends="all"), "of all that end in a step, only those among the first `size` are put aside."),
        ("beam_shrinks", as_if(going="shrinks"), "in yours an end takes the place of one that goes on; of all that do "
                                                 "not end, `size` go on."),
        ("ended_stay", as_if(going="stays", kept="last"), "in yours what has ended keeps its place in the beam; put it "
                                                          "aside, so that `size` others go on."),
        ("size_of_each", as_if(going="each"), "yours keeps `size` continuations of each beginning; all continuations "
                                              "compete for `size` places."),
        ("last_word_only", as_if(sums="last"), "yours ranks by the log of the last word; the sum of all words counts."),
        ("adds_probabilities", as_if(sums="shares"), "yours adds probabilities; what `next_logs` returns is to be "
                                                     "added as it is."),
        ("wrong_limit", as_if(1), "yours takes one step more than the limit."),
        ("wrong_limit", as_if(-1), "yours takes one step less than the limit."),
        ("worst_first", backwards, "these are the right translations, the worst first."),
    ]
    for code, wrong, sentence in likely:
        if all(map(same, got, wrong)):
            raise Mistake(code, sentence)
    if all(len(one) == len(other) and all(a[0] == b[0] for a, b in zip(one, other)) for one, other in zip(got, right)):
        raise Mistake("wrong_sums", "the words are right; their sums are not. Does the log of the end count?")
    n = next(n for n in range(len(cases)) if not same(got[n], right[n]))
    size, limit = cases[n][2:4]
    if not got[n]:
        raise Mistake("finds_nothing", f"with size {size} and limit {limit} something ends here; yours returns nothing.")
    if any(len(words) >= limit for words, _ in got[n]):
        raise Mistake("returns_unfinished", "some that you return have not ended by the limit; they do not count.")
    raise Mistake("wrong_translations", f"with size {size} and limit {limit}, {len(right[n])} translations should come "
                                        f"here, the best {right[n][0][0]} with {right[n][0][1]:.3f}; yours are "
                                        f"{len(got[n])}, the best {got[n][0][0]} with {got[n][0][1]:.3f}.")


@exercise("15-2", points=2)
def check_15_2(likeliest):
    cases = [([0.12, 0.5, 0.02, 0.2, 0.06, 0.1], 0.75), ([0.3, 0.41, 0.29], 0.4), ([0.05, 0.15, 0.8], 0.9),
             ([0.1, 0.2, 0.33, 0.37], 0.98), ([0.11, 0.09, 0.26, 0.31, 0.23], 0.55), ([0.6, 0.4], 0.05), ([0.25] * 4, 0.5)]

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
        return [scaled(shares, choose(shares, p)) if choose(shares, p) else None for shares, p in cases]

    got = []
    for shares, p in cases:
        given = list(shares)
        returned = attempt(lambda: likeliest(given, p), ("division by zero", "nothing_kept",
                                                         "yours keeps nothing for a small p; the likeliest word "
                                                         "always stays."))
        if returned is None:
            raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
        if given != shares:
            raise Mistake("changes_arguments", "the list of the caller has changed; make a new one.")
        returned = [float(share) for share in returned]
        if len(returned) != len(shares):
            raise Mistake("wrong_length", f"return a share for each of the {len(shares)} words, 0 for those that are "
                                          f"not kept; yours has {len(returned)}.")
        got.append(returned)

    def like(wrong):
        return all(other is not None and close(torch.tensor(mine), torch.tensor(other), 1e-6)
                   for mine, other in zip(got, wrong))

    tied, _ = got.pop(), cases.pop()    # which of the equal ones stay is free
    right = made(lambda shares, p: first(shares, p, falling(shares)))
    if like(right):
        kept = sum(share > 0 for share in tied)
        if kept == 3:
            raise Mistake("more_than_p", "of four shares of .25, p = .5 keeps two words; yours keeps three. They need "
                                         "not have more than p.")
        if not close(torch.tensor(sorted(tied)), torch.tensor([0.0, 0.0, 0.5, 0.5]), 1e-6):
            raise Mistake("equal_shares", f"of four shares of .25, p = .5 keeps two words, with .5 each; yours keeps "
                                          f"{kept}. Words that have equal shares are still several words.")
        return "the fewest words that have it, and they share what the others had."
    unscaled = [[share if kept else 0.0 for share, kept in zip(shares, row)] for (shares, _), row in zip(cases, right)]
    likely = [
        ("not_shared", unscaled, "the right words are kept; their shares should make 1 again."),
        ("in_given_order", made(lambda shares, p: first(shares, p, range(len(shares)))),
         "yours takes the words in the order of the list; the likeliest come first."),
        ("rarest_first", made(lambda shares, p: first(shares, p, falling(shares)[::-1])),
         "yours takes the rarest words first."),
        ("one_too_many", made(lambda shares, p: first(shares, p, falling(shares), 1)),
         "yours keeps one word more than it needs."),
        ("sorted", [sorted(row, reverse=True) for row in right],
         "the shares are right, and stand in another order than the words."),
        ("evenly", [[(share > 0) / sum(x > 0 for x in row) for share in row] for row in right],
         "the right words are kept; their old proportions should stay."),
    ]
    for code, wrong, sentence in likely:
        if like(wrong):
            raise Mistake(code, sentence)
    below = [scaled(shares, first(shares, p, falling(shares), -1)) if len(first(shares, p, falling(shares))) > 1 else None
             for shares, p in cases]
    if all(other is None or close(torch.tensor(mine), torch.tensor(other), 1e-6) for mine, other in zip(got, below)):
        raise Mistake("too_little", "together your words have less than p; the word that reaches p stays too.")
    n = next(n for n in range(len(cases)) if not close(torch.tensor(got[n]), torch.tensor(right[n]), 1e-6))
    kept, wanted = sum(share > 0 for share in got[n]), sum(share > 0 for share in right[n])
    if kept != wanted:
        raise Mistake("wrong_number", f"of the shares {cases[n][0]}, p = {cases[n][1]} keeps {wanted}; yours keeps "
                                      f"{kept}.")
    raise Mistake("wrong_shares", f"of the shares {cases[n][0]}, p = {cases[n][1]} should make {short(right[n])}; yours "
                                  f"are {short(got[n])}.")


@exercise("15-3", points=2)
def check_15_3(advance):
    chance = torch.Generator().manual_seed(15)
    cases = []
    for R, V, P in ((3, 5, 2), (4, 3, 1), (5, 11, 4), (2, 2, 3), (4, 9, 0)):
        totals = torch.randn(R, generator=chance).mul(1.5).sort().values    # the best is not in front
        logs = torch.randn(R, V, generator=chance).mul(1.5).log_softmax(dim=-1)
        cases.append((totals, logs, torch.randn(R, P, 6, generator=chance)))

    def step(totals, logs, past, kind="right"):
        R, V = logs.shape
        sums = logs if kind == "no_totals" else totals[:, None] + logs
        if kind == "own_best":
            best, words = sums.max(dim=-1)
            return best, words, past
        best, places = sums.flatten().topk(R, largest=kind != "worst")
        parents, words = places // V, places % V
        if kind == "divides_by_beams":
            parents, words = (places // R).clamp(max=R - 1), places % R
        if kind == "swapped":
            return best, parents, past[words.clamp(max=R - 1)]
        return best, words, past if kind == "not_sorted" else past[parents.argsort()] if kind == "other_way" else (
            past[places % R] if kind == "wrong_owner" else past[parents])

    got = []
    for case in cases:
        given = [tensor.clone() for tensor in case]
        returned = advance(*given)
        if returned is None:
            raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
        if not isinstance(returned, (tuple, list)) or len(returned) != 3:
            raise Mistake("not_three_things", "return three things: sums, words, memories.")
        if not all(map(torch.equal, given, case)):
            raise Mistake("changes_arguments", "yours changes what it was given; make new tensors.")
        R = len(case[0])
        for tensor, shape, name in zip(returned, ((R,), (R,), tuple(case[2].shape)), ("sums", "words", "memories")):
            if not isinstance(tensor, torch.Tensor):
                raise Mistake("no_tensor", f"the {name} should be a tensor; yours are of type {type(tensor).__name__}.")
            if tuple(tensor.shape) != shape:
                raise Mistake("wrong_shape", f"the {name} should be {list(shape)} here; yours are "
                                             f"{list(tensor.shape)}.")
        order = returned[0].argsort(descending=True)    # any order of the winners will do
        got.append([tensor.detach()[order] for tensor in returned])

    def like(kind):
        for mine, case in zip(got, cases):
            wrong = step(*case, kind)
            order = wrong[0].argsort(descending=True)
            if not all(close(left, right[order]) for left, right in zip(mine, wrong)):
                return False
        return True

    if like("right"):
        return "each beginning goes on with its own memory."
    for code, sentence in (
            ("not_sorted", "the memories stand as they stood; which old beginning does each winner come from?"),
            ("own_best", "in yours each beginning goes on with its own best word; all R · V sums compete for R places."),
            ("no_totals", "yours ranks by the next word alone; the sums so far count too."),
            ("divides_by_beams", "a row of the table has V columns: divide by V, not by R."),
            ("swapped", "row and column are the wrong way round: which of the two is the word?"),
            ("other_way", "yours sorts the other way: memory r of the result is that of the beginning that winner r "
                          "comes from."),
            ("wrong_owner", "the sums and words are right; each winner has somebody else's memory. Whose row is it?"),
            ("worst", "yours keeps the worst sums; the largest go on.")):
        if like(code):
            raise Mistake(code, sentence)
    for n, name in enumerate(("sums", "words", "memories")):
        for mine, case in zip(got, cases):
            wanted = step(*case)[n]
            if not close(mine[n], wanted):
                raise Mistake(f"wrong_{name}", f"the {name} of the winners are not right; there are {len(case[0])} "
                                               f"beginnings and {case[1].shape[1]} words here.")


@exercise("15-4", points=1)
def check_15_4(key_rows_made):
    for S, T, layers in ((7, 5, 1), (4, 11, 3), (20, 2, 6), (3, 1, 2)):
        returned = key_rows_made(S, T, layers)
        if returned is None:
            raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
        if not isinstance(returned, (tuple, list)) or len(returned) != 2:
            raise Mistake("not_two_things", "return two numbers: without caches, and with them.")
        got = tuple(float(number) for number in returned)
        words = T * (T + 1) // 2
        right = layers * (words + T * S), layers * (T + S)
        if got == right:
            continue
        likely = [("swapped", right[::-1], "first without caches, then with them."),
                  ("one_layer", (words + T * S, T + S), "that is one layer; there are several."),
                  ("source_once", (layers * (words + S), right[1]), "without any cache each step makes the keys of the "
                                                                    "source anew."),
                  ("no_source", (layers * words, layers * T), "the keys of the source are missing."),
                  ("squared", (layers * (T * T + T * S), right[1]), "step t has t words to read, not T."),
                  ("without_bos", (layers * (T * (T - 1) // 2 + T * S), right[1]), "the first step reads a word too: "
                                                                                   "`<bos>`."),
                  ("source_again", (right[0], layers * (T + T * S)), "with both caches the source's keys are made once, "
                                                                     "and not at each step."),
                  ("products", (layers * (words * S), layers * T * S), "rows that become keys are added; nothing is "
                                                                       "multiplied by S but the number of steps."),
                  ("values_too", (2 * right[0], 2 * right[1]), "that counts values too; the task asks for keys.")]
        for code, wrong, sentence in likely:
            if got == wrong:
                raise Mistake(code, sentence)
        which = int(got[0] == right[0])
        raise Mistake("wrong_number", f"for S = {S}, T = {T} and {layers} layers it should be {right[which]} "
                                      f"{('without', 'with')[which]}; yours is {got[which]:g}.")
    return "T (T + 1) / 2 has become T."
