"""Checks for the exercises of chapter 22, the decoders of today."""

import torch

from softdict.checks.answers import (
    DETACHED, DIVIDED_BY_WIDTH, NOT_DIVIDED, ask, blame, close, learns, no_gradient,
    pair, tensor, wrong_row)
from softdict.checks.ch11 import grid
from softdict.checks.elsewhere import stays_where_it_is
from softdict.checks.result import Mistake, exercise, refuse


def other_kind(returned, given, name):
    """Raises Mistake if a tensor came back in another kind of number."""
    refuse(returned.dtype != given.dtype, "other_dtype", f"the {name} should be of the "
           f"same kind as what was given, {given.dtype}; yours is {returned.dtype}.")


# 22-1

# sentences, heads, key heads, words that ask and are asked, widths of keys and values
SIZES = [(2, 6, 2, 5, 7, 4, 3), (2, 6, 3, 5, 5, 4, 4), (1, 4, 1, 1, 6, 2, 5),
         (3, 3, 3, 4, 7, 2, 2), (2, 8, 4, 9, 9, 9, 3)]


def some_heads():
    """Queries, keys, values in float64, and masks with two axes or four."""
    chance = torch.Generator().manual_seed(221)
    for B, H, G, T, S, K, V in SIZES:
        query, key, value = (
            torch.randn(*shape, generator=chance, dtype=torch.float64).requires_grad_()
            for shape in ((B, H, T, K), (B, G, S, K), (B, G, S, V)))
        shape = (T, S) if G == 3 else (B, 1, T, S)
        allowed = torch.rand(*shape, generator=chance) < 0.6
        allowed[..., 0] = True    # no row is empty
        yield query, key, value, allowed


