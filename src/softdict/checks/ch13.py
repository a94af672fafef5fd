"""Checks for the exercises of chapter 13, depth that holds."""

import math

import torch

from softdict.checks.answers import (
    ask, blame, close, learns, number, pair, right_sums, short, something, tensor,
    two_tensors, wrong_row)
from softdict.checks.elsewhere import stays_where_it_is
from softdict.checks.result import Mistake, exercise, refuse
from softdict.transformer import EncoderLayer, TransformerConfig


# 13-1, one matrix for two

@exercise("13-1", points=1)
def check_13_1(one_for_two):
    torch.manual_seed(21)
    for D, F in ((3, 5), (6, 2), (4, 4)):
        W_1, b_1, W_2, b_2 = map(torch.randn, ((D, F), (F,), (F, D), (D,)))
        returned = ask(one_for_two, W_1, b_1, W_2, b_2,
                       likely=[("added_biases", "must match the size")])
        W, b = matrix_and_bias(returned, D, F)
        right, bias = (W_1 @ W_2).double(), b_1 @ W_2 + b_2
        if not close(W, right):
            blame(W, [("wrong_order", W_2 @ W_1), ("transposed-W", right.T),
                      ("bias_inside", right + bias)])
            wrong_row("wrong_matrix", W, right)
        if not close(b, bias):
            blame(b, [
                ("forgets_first_bias", b_2),
                ("forgets_second_bias", b_1 @ W_2),
                ("first_bias_as_it_is", b_1.sum() + b_2, b_1.mean() + b_2,
                 *([b_1 + b_2] if D == F else [])),
                ("last_alone", b_1[-1] * W_2[-1] + b_2),
                ("relu_inside", b_1.relu() @ W_2 + b_2)])
            raise Mistake("wrong_bias", right=short(bias), got=short(b))


def matrix_and_bias(returned, D, F):
    """W [D, D] and b [D], if they were returned; raises Mistake otherwise."""
    W, b = pair(returned)
    shapes = [list(getattr(part, "shape", ())) for part in returned]
    refuse(list(map(len, shapes)) == [1, 2], "swapped")
    refuse(shapes[0] == [F, F] != [D, D], "wrong_order")
    return tensor(W, (D, D), "matrix_W"), tensor(b, (D,), "bias_b")


# 13-2, what comes back

def bend(size, speed):
    """A layer of one number and its slope."""
    return (lambda x: size * math.sin(speed * x)), (
        lambda x: size * speed * math.cos(speed * x))


def walk(x, layers, added):
    """The number that arrives at each layer, and what comes out of the last."""
    places = [x]
    for f, _ in layers:
        x = f(x) + added * x
        places.append(x)
    return places


@exercise("13-2", points=2)
def check_13_2(comes_back):
    square = (lambda x: 0.5 * x * x), (lambda x: x)
    trials = [(0.7, [bend(0.8, 1.3), square, bend(1.5, 0.6), bend(-0.4, 2.0)]),
              (-1.2, [square, bend(0.9, 1.1), bend(0.5, -0.7)]),
              (0.4, [bend(0.6, 0.9)]), (2.0, [])]
    for x, layers in trials:
        for added in (False, True):
            got = number(comes_back(x, list(layers), added))
            places = walk(x, layers, added)
            slopes = [slope(place) for (_, slope), place in zip(layers, places)]
            right = math.prod(slope + added for slope in slopes)
            if close(got, right):
                continue
            refuse(not layers and got == 0, "empty_stack")
            explain(got, x, layers, added, places, slopes)
            raise Mistake("wrong_slope", added=added, layers=len(layers), right=right,
                          x=x, got=got)


def explain(got, x, layers, added, places, slopes):
    """Raises the Mistake that explains a slope which is not the right one."""
    def along(row):
        return math.prod(slope(place) + added for (_, slope), place in zip(layers, row))

    bare, always = walk(x, layers, False), walk(x, layers, True)
    back = layers[::-1]
    blame(got, [
        ("returns_word", places[-1]),
        ("same_place", along([x] * len(layers))),
        ("too_late", along(places[1:])),
        ("not_carried", along(bare)),
        ("last_first", math.prod(slope(place) + added for (_, slope), place in zip(
            back, walk(x, back, added)))),
        ("slopes_added", *(start + sum(slopes) + bypasses for start in (0, 1)
                           for bypasses in (0, added * len(slopes)))),
        ("last_only", slopes[-1] + added if slopes else math.nan)])
    if added:
        blame(got, [
            ("no_bypass", math.prod(slopes),
             math.prod(slope(place) for (_, slope), place in zip(layers, bare))),
            ("one_bypass", 1 + math.prod(slopes),
             1 + math.prod(slope(place) for (_, slope), place in zip(layers, bare)))])
    else:
        blame(got, [("always_added", *(
            math.prod(1 + slope(place) for (_, slope), place in zip(layers, row))
            for row in (places, always)))])


