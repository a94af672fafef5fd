"""Checks for the exercises of chapter 11, where a word stands."""

import math

import torch

from softdict.attention import masked_softmax
from softdict.checks.result import Mistake, attempt, close, exercise, short


def one(returned, shape, name):
    """The one tensor that the reader's function returned; raises Mistake unless it has this shape."""
    if returned is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    if not isinstance(returned, torch.Tensor):
        raise Mistake("no_tensor", f"the {name} should be one tensor; yours are of type {type(returned).__name__}.")
    if tuple(returned.shape) != shape:
        raise Mistake("wrong_shape", f"the {name} should be {list(shape)} here; yours are {list(returned.shape)}.")
    return returned.detach().double()


def blame(returned, likely):
    """Raises the Mistake whose wrong tensor the reader's equals, if there is one."""
    for code, wrong, sentence in likely:
        if wrong.shape == returned.shape and close(returned, wrong):
            raise Mistake(code, sentence)


def hands(positions, speeds):
    """Angles [T, W] of positions at these speeds."""
    return torch.as_tensor(positions, dtype=torch.float64)[:, None] * speeds


def speeds(width, power=2.0):
    """How far each of the hands turns in a step."""
    return 10000.0 ** (-power * torch.arange(width // 2, dtype=torch.float64) / width)


def weave(sines, cosines):
    """Two tensors [T, W] as one [T, 2*W]: a number of the first, a number of the second, ..."""
    return torch.stack([sines, cosines], dim=-1).flatten(-2)


@exercise("11-1", points=2)
def check_11_1(many_hands):
    for positions, width in (([0, 1, 2, 3, 4], 6), ([7, 3, 1000], 10), ([5], 4)):
        angle = hands(positions, speeds(width))
        right = weave(angle.sin(), angle.cos())
        returned = attempt(lambda: many_hands(list(positions), width))
        if isinstance(returned, torch.Tensor) and tuple(returned.shape) == (width, len(positions)):
            raise Mistake("transposed", "a row for each position, please; yours has a row for each number of the code.")
        returned = one(returned, (len(positions), width), "codes")
        if close(returned, right):
            continue
        rows = hands(range(len(positions)), speeds(width))
        double, single = hands(positions, speeds(width, 4)), hands(positions, speeds(width, 1))
        later, same = angle + speeds(width), hands(positions, torch.ones(width // 2, dtype=torch.float64))
        blame(returned, [
            ("cosine_first", weave(angle.cos(), angle.sin()), "the sine comes first; at position 0 each hand writes "
                                                              "0, then 1."),
            ("halves", torch.cat([angle.sin(), angle.cos()], dim=-1), "yours writes all sines and then all cosines; "
                                                                      "here each hand writes its two side by side."),
            ("double_exponent", weave(double.sin(), double.cos()), "your hands slow down twice as fast as they should; "
                                                                   "is your i the number of the hand, or twice that?"),
            ("half_exponent", weave(single.sin(), single.cos()), "your hands slow down half as fast as they should; "
                                                                 "look at the factor before i."),
            ("from_one", weave(later.sin(), later.cos()), "yours is one position ahead; what does position 0 look "
                                                          "like?"),
            ("counts_rows", weave(rows.sin(), rows.cos()), "yours counts the rows; the positions are given, and need "
                                                           "not be 0, 1, 2."),
            ("one_speed", weave(same.sin(), same.cos()), "all your hands turn at one speed."),
            ("degrees", weave(angle.deg2rad().sin(), angle.deg2rad().cos()), "the angles are radians already."),
        ])
        row = int((returned - right).abs().amax(dim=-1).argmax())
        raise Mistake("wrong_codes", f"for position {positions[row]} and width {width} the code should be "
                                     f"{short(right[row])}; yours is {short(returned[row])}.")
    return "every position has a time of its own on these clocks."


@exercise("11-2", points=2)
def check_11_2(shift):
    for k, width in ((3, 6), (-2, 8), (40, 4)):
        b = k * speeds(width)

        def blocks(first, second, third, fourth):
            return torch.block_diag(*torch.stack([first, second, third, fourth], dim=-1).unflatten(-1, (2, 2)))

        right = blocks(b.cos(), -b.sin(), b.sin(), b.cos())
        returned = one(shift(k, width), (width, width), "rows of M")
        if close(returned, right):
            continue
        slow, fast = k * speeds(width, 4), k * speeds(width, 1)
        step, every = speeds(width), torch.full_like(b, float(k))
        half = torch.cat([torch.cat([b.cos().diag(), -b.sin().diag()], dim=1),
                          torch.cat([b.sin().diag(), b.cos().diag()], dim=1)])
        blame(returned, [
            ("backwards", right.T, "yours goes k positions back; codes are rows here, and stand before their matrix."),
            ("one_step", blocks(step.cos(), -step.sin(), step.sin(), step.cos()), "yours is one step, whatever k is."),
            ("one_speed", blocks(every.cos(), -every.sin(), every.sin(), every.cos()), "all your hands turn by the "
                                                                                       "same angle; each has a speed."),
            ("double_exponent", blocks(slow.cos(), -slow.sin(), slow.sin(), slow.cos()), "your hands slow down twice as "
             "fast as they should; is your i the number of the hand, or twice that?"),
            ("half_exponent", blocks(fast.cos(), -fast.sin(), fast.sin(), fast.cos()), "your hands slow down half as "
             "fast as they should; look at the factor before i."),
            ("mirror", blocks(b.cos(), b.sin(), b.sin(), b.cos()), "one of the two sines has a minus; without it the "
                                                                   "matrix is no turn."),
            ("halves", half, "your matrix expects all sines first and then all cosines; in these codes the two numbers "
                             "of a hand stand side by side."),
            ("swapped", blocks(b.sin(), b.cos(), -b.cos(), b.sin()), "sine and cosine have changed places; for k = 0 "
                                                                     "nothing should move."),
            ("does_nothing", torch.eye(width, dtype=torch.float64), "your matrix changes nothing."),
        ])
        row = int((returned - right).abs().amax(dim=-1).argmax())
        raise Mistake("wrong_matrix", f"for k = {k} and width {width} row {row} should be {short(right[row])}; yours "
                                      f"is {short(returned[row])}.")
    return "one matrix, and it holds at every position."


def turn(x, angle):
    """x [T, K] with neighbouring numbers turned by angle [T, W]."""
    a, b = x[..., 0::2], x[..., 1::2]
    return weave(a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos())


@exercise("11-3", points=2)
def check_11_3(turn_pairs):
    torch.manual_seed(31)
    for positions, width in (([0, 1, 2, 3, 4], 6), ([9, 2, 300], 8)):
        x = torch.randn(len(positions), width, dtype=torch.float64)
        given = x.clone()
        returned = turn_pairs(given, list(positions))
        if not torch.equal(given, x):
            raise Mistake("changes_arguments", "yours changes x itself; write into a new tensor.")
        returned = one(returned, tuple(x.shape), "turned rows")
        angle = hands(positions, speeds(width))
        right = turn(x, angle)
        if close(returned, right):
            continue
        a, b = x.chunk(2, dim=-1)
        slow, rows = hands(positions, speeds(width, 4)), hands(range(len(positions)), speeds(width))
        fast = hands(positions, torch.ones(width // 2, dtype=torch.float64))
        c, d = x[..., 0::2], x[..., 1::2]
        after = c * angle.cos() - d * angle.sin()
        blame(returned, [
            ("unturned", x, "yours gives the rows back as they came; each pair should be turned."),
            ("halves", torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], dim=-1),
             "yours pairs number i with number i + K/2; here neighbours are pairs."),
            ("backwards", turn(x, -angle), "yours turns the other way round; look at the minus."),
            ("one_speed", turn(x, fast), "all your pairs turn at one speed."),
            ("double_exponent", turn(x, slow), "your pairs slow down twice as fast as they should; is your i the "
                                               "number of the pair, or twice that?"),
            ("counts_rows", turn(x, rows), "yours counts the rows; the positions are given, and need not be 0, 1, 2."),
            ("mirror", weave(c * angle.cos() + d * angle.sin(), c * angle.sin() + d * angle.cos()),
             "one of the two lines has a minus."),
            ("uses_the_new", weave(after, after * angle.sin() + d * angle.cos()),
             "your second line uses the a that the first line has changed already."),
            ("added", x + weave(angle.sin(), angle.cos()), "yours adds a code; here nothing is added, pairs are "
                                                           "turned."),
        ])
        row = int((returned - right).abs().amax(dim=-1).argmax())
        raise Mistake("wrong_turn", f"the row at position {positions[row]} should become {short(right[row])}; yours is "
                                    f"{short(returned[row])}.")
    return "dot products of these rows know the distance, and no more."


@exercise("11-4", points=1)
def check_11_4(with_positions):
    torch.manual_seed(32)
    for size, length, width in ((2, 5, 6), (3, 3, 8), (4, 2, 4)):
        words = torch.randn(size, length, width)
        given = words.clone()
        returned = attempt(lambda: with_positions(given), (
            "must match the size", "sizes_do_not_meet", "the codes do not fit the words: they need a row for each "
                                                        "position of one sentence, [T, D]."))
        if not torch.equal(given, words):
            raise Mistake("changes_arguments", "yours changes the words that it was given; make a new tensor.")
        returned = one(returned, (size, length, width), "words with codes")

        def codes(positions):
            angle = hands(positions, speeds(width))
            return weave(angle.sin(), angle.cos())

        right = words.double() + codes(range(length))
        if close(returned, right):
            continue
        blame(returned, [
            ("no_codes", words.double(), "your words carry no code."),
            ("batch_axis", words + codes(range(size))[:, None], "each sentence still has a code of its own, and its "
                                                                "words share it: which axis counts the words?"),
            ("from_one", words + codes(range(1, length + 1)), "yours is one position ahead: the first word stands at "
                                                              "position 0."),
            ("counts_on", words + codes(range(size * length)).unflatten(0, (size, length)), "yours counts on from "
             "sentence to sentence; each begins at 0."),
            ("codes_only", codes(range(length)).expand(size, -1, -1), "your words are gone: add the codes to them."),
            ("one_code", words + codes([length]), "all your words have one code."),
        ])
        b, t = divmod(int((returned - right).abs().amax(dim=-1).argmax()), length)
        raise Mistake("wrong_words", f"word {t} of sentence {b} should become {short(right[b, t])}; yours is "
                                     f"{short(returned[b, t])}.")
    return "equal sentences are equal again, and equal words differ."


@exercise("11-5", points=3)
def check_11_5(by_distance):
    torch.manual_seed(33)
    for reach, heads, length, masked in ((2, 3, 6, False), (1, 2, 5, True), (6, 3, 4, True)):
        bias = torch.randn(heads, 2 * reach + 1)
        query, key = torch.randn(2, heads, length, 7), torch.randn(2, heads, length, 7)
        value = torch.randn(2, heads, length, 4)
        allowed = (torch.rand(2, 1, length, length) < 0.6) | torch.eye(length, dtype=torch.bool) if masked else None
        given = [tensor.clone() for tensor in (bias, query, key, value)]
        attend = by_distance(given[0])
        if isinstance(attend, tuple) or not callable(attend):
            raise Mistake("no_function", "by_distance returns a function, which is called later with query, key and "
                                         f"value; yours returns something of type {type(attend).__name__}.")
        returned = attempt(lambda: attend(*given[1:], allowed), (
            "out of range", "not_clipped", "distances beyond R must count as R, or the table has no column for them."),
            ("out of bounds", "not_clipped", "distances beyond R must count as R, or the table has no column for "
                                             "them."))
        if not all(map(torch.equal, given, (bias, query, key, value))):
            raise Mistake("changes_arguments", "yours changes what it was given; work on copies.")
        if returned is None:
            raise Mistake("returns_nothing", "your attend returns None; is there a return at its end?")
        if not isinstance(returned, (tuple, list)) or len(returned) != 2:
            raise Mistake("not_two_things", "attend returns two things, the context and the weights.")
        context = one(returned[0], (2, heads, length, 4), "contexts")
        weights = one(returned[1], (2, heads, length, length), "weights")
        explain(context, weights, query.double(), key.double(), value.double(), bias.double(), allowed)
        learn = bias.clone().requires_grad_()
        made = by_distance(learn)(query, key, value, allowed)[0]
        if not made.requires_grad or torch.autograd.grad(made.sum(), learn, allow_unused=True)[0] is None:
            raise Mistake("cannot_learn", "no gradient reaches your biases; use them as they are, without copying "
                                          "their numbers.")
    return "before and behind, near and far: each head has its own opinion."


def explain(context, weights, query, key, value, bias, allowed):
    """Raises the Mistake that explains weights or contexts which are not those of attention with these biases."""
    reach, length, root = bias.shape[-1] // 2, query.shape[-2], math.sqrt(query.shape[-1])
    positions = torch.arange(length)
    away = positions[None, :] - positions[:, None]
    columns = away.clamp(-reach, reach) + reach
    dots = query @ key.transpose(-2, -1)
    see = torch.ones(length, length, dtype=torch.bool) if allowed is None else allowed

    def shared(scores):
        return masked_softmax(scores, see)

    right = shared(dots / root + bias[:, columns])
    if close(weights, right):
        if close(context, right @ value):
            return
        raise Mistake("wrong_context", "the weights are right, and the context is not: it is the values, each times "
                                       "its weight, added up.")
    plain = shared(dots / root)
    around = (away + reach).clamp(-len(bias[0]), len(bias[0]) - 1)
    blame(weights, [
        ("no_bias", plain, "your biases change nothing."),
        ("backwards", shared(dots / root + bias[:, (-away).clamp(-reach, reach) + reach]),
         "yours takes the distance the other way round: it is the key's position minus the query's."),
        ("no_sides", shared(dots / root + bias[:, away.abs().clamp(-reach, reach) + reach]),
         "yours drops the sign: before and behind have numbers of their own."),
        ("subtracted", shared(dots / root - bias[:, columns]), "yours subtracts the biases; add them."),
        ("not_scaled", shared(dots + bias[:, columns]), "your dot products are not divided by the root of the width."),
        ("scaled_too", shared((dots + bias[:, columns]) / root), "yours divides the biases by the root as well; only "
                                                                 "the dot products are divided."),
        ("multiplied", shared(dots / root * bias[:, columns]), "yours multiplies scores and biases; add them."),
        ("one_head", shared(dots / root + bias[0, columns]), "yours uses the numbers of head 0 for all heads."),
        ("ignores_allowed", (dots / root + bias[:, columns]).softmax(dim=-1), "yours looks where it is not allowed."),
        ("after_softmax", plain + bias[:, columns], "yours adds the biases to the weights; add them to the scores."),
        ("not_clipped", shared(dots / root + bias[:, around]), "yours takes a wrong column for distances beyond R: "
                                                               "they must count as R or −R."),
        ("no_zero", shared(dots / root + bias[:, away.clamp(0, 2 * reach)]), "distance 0 belongs to the middle "
                                                                             "column; yours takes the first."),
    ])
    raise Mistake("wrong_weights", f"the first row of weights of head 0 should be {short(right[0, 0, 0])}; yours is "
                                   f"{short(weights[0, 0, 0])}.")
