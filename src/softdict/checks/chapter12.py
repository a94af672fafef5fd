"""Checks for the exercises of chapter 12, depth that holds."""

import math

import torch

from softdict.checks.chapter08 import two, unchanged
from softdict.checks.result import Mistake, attempt, close, exercise, number, short


def tensor_of(returned, shape, what):
    """The one tensor that the reader's function returned, in float64; raises Mistake unless it has this shape."""
    if returned is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    if not isinstance(returned, torch.Tensor):
        raise Mistake("no_tensor", f"the {what} should be a tensor; yours is of type {type(returned).__name__}.")
    if tuple(returned.shape) != shape:
        raise Mistake("wrong_shape", f"the {what} should be {list(shape)} here; yours is {list(returned.shape)}.")
    return returned.detach().double()


# 12-1, one matrix for two

ORDER = "the matrices are multiplied in the wrong order: a word stands before its matrix, so it meets W_1 first."


@exercise("12-1", points=1)
def check_12_1(one_for_two):
    torch.manual_seed(21)
    for D, F in ((3, 5), (6, 2), (4, 4)):
        W_1, b_1, W_2, b_2 = torch.randn(D, F), torch.randn(F), torch.randn(F, D), torch.randn(D)
        given = [part.clone() for part in (W_1, b_1, W_2, b_2)]
        W, b = matrix_and_bias(attempt(lambda: one_for_two(*given), (
            "must match the size", "added_biases", "b_1 is [F] and b_2 is [D]: what happens to b_1 before b_2 is added?"
        )), D, F)
        unchanged(given, (W_1, b_1, W_2, b_2))
        right, bias = W_1 @ W_2, b_1 @ W_2 + b_2
        likely = [("wrong_order", W_2 @ W_1, ORDER), ("transposed", right.T, "your W is turned over.")]
        for code, wrong, sentence in likely if not close(W, right) else []:
            if close(W, wrong):
                raise Mistake(code, sentence)
        if not close(W, right):
            raise Mistake("wrong_matrix", f"the first row of W should be {short(right[0])}; yours is {short(W[0])}.")
        likely = [("forgets_first_bias", b_2, "W is right; the first bias is lost. What comes back for a word of "
                                              "zeros?"),
                  ("forgets_second_bias", b_1 @ W_2, "W is right; the second bias is lost."),
                  ("relu_inside", b_1.relu() @ W_2 + b_2, "there is no relu here: it was forgotten, which is the "
                                                          "point.")]
        for code, wrong, sentence in likely if not close(b, bias) else []:
            if close(b, wrong):
                raise Mistake(code, sentence)
        if not close(b, bias):
            raise Mistake("wrong_bias", f"W is right; b should be {short(bias)} and yours is {short(b)}.")
    return "one matrix and one bias do what two did."


def matrix_and_bias(returned, D, F):
    """W [D, D] and b [D], in float64; raises Mistake unless two tensors of these shapes were returned."""
    if returned is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    if not isinstance(returned, (tuple, list)) or len(returned) != 2:
        raise Mistake("not_two_things", "return two things, W and b.")
    W, b = returned
    if isinstance(W, torch.Tensor) and W.dim() == 1 and isinstance(b, torch.Tensor) and b.dim() == 2:
        raise Mistake("swapped", "return W first and b second.")
    if isinstance(W, torch.Tensor) and tuple(W.shape) == (F, F) != (D, D):
        raise Mistake("wrong_order", ORDER)
    return tensor_of(W, (D, D), "matrix W"), tensor_of(b, (D,), "bias b")


# 12-2, what comes back

def bend(size, speed):
    """A layer of one number and its slope."""
    return (lambda x: size * math.sin(speed * x)), (lambda x: size * speed * math.cos(speed * x))


def walk(x, layers, added):
    """The number that arrives at each layer, and what comes out of the last."""
    places = [x]
    for f, _ in layers:
        x = f(x) + added * x
        places.append(x)
    return places


@exercise("12-2", points=2)
def check_12_2(comes_back):
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
            explain(got, x, layers, added, places, slopes)
            raise Mistake("wrong_slope", f"with added={added} the stack of {len(layers)} layers has the slope "
                                         f"{right:.4f} at x = {x}; yours is {got:.4f}.")
    return "slopes multiply, and each bypass adds 1 to its own."


