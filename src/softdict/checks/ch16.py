"""Checks for the exercises of chapter 16, evidence."""

import copy
import math
import random
from itertools import combinations, product
from statistics import mean

import torch

from softdict.checks.answers import (
    DIVIDED_BY_WIDTH, NOT_DIVIDED, ask, blame, close, learns, number, pair,
    right_sums, something, two_tensors, wrong_row)
from softdict.checks.result import Mistake, exercise, refuse


# 16-1

@exercise("16-1", points=2)
def check_16_1(paired):
    # in the last, no two of the draws at an end are equal
    for seed, count, rounds, moved in ((31, 100, 400, 0.15), (32, 80, 250, 0.4),
                                       (1, 97, 80, 0.7)):
        rng = random.Random(seed)
        first = [int(rng.random() < 0.7) for _ in range(count)]
        second = [int(rng.random() < 0.4) if rng.random() < moved else flag
                  for flag in first]
        draws = [rng.choices(range(count), k=count) for _ in range(rounds)]
        compare_intervals(paired, first, second, draws)
    return "one draw, both systems, and the difference is as sure as it can be."


def compare_intervals(paired, first, second, draws):
    """Raises the Mistake that explains a wrong difference or a wrong interval."""
    returned = something(ask(paired, first, second, draws, advice="`sorted` makes a "
                             "new list"))
    refuse(not hasattr(returned, "__len__") or len(returned) != 3, "not_three_things",
           "return three numbers: the difference, and the two ends of the interval.")
    value, low, high = (number(part) for part in returned)
    gains = [100 * (other - one) for one, other in zip(first, second)]
    right, k = mean(gains), len(draws) // 40
    plain = [mean(gains[n] for n in draw) for draw in draws]
    found, moved = sorted(plain), [gain for gain in gains if gain]
    blame(value, [
        ("reversed", "yours is the first minus the second; a positive difference says "
         "that the *second* is better.", -right),
        ("not_in_percent", "yours is a share; return points of 100.", right / 100),
        ("mean_of_draws", "your difference is the mean of the draws; that of all "
         "sentences, as they are, is asked for.", mean(plain)),
        ("only_disagreements", "yours divides by the sentences on which the systems "
         "disagree; a draw has as many sentences as the test.", mean(moved))])
    refuse(not close(value, right), "wrong_difference",
           f"the second less the first is {right:.4g} points of 100; yours says "
           f"{value:.4g}.")
    apart = [sorted(mean(100 * flags[n] for n in draw) for draw in draws)
             for flags in (first, second)]
    gaps = [other - one for one, other in zip(*apart)]
    blame([low, high], [
        ("sorted_apart", "yours sorts the draws of each system by themselves, so two "
         "different draws are subtracted. Subtract inside each draw, then sort.",
         [gaps[k], gaps[-k - 1]], [sorted(gaps)[k], sorted(gaps)[-k - 1]])])
    refuse(low > high, "ends_swapped", "your lower end lies above the higher one.")
    refuse(any(close(end, outer, 1e-6) and not close(outer, inner, 1e-6)
               for end, outer, inner in ((low, found[k - 1], found[k]),
                                         (high, found[-k], found[-k - 1]))),
           "one_too_few", "at one end yours leaves out one draw fewer than N // 40, "
           f"which is {k} here.")
    # quantiles that lie between two draws are as good
    if (found[k - 1] - 1e-6 <= low <= found[k + 1] + 1e-6
            and found[-k - 2] - 1e-6 <= high <= found[-k] + 1e-6):
        return
    once = sorted(mean(gains[n] for n in set(draw)) for draw in draws)
    blame([low, high], [
        ("not_sorted", "your ends are those of an unsorted list.",
         [plain[k], plain[-k - 1]]),
        ("leaves_out_none", "yours goes from the lowest to the highest of all draws; "
         "leave out a fortieth at each end.", [found[0], found[-1]]),
        ("leaves_out_twice_as_many", "yours leaves out a twentieth at each end, a "
         "tenth in all; leave out a fortieth.", [found[2 * k], found[-2 * k - 1]]),
        ("sentences_for_draws", "N is the number of draws, not that of sentences.",
         [found[len(first) // 40], found[-(len(first) // 40) - 1]]),
        ("two_intervals", "yours subtracts the ends of two intervals; subtract the "
         "scores inside each draw.",
         [apart[1][k] - apart[0][-k - 1], apart[1][-k - 1] - apart[0][k]]),
        ("each_sentence_once", "a sentence that is drawn twice counts twice.",
         [once[k], once[-k - 1]])])
    refuse(high - low > 1.15 * (found[-k - 1] - found[k]), "not_paired",
           "your interval is too wide; each draw should give its sentences to *both* "
           "systems.")
    raise Mistake("wrong_ends", f"with {len(draws)} draws the ends are {found[k]:.4g} "
                  f"and {found[-k - 1]:.4g}; yours are {low:.4g} and {high:.4g}.")


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
    return "now you know what luck could do with so few seeds."


def compare_luck(by_luck, first, second):
    """Raises the Mistake that explains the share of ways, if it is wrong."""
    got = number(ask(by_luck, first, second, advice="work with a new list"))
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
        ("count", "yours counts the ways; return their share of all ways.",
         right * ways),
        ("share_of_the_rest", "yours is the share of the ways that lie *nearer*.",
         1 - right),
        ("compared_exactly", "rounding makes some equal distances smaller in yours; "
         "those that differ by less than 1e-9 are equal.", exact),
        ("farther_only", "yours leaves out the ways that lie exactly as far apart, and "
         "what you saw is one of them.", farther, right - 1 / ways),
        ("one_direction", "yours counts one direction; the other group may be ahead, "
         "too.", share(mean(first) - mean(second), dealt(ahead)),
         share(mean(second) - mean(first), (-gap for gap in dealt(ahead))),
         share(seen, dealt(ahead)), share(seen, (-gap for gap in dealt(ahead)))),
        ("sums", "yours compares sums; groups of different size need means.",
         share(abs(sum(first) - sum(second)), dealt(distance, measure=sum))),
        ("equal_ways_merged", "yours takes ways with equal scores for one; each way to "
         "choose places counts.", share(seen, different.values())),
        ("equal_scores_merged", "equal scores of two seeds became one in yours; choose "
         "places, not scores.", share(seen, merged)),
        ("equal_scores_lost", "yours loses a score that is equal to a chosen one; "
         "choose places, not scores.", share(seen, lost)),
        ("halves", "yours deals two halves; the first group has as many as `first`.",
         share(seen, dealt(distance, size=len(scores) // 2)))], 1e-6)
    if len(scores) < 6:    # more would take too long
        drawn = (distance(mean(ones), mean(others))
                 for ones in product(scores, repeat=sizes[0])
                 for others in product(scores, repeat=sizes[1]))
        blame(got, [("with_replacement", "yours may choose a score twice; each is "
                     "dealt out once.", share(seen, drawn))], 1e-6)
    refuse(abs(got - right) < 0.05, "sampled", f"yours is near, {got:.4f}, and not "
           f"equal to {right:.4f}; go through all {ways} ways, each once.")
    raise Mistake("wrong_share", f"for {first} and {second} it is {right * ways:.0f} "
                  f"of {ways} ways, {right:.4f}; yours says {got:.4f}.")


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
    return "the test set was asked once, and by nobody who could choose."


def compare_reports(fair_report, valid, test):
    """Raises the Mistake that explains a wrong choice or a wrong score."""
    name, score = pair(ask(fair_report, copy.deepcopy(valid), copy.deepcopy(test)),
                       "the name", "the score")
    refuse(isinstance(score, str) and score in valid, "swapped",
           "return the name first and the score second.")
    refuse(not isinstance(name, str) or name not in valid, "no_name",
           "the first thing to return is a name, one of the keys of `valid`.")
    score, best = number(score), chosen(valid, mean)
    if name != best:
        both = {rate: valid[rate] + test[rate] for rate in valid}
        for code, sentence, other in (
                ("chosen_on_test", "yours chose on the test sentences; the choice must "
                 "be made before they are asked.", chosen(test, mean)),
                ("lucky_seed_on_test", "yours chose by the luckiest seed on the test "
                 "sentences.", chosen(test, max)),
                ("chosen_by_lucky_seed", "yours chose by the luckiest seed; take the "
                 "mean over the seeds.", chosen(valid, max)),
                ("chosen_on_both", "the test sentences took part in your choice.",
                 chosen(both, mean)),
                ("chosen_by_sum", "yours compares sums, and one rate has more seeds.",
                 chosen(valid, sum)),
                ("lowest", "yours took the lowest mean.",
                 min(valid, key=lambda rate: mean(valid[rate])))):
            # in other tables two ways may choose the same by chance
            refuse(valid is VALID and name == other, code, sentence)
        raise Mistake("wrong_choice",
                      f"{best!r} has the highest mean on the validation sentences; "
                      f"yours chose {name!r}.")
    lucky = valid[best].index(max(valid[best]))
    blame(score, [
        ("reports_valid", "yours reports the validation sentences, by which it has "
         "chosen.", mean(valid[best]), max(valid[best])),
        ("reports_best_seed", "the choice is right; but yours reports the seed that "
         "did best on the test sentences.", max(test[best])),
        ("reports_seed_of_valid", "the choice is right; but a seed is no choice: "
         "report the mean over all seeds.", test[best][lucky]),
        ("all_test_scores", "yours is the mean over all rates.",
         mean(value for scores in test.values() for value in scores))])
    refuse(not close(score, mean(test[best])), "wrong_score",
           f"{best!r} has the mean {mean(test[best]):.4g} on the test sentences; yours "
           f"says {score:.4g}.")


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
    return "who finds nothing may now say so."


def compare_looks(quiet, query, key, value, allowed):
    """Raises the Mistake that explains context and weights that are wrong."""
    learned = [part.requires_grad_() for part in (query, key, value)]
    likely = [
        ("four_axes", f"your code wants four axes; here there are {query.dim()}, and "
         "`...` stands for any number.", "values to unpack", "out of range")]
    if allowed is not None and allowed.shape[-2] == 1 < query.shape[-2]:
        likely.append(("one_row", "a mask may have one row for all queries, as for "
                       "pads; broadcast it to [..., T, S] first.", "must match"))
    returned = pair(ask(quiet, *learned, allowed, likely=likely),
                    "the context", "the weights")
    shape = (*query.shape[:-1], key.shape[-2])
    refuse(getattr(returned[1], "shape", 0) == (*shape[:-1], shape[-1] + 1),
           "nothing_is_returned", "the weight of *nothing* is not returned: weights "
           "have a column for each key.")
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
            blame(context, [(
                "divided_again", "the weights are right, but your contexts come from "
                "weights that were divided by their sum again.",
                torch.nn.functional.normalize(right, p=1, dim=-1) @ value)])
        right_sums("wrong_context", "contexts", context, right @ value)
        learns(lambda *parts: quiet(*parts, allowed)[0], learned)
        return
    nan, some = weights.isnan().any(dim=-1), may.any(dim=-1)
    refuse(nan[some].any(), "overflow",
           "large scores make nan in yours: exp overflows.")
    refuse(nan.any(), "nan_row",
           "a query that may look at nothing gets nan; its weights should be 0.")
    top = scores.masked_fill(~may, -torch.inf).amax(dim=-1, keepdim=True)
    powers = (scores - top.clamp(min=-1e9)).exp() * may
    plain = torch.where(some[..., None], shared(scores, nothing=-1e9), 0.0)
    blame(weights, [
        ("plain_softmax", "your weights are 1 together; nothing is left for *nothing*.",
         plain),
        ("one_not_moved", "you took the largest score off all scores, which is wise. "
         "But the score of *nothing*, 0, must be moved down with them.",
         powers / (1 + powers.sum(dim=-1, keepdim=True))),
        (*NOT_DIVIDED, shared(products)),
        (*DIVIDED_BY_WIDTH, shared(scores / math.sqrt(query.shape[-1]))),
        ("mask_ignored", "what may not be looked at gets a weight in yours.",
         shared(scores, torch.ones_like(may))),
        ("mask_too_late", "yours hides keys after they have taken their share; hide "
         "them before.", shared(scores, torch.ones_like(may)) * may),
        ("mask_as_factor", "a score of 0 is not hidden; hidden scores are minus "
         "infinity.", shared(scores * may, torch.ones_like(may))),
        ("mask_turned", "in this book True means *may look*.", shared(scores, ~may)),
        ("sigmoid", "yours gives each key its own yes or no; all keys and *nothing* "
         "share 1.", scores.sigmoid() * may),
        ("cuts_a_key", "yours puts *nothing* in front of the keys, and cuts off the "
         "last key; cut off the column of *nothing*.",
         torch.cat([1 - right.sum(dim=-1, keepdim=True), right[..., :-1]], dim=-1)),
        ("nothing_weighs_one", "your *nothing* has the score 1; it should be 0, whose "
         "power is 1.", shared(scores, nothing=1.0))])
    wrong_row("wrong_weights", "weights", weights, right)
