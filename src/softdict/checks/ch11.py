"""Checks for the exercises of chapter 11, what may look at what."""

import math

import torch

from softdict.checks.answers import (
    ask, blame, close, fill, learns, no_gradient, right_sums, short, tensor,
    two_tensors, wrong_row)
from softdict.checks.result import Mistake, exercise, refuse


def grid(table):
    """A mask as a reader wants to see it: a row of 0 and 1 for each query."""
    return "; ".join("".join(str(int(may)) for may in row) for row in table)


def mask(returned, shape, likely, right, where):
    """Raises the Mistake that explains a mask which is not the right one.

    where(b) gives the fields that say which of the masks that is
    """
    tensor(returned, shape, "mask")
    refuse(returned.dtype != torch.bool, "no_bool", got=returned.dtype)
    returned = returned.cpu()
    if torch.equal(returned, right):
        return
    blame(returned, likely)
    b = next(b for b in range(len(right)) if not torch.equal(returned[b], right[b]))
    raise Mistake("wrong_mask", right=grid(right[b]), got=grid(returned[b]), **where(b))


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
            ("inverted", ~(words & causal)),
            ("either", words | causal),
            ("sees_future", words & causal.mT),
            ("one_ahead", words & ahead),
            ("not_itself", words & without),
            ("pads_hidden_as_rows", words.mT & causal),
            ("transposed-mask", (words & causal).mT),
            ("no_padding", causal),
            ("no_future", words),
            ("one_pad_seen", one_more & causal)]
        mask(returned, (B, size, size), likely, words & causal,
             lambda b, lengths=lengths, size=size: {"words": lengths[b], "size": size})


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
            ask(masked_attention, *kept, allowed), [(*lead, sizes[0], sizes[3]),
                                                    (*lead, sizes[0], sizes[1])],
            code="wrong_shape")
        inspect_weights(name, weights, kept, allowed.expand(weights.shape))
        right_sums("wrong_answers", answers, weights @ kept[2])
        answers, _ = masked_attention(*parts, allowed.clone())
        refuse(no_gradient(answers, parts), "no_gradient")
        seen = allowed.any(dim=-1).expand(answers.shape[:-1])
        gradients = torch.autograd.grad(answers[seen].square().sum(), parts)
        refuse(not all(gradient.isfinite().all() for gradient in gradients),
               "nan_gradients")
        if name not in ("loud", "low"):
            learns(lambda *parts, allowed=allowed: masked_attention(*parts, allowed)[0],
                   parts)


def inspect_weights(name, weights, parts, allowed):
    """Raises the Mistake that explains wrong weights."""
    query, key, value = parts
    plain = query @ key.mT
    scores = plain / math.sqrt(query.shape[-1])
    right = hidden_softmax(scores, allowed)
    if close(weights, right, 1e-9) and not weights[~allowed].any():
        return
    if name == "loud":
        raise Mistake("hidden_has_a_say", got=short(weights[0]))
    if name == "low":
        if weights.isnan().any():
            raise Mistake("powers_vanish", got=short(weights[0]))
        raise Mistake("not_low_enough", got=short(weights[0]))
    refuse(close(weights, right, 1e-9), "not_quite_zero")
    if name == "lonely":
        empty = ~allowed.any(dim=-1)
        row = weights[empty][0]
        refuse(row.isnan().any(), "nan_row")
        refuse(row.abs().sum() > 0, "uniform_row", got=short(row))
    refuse(weights.isnan().all(), "all_nan")
    blame(weights, [
        ("weights_zeroed", scores.softmax(dim=-1) * allowed),
        ("scores_zeroed", (scores * allowed).softmax(dim=-1)),
        ("zeroed_twice", (scores * allowed).softmax(dim=-1) * allowed),
        ("inverted", hidden_softmax(scores, ~allowed)),
        ("not_masked", scores.softmax(dim=-1)),
        ("not_scaled", hidden_softmax(plain, allowed)),
        ("divided_by_width", hidden_softmax(plain / query.shape[-1], allowed)),
        ("multiplied", hidden_softmax(plain * query.shape[-1] ** 0.5, allowed)),
        ("other_width", hidden_softmax(plain / value.shape[-1] ** 0.5, allowed)),
        ("root_of_length",
         *(hidden_softmax(plain / size ** 0.5, allowed) for size in plain.shape[-2:])),
        ("over_queries", scores.masked_fill(~allowed, float("-inf")).softmax(dim=-2)),
        ("added_as_numbers", (scores + allowed).softmax(dim=-1))], 1e-9)
    fill(weights, scores, allowed)
    wrong_row("wrong_weights", weights, right)


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
        words[0], words[2] = 2.0, 0.0    # twice as much would be no other word
        model, state = spy(reads, **options), torch.get_rng_state()
        returned = ask(leaks, model, words)
        try:
            found = [(int(t), int(s)) for t, s in returned]
            if any(isinstance(one, str) for one in returned):
                raise TypeError("a string is no pair")
        except (TypeError, ValueError):
            raise Mistake("no_pairs") from None
        right = sorted((t, s) for t, later in reads.items() for s in later)
        if sorted(found) == right:
            continue
        refuse(len(set(found)) < len(found), "twice")
        told = set(found)
        refuse(told and told == {(s, t) for t, s in right}, "other_way")
        refuse(any(t == s for t, s in told), "itself")
        refuse(any(t > s for t, s in told), "the_past")
        refuse(told == {(t, s) for t, later in reads.items()
                        for s in range(t + 1, max(later) + 1)} != set(right),
               "changes_more", pair=min(told - set(right), default=None))
        refuse(told - set(right), "false_alarm",
               pair=min(told - set(right), default=None))
        torch.set_rng_state(state)    # the same changes, and all moves turned round
        turned = {(int(t), int(s))
                  for t, s in leaks(lambda x, model=model: -model(x), words.clone())}
        refuse(told != turned, "no_abs")
        refuse(options.get("normed"), "sum_cancels")
        if options.get("last") and not told:
            # a model that any change of a word moves, by the sum of its numbers
            refuse(leaks(lambda x, model=model: model(x.sum(-1, keepdim=True).expand_as(
                x)), words.clone()), "one_number-changed")
            raise Mistake("one_number")
        if options.get("strength") == 1e-6:
            words[0] = 0.0    # then new word 0 is small, and so is what is relative
            torch.set_rng_state(state)
            refuse({*map(tuple, leaks(model, words.clone()))} == set(right),
                   "too_coarse-relative")
            raise Mistake("too_coarse")
        refuse(told == {(t, s) for t, s in right if s == t + 1} and told != set(right),
               "neighbours_only")
        refuse(told == {(t, s) for t, s in right if s == T - 1}, "last_word_only")
        refuse(told == {(t, s) for t, s in right if t == 0}, "first_row_only")
        words[2] = 1.0
        refuse(told == {(t, s) for t, s in right if s != 2}
               and {*map(tuple, leaks(model, words.clone()))} == set(right),
               "zeros_stay")
        raise Mistake("missed", pair=sorted(set(right) - told)[0])


