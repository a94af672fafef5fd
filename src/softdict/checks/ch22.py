"""Checks for the exercises of chapter 22, the decoders of today."""

import torch

from softdict.checks.answers import (
    ask, blame, close, learns, no_gradient, pair, tensor, wrong_row)
from softdict.checks.ch11 import grid
from softdict.checks.elsewhere import stays_where_it_is
from softdict.checks.result import Mistake, exercise, refuse
from softdict.checks.sentences import Word


def other_kind(returned, given, word):
    """Raises Mistake if a tensor came back in another kind of number."""
    refuse(returned.dtype != given.dtype, "other_dtype", name=Word(word),
           given=given.dtype, got=returned.dtype)


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
    past, late = (torch.ones(scores.shape[-2:]).bool().tril(far)
                  for far in (0, S - scores.shape[-2]))
    allowed = {"no_mask": torch.ones_like(allowed), "inverted": ~allowed,
               "causal_instead": past, "causal_instead_late": late,
               "causal_too": allowed & past, "causal_too_late": allowed & late,
               "first_mask": allowed[:1] if allowed.dim() == 4 else allowed}.get(
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
    "in_turn", "first_alone", "keys_of_first", "values_of_first", "turned",
    "values_in_turn", "averaged", "one_query", "no_mask", "inverted", "masked_by_zero",
    "masked_too_late", "over_queries", "no_softmax", "not_divided", "divided_by_width",
    "root_of_all", "root_of_values", "root_of_length", "causal_instead", "causal_too",
    "first_mask"]


@exercise("22-1", points=2)
def check_22_1(grouped_attention):
    cases, got = list(some_heads()), []
    for case in cases:
        query, key, value, allowed = (part.detach() for part in case)
        sizes = key.shape[:2]
        returned = ask(grouped_attention, query, key, value, allowed, likely=[
            ("mask_meets_groups", *(
                f"tensor a ({one}) must match the size of tensor b ({other}) at "
                "non-singleton dimension 1" for one, other in (sizes, sizes[::-1])))])
        refuse(isinstance(returned, tuple), "not_one_thing")
        (B, H, T, _), (G, V) = query.shape, (key.shape[1], value.shape[-1])
        shape = tuple(getattr(returned, "shape", ()))
        refuse(shape == (B, G, T, V) != (B, H, T, V), "one_a_group", G=G, H=H)
        refuse(shape == (B, T, H * V), "merged", right=[B, H, T, V])
        refuse(shape == (B, T, H, V) != (B, H, T, V), "heads_behind",
               right=[B, H, T, V], got=list(shape))
        got.append(tensor(returned, (B, H, T, V), "context"))
        other_kind(returned, query, "context")
    right = [grouped(*case).detach() for case in cases]
    if not close(got, right):
        blame(got, [(code, [grouped(*case, code).detach() for case in cases])
                    for code in WRONG_GROUPS]
              + [(code, [grouped(*case, f"{code}_late").detach() for case in cases])
                 for code in ("causal_instead", "causal_too")])
        for mine, wanted in zip(got, right):
            if not close(mine, wanted):
                wrong_row("wrong_context", mine, wanted)
    for case in cases[:2]:
        same_gradients(grouped_attention, case)
        stays_where_it_is(grouped_attention, *case)


def same_gradients(answer, case):
    """Raises Mistake unless gradients go back to queries, keys and values."""
    query, key, value, allowed = case
    learned, out = (query, key, value), answer(*case)
    refuse(no_gradient(out, learned), "detached")
    direction = torch.randn(out.shape, generator=torch.Generator().manual_seed(1),
                            dtype=out.dtype)
    slopes = [torch.autograd.grad((made * direction).sum(), learned)
              for made in (out, grouped(*case))]
    for name, mine, wanted in zip(("queries", "keys", "values"), *slopes):
        refuse(not close(mine, wanted), "part_detached-of", name=Word(name))


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
    if kind == "heads_as_width_split":
        return torch.cat([part for cut in weight.split(heads)
                          for part in (cut[0::2], cut[1::2])])
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
    "across_heads", "other_way", "odd_first", "unchanged", "columns", "negated",
    "heads_as_width", "heads_inside"]


