"""Checks for the exercises of chapter 11, what may look at what."""

import math

import torch

from softdict.checks.answers import (
    ROWS, ask, blame, close, fill, learns, no_gradient, right_sums, short, tensor,
    two_tensors, wrong_row)
from softdict.checks.result import Mistake, exercise, refuse


def grid(table):
    """A mask as a reader wants to see it: a row of 0 and 1 for each query."""
    return "; ".join("".join(str(int(may)) for may in row) for row in table)


def mask(returned, shape, likely, right, where):
    """Raises the Mistake that explains a mask which is not the right one."""
    tensor(returned, shape, "mask")
    refuse(returned.dtype != torch.bool, "no_bool",
           f"the mask should hold True and False; yours holds {returned.dtype}.")
    returned = returned.cpu()
    if torch.equal(returned, right):
        return
    blame(returned, likely)
    b = next(b for b in range(len(right)) if not torch.equal(returned[b], right[b]))
    raise Mistake("wrong_mask", f"{where(b)} the rows should be {grid(right[b])}; "
                  f"yours are {grid(returned[b])}.")


def triangles(size):
    """The causal mask, and those that are one off: size by size."""
    everyone = torch.ones(size, size, dtype=torch.bool)
    return everyone.tril(), everyone.tril(1), everyone.tril(-1)


@exercise("11-1", points=2)
def check_11_1(may_look):
    for lengths, size in (([3, 5, 1], 5), ([2, 4], 6), ([0, 1], 2), ([4], 4)):
        returned = ask(may_look, lengths, size)
        B = len(lengths)
        count = torch.tensor(lengths)
        words = (torch.arange(size) < count[:, None])[:, None].expand(B, size, size)
        one_more = (torch.arange(size) <= count[:, None])[:, None].expand(B, size, size)
        causal, ahead, without = (table.expand(B, size, size)
                                  for table in triangles(size))
        likely = [
            ("inverted", "yours says what is hidden; True means that a word may look.",
             ~(words & causal)),
            ("either", "yours lets a word look if one rule allows it; both must.",
             words | causal),
            ("sees_future", "yours lets words look at what comes later, and hides what "
             "came before.", words & causal.mT),
            ("one_ahead", "yours lets each word see the one after it; row 0 may see "
             "word 0 alone.", words & ahead),
            ("not_itself", "in yours no word may look at itself; it may.",
             words & without),
            ("pads_hidden_as_rows", "yours hides the rows of pads; pads may look at "
             "words, like any row. It is their columns that are hidden.",
             words.mT & causal),
            ("transposed", f"yours is turned over: {ROWS}.", (words & causal).mT),
            ("no_padding",
             "yours has the second rule only: it lets words look at pads.", causal),
            ("no_future", "yours has the first rule only: it lets words look at what "
             "comes later.", words),
            ("one_pad_seen", "yours lets words look at the first pad; a sentence of n "
             "words ends at place n - 1.", one_more & causal)]
        mask(returned, (B, size, size), likely, words & causal,
             lambda b, lengths=lengths, size=size: f"for a sentence of {lengths[b]} "
             f"words in a row of {size},")
    return "nobody looks at a pad, and nobody looks ahead."


def asked(T, S, K, D, lead, seed):
    """Queries, keys and values in float64 that want gradients."""
    torch.manual_seed(seed)
    return [torch.randn(*lead, size, width, dtype=torch.float64).requires_grad_()
            for size, width in ((T, K), (S, K), (S, D))]


def hidden_softmax(scores, allowed):
    """The weights that are right: zeros where nothing may be seen."""
    nothing = ~allowed.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~allowed, float("-inf")).masked_fill(nothing, 0.0)
    return scores.softmax(dim=-1).masked_fill(nothing, 0.0)