# 13-3, layer norm in loops

@exercise("13-3", points=2)
def check_13_3(layer_norm):
    torch.manual_seed(23)
    for T, D, eps in ((5, 4, 0.3), (3, 7, 1e-5), (4, 4, 0.1)):
        words = 2 * torch.randn(T, D, dtype=torch.float64) + 1
        gain, bias = torch.randn(2, D, dtype=torch.float64).unbind()
        check_norm(layer_norm, words, gain, bias, eps)
    words[1] = 3.0
    check_norm(layer_norm, words, gain, bias, 1e-5)


def check_norm(layer_norm, words, gain, bias, eps):
    """Raises the Mistake that explains normalised words which are not right."""
    returned = tensor(ask(layer_norm, words, gain, bias, eps), words.shape, "result")

    def norm(axes=-1, unbiased=False, scale=lambda variance: (variance + eps).sqrt()):
        left = words - words.mean(dim=axes, keepdim=True)
        spread = scale(words.var(dim=axes, keepdim=True, unbiased=unbiased))
        return left / spread * gain + bias

    def beside(variance):
        return variance.sqrt() + eps

    right, squares = norm(), words.square().mean(-1, keepdim=True)
    if close(returned, right):
        return
    refuse(not returned.isfinite().all(), "not_finite")
    plain = (right - bias) / gain
    left = words - words.mean(-1, keepdim=True)
    spread = (words.var(-1, keepdim=True, unbiased=False) + eps).sqrt()
    sums, going_on = words.sum(-1, keepdim=True), []
    for total in (sums, sums.cumsum(0)):
        away = words - total / words.shape[1]
        one = away.square().sum(-1, keepdim=True)
        going_on += [away / (squares / words.shape[1] + eps).sqrt() * gain + bias
                     for squares in (one, one.cumsum(0))]
    blame(returned, [
        ("goes_on", *going_on),    # the first of them is right, and not what was got
        ("no_gain_no_bias", plain),
        ("no_gain", plain + bias),
        ("no_bias", plain * gain),
        ("bias_first", (plain + bias) * gain),
        ("unbiased", norm(unbiased=True)),
        ("eps_beside", norm(scale=beside)),
        ("unbiased_eps_beside", norm(unbiased=True, scale=beside)),
        ("unbiased_no_eps", norm(unbiased=True, scale=torch.sqrt)),
        ("eps_squared", norm(scale=lambda variance: (variance + eps * eps).sqrt())),
        ("no_eps", norm(scale=torch.sqrt)),
        ("no_root", norm(scale=lambda variance: variance + eps)),
        ("not_scaled", norm(scale=torch.ones_like)),
        ("over_time", norm(0)),
        ("whole_sentence", norm((0, 1))),
        ("not_centred", words / (squares + eps).sqrt() * gain + bias),
        ("not_centred-deviation", words / spread * gain + bias),
        ("squares_not_centred", left / (squares + eps).sqrt() * gain + bias)])
    if len(words) == words.shape[1]:
        blame(returned, [("gain_for_words", plain * gain[:, None] + bias[:, None])])
    wrong_row("wrong_numbers", returned, right)


# 13-5, listen to all alike

def even_weights(allowed, shape):
    """Equal weights over what may be looked at; a row without any is all 0."""
    if allowed is None:
        allowed = torch.ones(shape, dtype=torch.bool)
    open_places = allowed.broadcast_to(shape).double()
    return open_places / open_places.sum(dim=-1, keepdim=True).clamp(min=1)


@exercise("13-5", points=2)
def check_13_5(even):
    torch.manual_seed(25)
    B, H, T, S, K = 2, 3, 5, 7, 4
    some = torch.rand(B, 1, T, S) < 0.6
    some[..., 0] = True
    nothing = some.clone()
    nothing[1, 0, 2:4] = False
    nothing[1, 0, 3, 4] = True    # one key alone
    places = torch.tensor([1, 0, 1, 1, 0, 1, 1]).bool().expand(B, 1, 1, S)
    for allowed in (None, places, some, some[0, 0], nothing):
        query, key, value = (torch.randn(B, H, size, K) for size in (T, S, S))
        returned = ask(even, query, key, value, allowed,
                       likely=[("square", "[6, 5] but got: [6, 7]")])
        bare = (T, S) if allowed is None else tuple(allowed.shape)
        refuse(isinstance(returned, tuple) and getattr(returned[-1], "shape", None)
               == bare, "shape_of_mask", got=list(bare), right=[B, H, T, S])
        returned = two_tensors(returned, [(B, H, T, K), (B, H, T, S)], "contexts")
        inspect_even(returned, query, key, value.double(), allowed, (B, H, T, S))
        value.requires_grad_()
        learns(lambda value: even(query, key, value, allowed)[0], [value])
    stays_where_it_is(even, query, key, value, device="query.device")