def explain(got, x, layers, added, places, slopes):
    """Raises the Mistake that explains a slope which is not the right one."""
    bare = walk(x, layers, False)
    likely = [
        ("returns_word", places[-1], "that is the number that comes out; its slope is asked for."),
        ("same_place", math.prod(slope(x) + added for _, slope in layers),
         "yours takes every slope at x; each layer gets what the layer below handed on."),
        ("too_late", math.prod(slope(place) + added for (_, slope), place in zip(layers, places[1:])),
         "yours takes a layer's slope at what comes out of it; take it at what goes in."),
        ("not_carried", math.prod(slope(place) + added for (_, slope), place in zip(layers, bare)),
         "the factors are right, but x is lost on the way up: the next layer reads x + f(x)."),
        ("slopes_added", sum(slopes), "yours adds the slopes; by the chain rule they multiply."),
        ("slopes_added", sum(slope + added for slope in slopes), "yours adds the slopes; by the chain rule they "
                                                                 "multiply."),
        ("last_only", slopes[-1] + added if slopes else None, "that is the slope of the last layer alone."),
    ]
    if added:
        likely += [
            ("no_bypass", math.prod(slopes), "the bypass is missing: what is the slope of x + f(x)?"),
            ("no_bypass", math.prod(slope(place) for (_, slope), place in zip(layers, bare)),
             "the bypass is missing: what is the slope of x + f(x)?"),
            ("one_bypass", 1 + math.prod(slopes), "yours has one bypass round the whole stack; each layer has one."),
        ]
    else:
        always = walk(x, layers, True)
        likely += [("always_added", math.prod(1 + slope(place) for (_, slope), place in zip(layers, row)),
                    "this stack has no bypass: added is False.") for row in (places, always)]
    for code, wrong, sentence in likely:
        if wrong is not None and close(got, wrong):
            raise Mistake(code, sentence)


# 12-3, layer norm in loops

@exercise("12-3", points=2)
def check_12_3(layer_norm):
    torch.manual_seed(23)
    for T, D, eps in ((5, 4, 0.3), (3, 7, 1e-5), (4, 4, 0.1)):
        words = 2 * torch.randn(T, D, dtype=torch.float64) + 1
        gain, bias = torch.randn(2, D, dtype=torch.float64).unbind()
        check_norm(layer_norm, words, gain, bias, eps)
    words[1] = 3.0
    check_norm(layer_norm, words, gain, bias, 1e-5)
    return "each word has its own mean and spread, and each feature its gain and bias."


def check_norm(layer_norm, words, gain, bias, eps):
    """Raises the Mistake that explains normalised words which are not right."""
    given = [part.clone() for part in (words, gain, bias)]
    returned = tensor_of(layer_norm(*given, eps), tuple(words.shape), "result")
    unchanged(given, (words, gain, bias))

    def norm(axes=-1, unbiased=False, scale=lambda variance: (variance + eps).sqrt()):
        left = words - words.mean(dim=axes, keepdim=True)
        return left / scale(words.var(dim=axes, keepdim=True, unbiased=unbiased))

    right = norm()
    if close(returned, right * gain + bias):
        return
    if not returned.isfinite().all():
        raise Mistake("not_finite", "a word whose numbers are all alike becomes nan or infinite; where does eps stand?")
    square = len(words) == words.shape[1]
    likely = [
        ("no_gain_no_bias", right, "the words are normal; gain and bias are missing."),
        ("no_gain", right + bias, "the gain is missing."),
        ("no_bias", right * gain, "the bias is missing."),
        ("bias_first", (right + bias) * gain, "the gain multiplies first, then the bias is added."),
        ("unbiased", norm(unbiased=True) * gain + bias, "your variance divides by D - 1; it is the mean of D squares."),
        ("eps_beside", norm(scale=lambda variance: variance.sqrt() + eps) * gain + bias,
         "eps is added to the variance, under the root."),
        ("unbiased_eps_beside", norm(unbiased=True, scale=lambda variance: variance.sqrt() + eps) * gain + bias,
         "two things: std divides by D - 1, and eps belongs to the variance, under the root."),
        ("eps_squared", norm(scale=lambda variance: (variance + eps * eps).sqrt()) * gain + bias,
         "eps is added as it is, not squared."),
        ("no_eps", norm(scale=torch.sqrt) * gain + bias,
         "the eps that was given is missing; without any, a word of equal numbers becomes nan."),
        ("no_root", norm(scale=lambda variance: variance + eps) * gain + bias,
         "yours divides by the variance; divide by its root."),
        ("not_scaled", norm(scale=torch.ones_like) * gain + bias, "yours only takes the mean away; the spread counts "
                                                                  "too."),
        ("over_time", norm(0) * gain + bias, "your mean runs over the words, for each feature. How many means are "
                                             "there for a sentence of five words?"),
        ("whole_sentence", norm((0, 1)) * gain + bias, "you take one mean for the whole sentence. How many are there "
                                                       "for a sentence of five words?"),
        ("not_centred", words / (words.square().mean(-1, keepdim=True) + eps).sqrt() * gain + bias,
         "the mean is not taken away."),
        ("not_centred", words / (words.var(-1, keepdim=True, unbiased=False) + eps).sqrt() * gain + bias,
         "the spread is right, but the mean is not taken away."),
        ("squares_not_centred", (words - words.mean(-1, keepdim=True))
         / (words.square().mean(-1, keepdim=True) + eps).sqrt() * gain + bias,
         "the squares are those of the distances from the mean, and not of the numbers themselves."),
    ]
    if square:
        likely.append(("gain_for_words", right * gain[:, None] + bias[:, None], "gain and bias belong to the features, "
                                                                               "the columns, and not to the words."))
    for code, wrong, sentence in likely:
        if close(returned, wrong):
            raise Mistake(code, sentence)
    raise Mistake("wrong_numbers", f"the first word should be {short((right * gain + bias)[0])}; yours is "
                                   f"{short(returned[0])}.")