@exercise("11-4", points=2)
def check_11_4(for_torch):
    torch.manual_seed(17)
    for B, heads, T, S in ((2, 3, 4, 5), (3, 2, 3, 3), (1, 4, 2, 6), (2, 1, 3, 4)):
        allowed = torch.rand(B, T, S) < 0.6
        allowed[..., 0] = True
        returned = ask(for_torch, allowed, heads)
        right = ~allowed.repeat_interleave(heads, dim=0)
        given, shape = list(getattr(returned, "shape", ())), list(right.shape)
        refuse(given == [B, heads, T, S], "heads_apart", got=given, right=shape)
        refuse(given == [B, T, S] != shape, "one_a_sentence", got=given, right=shape)
        if (getattr(returned, "shape",
                    None) == right.shape and returned.is_floating_point()):
            numbers = returned.float().cpu()
            hides, whole = numbers <= -1e4, not numbers[~right].any()
            if torch.equal(hides, right) and whole:
                continue    # added, this is as good; a large number does, too
            refuse(torch.equal(hides, ~right) and not numbers[right].any(),
                   "inverted_numbers")
            refuse(bool(((numbers == 0) | (numbers == 1)).all()), "zeros_and_ones")
            refuse(whole and bool((numbers[right] < 1e-3).all()), "hides_too_little",
                   got=numbers[right][0])
            raise Mistake("added")
        mixed = ~allowed.repeat(heads, 1, 1)
        single = allowed.repeat_interleave(heads, dim=2).reshape(right.shape)
        likely = [
            ("same_meaning", ~right),
            ("sentences_mixed", mixed),
            ("same_meaning-order", ~mixed),
            ("first_sentence", ~allowed[:1].expand(B * heads, T, S)),
            ("rows_repeated",
             ~allowed.repeat_interleave(heads, dim=1).reshape(right.shape)),
            ("rows_repeated-meaning",
             allowed.repeat_interleave(heads, dim=1).reshape(right.shape)),
            ("numbers_repeated", ~single, single)]
        mask(returned, (B * heads, T, S), likely, right, lambda n: {"table": n})


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
            ("either", same | causal, (same | causal) & words),
            ("pads_look_at_pads", same & causal),
            ("hidden_meaning", ~right, ~(same & causal)),
            ("not_itself", same & without & words),
            ("one_ahead", same & ahead & words),
            ("sees_future", same & words),
            ("sees_future-only", same & causal.mT & words, same & ~causal & words),
            ("one_row", *(right[b:b + 1].expand(B, T, T) for b in (0, B - 1))),
            ("crosses", causal & words),
            ("no_brackets", right & (numbers % 2 == 1)[:, None])]
        likely = [(code, *(wrong & asks for wrong in masks)) for code, *masks in likely]
        mask(returned, (B, T, T), likely, right,
             lambda b, numbers=numbers: {"numbers": numbers[b].tolist()})