@exercise("22-2", points=2)
def check_22_2(to_halves):
    cases, got = list(some_rows()), []
    for weight, heads in cases:
        try:
            returned = ask(to_halves, weight, heads)
        except Mistake:
            raise
        except Exception:
            refuse(len(got) == len(cases) - 1 and weight.dim() == 1, "no_bias")
            raise
        got.append(tensor(returned, weight.shape, "new_weight"))
        other_kind(returned, weight, "new_weight")
    right = [in_halves(*case) for case in cases]
    if not close(got, right):
        blame(got, [(code, [in_halves(*case, code) for case in cases])
                    for code in WRONG_ROWS]
              + [("heads_as_width",
                  [in_halves(*case, "heads_as_width_split") for case in cases])])
        for mine, wanted, (_, heads) in zip(got, right, cases):
            if not close(mine, wanted):
                mine, wanted = (part if part.dim() == 2 else part[:, None]
                                for part in (mine, wanted))
                wrong_row("wrong_rows", mine, wanted, heads=heads)
    for weight, heads in (cases[0], cases[-1]):
        weight = weight.clone().requires_grad_()
        learns(lambda weight, heads=heads: to_halves(weight, heads), [weight])
        stays_where_it_is(to_halves, weight, heads)


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
    ("counts_pads", "counts_pads", "counts_pads_but_pads"),
    ("one_late", "one_late", "one_late_but_pads"),
    ("below_zero", "below_zero", "pads_on", "pads_by_size"),
    ("pads_alone_counted", "no_first"), ("from_behind", "from_behind"),
    ("as_first_text", "as_first_text")]


def masks_of(real):
    """Masks of common mistakes: code, the mask."""
    B, S = real.shape
    words = real[:, None].expand(B, S, S)
    causal, ahead, without = (torch.ones(S, S).bool().tril(far).expand(B, S, S)
                              for far in (0, 1, -1))
    return words & causal, [
        ("inverted", ~(words & causal)),
        ("either", words | causal),
        ("no_padding", causal),
        ("no_future", words),
        ("sees_future", words & causal.mT),
        ("one_ahead", words & ahead),
        ("not_itself", words & without),
        ("pads_hidden_as_rows", words.mT & causal),
        ("pads_see_themselves", words & causal | torch.eye(S).bool()),
        ("pads_together", (words == words.mT) & causal)]


@exercise("22-4", points=2)
def check_22_4(placed):
    found = []
    for lengths, size in LENGTHS:
        real = real_words(lengths, size)
        B, S = real.shape
        positions, allowed = pair(ask(placed, real))
        kinds = [getattr(part, "dtype", None) for part in (positions, allowed)]
        refuse(kinds[0] == torch.bool != kinds[1], "swapped")
        refuse(getattr(positions, "shape", None) == (S,) != (B, S), "one_text")
        refuse(getattr(allowed, "shape", None) == (S, S) != (B, S, S), "one_mask")
        refuse(getattr(allowed, "shape", None) == (B, S), "no_rows")
        tensor(positions, (B, S), "positions")
        tensor(allowed, (B, S, S), "mask")
        refuse(kinds[0].is_floating_point or kinds[0] == torch.bool, "no_whole_numbers",
               kind=kinds[0])
        refuse(kinds[1] != torch.bool, "no_bool", kind=kinds[1])
        found.append((real, positions.cpu(), allowed.cpu()))
    right = [positions_of(real) for real, _, _ in found]
    mine = [positions for _, positions, _ in found]
    blame(mine, [
        (code, *[[positions_of(real, kind) for real, _, _ in found] for kind in kinds])
        for code, *kinds in WRONG_POSITIONS if not close(mine, right)])
    for got, wanted, (real, _, _) in zip(mine, right, found):
        refuse(not torch.equal(got, wanted), "wrong_positions", real=grid(real),
               right=wanted.tolist(), got=got.tolist())
    masks = [masks_of(real) for real, _, _ in found]
    if not all(torch.equal(got, wanted)
               for (_, _, got), (wanted, _) in zip(found, masks)):
        for row in zip(*[likely for _, likely in masks]):
            blame([got for _, _, got in found], [(row[0][0], [m for _, m in row])])
        real, got, wanted = next((real, got, wanted) for (real, _, got), (wanted, _)
                                 in zip(found, masks) if not torch.equal(got, wanted))
        b = next(b for b in range(len(got)) if not torch.equal(got[b], wanted[b]))
        raise Mistake("wrong_mask", real=grid(real[b:b + 1]), right=grid(wanted[b]),
                      got=grid(got[b]))
    stays_where_it_is(placed, found[0][0])


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
    ("mean_taken_away", "mean_taken_away"),
    ("standard_deviation", "standard_deviation", "deviation"), ("no_root", "no_root"),
    ("sum_not_mean", "sum_not_mean"), ("over_all", "over_all"),
    ("over_words", "over_words"), ("second_axis", "second_axis"),
    ("eps_outside", "eps_outside"), ("no_eps", "no_eps"),
    ("own_eps", "own_eps", "usual_eps", "small_eps", "eps_8"), ("no_gain", "no_gain"),
    ("gain_plus_one", "gain_plus_one")]