# 12-4, find the bug

@exercise("12-4", points=2)
def check_12_4(right_block):
    torch.manual_seed(24)
    words = 2 * torch.randn(2, 5, 12, dtype=torch.float64) + 1
    mixes, thinks = torch.randn(2, 12, 12, dtype=torch.float64).unbind()
    gains = torch.randn(2, 12, dtype=torch.float64)

    def look(words):
        return words.mean(dim=1, keepdim=True) @ mixes + 0.3 * words

    def think(words):
        return (words @ thinks).relu()

    def first(words):
        return torch.nn.functional.layer_norm(words, (12,), gains[0])

    def second(words):
        return torch.nn.functional.layer_norm(words, (12,), None, gains[1])

    given = words.clone()
    returned = tensor_of(right_block(given, look, think, first, second), (2, 5, 12), "new words")
    unchanged([given], [words])
    looked = words + look(first(words))
    if close(returned, looked + think(second(looked))):
        silent = right_block(words.clone(), torch.zeros_like, torch.zeros_like, first, second)
        if not close(silent, words):
            raise Mistake("not_kept", "with both layers switched off, the words should remain.")
        return "nothing stands on the path of the words but two sums."
    likely = list(other_blocks(words, look, think, first, second))
    for code, wrong, sentence in likely:
        if close(returned, wrong):
            raise Mistake(code, sentence)
    silent = right_block(words.clone(), torch.zeros_like, torch.zeros_like, first, second)
    if isinstance(silent, torch.Tensor) and not close(silent, words):
        raise Mistake("not_kept", "with both layers switched off, the words should remain. What else is on their path?")
    raise Mistake("wrong_words", "with both layers switched off the words remain, but a layer reads the wrong thing.")


def other_blocks(words, look, think, first, second):
    """(code, result, sentence) of blocks that are put together otherwise."""
    a = first(words)
    b = second(a + look(a))
    yield "same_bug", b + think(b), "yours still normalises the words themselves, and not only what a layer reads."
    c = a + look(a)
    yield "half_repaired", c + think(second(c)), "the second half is right; the first still replaces the words."
    looked = words + look(a)
    b = second(looked)
    yield "half_repaired", b + think(b), "the first half is right; the second still replaces the words."
    after = first(words + look(words))
    yield "post_norm", second(after + think(after)), "that is post-norm; pre-norm is asked for."
    yield "post_norm", first(words + look(words)) + think(first(words + look(words))), "that is half a post-norm."
    yield "no_second_norm", looked + think(looked), "what think reads is not normalised."
    plain = words + look(words)
    yield "no_first_norm", plain + think(second(plain)), "what look reads is not normalised."
    yield "no_norm", plain + think(plain), "there is no norm in yours: each layer reads normalised words."
    yield "first_twice", looked + think(first(looked)), "yours uses the first norm twice; each layer has its own."
    yield "side_by_side", looked + think(second(words)), "think should read what look has found, and not the old words."
    answered = words + first(look(words))
    yield "norm_of_answer", answered + second(think(answered)), "yours normalises the answers; normalise what a " \
                                                                "layer reads."
    yield "no_sum", think(second(look(a))), "the sums are missing: switch the layers off, and nothing remains."
    yield "one_sum", words + think(second(look(a))), "one sum is missing; each layer has one round it."
    yield "one_sum", look(a) + think(second(look(a))), "one sum is missing; each layer has one round it."
    yield "look_lost", words + think(second(looked)), "look's answer is lost: the second sum starts from the old words."
    thought = words + think(second(words))
    yield "wrong_way_round", thought + look(first(thought)), "the words look first, and think then."
    crossed = words + look(second(words))
    yield "norms_swapped", crossed + think(first(crossed)), "the first norm belongs to look, the second to think."
    yield "second_twice", crossed + think(second(crossed)), "yours uses the second norm twice; each layer has its own."


