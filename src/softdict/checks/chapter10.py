"""Checks for the exercises of chapter 10, what may look at what."""

import math

import torch

from softdict.checks.result import Mistake, close, exercise, pair, short

ROWS = "rows are words that ask and columns words that are asked"


def grid(table):
    """A mask as a reader wants to see it: a row of 0 and 1 for each query."""
    return "; ".join("".join(str(int(may)) for may in row) for row in table)


def mask(returned, shape, likely, right, where):
    """Raises the Mistake that explains a mask which is not the right one; likely holds (code, mask, sentence)."""
    if returned is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    if not isinstance(returned, torch.Tensor):
        raise Mistake("no_tensor", f"return a tensor; yours is of type {type(returned).__name__}.")
    if tuple(returned.shape) != shape:
        raise Mistake("wrong_shape", f"the mask should be {list(shape)} here; yours is {list(returned.shape)}.")
    if returned.dtype != torch.bool:
        raise Mistake("no_bool", f"the mask should hold True and False; yours holds {returned.dtype}.")
    returned = returned.cpu()
    if torch.equal(returned, right):
        return
    for code, wrong, sentence in likely:
        if torch.equal(returned, wrong):
            raise Mistake(code, sentence)
    b = next(b for b in range(len(right)) if not torch.equal(returned[b], right[b]))
    raise Mistake("wrong_mask", f"{where(b)} the rows should be {grid(right[b])}; yours are {grid(returned[b])}.")


def triangles(size):
    """The causal mask, and those that are one off: size by size."""
    everyone = torch.ones(size, size, dtype=torch.bool)
    return everyone.tril(), everyone.tril(1), everyone.tril(-1)


@exercise("10-1", points=2)
def check_10_1(may_look):
    for lengths, size in (([3, 5, 1], 5), ([2, 4], 6), ([0, 1], 2), ([4], 4)):
        given = list(lengths)
        returned = may_look(given, size)
        if given != lengths:
            raise Mistake("changes_arguments", "yours changes the lengths that it was given.")
        B = len(lengths)
        count = torch.tensor(lengths)
        words = (torch.arange(size) < count[:, None])[:, None].expand(B, size, size)
        one_more = (torch.arange(size) <= count[:, None])[:, None].expand(B, size, size)
        causal, ahead, without = (table.expand(B, size, size) for table in triangles(size))
        likely = [
            ("inverted", ~(words & causal), "yours says what is hidden; True means that a word may look."),
            ("either", words | causal, "yours lets a word look if one of the rules allows it; both must."),
            ("sees_future", words & causal.mT, "yours lets words look at what comes later, and hides what came before."),
            ("one_ahead", words & ahead, "yours lets each word see the one after it; row 0 may see word 0 alone."),
            ("not_itself", words & without, "in yours no word may look at itself; it may."),
            ("pads_hidden_as_rows", words.mT & causal, f"yours hides the rows of pads; {ROWS}, and nobody looks at a "
                                                       "pad."),
            ("transposed", (words & causal).mT, f"yours is turned over: {ROWS}."),
            ("no_padding", causal, "yours has the second rule only: it lets words look at pads."),
            ("no_future", words, "yours has the first rule only: it lets words look at what comes later."),
            ("one_pad_seen", one_more & causal, "yours lets words look at the first pad; a sentence of n words ends at "
                                                "place n - 1."),
        ]
        mask(returned, (B, size, size), likely, words & causal,
             lambda b, lengths=lengths, size=size: f"for a sentence of {lengths[b]} words in a row of {size},")
    return "nobody looks at a pad, and nobody looks ahead."


def asked(T, S, K, D, lead, seed):
    """Queries, keys and values in float64 that want gradients."""
    torch.manual_seed(seed)
    return [torch.randn(*lead, size, width, dtype=torch.float64).requires_grad_()
            for size, width in ((T, K), (S, K), (S, D))]


def tensors(returned):
    """The reader's answers and weights; raises Mistake unless they are two tensors of numbers."""
    returned = pair(returned)
    if not all(isinstance(got, torch.Tensor) and got.is_floating_point() for got in returned):
        raise Mistake("no_tensor", "return two tensors of numbers, the answers and the weights.")
    return returned


def hidden_softmax(scores, allowed):
    """The weights that are right: zeros where nothing may be seen."""
    nothing = ~allowed.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~allowed, float("-inf")).masked_fill(nothing, 0.0)
    return scores.softmax(dim=-1).masked_fill(nothing, 0.0)