def grouped(query, key, value, allowed, kind="right"):
    """What the exercise asks for, or what comes of a common mistake."""
    (H, K), (G, S) = (query.shape[1], query.shape[-1]), key.shape[1:3]
    heads = {"in_turn": torch.arange(H) % G, "first_alone": torch.zeros(H).long(),
             "turned": G - 1 - torch.arange(H) // (H // G)}
    right = torch.arange(H) // (H // G)
    of_key = heads.get(kind, right)
    of_value = heads["in_turn"] if kind == "values_in_turn" else of_key
    if kind in ("keys_of_first", "values_of_first"):
        first = heads["first_alone"]
        of_key, of_value = ((first, right) if kind == "keys_of_first"
                            else (right, first))
    if kind == "averaged":
        key, value = (part.mean(1, keepdim=True).expand_as(part)
                      for part in (key, value))
    if kind == "one_query":
        query = query.unflatten(1, (G, -1)).mean(2).repeat_interleave(H // G, dim=1)
    root = {"not_divided": 1, "divided_by_width": K, "root_of_all": (H * K) ** 0.5,
            "root_of_length": S ** 0.5,
            "root_of_values": value.shape[-1] ** 0.5}.get(kind, K ** 0.5)
    scores = query @ key[:, of_key].mT / root
    allowed = {"no_mask": torch.ones_like(allowed), "inverted": ~allowed}.get(
        kind, allowed)
    if kind == "masked_by_zero":
        weights = (scores * allowed).softmax(-1)
    elif kind == "masked_too_late":
        weights = scores.softmax(-1) * allowed
    elif kind == "over_queries":
        weights = scores.masked_fill(~allowed, float("-inf")).softmax(-2).nan_to_num()
    elif kind == "no_softmax":
        weights = scores * allowed
    else:
        weights = scores.masked_fill(~allowed, float("-inf")).softmax(-1)
        weights = weights.nan_to_num()
    return weights @ value[:, of_value]


WRONG_GROUPS = [
    ("in_turn", "yours deals the key heads out in turn: 0, 1, 0, 1. A group stands "
     "side by side: with 6 heads and 2 key heads, heads 0, 1, 2 share key head 0."),
    ("first_alone", "yours gives all heads key head 0; that is right only where there "
     "is no other."),
    ("keys_of_first", "the values are right, but yours gives all heads the keys of key "
     "head 0."),
    ("values_of_first", "the keys are right, but yours gives all heads the values of "
     "value head 0."),
    ("turned", "the first heads share the first key head; yours begins with the last."),
    ("values_in_turn", "the keys are right, but the values are dealt out in turn; head "
     "h has the value head of its key head."),
    ("averaged", "yours averages keys and values over the heads; each group has its "
     "own."),
    ("one_query", "yours asks with the mean of a group's queries; each head asks with "
     "its own."),
    ("no_mask", "yours lets words look where `allowed` is False."),
    ("inverted", "True means that a word may look; yours looks where it may not."),
    ("masked_by_zero", "a score of 0 still earns a share, exp(0) = 1; what is hidden "
     "needs minus infinity."),
    ("masked_too_late", "yours hides after the softmax, so a row no longer sums to 1; "
     "hide the scores before it."),
    ("over_queries", "for one query the shares of all keys sum to 1; yours sum to 1 "
     "for one key."),
    ("no_softmax", "your weights are the scores; a softmax makes them sum to 1."),
    NOT_DIVIDED, DIVIDED_BY_WIDTH,
    ("root_of_all", "yours divides by the root of the whole width; one head has K "
     "numbers."),
    ("root_of_values", "yours divides by the root of V, the width of the values; it is "
     "the width K of queries and keys that counts."),
    ("root_of_length", "yours divides by the root of the number of keys; it is the "
     "width K that counts.")]


@exercise("22-1", points=2)
def check_22_1(grouped_attention):
    cases, got = list(some_heads()), []
    for case in cases:
        query, key, value, allowed = (part.detach() for part in case)
        sizes = key.shape[:2]
        returned = ask(
            grouped_attention, query, key, value, allowed, advice="make new tensors",
            likely=[("mask_meets_groups", "your scores have five axes, and `allowed` "
                     "has four, so the sentences of the mask meet the groups; give it "
                     "the axis that it lacks.", *(
                         f"tensor a ({one}) must match the size of tensor b ({other}) "
                         f"at non-singleton dimension 1"
                         for one, other in (sizes, sizes[::-1])))])
        refuse(isinstance(returned, tuple), "not_one_thing", "return the "
               "context alone; `attention` returns two things, context and weights.")
        (B, H, T, _), (G, V) = query.shape, (key.shape[1], value.shape[-1])
        shape = tuple(getattr(returned, "shape", ()))
        refuse(shape == (B, G, T, V) != (B, H, T, V), "one_a_group", "your context "
               f"has {G} heads; each of the {H} query heads gets an answer of its own.")
        refuse(shape == (B, T, H * V), "merged", "yours puts the heads side by side "
               f"already; the context is [B, H, T, V], here {[B, H, T, V]}.")
        refuse(shape == (B, T, H, V) != (B, H, T, V), "heads_behind", "the axis of "
               f"heads stands in front of the words: {[B, H, T, V]}; yours has "
               f"{list(shape)}.")
        got.append(tensor(returned, (B, H, T, V), "context"))
        other_kind(returned, query, "context")
    right = [grouped(*case).detach() for case in cases]
    if not close(got, right):
        blame(got, [(code, sentence, [grouped(*case, code).detach() for case in cases])
                    for code, sentence in WRONG_GROUPS])
        for mine, wanted in zip(got, right):
            if not close(mine, wanted):
                wrong_row("wrong_context", "context", mine, wanted)
    for case in cases[:2]:
        same_gradients(grouped_attention, case)
        stays_where_it_is(grouped_attention, *case)
    return "each group looks with queries of its own, and shares what it looks at."


def same_gradients(answer, case):
    """Raises Mistake unless gradients go back to queries, keys and values."""
    query, key, value, allowed = case
    learned, out = (query, key, value), answer(*case)
    refuse(no_gradient(out, learned), *DETACHED)
    direction = torch.randn(out.shape, generator=torch.Generator().manual_seed(1),
                            dtype=out.dtype)
    slopes = [torch.autograd.grad((made * direction).sum(), learned)
              for made in (out, grouped(*case))]
    for name, mine, wanted in zip(("queries", "keys", "values"), *slopes):
        refuse(not close(mine, wanted), "part_detached", "the numbers are right, but "
               f"the gradient of the {name} is another: a part of it is cut off. Work "
               "with the tensors as they come.")


# 22-2

def some_rows():
    """Weights of queries or keys and their heads: matrices, square too, and biases."""
    chance = torch.Generator().manual_seed(222)
    for heads, K, *width in ((3, 4, 12), (2, 6, 7), (1, 8, 5), (5, 2, 3), (4, 10, 40),
                             (3, 8)):
        yield torch.randn(heads * K, *width, generator=chance,
                          dtype=torch.float64), heads


def in_halves(weight, heads, kind="right"):
    """Rows for pairs (i, i + K/2), from rows for (2i, 2i + 1); or a common mistake."""
    if kind == "unchanged":
        return weight
    if kind == "columns":
        fits = weight.dim() == 2 and weight.shape[1] % (2 * heads) == 0
        return in_halves(weight.mT, heads).mT if fits else weight
    if kind == "across_heads":
        heads = 1
    if kind == "heads_as_width":
        heads = len(weight) // heads
        if len(weight) // heads % 2:
            return weight
    if kind == "heads_inside":
        rows = weight.unflatten(0, (-1, heads))
        return torch.cat([rows[0::2], rows[1::2]]).flatten(0, 1)
    rows = weight.unflatten(0, (heads, -1))
    even, odd = rows[:, 0::2], rows[:, 1::2]
    if kind == "odd_first":
        even, odd = odd, even
    if kind == "negated":
        odd = -odd
    if kind == "other_way":
        first, second = rows.chunk(2, dim=1)
        return torch.stack([first, second], dim=2).flatten(0, 2)
    return torch.cat([even, odd], dim=1).flatten(0, 1)


WRONG_ROWS = [
    ("across_heads", "yours puts the even rows of all heads in front, as the colleague "
     "does; each head has halves of its own."),
    ("other_way", "yours goes from halves to neighbours; it is asked from neighbours "
     "to halves."),
    ("odd_first", "yours puts the odd rows in front; the first number of a pair goes "
     "to the first half."),
    ("unchanged", "yours leaves the rows as they are."),
    ("columns", "yours sorts the columns. The numbers that are turned come out of the "
     "matrix, and each of them has a row."),
    ("negated", "yours changes signs; rows only move."),
    ("heads_as_width", "`heads` is the number of heads; in yours it is the width of "
     "one."),
    ("heads_inside", "the K rows of one head stand together; yours takes every H-th "
     "row for one head.")]


@exercise("22-2", points=2)
def check_22_2(to_halves):
    cases, got = list(some_rows()), []
    for weight, heads in cases:
        try:
            returned = ask(to_halves, weight, heads, advice="make a new tensor")
        except Mistake:
            raise
        except Exception:
            refuse(len(got) == len(cases) - 1 and weight.dim() == 1, "no_bias",
                   "yours stops at a bias, which has one axis, [H*K]; its numbers move "
                   "as the rows do.")
            raise
        got.append(tensor(returned, weight.shape, "new weight"))
        other_kind(returned, weight, "new weight")
    right = [in_halves(*case) for case in cases]
    if not close(got, right):
        blame(got, [(code, sentence, [in_halves(*case, code) for case in cases])
                    for code, sentence in WRONG_ROWS])
        for mine, wanted, (_, heads) in zip(got, right, cases):
            if not close(mine, wanted):
                mine, wanted = (part if part.dim() == 2 else part[:, None]
                                for part in (mine, wanted))
                wrong_row("wrong_rows", f"new weight of {heads} heads", mine, wanted)
    for weight, heads in (cases[0], cases[-1]):
        weight = weight.clone().requires_grad_()
        learns(lambda weight, heads=heads: to_halves(weight, heads), [weight])
        stays_where_it_is(to_halves, weight, heads)
    return "within each head, first numbers in front and second numbers behind."


# 22-4

def real_words(lengths, size):
    """real [B, S] of texts with pads in front."""
    return torch.arange(size) >= size - torch.tensor(lengths)[:, None]


LENGTHS = [([3, 5, 1], 5), ([2, 6], 7), ([4, 0, 2], 4), ([1], 1), ([6, 6], 6)]


def positions_of(real, kind="right"):
    """Positions of the words, or those of a common mistake."""
    size, count = real.shape[1], real.long().cumsum(1)
    places = torch.arange(size).expand_as(real)
    return {"counts_pads": places, "one_late": count, "below_zero": count - 1,
            "from_behind": (real.long().flip(1).cumsum(1) - 1).clamp(min=0).flip(1),
            "one_late_but_pads": count * real, "counts_pads_but_pads": places * real,
            "as_first_text": (places - (~real[:1]).sum()).clamp(min=0),
            "no_first": (places - real.int().argmax(1, keepdim=True)).clamp(min=0),
            "pads_on": (places - (~real).sum(1, keepdim=True)),
            "pads_by_size": (count - 1) % size}.get(kind, (count - 1).clamp(min=0))


WRONG_POSITIONS = [
    ("counts_pads", "yours counts the pads too; the first word of each text stands at "
     "position 0.", "counts_pads", "counts_pads_but_pads"),
    ("one_late", "in yours the first word stands at position 1; it is position 0.",
     "one_late", "one_late_but_pads"),
    ("below_zero", "yours has positions below 0 at pads; a table has no row for them, "
     "so a pad's position is 0.", "below_zero", "pads_on", "pads_by_size"),
    ("pads_alone_counted", "a text may be pads alone; yours counts them, and a pad's "
     "position is 0.", "no_first"),
    ("from_behind", "yours counts from the last word; positions count from the first.",
     "from_behind"),
    ("as_first_text", "yours moves all texts as the first one; each has pads of its "
     "own.", "as_first_text")]


def masks_of(real):
    """Masks of common mistakes: code, sentence, the mask."""
    B, S = real.shape
    words = real[:, None].expand(B, S, S)
    causal, ahead, without = (torch.ones(S, S).bool().tril(far).expand(B, S, S)
                              for far in (0, 1, -1))
    return words & causal, [
        ("inverted", "True means that a word may look; yours says what is hidden.",
         ~(words & causal)),
        ("either", "a word may look if both rules allow it; yours asks for one.",
         words | causal),
        ("no_padding", "yours lets words look at pads.", causal),
        ("no_future", "yours lets words look at what comes later.", words),
        ("sees_future", "yours is turned over: rows ask and columns are asked, so a "
         "word looks at its left.", words & causal.mT),
        ("one_ahead", "yours lets each word see the one after it.", words & ahead),
        ("not_itself", "in yours no word may look at itself; it may.", words & without),
        ("pads_hidden_as_rows", "yours hides the rows of pads; nobody may look *at* a "
         "pad, so it is their columns.", words.mT & causal)]


@exercise("22-4", points=2)
def check_22_4(placed):
    found = []
    for lengths, size in LENGTHS:
        real = real_words(lengths, size)
        B, S = real.shape
        positions, allowed = pair(ask(placed, real), "the positions", "the mask")
        kinds = [getattr(part, "dtype", None) for part in (positions, allowed)]
        refuse(kinds[0] == torch.bool != kinds[1], "swapped",
               "return the positions first and the mask second.")
        refuse(getattr(positions, "shape", None) == (S,) != (B, S), "one_text",
               "each text has positions of its own: [B, S].")
        refuse(getattr(allowed, "shape", None) == (S, S) != (B, S, S), "one_mask",
               "each text has a mask of its own: [B, S, S].")
        refuse(getattr(allowed, "shape", None) == (B, S), "no_rows", "the mask has a "
               "row for each word that looks: [B, S, S].")
        tensor(positions, (B, S), "positions")
        tensor(allowed, (B, S, S), "mask")
        refuse(kinds[0].is_floating_point or kinds[0] == torch.bool, "no_whole_numbers",
               f"positions are whole numbers; yours are {kinds[0]}.")
        refuse(kinds[1] != torch.bool, "no_bool", "the mask should hold True and "
               f"False; yours holds {kinds[1]}.")
        found.append((real, positions.cpu(), allowed.cpu()))
    right = [positions_of(real) for real, _, _ in found]
    mine = [positions for _, positions, _ in found]
    blame(mine, [(code, sentence, *[[positions_of(real, kind) for real, _, _ in found]
                                    for kind in kinds])
                 for code, sentence, *kinds in WRONG_POSITIONS
                 if not close(mine, right)])
    for got, wanted, (real, _, _) in zip(mine, right, found):
        refuse(not torch.equal(got, wanted), "wrong_positions", f"where the words are "
               f"{grid(real)}, the positions should be {wanted.tolist()}; yours are "
               f"{got.tolist()}.")
    masks = [masks_of(real) for real, _, _ in found]
    if not all(torch.equal(got, wanted)
               for (_, _, got), (wanted, _) in zip(found, masks)):
        for row in zip(*[likely for _, likely in masks]):
            blame([got for _, _, got in found], [(*row[0][:2], [m for _, _, m in row])])
        real, got, wanted = next((real, got, wanted) for (real, _, got), (wanted, _)
                                 in zip(found, masks) if not torch.equal(got, wanted))
        b = next(b for b in range(len(got)) if not torch.equal(got[b], wanted[b]))
        raise Mistake("wrong_mask", f"where the words are {grid(real[b:b + 1])}, the "
                      f"rows should be {grid(wanted[b])}; yours are {grid(got[b])}.")
    stays_where_it_is(placed, found[0][0])
    return "pads in front change nothing: no place counts them, and nobody sees them."


# 22-5

# shapes of x, kinds of its numbers, how large they are, eps
WORDS = [((2, 3, 6), torch.float64, 1.0, 1e-5), ((4, 5), torch.float64, 0.02, 1e-3),
         ((1, 7), torch.float64, 3.0, 0.1), ((2, 2, 2, 4), torch.float32, 1.0, 1e-5),
         ((1, 3, 8), torch.float16, 400.0, 1e-5)]    # 400 squared is too large for it


def some_words():
    """x, a gain and eps; the numbers of x have a mean that is not 0."""
    chance = torch.Generator().manual_seed(225)
    for shape, dtype, size, eps in WORDS:
        x = size * (torch.randn(shape, generator=chance, dtype=torch.float64) + 0.5)
        gain = torch.rand(shape[-1], generator=chance, dtype=torch.float64) + 0.3
        yield x.to(dtype), gain.to(dtype), eps


def rms(x, gain, eps, kind="right"):
    """What the exercise asks for, or what comes of a common mistake, in float64."""
    x, gain = x.double(), gain.double()
    centred = x - x.mean(-1, keepdim=True)
    square = {"sum_not_mean": x.square().sum(-1, keepdim=True),
              "over_all": x.square().mean(),
              "over_words": x.square().mean(-2, keepdim=True),
              "second_axis": x.square().mean(1, keepdim=True),
              "mean_taken_away": centred.square().mean(-1, keepdim=True),
              "standard_deviation": x.var(-1, keepdim=True),
              "deviation": centred.square().mean(-1, keepdim=True)}.get(
                  kind, x.square().mean(-1, keepdim=True))
    if kind == "mean_taken_away":
        x = centred
    root = {"eps_outside": square.sqrt() + eps, "no_eps": square.sqrt(),
            "no_root": square + eps, "own_eps": (square + 1.1920929e-07).sqrt(),
            "usual_eps": (square + 1e-5).sqrt(), "small_eps": (square + 1e-6).sqrt(),
            "eps_8": (square + 1e-8).sqrt()}.get(kind, (square + eps).sqrt())
    return x / root * {"no_gain": 1, "gain_plus_one": 1 + gain}.get(kind, gain)


WRONG_NORMS = [
    ("mean_taken_away", "yours takes the mean away, as a layer norm does; here it "
     "stays.", "mean_taken_away"),
    ("standard_deviation", "yours divides by the standard deviation. The squares of "
     "the numbers themselves count, and not those of their distances from the mean.",
     "standard_deviation", "deviation"),
    ("no_root", "yours divides by the mean square; divide by its root.", "no_root"),
    ("sum_not_mean", "yours divides by the length of the word; it is the root of the "
     "*mean* of its squares.", "sum_not_mean"),
    ("over_all", "yours has one divisor for all words; each word has its own.",
     "over_all"),
    ("over_words", "yours averages over the words; the mean goes over the numbers of "
     "one word, the last axis.", "over_words"),
    ("second_axis", "yours averages over axis 1; x may have any axes before, so count "
     "from behind: dim=-1.", "second_axis"),
    ("eps_outside", "yours adds eps to the root; it belongs under it, to the mean "
     "square.", "eps_outside"),
    ("no_eps", "yours leaves eps out; it is added to the mean square.", "no_eps"),
    ("own_eps", "yours has another eps than the one that is given.", "own_eps",
     "usual_eps", "small_eps", "eps_8"),
    ("no_gain", "yours leaves out the gain.", "no_gain"),
    ("gain_plus_one", "yours multiplies by 1 + gain; it is the gain itself.",
     "gain_plus_one")]


@exercise("22-5", points=2)
def check_22_5(rms_norm):
    cases = list(some_words())
    returned = [ask(rms_norm, *case, advice="make a new tensor") for case in cases]
    got = [tensor(mine, x.shape, "result") for mine, (x, _, _) in zip(returned, cases)]
    right = [rms(*case) for case in cases]
    if not close(got[:-1], right[:-1], 1e-5):
        blame(got[:-1], [(code, sentence, *[[rms(*case, kind) for case in cases[:-1]]
                                            for kind in kinds])
                         for code, sentence, *kinds in WRONG_NORMS], 1e-5)
        for mine, wanted in zip(got, right):
            if not close(mine, wanted, 1e-5):
                wrong_row("wrong_norm", "result", mine, wanted)
    refuse(not close(got[-1], right[-1], 0.01), "too_narrow", "with numbers of 16 bits "
           "yours goes wrong: 400 squared is more than they can hold. Square and "
           "average in float32.")
    for mine, (x, _, _) in zip(returned, cases):
        other_kind(mine, x, "result")
    x, gain, eps = cases[0]
    x, gain = x.clone().requires_grad_(), gain.clone().requires_grad_()
    same_slopes(rms_norm(x, gain, eps), rms(x, gain, eps), x=x, gain=gain)
    stays_where_it_is(rms_norm, x, gain, eps)
    return "each word keeps its direction, and loses only its length."


def same_slopes(out, wanted, **learned):
    """Raises Mistake unless the gradients of all that learns are the right ones."""
    refuse(no_gradient(out, list(learned.values())), *DETACHED)
    direction = torch.randn(out.shape, generator=torch.Generator().manual_seed(1),
                            dtype=out.dtype)
    slopes = [torch.autograd.grad((made * direction).sum(), list(learned.values()))
              for made in (out, wanted)]
    for name, mine, right in zip(learned, *slopes):
        refuse(not close(mine, right), "part_detached", "the numbers are right, but "
               f"the gradient of {name} is another: a part of it is cut off. Work with "
               "the tensors as they come.")


# 22-6

# axes in front of x, width of a word, width between
FEEDS = [((2, 3), 4, 5), ((6,), 3, 3), ((), 5, 2), ((1, 2, 2), 4, 4)]


def some_gates():
    """x and the three matrices, in float64."""
    chance = torch.Generator().manual_seed(226)
    for front, D, H in FEEDS:
        yield tuple(torch.randn(*shape, generator=chance, dtype=torch.float64)
                    for shape in ((*front, D), (H, D), (H, D), (D, H)))


def gated(x, gate, up, down, kind="right"):
    """What the exercise asks for, or what comes of a common mistake."""
    silu, (g, u) = torch.nn.functional.silu, (x @ gate.mT, x @ up.mT)
    wide = {"swapped": silu(u) * g, "sigmoid": g.sigmoid() * u, "relu": g.relu() * u,
            "gelu": torch.nn.functional.gelu(g) * u, "no_silu": g * u,
            "gelu_tanh": torch.nn.functional.gelu(g, approximate="tanh") * u,
            "both": silu(g) * silu(u), "silu_last": silu(g * u), "added": silu(g) + u,
            "up_alone": silu(u), "gate_alone": silu(g), "gate_twice": silu(g) * g,
            "up_twice": silu(u) * u, "softmax": g.softmax(-1) * u}.get(
                kind, silu(g) * u)
    return wide @ down.mT + (x if kind == "residual" else 0)


WRONG_GATES = [
    ("swapped", "gate and up have changed places: what comes of *gate* goes through "
     "silu.", "swapped"),
    ("sigmoid", "yours sends the gate through the sigmoid alone; silu is the gate "
     "times its sigmoid.", "sigmoid"),
    ("relu", "yours sends the gate through relu; it is silu.", "relu"),
    ("gelu", "yours sends the gate through GELU; it is silu.", "gelu", "gelu_tanh"),
    ("no_silu", "your gate goes through nothing; it is silu of it.", "no_silu"),
    ("both", "yours sends both through silu; the numbers go through as they are.",
     "both"),
    ("silu_last", "yours multiplies first; silu is of the gate alone.", "silu_last"),
    ("added", "a gate multiplies; yours is added.", "added"),
    ("no_gate", "yours has one matrix in front of `down`; one makes the numbers, and "
     "another makes their gates.", "up_alone", "gate_alone"),
    ("one_matrix", "in yours one matrix makes both the numbers and their gates; each "
     "has its own.", "gate_twice", "up_twice"),
    ("softmax", "yours shares the gates out by a softmax; each gate stands by itself.",
     "softmax"),
    ("residual", "yours adds the word itself; that is the layer's work, around this.",
     "residual")]


@exercise("22-6", points=1)
def check_22_6(swiglu):
    cases, got = list(some_gates()), []
    for case in cases:
        returned = ask(swiglu, *case, advice="make new tensors")
        x, gate, _, _ = case
        wide = (*x.shape[:-1], len(gate))
        refuse(getattr(returned, "shape", None) == wide != x.shape, "not_down",
               f"yours ends before `down`: the word has {len(gate)} numbers still, and "
               f"it came with {x.shape[-1]}.")
        got.append(tensor(returned, x.shape, "result"))
        other_kind(returned, x, "result")
    right = [gated(*case) for case in cases]
    if not close(got, right, 1e-6):
        blame(got, [(code, sentence, *[[gated(*case, kind) for case in cases]
                                       for kind in kinds])
                    for code, sentence, *kinds in WRONG_GATES], 1e-6)
        for mine, wanted in zip(got, right):
            if not close(mine, wanted, 1e-6):
                wrong_row("wrong_result", "result", mine, wanted)
    x, gate, up, down = (part.clone().requires_grad_() for part in cases[0])
    same_slopes(swiglu(x, gate, up, down), gated(x, gate, up, down), x=x, gate=gate,
                up=up, down=down)
    stays_where_it_is(swiglu, x, gate, up, down)
    return "one matrix makes numbers, another says how much of each goes through."