# 12-5, listen to all alike

def even_weights(allowed, shape):
    """Equal weights over what may be looked at; a row without any is all 0."""
    if allowed is None:
        allowed = torch.ones(shape, dtype=torch.bool)
    open_places = allowed.broadcast_to(shape).double()
    return open_places / open_places.sum(dim=-1, keepdim=True).clamp(min=1)


@exercise("12-5", points=2)
def check_12_5(even):
    torch.manual_seed(25)
    B, H, T, S, K = 2, 3, 5, 7, 4
    some = torch.rand(B, 1, T, S) < 0.6
    some[..., 0] = True
    nothing = some.clone()
    nothing[1, 0, 2] = False
    for allowed in (None, torch.tensor([True, False, True, True, False, True, True]).expand(B, 1, 1, S),
                    some, some[0, 0], nothing):
        query, key, value = torch.randn(B, H, T, K), torch.randn(B, H, S, K), torch.randn(B, H, S, K)
        kept = [part.clone() for part in (query, key, value)]
        given = [part.clone() for part in kept] + [allowed if allowed is None else allowed.clone()]
        returned = two(even(*given), [(B, H, T, K), (B, H, T, S)])
        unchanged(given[:3], kept)
        if allowed is not None:
            unchanged([given[3]], [allowed])
        inspect_even(returned, query, key, value.double(), allowed, (B, H, T, S))
    return "every word listens to all that it may, and chooses none."


def inspect_even(returned, query, key, value, allowed, shape):
    """Raises the Mistake that explains weights which are not even."""
    context, weights = returned
    right = even_weights(allowed, shape)
    if close(weights, right):
        if close(context, right @ value):
            return
        raise Mistake("wrong_context", "the weights are right; the context should be the values, added up with them.")
    T, S = shape[-2:]
    if not weights.isfinite().all():
        raise Mistake("nan_row", "a word that may look at nothing gets nan or infinity; its count is 0.")
    scores = (query @ key.transpose(-2, -1)).double() / query.shape[-1] ** 0.5
    everywhere = torch.full(shape, 1 / S, dtype=torch.float64)
    marks = torch.ones(shape) if allowed is None else allowed.broadcast_to(shape)
    hidden = ~marks.bool()
    likely = [
        ("chooses", scores.softmax(dim=-1), "yours chooses: query and key should have no say."),
        ("chooses", scores.masked_fill(hidden, -1e9).softmax(dim=-1), "yours chooses: query and key should have no "
                                                                      "say."),
        ("chooses", scores.masked_fill(hidden, -math.inf).softmax(dim=-1).nan_to_num(0), "yours chooses: query and key "
                                                                                         "should have no say."),
        ("mask_ignored", everywhere, "yours listens to all words, and to the hidden ones too."),
        ("counts_hidden", marks.double() / S, "yours divides by the number of all words; divide by how many may be "
                                              "looked at."),
        ("not_divided", marks.double(), "your weights do not add up to 1."),
        ("not_divided", torch.ones(shape, dtype=torch.float64), "your weights do not add up to 1."),
        ("upside_down", even_weights(hidden, shape), "yours listens to the hidden words: True means may look."),
        ("over_queries", marks.double() / marks.double().sum(dim=-2, keepdim=True).clamp(min=1),
         "your columns add up to 1; rows are words that look, and rows should."),
    ]
    for code, wrong, sentence in likely:
        if close(weights, wrong):
            raise Mistake(code, sentence)
    empty = right.sum(dim=-1) == 0
    if empty.any() and close(weights[~empty], right[~empty]):
        raise Mistake("looks_anyway", "a word that may look at nothing should have weights of 0; yours looks anyway.")
    raise Mistake("wrong_weights", f"the first row of weights should be {short(right[0, 0, 0])}; yours is "
                                   f"{short(weights[0, 0, 0])}.")