@exercise("10-2", points=3)
def check_10_2(look):
    # masks that leave every row something, then a loud hidden score, then low ones to see, then a row with nothing
    some = torch.rand(2, 1, 5, 7, generator=torch.Generator().manual_seed(1)) < 0.5
    some[..., 2] = True
    pads = (torch.arange(4) < torch.tensor([4, 2, 3])[:, None])[:, None]
    lonely = some.clone()
    lonely[0, 0, 3] = False
    loud = torch.tensor([[True, True, False], [True, False, False]])
    for name, allowed, sizes in (("some", some, (5, 7, 9, 4, (2, 3))), ("pads", pads, (6, 4, 3, 5, (3,))),
                                 ("loud", loud, (2, 3, 4, 4, ())), ("low", loud, (2, 3, 4, 4, ())),
                                 ("lonely", lonely, (5, 7, 9, 4, (2, 3)))):
        *sizes, lead = sizes
        parts = asked(*sizes, lead, seed=5)
        if name in ("loud", "low"):
            with torch.no_grad():
                parts[0].copy_(torch.tensor([[2.0, 1, 0, 0], [1, 2, 0, 0]]))
                if name == "loud":
                    parts[1][2] = 100000.0
                else:
                    parts[1][:2] -= 100000.0
        kept = [part.detach().clone() for part in parts]
        shape, told = (*lead, sizes[0], sizes[1]), allowed.clone()
        given = [part.clone() for part in kept]
        answers, weights = tensors(look(*given, told))
        wanted = (*lead, sizes[0], sizes[3])
        if tuple(weights.shape) != shape or tuple(answers.shape) != wanted:
            raise Mistake("wrong_shape", f"the answers should be {list(wanted)} and the weights {list(shape)} here; "
                                         f"yours are {list(answers.shape)} and {list(weights.shape)}.")
        if not torch.equal(told, allowed) or not all(map(torch.equal, kept, given)):
            raise Mistake("changes_arguments", "yours changes what it was given; masked_fill makes a copy, and "
                                               "masked_fill_ does not.")
        inspect_weights(name, weights.detach().double(), kept, allowed.expand(shape))
        if not close(answers, weights.double() @ kept[2]):
            raise Mistake("wrong_answers", "the weights are right, and the answers are not: they are the weights times "
                                           "the values.")
        answers, _ = tensors(look(*parts, told))
        if not answers.requires_grad:
            raise Mistake("no_gradient", "no gradient comes back from your answers; is there a detach, or a .item()?")
        seen = allowed.any(dim=-1).expand(shape[:-1])
        gradients = torch.autograd.grad(answers[seen].square().sum(), parts, allow_unused=True)
        if any(gradient is None for gradient in gradients):
            raise Mistake("no_gradient", "no gradient comes back from your answers to query, key and value; is there "
                                         "a detach, or a .item()?")
        if not all(gradient.isfinite().all() for gradient in gradients):
            raise Mistake("nan_gradients", "the answers are right, and the gradients are not numbers: on its way the "
                                           "softmax met a row of minus infinity. Keep it from that row, instead of "
                                           "mending what comes out.")
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
        raise Mistake("hidden_has_a_say", "a hidden score of 100,000 or more changes your weights to "
                                          f"{short(weights[0])}; it must be gone before the softmax is taken.")
    if name == "low":
        if weights.isnan().any():
            raise Mistake("powers_vanish", "where all that may be seen scores thousands below 0, your weights become "
                                           f"{short(weights[0])}: exp of such a score is 0. Chapter 02 had a remedy.")
        raise Mistake("not_low_enough", "where all that may be seen scores thousands below 0, your weights become "
                                        f"{short(weights[0])}; the hidden must weigh 0 there too, and the rest 1.")
    if close(weights, right, 1e-9):
        raise Mistake("not_quite_zero", "what is hidden weighs a little in yours; it should weigh exactly 0.")
    if name == "lonely":
        empty = ~allowed.any(dim=-1)
        row = weights[empty][0]
        if row.isnan().any():
            raise Mistake("nan_row", "a row that may look nowhere comes out as nan: every score in it is minus "
                                     "infinity.")
        if row.abs().sum() > 0:
            raise Mistake("uniform_row", f"a row that may look nowhere should weigh 0 everywhere; yours is "
                                         f"{short(row)}: it looks at what is hidden.")
    likely = [
        ("weights_zeroed", scores.softmax(dim=-1) * allowed, "your rows add up to less than 1: the hidden weights were "
                                                             "taken away after the rest had been shared out."),
        ("scores_zeroed", (scores * allowed).softmax(dim=-1), "a hidden score of 0 still earns exp(0), which is 1."),
        ("inverted", hidden_softmax(scores, ~allowed), "yours hides what may be seen; True means may look."),
        ("not_masked", scores.softmax(dim=-1), "yours looks everywhere; `allowed` has no effect."),
        ("not_scaled", hidden_softmax(plain, allowed), "your scores are not divided by the root of the width of a "
                                                       "query."),
        ("over_queries", scores.masked_fill(~allowed, float("-inf")).softmax(dim=-2),
         "your softmax runs over the queries; each query's row should add up to 1."),
        ("added_as_numbers", (scores + allowed).softmax(dim=-1), "yours adds the mask to the scores: one more or less "
                                                                 "hides nothing."),
    ]
    for code, wrong, sentence in likely:
        if close(weights, wrong, 1e-9):
            raise Mistake(code, sentence)
    got, wanted = weights.flatten(0, -2)[0], right.flatten(0, -2)[0]
    raise Mistake("wrong_weights", f"the first row of weights should be {short(wanted)}; yours is {short(got)}.")


