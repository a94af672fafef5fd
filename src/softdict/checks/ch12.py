"""Checks for the exercises of chapter 12, where a word stands."""

import math

import torch

from softdict.attention import masked_softmax
from softdict.checks.answers import (
    ask, blame, close, learns, no_gradient, right_sums, tensor, two_tensors,
    unchanged, wrong_row)
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


OTHER_BASE = ("other_base", "your speeds belong to another number than 10000; count "
              "its zeros.")


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
        returned = tensor(
            ask(many_hands, positions, width, advice=None), (len(positions), width),
            "codes", "a row for each position and a column for each number of the code")
        if close(returned, right):
            continue
        rows = hands(range(len(positions)), speeds(width))
        double, single = (hands(positions, speeds(width, power)) for power in (4, 1))
        next_hands = hands(positions, speeds(width) * 10000.0 ** (-2 / width))
        later, same = angle + speeds(width), hands(positions, torch.ones(width // 2))
        own = [weave(apart[:, 0::2].sin(), apart[:, 1::2].cos())
               for apart in (columns(positions, width, power) for power in (1, 2))]
        blame(returned, [
            ("cosine_first", "the sine comes first; at position 0 each hand writes 0, "
             "then 1.", weave(angle.cos(), angle.sin())),
            ("halves", "yours writes all sines and then all cosines; here each hand "
             "writes its two side by side.",
             torch.cat([angle.sin(), angle.cos()], dim=-1)),
            ("double_exponent", "your hands slow down twice as fast as they should; is "
             "your i the number of the hand, or twice that?", code(double)),
            ("half_exponent", "your hands slow down half as fast as they should; look "
             "at the 10000, and at the factor before i.", code(single)),
            ("from_one", "yours is one position ahead; what does position 0 look like?",
             code(later)),
            ("hands_from_one", "yours counts the hands from 1; hand 0 turns by 1 at "
             "each step.", code(next_hands)),
            ("counts_rows", "yours counts the rows; the positions are given, and need "
             "not be 0, 1, 2.", code(rows)),
            ("one_speed", "all your hands turn at one speed.", code(same)),
            ("speed_a_column", "in yours each number has a speed of its own; the sine "
             "and the cosine of a hand share one angle.", *own),
            ("degrees", "the angles are radians already.", code(angle.deg2rad())),
            ("last_hand", "in yours the last hand turns by exactly 1/10000; the "
             "exponent is 2i / width, which stays below 1.",
             code(hands(positions, 10000.0 ** -torch.linspace(
                 0, 1, width // 2, dtype=torch.float64)))),
            (*OTHER_BASE, *(code(hands(positions, other))
                            for other in other_bases(width)))])
        wrong_row("wrong_codes", f"codes of positions {positions}", returned, right)
    return "every position has a time of its own on these clocks."


BACKWARDS = ("backwards", "yours goes k positions back; codes are rows here, and stand "
             "before their matrix.")
FORWARDS = ("sign_lost", "yours goes forward for every k; negative k go back.")


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
            refuse(made.dtype != torch.float64, "single", "the numbers are right, but "
                   f"they are {made.dtype}: make the matrix with dtype=torch.float64, "
                   "or it cannot be multiplied with such codes.")
            refuse(not close(returned, right, 1e-9), "single", "your matrix is right "
                   "to about 7 digits: some of its numbers were torch.float32 on their "
                   "way; make them with dtype=torch.float64.")
            continue
        slow, fast = k * speeds(width, 4), k * speeds(width, 1)
        step, every = speeds(width), torch.full_like(b, float(k))
        apart = [columns([k], width, power)[0] for power in (1, 2)]
        own = [(one[0::2], one[1::2]) for one in apart]
        half = torch.cat([torch.cat([b.cos().diag(), -b.sin().diag()], dim=1),
                          torch.cat([b.sin().diag(), b.cos().diag()], dim=1)])
        blame(returned, [
            (*(BACKWARDS if k > 0 else FORWARDS), right.T),
            ("one_step", "yours is one step, whatever k is.", turned(step)),
            ("one_speed", "all your hands turn by the same angle; each has a speed.",
             turned(every)),
            (*OTHER_BASE, *(turned(k * other) for other in other_bases(width))),
            ("speed_a_column", "in yours each number of a code has a speed of its own; "
             "the sine and the cosine of a hand share one angle.",
             *(blocks(b.cos(), -c.sin(), b.sin(), c.cos()) for b, c in own),
             *(blocks(b.cos(), -b.sin(), c.sin(), c.cos()) for b, c in own)),
            ("double_exponent", "your hands slow down twice as fast as they should; is "
             "your i the number of the hand, or twice that?", turned(slow)),
            ("half_exponent", "your hands slow down half as fast as they should; look "
             "at the 10000, and at the factor before i.", turned(fast)),
            ("mirror", "one of the two sines has a minus; without it the matrix is no "
             "turn.", blocks(b.cos(), b.sin(), b.sin(), b.cos())),
            ("halves", "your matrix expects all sines first and then all cosines; in "
             "these codes the two numbers of a hand stand side by side.", half),
            ("swapped", "sine and cosine have changed places; for k = 0 nothing should "
             "move.", blocks(b.sin(), b.cos(), -b.cos(), b.sin())),
            ("does_nothing", "your matrix changes nothing.",
             torch.eye(width, dtype=torch.float64))])
        wrong_row("wrong_matrix", f"matrix for k = {k}", returned, right)
    return "one matrix, and it holds at every position."


def turn(x, angle):
    """x [T, K] with neighbouring numbers turned by angle [T, W]."""
    a, b = x[..., 0::2], x[..., 1::2]
    return weave(a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos())


@exercise("12-3", points=2)
def check_12_3(turn_pairs):
    torch.manual_seed(31)
    for positions, width in (([0, 1, 2, 3, 4], 6), ([9, 2, 300], 8)):
        x = torch.randn(len(positions), width, dtype=torch.float64)
        returned = tensor(ask(turn_pairs, x, positions,
                              advice="write into a new tensor"), x.shape, "turned rows")
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
        blame(returned, [
            ("unturned",
             "yours gives the rows back as they came; each pair should be turned.", x),
            ("halves", "yours pairs number i with number i + K/2; here neighbours are "
             "pairs.", torch.cat([a * angle.cos() - b * angle.sin(),
                                  a * angle.sin() + b * angle.cos()], dim=-1)),
            ("backwards", "yours turns the other way round; look at the minus.",
             turn(x, -angle)),
            ("one_speed", "all your pairs turn at one speed.", turn(x, fast)),
            ("speed_a_column", "in yours each number has an angle of its own; the two "
             "numbers of a pair turn by one.",
             *(weave(c * one.cos() - d * one.sin(), c * other.sin() + d * other.cos())
               for one, other in own)),
            ("double_exponent", "your pairs slow down twice as fast as they should; is "
             "your i the number of the pair, or twice that?", turn(x, slow)),
            ("half_exponent", "your pairs slow down half as fast as they should; look "
             "at the 10000, and at the factor before i.",
             turn(x, hands(positions, speeds(width, 1)))),
            (*OTHER_BASE, *(turn(x, hands(positions, other))
                            for other in other_bases(width))),
            ("counts_rows", "yours counts the rows; the positions are given, and need "
             "not be 0, 1, 2.", turn(x, rows)),
            ("mirror", "one of the two lines has a minus.",
             weave(c * angle.cos() + d * angle.sin(),
                   c * angle.sin() + d * angle.cos())),
            ("uses_the_new", "your second line uses the a that the first line has "
             "changed already.", weave(after, after * angle.sin() + d * angle.cos())),
            ("added", "yours adds a code; here nothing is added, pairs are turned.",
             x + code(angle))])
        wrong_row("wrong_turn", f"turned rows, at positions {positions},", returned,
                  right)
    return "dot products of these rows know the distance, and no more."


@exercise("12-4", points=1)
def check_12_4(with_positions):
    torch.manual_seed(32)
    for size, length, width in ((2, 5, 6), (3, 3, 8), (4, 2, 4)):
        words = torch.randn(size, length, width)
        returned = tensor(ask(with_positions, words, likely=[
            ("sizes_do_not_meet", "the codes do not fit the words: they need a row for "
             "each position of one sentence, [T, D].", "must match the size")]),
                          words.shape, "words with codes")

        def codes(positions):
            return code(hands(positions, speeds(width)))

        right = words.double() + codes(range(length))
        if close(returned, right):
            continue
        blame(returned, [
            ("no_codes", "your words carry no code.", words.double()),
            ("batch_axis", "each sentence still has a code of its own, and its words "
             "share it: which axis counts the words?",
             words + codes(range(size))[:, None]),
            ("from_one", "yours is one position ahead: the first word stands at "
             "position 0.", words + codes(range(1, length + 1))),
            ("counts_on", "yours counts on from sentence to sentence; each begins at "
             "0.", words + codes(range(size * length)).unflatten(0, (size, length))),
            ("multiplied", "yours multiplies words and codes, so a sine of 0 wipes a "
             "number out; add them.", words * codes(range(length))),
            ("root_of_width", "yours multiplies the words by the root of the width; "
             "here they stay as they are.",
             width ** 0.5 * words + codes(range(length))),
            ("codes_only", "your words are gone: add the codes to them.",
             codes(range(length)).expand(size, -1, -1)),
            ("one_code", "all your words have one code.", words + codes([length])),
            ("one_sentence", "your codes reach one sentence alone; add them to the "
             "words of all.", *(words + codes(range(length))
                                * torch.arange(size).eq(n)[:, None, None]
                                for n in (0, size - 1)))])
        wrong_row("wrong_words", "words with codes", returned, right)
    return "equal sentences are equal again, and equal words differ."


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
               "by_distance returns a function, which is called later with query, key "
               f"and value; yours returns something of type {type(attend).__name__}.")
        returned = ask(attend, query, key, value, allowed, name="attend", likely=[
            ("not_clipped", "distances beyond R must count as R, or the table has no "
             "column for them.", "out of range", "out of bounds")])
        unchanged([given], [bias])
        context, weights = two_tensors(returned, [
            (2, heads, length, 4), (2, heads, length, length)], "contexts")
        explain(context, weights, query.double(), key.double(), value.double(),
                bias.double(), allowed)
        parts = [part.clone().requires_grad_() for part in (bias, query, key, value)]
        made = by_distance(parts[0])(*parts[1:], allowed)[0]
        refuse(no_gradient(made, parts[:1]), "cannot_learn", "no gradient reaches your "
               "biases; use them as they are, without copying their numbers.")
        refuse(no_gradient(made, parts[1:]), "no_gradient", "no gradient comes back to "
               "query, key and value; is there a detach, or a .item()?")
        learns(lambda bias, *parts: by_distance(bias)(*parts, allowed)[0], parts)
        shorter = [part[..., :length - 1, :] for part in (query, key, value)]
        attend = by_distance(bias)
        attend(*shorter)
        keeps = ("keeps_its_table", "your function remembers the lengths of its first "
                 "call; each call makes the table that it needs.")
        again = ask(attend, query, key, value, likely=[(*keeps, "must match the size")])
        refuse(not close(again[1], by_distance(bias)(query, key, value)[1]), *keeps)
        stays_where_it_is(lambda bias, *parts: by_distance(bias)(*parts), bias, query,
                          key, value, allowed, device="query.device")
    return "before and behind, near and far: each head has its own opinion."


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
        return right_sums("wrong_context", "contexts", context, right @ value)
    plain = shared(scores)
    around = (away + reach).clamp(-len(bias[0]), len(bias[0]) - 1)
    blame(weights, [
        ("no_bias", "your biases change nothing.", plain),
        ("backwards", "yours takes the distance the other way round: it is the key's "
         "position minus the query's.", shared(scores + biases(-away))),
        ("no_sides", "yours drops the sign: before and behind have numbers of their "
         "own.", shared(scores + biases(away.abs()))),
        ("subtracted", "yours subtracts the biases; add them.", shared(scores - added)),
        ("not_scaled", "your dot products are not divided by the root of the width.",
         shared(dots + added)),
        ("scaled_too", "yours divides the biases by the root as well; only the dot "
         "products are divided.", shared((dots + added) / root)),
        ("multiplied", "yours multiplies scores and biases; add them.",
         shared(scores * added)),
        ("one_head", "yours uses the numbers of head 0 for all heads.",
         shared(scores + added[0])),
        ("ignores_allowed", "yours looks where it is not allowed.",
         (scores + added).softmax(dim=-1)),
        ("after_softmax",
         "yours adds the biases to the weights, and not to the scores.", plain + added),
        ("not_clipped", "yours takes a wrong column for distances beyond R: they must "
         "count as R or −R.", shared(scores + bias[:, around])),
        ("wraps_around", "yours lets far distances begin anew at the other end of the "
         "table; they must count as R or −R.",
         shared(scores + bias[:, (away + reach) % len(bias[0])])),
        ("no_zero", "distance 0 belongs to the middle column; yours takes the first.",
         shared(scores + bias[:, away.clamp(0, 2 * reach)]),
         shared(scores + bias[:, away.clamp(-reach, reach)]))])
    wrong_row("wrong_weights", "weights", weights, right)