def inspect_even(returned, query, key, value, allowed, shape):
    """Raises the Mistake that explains weights which are not even."""
    context, weights = returned
    right = even_weights(allowed, shape)
    if close(weights, right):
        return right_sums("wrong_context", context, right @ value)
    S = shape[-1]
    refuse(not weights.isfinite().all(), "nan_row")
    scores = (query @ key.transpose(-2, -1)).double() / query.shape[-1] ** 0.5
    marks = torch.ones(shape) if allowed is None else allowed.broadcast_to(shape)
    hidden = ~marks.bool()
    blame(weights, [
        ("chooses", scores.softmax(dim=-1),
         *(scores.masked_fill(hidden, low).softmax(dim=-1).nan_to_num(0)
           for low in (-1e9, -math.inf))),
        ("mask_ignored", torch.full(shape, 1 / S)),
        ("counts_hidden", marks.double() / S),
        ("not_divided", marks.double(), torch.ones(shape)),
        ("upside_down", even_weights(hidden, shape)),
        ("over_queries",
         marks.double() / marks.double().sum(dim=-2, keepdim=True).clamp(min=1))])
    empty = right.sum(dim=-1) == 0
    refuse(empty.any() and close(weights[~empty], right[~empty]), "looks_anyway")
    wrong_row("wrong_weights", weights, right)


# 13-6, layers that start apart

def trained_block():
    """A block whose parameters are no longer those that it was born with."""
    block = EncoderLayer(TransformerConfig(12, heads=3, hidden=20))
    for part in block.parameters():
        torch.nn.init.normal_(part, std=0.2)
    return block


@exercise("13-6", points=2)
def check_13_6(start_apart):
    torch.manual_seed(26)
    layer, N = trained_block(), 3
    before = {name: part.detach().clone() for name, part in layer.named_parameters()}
    layers = something(start_apart(layer, N))
    refuse(not all(torch.equal(part, before[name])
                   for name, part in layer.named_parameters()), "layer_changed")
    refuse(isinstance(layers, (list, tuple)), "plain_list")
    refuse(not isinstance(layers, torch.nn.ModuleList), "no_module_list",
           kind=type(layers).__name__)
    refuse(len(layers) != N, "wrong_number", N=N, got=len(layers))
    tables = [dict(one.named_parameters()) for one in layers]
    refuse(any(type(one) is not type(layer) or list(table) != list(before)
               for one, table in zip(layers, tables)), "other_kind")
    refuse(any(table[name].shape != part.shape for table in tables
               for name, part in before.items()), "fixed_sizes")
    inspect_starts(tables, before, dict(layer.named_parameters()))
    torch.manual_seed(27)
    again = start_apart(layer, N)
    torch.manual_seed(28)
    other = start_apart(layer, N)
    refuse(all(map(torch.equal, again.parameters(), other.parameters())), "seeded")
    bare = torch.nn.Linear(5, 4)
    refuse(any(torch.equal(one.weight, bare.weight) for one in start_apart(bare, 2)),
           "itself_kept")
    mixed = torch.nn.Sequential(torch.nn.Embedding(5, 4), bare)
    refuse(any(torch.equal(one[0].weight, mixed[0].weight)
               for one in start_apart(mixed, 2)), "kinds_named")


def inspect_starts(tables, before, given):
    """Raises the Mistake that explains layers which do not start apart."""
    first, last = tables[0], tables[-1]
    for name in before:
        refuse(first[name] is last[name], "shared")
        refuse(first[name] is given[name], "holds_layer")
    drawn = [name for name in before if "norm" not in name]
    kept = {name for name in before if torch.equal(last[name], before[name])}
    refuse(kept == set(drawn), "children_only")
    refuse(all(torch.equal(first[name], last[name]) for name in drawn), "alike")
    refuse(all(torch.equal(first[name], before[name]) for name in drawn), "first_kept")
    for name in drawn:
        refuse(torch.equal(first[name], last[name]), "biases_kept", name=name)
    for name in before.keys() - set(drawn):
        start = float(name.endswith("weight"))
        refuse(torch.equal(last[name], before[name]), "norms_kept", name=name)
        refuse(not (last[name] == start).all(), "norms_drawn", name=name)
    for name in drawn:
        bound = before[name.replace("bias", "weight")].shape[1] ** -0.5
        deviation = (last[name] - before[name]).std()
        refuse(deviation < 0.05, "noise")
        refuse(last[name].abs().max() > 1.01 * bound, "other_size", name=name)