def spy(reads, normed=False, strength=1.0, last=False):
    """A model [T, D] -> [T, D] in which new word t depends on itself, on what came before and on reads[t].

    normed brings each row to mean 0, as many models do at their end; last leaks into the last number of a row only
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


@exercise("10-3", points=2)
def check_10_3(leaks):
    torch.manual_seed(16)
    cases = [({}, {}, 5), ({0: [1], 1: [2], 2: [3], 3: [4]}, {}, 5), ({1: [4], 0: [2]}, {}, 6), ({2: [3]}, {}, 4),
             ({0: [3], 2: [3]}, {"normed": True}, 4), ({0: [2]}, {"strength": 1e-6}, 5), ({}, {"normed": True}, 3),
             ({0: [2], 1: [3]}, {"strength": -1.0}, 5), ({0: [2, 3, 4], 1: [2, 3, 4], 2: [3, 4]}, {"last": True}, 5)]
    for reads, options, T in cases:
        words = torch.randn(T, 3, dtype=torch.float64)
        given = words.clone()
        returned = leaks(spy(reads, **options), given)
        if returned is None:
            raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
        if not torch.equal(given.detach(), words):
            raise Mistake("changes_arguments", "yours leaves the words changed; work on a copy, `words.clone()`.")
        try:
            found = [(int(t), int(s)) for t, s in returned]
            if any(isinstance(one, str) for one in returned):
                raise TypeError("a string is no pair")
        except (TypeError, ValueError):
            raise Mistake("no_pairs", "return a list of pairs (t, s).") from None
        right = sorted((t, s) for t, later in reads.items() for s in later)
        if sorted(found) == right:
            continue
        if len(set(found)) < len(found):
            raise Mistake("twice", "a pair is in your list more than once.")
        told = set(found)
        if told and told == {(s, t) for t, s in right}:
            raise Mistake("other_way", "your pairs are turned over: first the new word that moves, then the word that "
                                       "was changed.")
        if any(t == s for t, s in told):
            raise Mistake("itself", "a new word may move when its own word is changed; that is no leak.")
        if any(t > s for t, s in told):
            raise Mistake("the_past", "a new word may move when an earlier word is changed; only later ones leak.")
        if told - set(right):
            raise Mistake("false_alarm", f"{sorted(told - set(right))[0]} is in your list, and is no leak of this "
                                         "model.")
        if options.get("normed"):
            raise Mistake("sum_cancels", "in this model each new word has mean 0. The sum of its numbers never moves, "
                                         "and its numbers do: look at them one by one.")
        if options.get("strength", 1.0) < 0:
            raise Mistake("no_abs", "in this model a new word falls when the later word rises, and yours overlooks it: "
                                    "take `.abs()` before you compare.")
        if options.get("last") and not told:
            raise Mistake("one_number", "in this model a later word moves the last number of a new word only, and yours "
                                        "overlooks it: change and compare all numbers.")
        if options.get("strength"):
            raise Mistake("too_coarse", "this model leaks by a millionth, and yours overlooks it: 1e-9 is the "
                                        "limit.")
        if told == {(t, s) for t, s in right if s == t + 1} and told != set(right):
            raise Mistake("neighbours_only", "yours finds leaks from the next word only; later words can leak too.")
        if told == {(t, s) for t, s in right if s == T - 1}:
            raise Mistake("last_word_only", "yours finds what leaks from the last word only; change each in turn.")
        if told == {(t, s) for t, s in right if t == 0}:
            raise Mistake("first_row_only", "here yours finds leaks into the first new word only; others may leak too.")
        raise Mistake("missed", f"yours misses {sorted(set(right) - told)[0]}.")
    return "no leak escapes, and there is no false alarm."


@exercise("10-4", points=2)
def check_10_4(for_torch):
    torch.manual_seed(17)
    for B, heads, T, S in ((2, 3, 4, 5), (3, 2, 3, 3), (1, 4, 2, 6), (2, 1, 3, 4)):
        allowed = torch.rand(B, T, S) < 0.6
        allowed[..., 0] = True
        given = allowed.clone()
        returned = for_torch(given, heads)
        if not torch.equal(given, allowed):
            raise Mistake("changes_arguments", "yours changes the mask that it was given.")
        right = ~allowed.repeat_interleave(heads, dim=0)
        if isinstance(returned, torch.Tensor) and returned.is_floating_point() and returned.shape == right.shape:
            infinite = torch.zeros(right.shape).masked_fill(right, float("-inf"))
            if torch.equal(returned.float().cpu(), infinite):    # added, this is as good
                continue
            if torch.equal(returned.float().cpu(), torch.zeros(right.shape).masked_fill(~right, float("-inf"))):
                raise Mistake("inverted_numbers", "yours adds minus infinity to what may be seen, and 0 to what is "
                                                  "hidden.")
            raise Mistake("added", "a mask of numbers is added to the scores, and yours is not 0 and minus infinity in "
                                   "the right places. Return True and False.")
        mixed = ~allowed.repeat(heads, 1, 1)
        likely = [
            ("same_meaning", ~right, "the tables are right, and True still means may look; there it means is ignored."),
            ("sentences_mixed", mixed, "your tables come as sentence 0, sentence 1, ..., again and again. First all "
                                       "heads of sentence 0 are wanted."),
            ("same_meaning", ~mixed, "True still means may look; there it means is ignored. And the order of the "
                                     "tables is not yet right."),
            ("first_sentence", ~allowed[:1].expand(B * heads, T, S), "yours gives the mask of sentence 0 to all."),
        ]
        mask(returned, (B * heads, T, S), likely, right, lambda n: f"in table {n}, 1 meaning True,")
    return "PyTorch ignores what this book hides."


@exercise("10-5", points=2)
def check_10_5(packed_mask):
    for number in ([[1, 1, 1, 2, 2, 0], [1, 2, 2, 2, 3, 3]], [[1, 1, 2, 0, 0]], [[0, 1, 1, 2], [1, 1, 1, 1]]):
        number = torch.tensor(number)
        B, T = number.shape
        given = number.clone()
        returned = packed_mask(given)
        if not torch.equal(given, number):
            raise Mistake("changes_arguments", "yours changes the numbers that it was given.")
        same = number[:, :, None] == number[:, None, :]
        words = (number > 0)[:, None].expand(B, T, T)
        causal, ahead, without = (table.expand(B, T, T) for table in triangles(T))
        right = same & causal & words
        if isinstance(returned, torch.Tensor) and returned.dtype == torch.bool and returned.shape == right.shape:
            returned = returned & (words.mT | ~words)    # what a pad looks at, pads apart, is not asked
        likely = [(code, wrong & (words.mT | ~words), sentence) for code, wrong, sentence in (
            ("either", same | causal, "yours allows what one of the rules allows; all must allow it."),
            ("either", (same | causal) & words, "yours allows what one of the two rules allows; both must."),
            ("pads_look_at_pads", same & causal, "yours lets pads look at pads: they share the number 0. Nobody looks "
                                                 "at a pad."),
            ("hidden_meaning", ~right, "yours says what is hidden; True means may look."),
            ("hidden_meaning", ~(same & causal), "yours says what is hidden; True means may look."),
            ("not_itself", same & without & words, "in yours no word may look at itself; it may."),
            ("one_ahead", same & ahead & words, "yours lets words see the next word of their sentence."),
            ("sees_future", same & words, "yours lets words look at later words of their sentence."),
            ("crosses", causal & words, "yours lets words look at the sentences in front of theirs."),
        )]
        mask(returned, (B, T, T), likely, right,
             lambda b, number=number: f"for the numbers {number[b].tolist()}, rows of pads apart,")
    return "each sentence reads itself, from the left, and nothing else."
