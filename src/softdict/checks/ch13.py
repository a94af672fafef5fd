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

ORDER = ("the matrices are multiplied in the wrong order: a word stands before its "
         "matrix, so it meets W_1 first.")


@exercise("13-1", points=1)
def check_13_1(one_for_two):
    torch.manual_seed(21)
    for D, F in ((3, 5), (6, 2), (4, 4)):
        W_1, b_1, W_2, b_2 = map(torch.randn, ((D, F), (F,), (F, D), (D,)))
        W, b = matrix_and_bias(ask(one_for_two, W_1, b_1, W_2, b_2, likely=[
            ("added_biases", "b_1 is [F] and b_2 is [D]: what happens to b_1 before "
             "b_2 is added?", "must match the size")]), D, F)
        right, bias = (W_1 @ W_2).double(), b_1 @ W_2 + b_2
        if not close(W, right):
            blame(W, [
                ("wrong_order", ORDER, W_2 @ W_1),
                ("transposed", "your W is turned over.", right.T),
                ("bias_inside", "each row of your W has the bias in it: take away what "
                 "comes back for a word of zeros.", right + bias)])
            wrong_row("wrong_matrix", "matrix W", W, right)
        if not close(b, bias):
            blame(b, [
                ("forgets_first_bias", "W is right; the first bias is lost. What comes "
                 "back for a word of zeros?", b_2),
                ("forgets_second_bias", "W is right; the second bias is lost.",
                 b_1 @ W_2),
                ("first_bias_as_it_is", "W is right; b_1 must go through W_2 before "
                 "b_2 is added.", b_1.sum() + b_2, b_1.mean() + b_2,
                 *([b_1 + b_2] if D == F else [])),
                ("last_alone", "W is right; in your b only the last number of b_1 "
                 "counts; add up what all of them give.", b_1[-1] * W_2[-1] + b_2),
                ("relu_inside", "there is no relu here: it was forgotten, which is the "
                 "point.", b_1.relu() @ W_2 + b_2)])
            raise Mistake("wrong_bias", f"W is right; b should be {short(bias)} and "
                          f"yours is {short(b)}.")
    return "one matrix and one bias do what two did."


def matrix_and_bias(returned, D, F):
    """W [D, D] and b [D], if they were returned; raises Mistake otherwise."""
    W, b = pair(returned, "W", "b")
    shapes = [list(getattr(part, "shape", ())) for part in returned]
    refuse(list(map(len, shapes)) == [1, 2], "swapped", "return W first and b second.")
    refuse(shapes[0] == [F, F] != [D, D], "wrong_order", ORDER)
    return tensor(W, (D, D), "matrix W"), tensor(b, (D,), "bias b")


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
            refuse(not layers and got == 0, "empty_stack",
                   "a stack without layers hands on x: its slope is 1.")
            explain(got, x, layers, added, places, slopes)
            raise Mistake("wrong_slope",
                          f"with added={added} the stack of {len(layers)} layers has "
                          f"the slope {right:.4f} at x = {x}; yours is {got:.4f}.")
    return "slopes multiply, and each bypass adds 1 to its own."