@exercise("22-5", points=2)
def check_22_5(rms_norm):
    cases = list(some_words())
    returned = [ask(rms_norm, *case) for case in cases]
    got = [tensor(mine, x.shape, "result") for mine, (x, _, _) in zip(returned, cases)]
    right = [rms(*case) for case in cases]
    if not close(got[:-1], right[:-1], 1e-5):
        blame(got[:-1], [(code, *[[rms(*case, kind) for case in cases[:-1]]
                                  for kind in kinds])
                         for code, *kinds in WRONG_NORMS], 1e-5)
        for mine, wanted in zip(got, right):
            if not close(mine, wanted, 1e-5):
                wrong_row("wrong_norm", mine, wanted)
    refuse(not close(got[-1], right[-1], 0.01), "too_narrow")
    for mine, (x, _, _) in zip(returned, cases):
        other_kind(mine, x, "result")
    x, gain, eps = cases[0]
    x, gain = x.clone().requires_grad_(), gain.clone().requires_grad_()
    same_slopes(rms_norm(x, gain, eps), rms(x, gain, eps), x=x, gain=gain)
    stays_where_it_is(rms_norm, x, gain, eps)


def same_slopes(out, wanted, **learned):
    """Raises Mistake unless the gradients of all that learns are the right ones."""
    refuse(no_gradient(out, list(learned.values())), "detached")
    direction = torch.randn(out.shape, generator=torch.Generator().manual_seed(1),
                            dtype=out.dtype)
    slopes = [torch.autograd.grad((made * direction).sum(), list(learned.values()))
              for made in (out, wanted)]
    for name, mine, right in zip(learned, *slopes):
        refuse(not close(mine, right), "part_detached-name", name=name)


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
    ("swapped", "swapped"), ("sigmoid", "sigmoid"), ("relu", "relu"),
    ("gelu", "gelu", "gelu_tanh"), ("no_silu", "no_silu"), ("both", "both"),
    ("silu_last", "silu_last"), ("added", "added"),
    ("no_gate", "up_alone", "gate_alone"), ("one_matrix", "gate_twice", "up_twice"),
    ("softmax", "softmax"), ("residual", "residual")]


@exercise("22-6", points=1)
def check_22_6(swiglu):
    cases, got = list(some_gates()), []
    for case in cases:
        returned = ask(swiglu, *case)
        x, gate, _, _ = case
        wide = (*x.shape[:-1], len(gate))
        refuse(getattr(returned, "shape", None) == wide != x.shape, "not_down",
               numbers=len(gate), width=x.shape[-1])
        got.append(tensor(returned, x.shape, "result"))
        other_kind(returned, x, "result")
    right = [gated(*case) for case in cases]
    if not close(got, right, 1e-6):
        blame(got, [(code, *[[gated(*case, kind) for case in cases] for kind in kinds])
                    for code, *kinds in WRONG_GATES], 1e-6)
        for mine, wanted in zip(got, right):
            if not close(mine, wanted, 1e-6):
                wrong_row("wrong_result", mine, wanted)
    x, gate, up, down = (part.clone().requires_grad_() for part in cases[0])
    same_slopes(swiglu(x, gate, up, down), gated(x, gate, up, down), x=x, gate=gate,
                up=up, down=down)
    stays_where_it_is(swiglu, x, gate, up, down)
