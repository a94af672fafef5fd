"""Checks for the exercises of chapter 12, where a word stands."""

import math

import torch

from softdict.attention import masked_softmax
from softdict.checks.answers import (
    ask, blame, close, learns, no_gradient, right_sums, tensor, two_tensors, unchanged,
    wrong_row)
from softdict.checks.elsewhere import stays_where_it_is
from softdict.checks.result import exercise, refuse


def hands(positions, speeds):
    """Angles [T, W] of positions at these speeds."""
    return torch.as_tensor(positions, dtype=torch.float64)[:, None] * speeds


def speeds(width, power=2.0):
    """How far each of the hands turns in a step."""
    return 10000.0 ** (-power * torch.arange(width // 2, dtype=torch.float64) / width)


def other_bases(width):
    """The speeds of hands if another number stood for the 10000."""
    return [speeds(width) ** (math.log(base) / math.log(10000))
            for base in (10, 1000, 100000)]    # 100 is half the exponent


def no_brackets(width):
    """The speeds of hands if there are no brackets round the exponent."""
    i = torch.arange(width // 2, dtype=torch.float64)
    return 10000.0 ** -2 * i / width, 10000.0 ** (-2 * i) / width


def code(angle):
    """The code that hands at angles [T, W] write."""
    return weave(angle.sin(), angle.cos())


def columns(positions, width, power):
    """Angles [T, D] of positions, if each column had a speed of its own."""
    speed = 10000.0 ** (-power * torch.arange(width, dtype=torch.float64) / width)
    return hands(positions, speed)


def weave(sines, cosines):
    """Two tensors [T, W] as one [T, 2*W]: a number of each in turn."""
    return torch.stack([sines, cosines], dim=-1).flatten(-2)


@exercise("12-1", points=2)
def check_12_1(many_hands):
    for positions, width in (([0, 1, 2, 3, 4], 6), ([7, 3, 1000], 10), ([5], 4)):
        angle = hands(positions, speeds(width))
        right = code(angle)
        returned = tensor(ask(many_hands, positions, width, keeps=False),
                          (len(positions), width), "codes", "transposed-codes")
        if close(returned, right):
            continue
        rows = hands(range(len(positions)), speeds(width))
        double, single = (hands(positions, speeds(width, power)) for power in (4, 1))
        next_hands = hands(positions, speeds(width) * 10000.0 ** (-2 / width))
        later, same = angle + speeds(width), hands(positions, torch.ones(width // 2))
        own = [weave(apart[:, 0::2].sin(), apart[:, 1::2].cos())
               for apart in (columns(positions, width, power) for power in (1, 2))]
        still, first = (hands(positions, speed) for speed in no_brackets(width))
        blame(1e8 * returned[:, 0::2], [("no_brackets", 1e8 * still.sin())])
        blame(returned, [
            ("no_brackets", code(first)),
            ("cosine_first", weave(angle.cos(), angle.sin())),
            ("halves", torch.cat([angle.sin(), angle.cos()], dim=-1)),
            ("double_exponent", code(double)),
            ("half_exponent", code(single)),
            ("from_one", code(later)),
            ("hands_from_one", code(next_hands)),
            ("counts_rows", code(rows)),
            ("one_speed", code(same)),
            ("speed_a_column", *own),
            ("degrees", code(angle.deg2rad())),
            ("last_hand", code(hands(positions, 10000.0 ** -torch.linspace(
                0, 1, width // 2, dtype=torch.float64)))),
            ("other_base",
             *(code(hands(positions, other)) for other in other_bases(width)))])
        wrong_row("wrong_codes", returned, right, positions=positions)


@exercise("12-2", points=2)
def check_12_2(shift):
    for k, width in ((3, 6), (-2, 8), (40, 4)):
        b = k * speeds(width)

        def blocks(first, second, third, fourth):
            return torch.block_diag(*torch.stack([first, second, third, fourth],
                                                 dim=-1).unflatten(-1, (2, 2)))

        def turned(angle):
            return blocks(angle.cos(), -angle.sin(), angle.sin(), angle.cos())

        right = turned(b)
        made = ask(shift, k, width)
        returned = tensor(made, (width, width), "matrix")
        if close(returned, right):
            refuse(made.dtype != torch.float64, "single", got=made.dtype)
            refuse(not close(returned, right, 1e-9), "single-on_the_way")
            continue
        slow, fast = k * speeds(width, 4), k * speeds(width, 1)
        step, every = speeds(width), torch.full_like(b, float(k))
        apart = [columns([k], width, power)[0] for power in (1, 2)]
        own = [(one[0::2], one[1::2]) for one in apart]
        half = torch.cat([torch.cat([b.cos().diag(), -b.sin().diag()], dim=1),
                          torch.cat([b.sin().diag(), b.cos().diag()], dim=1)])
        still, first = (k * speed for speed in no_brackets(width))
        blame(1e8 * returned.tril(-1), [("no_brackets", 1e8 * turned(still).tril(-1))])
        blame(returned, [
            ("no_brackets", turned(first)),
            ("backwards" if k > 0 else "sign_lost", right.T),
            ("one_step", turned(step)),
            ("one_speed", turned(every)),
            ("other_base", *(turned(k * other) for other in other_bases(width))),
            ("speed_a_column",
             *(blocks(b.cos(), -c.sin(), b.sin(), c.cos()) for b, c in own),
             *(blocks(b.cos(), -b.sin(), c.sin(), c.cos()) for b, c in own)),
            ("double_exponent", turned(slow)),
            ("half_exponent", turned(fast)),
            ("mirror", blocks(b.cos(), b.sin(), b.sin(), b.cos())),
            ("halves", half),
            ("swapped", blocks(b.sin(), b.cos(), -b.cos(), b.sin())),
            ("does_nothing", torch.eye(width, dtype=torch.float64))])
        wrong_row("wrong_matrix", returned, right, k=k)


def turn(x, angle):
    """x [T, K] with neighbouring numbers turned by angle [T, W]."""
    a, b = x[..., 0::2], x[..., 1::2]
    return weave(a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos())


@exercise("12-3", points=2)
def check_12_3(turn_pairs):
    torch.manual_seed(31)
    for positions, width in (([0, 1, 2, 3, 4], 6), ([9, 2, 300], 8)):
        x = torch.randn(len(positions), width, dtype=torch.float64)
        returned = tensor(ask(turn_pairs, x, positions), x.shape, "turned_rows")
        angle = hands(positions, speeds(width))
        right = turn(x, angle)
        if close(returned, right):
            continue
        a, b = x.chunk(2, dim=-1)
        slow, rows = hands(positions, speeds(width, 4)), hands(range(len(x)),
                                                               speeds(width))
        fast = hands(positions, torch.ones(width // 2))
        c, d = x[..., 0::2], x[..., 1::2]
        after = c * angle.cos() - d * angle.sin()
        own = [(apart[:, 0::2], apart[:, 1::2])
               for apart in (columns(positions, width, power) for power in (1, 2))]
        still, first = (hands(positions, speed) for speed in no_brackets(width))
        blame(returned, [("no_brackets", turn(x, still))], 1e-10)
        blame(returned, [
            ("unturned", x),
            ("no_brackets", turn(x, first)),
            ("halves", torch.cat([a * angle.cos() - b * angle.sin(),
                                  a * angle.sin() + b * angle.cos()], dim=-1)),
            ("backwards", turn(x, -angle)),
            ("one_speed", turn(x, fast)),
            ("speed_a_column", *(weave(c * one.cos() - d * one.sin(), c * other.sin()
                                       + d * other.cos()) for one, other in own)),
            ("double_exponent", turn(x, slow)),
            ("half_exponent", turn(x, hands(positions, speeds(width, 1)))),
            ("other_base",
             *(turn(x, hands(positions, other)) for other in other_bases(width))),
            ("counts_rows", turn(x, rows)),
            ("mirror", weave(c * angle.cos() + d * angle.sin(),
                             c * angle.sin() + d * angle.cos())),
            ("uses_the_new", weave(after, after * angle.sin() + d * angle.cos())),
            ("added", x + code(angle))])
        wrong_row("wrong_turn", returned, right, positions=positions)


@exercise("12-4", points=1)
def check_12_4(with_positions):
    torch.manual_seed(32)
    for size, length, width in ((2, 5, 6), (3, 3, 8), (4, 2, 4)):
        words = torch.randn(size, length, width)
        returned = tensor(ask(with_positions, words,
                              likely=[("sizes_do_not_meet", "must match the size")]),
                          words.shape, "words_with_codes")

        def codes(positions):
            return code(hands(positions, speeds(width)))

        right = words.double() + codes(range(length))
        if close(returned, right):
            continue
        even = length + length % 2
        of_numbers = code(hands(range(width), speeds(even)))[:, :length].T
        blame(returned, [
            ("codes_of_numbers", words + of_numbers),
            ("no_codes", words.double()),
            ("batch_axis", words + codes(range(size))[:, None]),
            ("from_one", words + codes(range(1, length + 1))),
            ("counts_on",
             words + codes(range(size * length)).unflatten(0, (size, length))),
            ("multiplied", words * codes(range(length))),
            ("root_of_width", width ** 0.5 * words + codes(range(length))),
            ("codes_only", codes(range(length)).expand(size, -1, -1)),
            ("one_code", words + codes([length]), words + codes([0])),
            ("one_sentence",
             *(words + codes(range(length)) * torch.arange(size).eq(n)[:, None, None]
               for n in (0, size - 1)))])
        wrong_row("wrong_words", returned, right)


@exercise("12-5", points=3)
def check_12_5(by_distance):
    torch.manual_seed(33)
    for reach, heads, length, masked in ((2, 3, 6, False), (1, 2, 5, True),
                                         (6, 3, 4, True)):
        bias = torch.randn(heads, 2 * reach + 1)
        query, key = torch.randn(2, heads, length, 7), torch.randn(2, heads, length, 7)
        value = torch.randn(2, heads, length, 4)
        allowed = (torch.rand(2, 1, length, length) < 0.6) | torch.eye(
            length, dtype=torch.bool) if masked else None
        given = bias.clone()
        attend = by_distance(given)
        refuse(isinstance(attend, tuple) or not callable(attend), "no_function",
               kind=type(attend).__name__)
        returned = ask(attend, query, key, value, allowed,
                       likely=[("not_clipped", "out of range", "out of bounds")],
                       nothing="returns_nothing-attend")
        unchanged([given], [bias])
        context, weights = two_tensors(returned, [
            (2, heads, length, 4), (2, heads, length, length)], "contexts")
        explain(context, weights, query.double(), key.double(), value.double(),
                bias.double(), allowed)
        parts = [part.clone().requires_grad_() for part in (bias, query, key, value)]
        made = by_distance(parts[0])(*parts[1:], allowed)[0]
        refuse(no_gradient(made, parts[:1]), "cannot_learn")
        refuse(no_gradient(made, parts[1:]), "no_gradient")
        learns(lambda bias, *parts: by_distance(bias)(*parts, allowed)[0], parts)
        shorter = [part[..., :length - 1, :] for part in (query, key, value)]
        attend = by_distance(bias)
        attend(*shorter)
        again = ask(attend, query, key, value,
                    likely=[("keeps_its_table", "must match the size")])
        refuse(not close(again[1], by_distance(bias)(query, key, value)[1]),
               "keeps_its_table")
        stays_where_it_is(lambda bias, *parts: by_distance(bias)(*parts), bias, query,
                          key, value, allowed, device="query.device")


def explain(context, weights, query, key, value, bias, allowed):
    """Raises the Mistake that explains wrong weights or contexts, if there is one."""
    reach, length, width = bias.shape[-1] // 2, *query.shape[-2:]
    root = math.sqrt(width)
    positions = torch.arange(length)
    away = positions[None, :] - positions[:, None]

    def biases(away):
        return bias[:, away.clamp(-reach, reach) + reach]

    dots = query @ key.transpose(-2, -1)
    see = torch.ones(length, length, dtype=torch.bool) if allowed is None else allowed

    def shared(scores):
        return masked_softmax(scores, see)

    scores, added = dots / root, biases(away)
    right = shared(scores + added)
    if close(weights, right):
        return right_sums("wrong_context", context, right @ value)
    plain = shared(scores)
    far = away.abs() > reach
    around = (away + reach).clamp(-len(bias[0]), len(bias[0]) - 1)
    blame(weights, [
        ("no_bias", plain),
        ("backwards", shared(scores + biases(-away))),
        ("no_sides", shared(scores + biases(away.abs()))),
        ("subtracted", shared(scores - added)),
        ("not_scaled", shared(dots + added)),
        ("scaled_too", shared((dots + added) / root)),
        ("multiplied", shared(scores * added)),
        ("one_head", shared(scores + added[0])),
        ("ignores_allowed", (scores + added).softmax(dim=-1)),
        ("after_softmax", plain + added),
        ("nothing_far", shared(scores + added.masked_fill(far, 0.0))),
        ("far_hidden", shared(scores.masked_fill(far, -torch.inf) + added)),
        ("not_clipped-column", shared(scores + bias[:, around])),
        ("wraps_around", shared(scores + bias[:, (away + reach) % len(bias[0])])),
        ("no_zero", shared(scores + bias[:, away.clamp(0, 2 * reach)]),
         shared(scores + bias[:, away.clamp(-reach, reach)]))])
    wrong_row("wrong_weights", weights, right)