def explain(got, x, layers, added, places, slopes):
    """Raises the Mistake that explains a slope which is not the right one."""
    def along(row):
        return math.prod(slope(place) + added for (_, slope), place in zip(layers, row))

    bare, always = walk(x, layers, False), walk(x, layers, True)
    back = layers[::-1]
    blame(got, [
        ("returns_word", "that is the number that comes out; its slope is asked for.",
         places[-1]),
        ("same_place", "yours takes every slope at x; each layer gets what the layer "
         "below handed on.", along([x] * len(layers))),
        ("too_late", "yours takes a layer's slope at what comes out of it; take it at "
         "what goes in.", along(places[1:])),
        ("not_carried", "the factors are right, but x is lost on the way up: the next "
         "layer reads x + f(x).", along(bare)),
        ("last_first", "yours goes through the layers from the last to the first; x "
         "goes into the first.",
         math.prod(slope(place) + added
                   for (_, slope), place in zip(back, walk(x, back, added)))),
        ("slopes_added", "yours adds the slopes; by the chain rule they multiply.",
         sum(slopes), sum(slope + added for slope in slopes)),
        ("last_only", "that is the slope of the last layer alone.",
         slopes[-1] + added if slopes else math.nan)])
    if added:
        blame(got, [
            ("no_bypass", "the bypass is missing: what is the slope of x + f(x)?",
             math.prod(slopes),
             math.prod(slope(place) for (_, slope), place in zip(layers, bare))),
            ("one_bypass", "yours has one bypass round the whole stack; each layer has "
             "one.", 1 + math.prod(slopes),
             1 + math.prod(slope(place) for (_, slope), place in zip(layers, bare)))])
    else:
        blame(got,
              [("always_added", "this stack has no bypass: added is False.",
                *(math.prod(1 + slope(place) for (_, slope), place in zip(layers, row))
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
    return "each word has its own mean and variance, each feature its gain and bias."


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
    refuse(not returned.isfinite().all(), "not_finite", "a word whose numbers are all "
           "alike becomes nan or infinite; where does eps stand?")
    plain = (right - bias) / gain
    left = words - words.mean(-1, keepdim=True)
    spread = (words.var(-1, keepdim=True, unbiased=False) + eps).sqrt()
    blame(returned, [
        ("no_gain_no_bias", "the words are normal; gain and bias are missing.", plain),
        ("no_gain", "the gain is missing.", plain + bias),
        ("no_bias", "the bias is missing.", plain * gain),
        ("bias_first", "the gain multiplies first, then the bias is added.",
         (plain + bias) * gain),
        ("unbiased", "your variance divides by D - 1; it is the mean of D squares.",
         norm(unbiased=True)),
        ("eps_beside", "eps is added to the variance, under the root.",
         norm(scale=beside)),
        ("unbiased_eps_beside", "two things: std divides by D - 1, and eps belongs to "
         "the variance, under the root.", norm(unbiased=True, scale=beside)),
        ("unbiased_no_eps", "two things: your variance divides by D - 1, and eps is "
         "missing.", norm(unbiased=True, scale=torch.sqrt)),
        ("eps_squared", "eps is added as it is, not squared.",
         norm(scale=lambda variance: (variance + eps * eps).sqrt())),
        ("no_eps", "the eps that was given is missing; without any, a word of equal "
         "numbers becomes nan.", norm(scale=torch.sqrt)),
        ("no_root", "yours divides by the variance; divide by its root.",
         norm(scale=lambda variance: variance + eps)),
        ("not_scaled", "yours only takes the mean away; divide by the root, too.",
         norm(scale=torch.ones_like)),
        ("over_time", "your mean runs over the words, for each feature. How many means "
         "are there for a sentence of five words?", norm(0)),
        ("whole_sentence", "you take one mean for the whole sentence. How many are "
         "there for a sentence of five words?", norm((0, 1))),
        ("not_centred", "the mean is not taken away.",
         words / (squares + eps).sqrt() * gain + bias),
        ("not_centred", "the standard deviation is right, but the mean is not taken "
         "away.", words / spread * gain + bias),
        ("squares_not_centred", "the squares are those of the distances from the mean, "
         "and not of the numbers themselves.",
         left / (squares + eps).sqrt() * gain + bias)])
    if len(words) == words.shape[1]:
        blame(returned,
              [("gain_for_words", "gain and bias belong to the features, the columns, "
                "and not to the words.", plain * gain[:, None] + bias[:, None])])
    wrong_row("wrong_numbers", "result", returned, right)


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
        returned = ask(even, query, key, value, allowed, likely=[
            ("square", "a product of yours has T columns where the S keys should be; "
             "weights are [B, H, T, S], without a mask too.",
             "[6, 5] but got: [6, 7]")])
        bare = (T, S) if allowed is None else tuple(allowed.shape)
        refuse(isinstance(returned, tuple)
               and getattr(returned[-1], "shape", None) == bare, "shape_of_mask",
               f"your weights have a mask's shape, {list(bare)}; there are weights for "
               f"each sentence and head: {[B, H, T, S]}.")
        returned = two_tensors(returned, [(B, H, T, K), (B, H, T, S)], "contexts")
        inspect_even(returned, query, key, value.double(), allowed, (B, H, T, S))
        value.requires_grad_()
        learns(lambda value: even(query, key, value, allowed)[0], [value])
    stays_where_it_is(even, query, key, value, device="query.device")
    return "every word listens to all that it may, and chooses none."


def inspect_even(returned, query, key, value, allowed, shape):
    """Raises the Mistake that explains weights which are not even."""
    context, weights = returned
    right = even_weights(allowed, shape)
    if close(weights, right):
        return right_sums("wrong_context", "contexts", context, right @ value)
    S = shape[-1]
    refuse(not weights.isfinite().all(), "nan_row",
           "a word that may look at nothing gets nan or infinity; its count is 0.")
    scores = (query @ key.transpose(-2, -1)).double() / query.shape[-1] ** 0.5
    marks = torch.ones(shape) if allowed is None else allowed.broadcast_to(shape)
    hidden = ~marks.bool()
    blame(weights, [
        ("chooses", "yours chooses: query and key should have no say.",
         scores.softmax(dim=-1),
         *(scores.masked_fill(hidden, low).softmax(dim=-1).nan_to_num(0)
           for low in (-1e9, -math.inf))),
        ("mask_ignored", "yours listens to all words, and to the hidden ones too.",
         torch.full(shape, 1 / S)),
        ("counts_hidden", "yours divides by the number of all words; divide by how "
         "many may be looked at.", marks.double() / S),
        ("not_divided", "your weights do not add up to 1.", marks.double(),
         torch.ones(shape)),
        ("upside_down", "yours listens to the hidden words: True means may look.",
         even_weights(hidden, shape)),
        ("over_queries",
         "your columns add up to 1; rows are words that look, and rows should.",
         marks.double() / marks.double().sum(dim=-2, keepdim=True).clamp(min=1))])
    empty = right.sum(dim=-1) == 0
    refuse(
        empty.any() and close(weights[~empty], right[~empty]), "looks_anyway",
        "a word that may look at nothing should have weights of 0; yours looks anyway.")
    wrong_row("wrong_weights", "weights", weights, right)


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
                   for name, part in layer.named_parameters()), "layer_changed",
           "yours draws the given layer anew; it should stay as it is.")
    refuse(isinstance(layers, (list, tuple)), "plain_list", "a model does not see the "
           "parameters of a Python list, so nothing would train them.")
    refuse(not isinstance(layers, torch.nn.ModuleList), "no_module_list",
           f"return an nn.ModuleList; yours is a {type(layers).__name__}.")
    refuse(len(layers) != N, "wrong_number", f"{N} layers were asked for; you return "
           f"{len(layers)}.")
    tables = [dict(one.named_parameters()) for one in layers]
    refuse(any(type(one) is not type(layer) or list(table) != list(before)
               for one, table in zip(layers, tables)), "other_kind",
           "each should be a layer of the same kind as the one that was given.")
    refuse(any(table[name].shape != part.shape
               for table in tables for name, part in before.items()), "fixed_sizes",
           "your layers have other sizes than the layer that was given; make them "
           "after it.")
    inspect_starts(tables, before, dict(layer.named_parameters()))
    torch.manual_seed(27)
    again = start_apart(layer, N)
    torch.manual_seed(28)
    other = start_apart(layer, N)
    refuse(all(map(torch.equal, again.parameters(), other.parameters())), "seeded",
           "yours sets a seed, so a second stack begins just as the first.")
    return "as many layers as were asked for, and no two begin alike."


def inspect_starts(tables, before, given):
    """Raises the Mistake that explains layers which do not start apart."""
    first, last = tables[0], tables[-1]
    for name in before:
        refuse(first[name] is last[name], "shared", "your layers are one layer, named "
               "several times: they share their parameters.")
        refuse(first[name] is given[name], "holds_layer",
               "the given layer itself is in your list; make new ones only.")
    drawn = [name for name in before if "norm" not in name]
    refuse(all(torch.equal(first[name], last[name]) for name in drawn), "alike",
           "your layers have parameters of their own, but begin with the same numbers.")
    refuse(all(torch.equal(first[name], before[name]) for name in drawn), "first_kept",
           "your first layer begins with the numbers of the given one.")
    for name in drawn:
        refuse(torch.equal(first[name], last[name]), "biases_kept",
               f"{name} is still the same in every layer.")
    for name in before.keys() - set(drawn):
        start = float(name.endswith("weight"))
        refuse(torch.equal(last[name], before[name]), "norms_kept",
               f"{name} still has the numbers of the given layer; a norm begins with "
               "gain 1 and bias 0.")
        refuse(not (last[name] == start).all(), "norms_drawn",
               f"{name} is drawn at random; a norm begins with gain 1 and bias 0.")
    for name in drawn:
        bound = before[name.replace("bias", "weight")].shape[1] ** -0.5
        deviation = (last[name] - before[name]).std()
        refuse(deviation < 0.05, "noise",
               "yours stays near the given layer; draw the numbers anew.")
        refuse(last[name].abs().max() > 1.01 * bound, "other_size",
               f"{name} has larger numbers than PyTorch gives it at the start.")