@exercise("11-2", points=3)
def check_11_2(masked_attention):
    # masks that leave every row something, then a loud hidden score, then low ones
    # to see, then a row with nothing
    some = torch.rand(2, 1, 5, 7, generator=torch.Generator().manual_seed(1)) < 0.5
    some[..., 2] = True
    pads = (torch.arange(4) < torch.tensor([4, 2, 3])[:, None])[:, None]
    lonely = some.clone()
    lonely[0, 0, 3] = False
    loud = torch.tensor([[True, True, False], [True, False, False]])
    for name, allowed, sizes, lead in (
        ("some", some, (5, 7, 9, 4), (2, 3)),
        ("pads", pads, (6, 4, 3, 5), (3,)),
        ("loud", loud, (2, 3, 4, 4), ()),
        ("low", loud, (2, 3, 4, 4), ()),
        ("lonely", lonely, (5, 7, 9, 4), (2, 3))):
        parts = asked(*sizes, lead, seed=5)
        if name in ("loud", "low"):
            with torch.no_grad():
                parts[0].copy_(torch.tensor([[2.0, 1, 0, 0], [1, 2, 0, 0]]))
                if name == "loud":
                    parts[1][2] = 100000.0
                else:
                    parts[1][:2] -= 100000.0
        kept = [part.detach().clone() for part in parts]
        answers, weights = two_tensors(
            ask(masked_attention, *kept, allowed,
                advice="masked_fill makes a copy, and masked_fill_ does not"),
            [(*lead, sizes[0], sizes[3]), (*lead, sizes[0], sizes[1])],
            code="wrong_shape")
        inspect_weights(name, weights, kept, allowed.expand(weights.shape))
        right_sums("wrong_answers", "answers", answers, weights @ kept[2])
        answers, _ = masked_attention(*parts, allowed.clone())
        refuse(no_gradient(answers, parts), "no_gradient",
               "no gradient comes back from your answers to query, key and value; is "
               "there a detach, or a .item()?")
        seen = allowed.any(dim=-1).expand(answers.shape[:-1])
        gradients = torch.autograd.grad(answers[seen].square().sum(), parts)
        refuse(not all(gradient.isfinite().all() for gradient in gradients),
               "nan_gradients", "the answers are right, and the gradients are not "
               "numbers: on its way the softmax met a row of minus infinity. Keep it "
               "from that row, instead of mending what comes out.")
        if name not in ("loud", "low"):
            learns(lambda *parts, allowed=allowed: masked_attention(*parts, allowed)[0],
                   parts)
    return "what is hidden weighs nothing, and what sees nothing says nothing."


def inspect_weights(name, weights, parts, allowed):
    """Raises the Mistake that explains wrong weights."""
    query, key, _ = parts
    plain = query @ key.mT
    scores = plain / math.sqrt(query.shape[-1])
    right = hidden_softmax(scores, allowed)
    if close(weights, right, 1e-9) and not weights[~allowed].any():
        return
    if name == "loud":
        raise Mistake("hidden_has_a_say", "a hidden score of 100,000 or more changes "
                      f"your weights to {short(weights[0])}; it must be gone before "
                      "the softmax is taken.")
    if name == "low":
        if weights.isnan().any():
            raise Mistake("powers_vanish",
                          "where all that may be seen scores thousands below 0, your "
                          f"weights become {short(weights[0])}: exp of such a score is "
                          "0. Chapter 02 had a remedy.")
        raise Mistake("not_low_enough", "where all that may be seen scores thousands "
                      f"below 0, your weights become {short(weights[0])}; the hidden "
                      "must weigh 0 there too, and the rest 1.")
    refuse(close(weights, right, 1e-9), "not_quite_zero",
           "what is hidden weighs a little in yours; it should weigh exactly 0.")
    if name == "lonely":
        empty = ~allowed.any(dim=-1)
        row = weights[empty][0]
        refuse(row.isnan().any(), "nan_row", "a row that may look nowhere comes out as "
               "nan: every score in it is minus infinity.")
        refuse(row.abs().sum() > 0, "uniform_row",
               "a row that may look nowhere should weigh 0 everywhere; yours is "
               f"{short(row)}: it looks at what is hidden.")
    refuse(weights.isnan().all(), "all_nan", "all your weights are nan. Is an infinity "
           "multiplied by 0, which gives nan? Fill it in instead, with `masked_fill`.")
    blame(weights, [
        ("weights_zeroed", "your rows add up to less than 1: the hidden weights were "
         "taken away after the rest had been shared out.",
         scores.softmax(dim=-1) * allowed),
        ("scores_zeroed", "a hidden score of 0 still earns exp(0), which is 1.",
         (scores * allowed).softmax(dim=-1)),
        ("zeroed_twice", "yours sets hidden scores to 0, which still take a share, and "
         "then takes their weights away; fill in minus infinity.",
         (scores * allowed).softmax(dim=-1) * allowed),
        ("inverted", "yours hides what may be seen; True means may look.",
         hidden_softmax(scores, ~allowed)),
        ("not_masked", "yours looks everywhere; `allowed` has no effect.",
         scores.softmax(dim=-1)),
        ("not_scaled", "your scores are not divided by the root of the width of a "
         "query.", hidden_softmax(plain, allowed)),
        ("over_queries", "your softmax runs over the queries; each query's row should "
         "add up to 1.", scores.masked_fill(~allowed, float("-inf")).softmax(dim=-2)),
        ("added_as_numbers", "yours adds the mask to the scores: one more or less "
         "hides nothing.", (scores + allowed).softmax(dim=-1))], 1e-9)
    fill(weights, scores, allowed)
    wrong_row("wrong_weights", "weights", weights, right)


