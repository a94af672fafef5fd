"""Checks for the exercises of chapter 16, evidence."""

import copy
import math
import random
from itertools import combinations, product
from statistics import mean

import torch

from softdict.checks.answers import (
    ask, blame, close, learns, number, pair, right_sums, something, two_tensors,
    wrong_row)
from softdict.checks.result import Mistake, exercise, refuse


# 16-1

@exercise("16-1", points=2)
def check_16_1(paired):
    # in the third, no two of the draws at an end are equal; in the last, none is left
    # out
    for seed, count, rounds, moved in ((31, 100, 400, 0.15), (32, 80, 250, 0.4),
                                       (1, 97, 80, 0.7), (1, 97, 30, 0.7)):
        rng = random.Random(seed)
        first = [int(rng.random() < 0.7) for _ in range(count)]
        second = [int(rng.random() < 0.4) if rng.random() < moved else flag
                  for flag in first]
        draws = [rng.choices(range(count), k=count) for _ in range(rounds)]
        compare_intervals(paired, first, second, draws)


def compare_intervals(paired, first, second, draws):
    """Raises the Mistake that explains a wrong difference or a wrong interval."""
    likely = [("none_left", "index out of range", "out of bounds", "empty", "zero-size")
              ] if len(draws) < 40 else []
    returned = something(ask(paired, first, second, draws, likely=likely))
    refuse(not hasattr(returned, "__len__") or len(returned) != 3, "not_three_things")
    value, low, high = (number(part) for part in returned)
    gains = [100 * (other - one) for one, other in zip(first, second)]
    right, k = mean(gains), len(draws) // 40
    plain = [mean(gains[n] for n in draw) for draw in draws]
    found, moved = sorted(plain), [gain for gain in gains if gain]
    blame(value, [
        ("reversed", -right),
        ("not_in_percent", right / 100),
        ("mean_of_draws", mean(plain)),
        ("only_disagreements", mean(moved))])
    refuse(not close(value, right), "wrong_difference", right=right, value=value)
    apart = [sorted(mean(100 * flags[n] for n in draw) for draw in draws)
             for flags in (first, second)]
    gaps = [other - one for one, other in zip(*apart)]
    blame([low, high], [("sorted_apart", [gaps[k], gaps[-k - 1]],
                         [sorted(gaps)[k], sorted(gaps)[-k - 1]])])
    refuse(low > high, "ends_swapped")
    refuse(k and any(close(end, outer, 1e-6) and not close(outer, inner, 1e-6)
                     for end, outer, inner in ((low, found[k - 1], found[k]),
                                               (high, found[-k], found[-k - 1]))),
           "one_too_few", k=k)
    # quantiles that lie between two draws are as good
    outer = max(k - 1, 0)
    if (found[outer] - 1e-6 <= low <= found[k + 1] + 1e-6
            and found[-k - 2] - 1e-6 <= high <= found[-outer - 1] + 1e-6):
        return
    once = sorted(mean(gains[n] for n in set(draw)) for draw in draws)
    blame([low, high], [
        ("not_sorted", [plain[k], plain[-k - 1]]),
        ("leaves_out_none", [found[0], found[-1]]),
        ("leaves_out_twice_as_many", [found[2 * k], found[-2 * k - 1]]),
        ("sentences_for_draws",
         [found[len(first) // 40], found[-(len(first) // 40) - 1]]),
        ("two_intervals",
         [apart[1][k] - apart[0][-k - 1], apart[1][-k - 1] - apart[0][k]]),
        ("each_sentence_once", [once[k], once[-k - 1]])])
    refuse(high - low > 1.15 * (found[-k - 1] - found[k]), "not_paired")
    raise Mistake("wrong_ends", draws=len(draws), left=found[k], right=found[-k - 1],
                  low=low, high=high)


# 16-2

@exercise("16-2", points=2)
def check_16_2(by_luck):
    for first, second in (([9.5, 5.0], [1.5, 7.5, 6.0]),
                          ([4.0, 5.5, 7.0], [1.0, 2.5, 2.0, 6.0]),
                          ([5.0, 5.0], [1.0, 3.0, 4.0, 2.0]),
                          ([0.1, 0.4], [0.3, 0.2, 0.3]),
                          ([2.0], [7.0, 1.0, 3.0]),
                          ([9.0, 8.0, 7.5], [1.0, 2.0, 4.0, 3.5, 3.0]),
                          # equal distances that rounding makes unequal
                          ([0.6, 0.2, 0.3], [0.5, 0.4]),
                          ([0.5, 0.1], [0.2, 0.4, 0.7, 0.8])):
        compare_luck(by_luck, first, second)


def compare_luck(by_luck, first, second):
    """Raises the Mistake that explains the share of ways, if it is wrong."""
    got = number(ask(by_luck, first, second))
    scores, sizes = [*first, *second], (len(first), len(second))

    def share(seen, groups):
        return mean(float(apart >= seen - 1e-9) for apart in groups)

    def dealt(pick, size=len(first), measure=mean):
        """Both groups of each way to choose, by what they measure."""
        for ones in combinations(range(len(scores)), size):
            others = [place for place in range(len(scores)) if place not in ones]
            yield pick(*(measure([scores[place] for place in group])
                         for group in (ones, others)))

    def distance(one, other):
        return abs(one - other)

    def ahead(one, other):
        return one - other

    seen = distance(mean(first), mean(second))
    right = share(seen, dealt(distance))
    if close(got, right, 1e-6):    # of single precision, too
        return
    ways = math.comb(len(scores), len(first))
    farther = share(seen + 2e-9, dealt(distance))
    exact = mean(float(apart >= seen) for apart in dealt(distance))
    different = {tuple(sorted(ones)): distance(
        mean(ones), (sum(scores) - sum(ones)) / len(second))
                 for ones in combinations(scores, len(first))}
    lost = [distance(mean(ones), mean([score for score in scores if score not in ones]
                                      or [0.0]))
            for ones in combinations(scores, len(first))]
    kinds = sorted({*scores})
    merged = [distance(mean(ones), mean([score for score in kinds if score not in ones]
                                        or [0.0]))
              for ones in combinations(kinds, len(first))] or [0.0]
    blame(got, [
        ("count", right * ways),
        ("share_of_the_rest", 1 - right),
        ("compared_exactly", exact),
        ("farther_only", farther, right - 1 / ways),
        ("one_direction", share(mean(first) - mean(second), dealt(ahead)),
         share(mean(second) - mean(first), (-gap for gap in dealt(ahead))),
         share(seen, dealt(ahead)), share(seen, (-gap for gap in dealt(ahead)))),
        ("sums", share(abs(sum(first) - sum(second)), dealt(distance, measure=sum))),
        ("equal_ways_merged", share(seen, different.values())),
        ("equal_scores_merged", share(seen, merged)),
        ("equal_scores_lost", share(seen, lost)),
        ("halves", share(seen, dealt(distance, size=len(scores) // 2)))], 1e-6)
    if len(scores) < 6:    # more would take too long
        drawn = (distance(mean(ones), mean(others))
                 for ones in product(scores, repeat=sizes[0])
                 for others in product(scores, repeat=sizes[1]))
        blame(got, [("with_replacement", share(seen, drawn))], 1e-6)
    refuse(abs(got - right) < 0.05, "sampled", got=got, right=right, ways=ways)
    raise Mistake("wrong_share", first=first, second=second, count=right * ways,
                  ways=ways, right=right, got=got)


# 16-3

# every wrong way to choose takes another one than "middle"
VALID = {"small": [90.0, 91.0, 92.0], "middle": [93.0, 92.0, 92.5],
         "large": [95.0, 88.0, 91.0], "wide": [90.0, 89.0, 91.0],
         "deep": [92.2, 92.0, 92.4], "plain": [89.0, 90.0, 88.5, 89.5],
         "huge": [70.0, 71.0, 60.0]}
TEST = {"small": [95.0, 95.0, 95.5], "middle": [90.0, 91.5, 92.0],
        "large": [91.0, 96.0, 90.0], "wide": [98.0, 88.0, 89.0],
        "deep": [94.5, 94.4, 94.6], "plain": [92.0, 91.0, 93.0, 90.0],
        "huge": [61.0, 60.0, 65.0]}


@exercise("16-3", points=2)
def check_16_3(fair_report):
    compare_reports(fair_report, VALID, TEST)
    other = {name: [100 - score for score in scores] for name, scores in VALID.items()}
    compare_reports(fair_report, other, TEST)
    rng = random.Random(33)
    for _ in range(3):
        valid, test = ({f"rate {n}": [rng.gauss(50, 3) for _ in range(3)]
                        for n in range(6)} for _ in range(2))
        compare_reports(fair_report, valid, test)


def compare_reports(fair_report, valid, test):
    """Raises the Mistake that explains a wrong choice or a wrong score."""
    name, score = pair(ask(fair_report, copy.deepcopy(valid), copy.deepcopy(test)))
    refuse(isinstance(score, str) and score in valid, "swapped")
    refuse(not isinstance(name, str) or name not in valid, "no_name")
    score, best = number(score), chosen(valid, mean)
    if name != best:
        both = {rate: valid[rate] + test[rate] for rate in valid}
        for code, other in (
                ("chosen_on_test", chosen(test, mean)),
                ("lucky_seed_on_test", chosen(test, max)),
                ("chosen_by_lucky_seed", chosen(valid, max)),
                ("chosen_on_both", chosen(both, mean)),
                ("chosen_by_sum", chosen(valid, sum)),
                ("lowest", min(valid, key=lambda rate: mean(valid[rate])))):
            # in other tables two ways may choose the same by chance
            refuse(valid is VALID and name == other, code)
        raise Mistake("wrong_choice", best=best, name=name)
    lucky = valid[best].index(max(valid[best]))
    blame(score, [
        ("reports_valid", mean(valid[best]), max(valid[best])),
        ("reports_best_seed", max(test[best])),
        ("reports_seed_of_valid", test[best][lucky]),
        ("all_test_scores",
         mean(value for scores in test.values() for value in scores))])
    refuse(not close(score, mean(test[best])), "wrong_score", best=best,
           right=mean(test[best]), score=score)


def chosen(scores, measure):
    """The name whose scores measure highest."""
    return max(scores, key=lambda name: measure(scores[name]))


# 16-4

@exercise("16-4", points=3)
def check_16_4(quiet):
    torch.manual_seed(24)
    for axes, T, S, K, size in (((2, 3), 5, 7, 6, 1.0), ((2, 3), 3, 3, 4, 1.0),
                                ((2, 3), 4, 6, 9, 60.0), ((2,), 3, 5, 4, 1.0),
                                ((), 4, 3, 8, 1.0)):
        query, key, value = (torch.randn(*axes, rows, K) for rows in (T, S, S))
        query, key = size * query, size * key
        allowed = torch.rand(*axes[:1], *[1] * len(axes[1:]), T, S) > 0.4
        allowed[..., 1, :] = False
        for mask in (None, allowed, torch.ones(T, S, dtype=torch.bool),
                     allowed[..., :1, :]):
            compare_looks(quiet, query, key, value, mask)


def compare_looks(quiet, query, key, value, allowed):
    """Raises the Mistake that explains context and weights that are wrong."""
    learned = [part.requires_grad_() for part in (query, key, value)]
    likely = [(Mistake("four_axes", axes=query.dim()), "values to unpack",
               "out of range")]
    if allowed is not None and allowed.shape[-2] == 1 < query.shape[-2]:
        likely.append(("one_row", "must match"))
    returned = pair(ask(quiet, *learned, allowed, likely=likely))
    shape = (*query.shape[:-1], key.shape[-2])
    refuse(getattr(returned[1], "shape", 0) == (*shape[:-1], shape[-1] + 1),
           "nothing_is_returned")
    context, weights = two_tensors(returned, [tuple(query.shape), shape], "contexts")
    query, key, value = (part.detach().double() for part in learned)
    products = query @ key.transpose(-2, -1)
    scores = products / math.sqrt(query.shape[-1])
    may = (torch.tensor(True) if allowed is None else allowed).broadcast_to(shape)

    def shared(scores, may=may, nothing=0.0):
        hidden = scores.masked_fill(~may, -torch.inf)
        with_nothing = torch.cat([hidden, torch.full_like(hidden[..., :1], nothing)],
                                 dim=-1)
        return with_nothing.softmax(dim=-1)[..., :-1]

    right = shared(scores)
    if close(weights, right):
        if not close(context, right @ value):
            again = torch.nn.functional.normalize(right, p=1, dim=-1) @ value
            blame(context, [("divided_again", again)])
        right_sums("wrong_context", context, right @ value)
        learns(lambda *parts: quiet(*parts, allowed)[0], learned)
        return
    nan, some = weights.isnan().any(dim=-1), may.any(dim=-1)
    refuse(nan[some].any(), "overflow")
    plain = torch.where(some[..., None], shared(scores, nothing=-1e9), 0.0)
    # without a mask, which is tried first, *nothing* had its share
    refuse(allowed is not None and some.any() and close(weights[some], plain[some]),
           "nothing_hidden")
    refuse(nan.any(), "nan_row")
    top = scores.masked_fill(~may, -torch.inf).amax(dim=-1, keepdim=True)
    powers = (scores - top.clamp(min=-1e9)).exp() * may
    blame(weights, [
        ("plain_softmax", plain),
        ("one_not_moved", powers / (1 + powers.sum(dim=-1, keepdim=True))),
        ("not_divided", shared(products)),
        ("divided_by_width", shared(scores / math.sqrt(query.shape[-1]))),
        ("mask_ignored", shared(scores, torch.ones_like(may))),
        ("mask_too_late", shared(scores, torch.ones_like(may)) * may),
        ("mask_as_factor", shared(scores * may, torch.ones_like(may))),
        ("mask_turned", shared(scores, ~may)),
        ("sigmoid", scores.sigmoid() * may),
        ("cuts_a_key",
         torch.cat([1 - right.sum(dim=-1, keepdim=True), right[..., :-1]], dim=-1)),
        ("nothing_weighs_one", shared(scores, nothing=1.0))])
    wrong_row("wrong_weights", weights, right)