def spy(reads, normed=False, strength=1.0, last=False):
    """A model [T, D] -> [T, D] in which word t reads itself, the past and reads[t].

    normed brings each row to mean 0, as many models do at their end; last leaks into
    the last number of a row only
    """
    def model(words):
        T = len(words)
        causal = torch.ones(T, T, dtype=words.dtype).tril()
        table = causal.clone()
        for t, later in reads.items():
            for s in later:
                table[t, s] = strength
        new = (table / T) @ words.tanh()
        if last:
            new = torch.cat([(causal / T) @ words[:, :-1].tanh(), new[:, -1:]], dim=-1)
        return new - new.mean(dim=-1, keepdim=True) if normed else new

    return model


@exercise("11-3", points=2)
def check_11_3(leaks):
    torch.manual_seed(16)
    cases = [({}, {}, 5), ({0: [1], 1: [2], 2: [3], 3: [4]}, {}, 5),
             ({1: [4], 0: [2]}, {}, 6), ({2: [3]}, {}, 4),
             ({0: [3], 2: [3]}, {"normed": True}, 4), ({0: [2]}, {"strength": 1e-6}, 5),
             ({}, {"normed": True}, 3), ({0: [2], 1: [3]}, {"strength": -1.0}, 5),
             ({0: [2, 3, 4], 1: [2, 3, 4], 2: [3, 4]}, {"last": True}, 5)]
    for reads, options, T in cases:
        words = torch.randn(T, 3, dtype=torch.float64)
        words[2] = 0.0    # twice as much would be no other word
        model, state = spy(reads, **options), torch.get_rng_state()
        returned = ask(leaks, model, words, advice="work on a copy, `x.clone()`")
        try:
            found = [(int(t), int(s)) for t, s in returned]
            if any(isinstance(one, str) for one in returned):
                raise TypeError("a string is no pair")
        except (TypeError, ValueError):
            raise Mistake("no_pairs", "return a list of pairs (t, s).") from None
        right = sorted((t, s) for t, later in reads.items() for s in later)
        if sorted(found) == right:
            continue
        refuse(len(set(found)) < len(found), "twice",
               "a pair is in your list more than once.")
        told = set(found)
        refuse(told and told == {(s, t) for t, s in right}, "other_way",
               "your pairs are turned over: first the new word that moves, then the "
               "word that was changed.")
        refuse(any(t == s for t, s in told), "itself",
               "a new word may move when its own word is changed; that is no leak.")
        refuse(any(t > s for t, s in told), "the_past", "a new word may move when an "
               "earlier word is changed; only later ones leak.")
        refuse(told == {(t, s) for t, later in reads.items()
                        for s in range(t + 1, max(later) + 1)} != set(right),
               "changes_more", f"{min(told - set(right), default=None)} is no leak; "
               "yours changes the words behind s as well. Change word s alone.")
        refuse(told - set(right), "false_alarm",
               f"{min(told - set(right), default=None)} is in your list, and is no "
               "leak of this model.")
        torch.set_rng_state(state)    # the same changes, and all moves turned round
        turned = {(int(t), int(s))
                  for t, s in leaks(lambda x, model=model: -model(x), words.clone())}
        refuse(told != turned, "no_abs", "yours finds other leaks when all that the "
               "model returns changes its sign: take `.abs()` before you compare.")
        refuse(options.get("normed"), "sum_cancels",
               "in this model each new word has mean 0. The sum of its numbers never "
               "moves, and its numbers do: look at them one by one.")
        refuse(options.get("last") and not told, "one_number",
               "in this model a later word moves the last number of a new word only, "
               "and yours overlooks it: change and compare all numbers.")
        refuse(options.get("strength"), "too_coarse", "this model leaks by a "
               "millionth, and yours overlooks it: 1e-9 is the limit.")
        refuse(told == {(t, s) for t, s in right if s == t + 1} and told != set(right),
               "neighbours_only",
               "yours finds leaks from the next word only; later words can leak too.")
        refuse(told == {(t, s) for t, s in right if s == T - 1}, "last_word_only",
               "yours finds what leaks from the last word only; change each in turn.")
        refuse(told == {(t, s) for t, s in right if t == 0}, "first_row_only", "here "
               "yours finds leaks into the first new word only; others may leak too.")
        words[2] = 1.0
        refuse(told == {(t, s) for t, s in right if s != 2}
               and {*map(tuple, leaks(model, words.clone()))} == set(right),
               "zeros_stay", "here word 2 is all zeros, and yours finds no leak "
               "from it. Multiplied, zeros stay zeros; add something instead.")
        raise Mistake("missed", f"yours misses {sorted(set(right) - told)[0]}.")
    return "no leak escapes, and there is no false alarm."


@exercise("11-4", points=2)
def check_11_4(for_torch):
    torch.manual_seed(17)
    for B, heads, T, S in ((2, 3, 4, 5), (3, 2, 3, 3), (1, 4, 2, 6), (2, 1, 3, 4)):
        allowed = torch.rand(B, T, S) < 0.6
        allowed[..., 0] = True
        returned = ask(for_torch, allowed, heads)
        right = ~allowed.repeat_interleave(heads, dim=0)
        if (getattr(returned, "shape",
                    None) == right.shape and returned.is_floating_point()):
            numbers = returned.float().cpu()
            hides, whole = numbers <= -1e4, not numbers[~right].any()
            if torch.equal(hides, right) and whole:
                continue    # added, this is as good; a large number does, too
            refuse(torch.equal(hides, ~right) and not numbers[right].any(),
                   "inverted_numbers", "yours adds minus infinity to what may be seen, "
                   "and 0 to what is hidden.")
            refuse(whole and bool((numbers[right] < 1e-3).all()), "hides_too_little",
                   f"yours adds {numbers[right][0]:g} to hidden scores, and that hides "
                   "nothing, or too little. Add minus infinity, or return True and "
                   "False.")
            raise Mistake(
                "added", "a mask of numbers is added to the scores, and yours is not 0 "
                "and minus infinity in the right places. Return True and False.")
        mixed = ~allowed.repeat(heads, 1, 1)
        likely = [
            ("same_meaning", "the tables are right, and True still means may look; "
             "there it means is ignored.", ~right),
            ("sentences_mixed", "your tables come as sentence 0, sentence 1, ..., "
             "again and again. First all heads of sentence 0 are wanted.", mixed),
            ("same_meaning", "True still means may look; there it means is ignored. "
             "And the order of the tables is not yet right.", ~mixed),
            ("first_sentence", "yours gives the mask of sentence 0 to all.",
             ~allowed[:1].expand(B * heads, T, S)),
            ("rows_repeated", "yours repeats each row of a table; whole tables are "
             "repeated, one for each head.",
             ~allowed.repeat_interleave(heads, dim=1).reshape(right.shape)),
            ("rows_repeated", "yours repeats each row of a table, and True still means "
             "may look; whole tables are repeated, and True means hidden.",
             allowed.repeat_interleave(heads, dim=1).reshape(right.shape))]
        mask(returned, (B * heads, T, S), likely, right,
             lambda n: f"in table {n}, 1 meaning True,")
    return "PyTorch ignores what this book hides."


@exercise("11-5", points=2)
def check_11_5(packed_mask):
    for numbers in ([[1, 1, 1, 2, 2, 0], [1, 2, 2, 2, 3, 3]], [[1, 1, 2, 0, 0]],
                    [[0, 1, 1, 2], [1, 1, 1, 1]]):
        numbers = torch.tensor(numbers)
        B, T = numbers.shape
        returned = ask(packed_mask, numbers)
        same = numbers[:, :, None] == numbers[:, None, :]
        words = (numbers > 0)[:, None].expand(B, T, T)
        causal, ahead, without = (table.expand(B, T, T) for table in triangles(T))
        right = same & causal & words
        asks = words.mT | ~words    # what a pad looks at, pads apart, is not asked
        if (getattr(returned, "shape",
                    None) == right.shape and returned.dtype == torch.bool):
            returned = returned & asks
        likely = [
            ("either", "yours allows what one of the rules allows; all must allow it.",
             same | causal, (same | causal) & words),
            ("pads_look_at_pads", "yours lets pads look at pads: they share the number "
             "0. Nobody looks at a pad.", same & causal),
            ("hidden_meaning", "yours says what is hidden; True means may look.",
             ~right, ~(same & causal)),
            ("not_itself", "in yours no word may look at itself; it may.",
             same & without & words),
            ("one_ahead", "yours lets words see the next word of their sentence.",
             same & ahead & words),
            ("sees_future", "yours lets words look at later words of their sentence.",
             same & words),
            ("crosses", "yours lets words look at the sentences in front of theirs.",
             causal & words),
            ("no_brackets", "yours hides the sentences of even numbers: `&` binds more "
             "strongly than `>`, so a comparison needs brackets.",
             right & (numbers % 2 == 1)[:, None])]
        likely = [(code, sentence, *(wrong & asks for wrong in masks))
                  for code, sentence, *masks in likely]
        mask(returned, (B, T, T), likely, right, lambda b, numbers=numbers: "for the "
             f"numbers {numbers[b].tolist()}, rows of pads apart,")
    return "each sentence reads itself, from the left, and nothing else."
