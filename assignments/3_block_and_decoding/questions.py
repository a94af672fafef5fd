"""Assignment 3, Transformer block and decoding: what is graded, and how. Private."""

import math
import random

import torch
from softdict.grading import Part, Question, Wrong

TITLE = "Transformer block and decoding"
MINUTES = {"q1": 20, "q2": 10, "q3": 20, "q4": 20, "q5": 20}

# what an answer returns as a tuple, part by part: the parts have unequal shapes
PARTS = """
def drive(answer, *case):
    found = answer(*case)
    if isinstance(found, (list, tuple)):
        found = {f"result {place}": one for place, one in enumerate(found, start=1)}
    return found
"""
# matrices become sub-layers, and gains become norms
STACK = """
import torch


def drive(answer, x, matrices, gains, order):
    def layer(matrix):
        return lambda x: torch.tanh(x @ matrix)

    def norm(gain):
        return lambda x: torch.nn.functional.layer_norm(x, x.shape[-1:]) * gain

    return answer(x, [layer(matrix) for matrix in matrices],
                  [norm(gain) for gain in gains[:-1]], norm(gains[-1]), order)
"""


def variant(seed):
    """Numbers of the text's examples, worked out by hand for any of them."""
    rng = random.Random(seed)
    start, add, double = rng.randint(2, 9), rng.randint(1, 9), rng.choice([10, 100])
    root = rng.choice([2, 3, 5])
    gains = rng.sample(range(2, 8), 2)
    first, second, third = rng.sample(range(2, 10), 3)
    open_total, done = rng.choice([(-6, -7), (-8, -6), (-7, -5)])
    low, high = rng.sample(range(2, 9), 2)
    return {
        "start": float(start), "add": float(add), "scale": float(double),
        "pre": (start * double + add + start) / 2,
        "post": (start + start + add) * double,
        "inner": ((start + add) * double + start) / 2,
        "small": float(root), "large": float(7 * root), "mean": float(4 * root),
        "gains": [float(one) for one in gains],
        "normed": [round(gains[0] / 4, 4), round(gains[1] * 7 / 4, 4)],
        "words": [first, second, third, first], "first": first, "second": second,
        "open_total": float(open_total), "done": float(done),
        "done_score": done / 5, "bound": open_total / 10, "now": open_total / 4,
        "low": float(low), "high": float(high), "newest": float(low + 4),
        "kept": [[[[low], [low + 4]]]], "answer": low + 2.0,
        "values": [[[[float(low)], [float(high)]]]],
    }


def normal(rng, *shape):
    """Random numbers of a shape, from a random.Random."""
    generator = torch.Generator().manual_seed(rng.getrandbits(40))
    return torch.randn(*shape, generator=generator)


# ---- 1: where the norm stands


def run_stack(x, sublayers, norms, last, order):
    """Returns x [B, T, D] behind the whole stack."""
    for sublayer, norm in zip(sublayers, norms):
        if order == "pre":
            x = x + sublayer(norm(x))
        elif order == "inner":
            x = x + norm(sublayer(x))
        else:
            x = norm(x + sublayer(x))
    return x if order == "post" else last(x)


def stream_normalised(x, sublayers, norms, last, order):
    if order != "pre":
        return run_stack(x, sublayers, norms, last, order)
    for sublayer, norm in zip(sublayers, norms):
        x = norm(x)
        x = x + sublayer(x)
    return last(x)


def no_last(x, sublayers, norms, last, order):
    return run_stack(x, sublayers, norms, lambda x: x, order)


def last_everywhere(x, sublayers, norms, last, order):
    x = run_stack(x, sublayers, norms, last, order)
    return last(x) if order == "post" else x


def residual_forgotten(x, sublayers, norms, last, order):
    for sublayer, norm in zip(sublayers, norms):
        x = sublayer(norm(x)) if order == "pre" else norm(sublayer(x))
    return x if order == "post" else last(x)


def post_before_sum(x, sublayers, norms, last, order):
    if order != "post":
        return run_stack(x, sublayers, norms, last, order)
    return run_stack(x, sublayers, norms, lambda x: x, "inner")


def inner_like_pre(x, sublayers, norms, last, order):
    return run_stack(x, sublayers, norms, last, "pre" if order == "inner" else order)


def stacks(rng, order):
    return [(normal(rng, 2, 3, 5), [normal(rng, 5, 5) for _ in range(layers)],
             [1 + 0.5 * normal(rng, 5) for _ in range(layers + 1)], order)
            for layers in (1, 4)]


Q1 = Question(
    "q1", "run_stack", run_stack,
    (Part("pre", 2, lambda rng: stacks(rng, "pre")),
     Part("post", 1, lambda rng: stacks(rng, "post")),
     Part("inner", 1, lambda rng: stacks(rng, "inner"))),
    (Wrong("stream_normalised",
           "With pre you normalise what the sub-layer is added to. Only what it reads "
           "goes through the norm.", stream_normalised),
     Wrong("no_last",
           "Your stream leaves the stack without its last norm. Which orders never "
           "normalise the stream itself?", no_last),
     Wrong("last_everywhere",
           "With post you normalise twice at the end. Is there a norm behind the last "
           "sub-layer already?", last_everywhere),
     Wrong("residual_forgotten",
           "Switch a sub-layer off. What should remain of x, and what does yours "
           "leave?", residual_forgotten),
     Wrong("post_before_sum",
           "With post you normalise the answer before it is added. The norm stands "
           "behind the sum.", post_before_sum),
     Wrong("inner_like_pre",
           "Your inner is pre once more. There the norm reads what the sub-layer "
           "answers.", inner_like_pre)),
    drive=STACK)


# ---- 2: a norm without a square


def absolute_norm(x, gain, eps):
    """Returns the normalised x [..., D]."""
    size = x.abs().mean(dim=-1, keepdim=True)    # [..., 1]
    return x / (size + eps) * gain


def mean_removed(x, gain, eps):
    return absolute_norm(x - x.mean(dim=-1, keepdim=True), gain, eps)


def over_words(x, gain, eps):
    return x / (x.abs().mean(dim=-2, keepdim=True) + eps) * gain


def eps_forgotten(x, gain, eps):
    return absolute_norm(x, gain, 0.0)


def squares(x, gain, eps):
    return x / (x.square().mean(dim=-1, keepdim=True) + eps).sqrt() * gain


def sum_for_mean(x, gain, eps):
    return x / (x.abs().sum(dim=-1, keepdim=True) + eps) * gain


def gain_forgotten(x, gain, eps):
    return absolute_norm(x, 1.0, eps)


def rows(rng, quiet):
    gain = torch.ones(6) if quiet else normal(rng, 6)
    return [(normal(rng, 4, 6) + 1, gain, 1e-6)]


def any_axes(rng):
    x = normal(rng, 2, 3, 4)
    x[1, 2] = 0.0
    return [(x, normal(rng, 4), 0.1), (x[0], normal(rng, 4), rng.choice([0.2, 0.5]))]


Q2 = Question(
    "q2", "absolute_norm", absolute_norm,
    (Part("a gain of 1", 1, lambda rng: rows(rng, True)),
     Part("other gains", 1, lambda rng: rows(rng, False)),
     Part("eps and any axes", 1, any_axes)),
    (Wrong("mean_removed",
           "You take the mean away first. Layer norm does; here the mean stays.",
           mean_removed),
     Wrong("over_words",
           "Your average runs over the words. Change one word: another one must not "
           "move.", over_words),
     Wrong("eps_forgotten",
           "Your rows do not know eps. What do you divide by when a row is all zeros?",
           eps_forgotten),
     Wrong("squares",
           "You divide by the root of the mean square. That is RMSNorm; the task wants "
           "the mean of the sizes.", squares),
     Wrong("sum_for_mean",
           "The sizes of your rows add up to 1, and their mean should be 1. Sum or "
           "mean?", sum_for_mean),
     Wrong("gain_forgotten",
           "Your gain changes nothing. Each feature has a factor of its own.",
           gain_forgotten)))


# ---- 3: nothing said twice


def no_repeat(words, logits, n):
    """Returns new logits [V], minus infinity for words that would repeat n words."""
    allowed = logits.clone()
    last = words[len(words) - n + 1:]
    for start in range(len(words) - n + 1):
        if words[start:start + n - 1] == last:
            allowed[words[start + n - 1]] = -math.inf
    return allowed


def forbidden(logits, ids, fill=-math.inf):
    """A copy of the logits with some of them hidden."""
    logits = logits.clone()
    logits[list(ids)] = fill
    return logits


def followers(words, n):
    """The words that would end n words which stand there already."""
    last = words[len(words) - n + 1:] if len(words) >= n - 1 else None
    return [words[start + n - 1] for start in range(len(words) - n + 1)
            if words[start:start + n - 1] == last]


def all_words(words, logits, n):
    return forbidden(logits, words)


def latest_only(words, logits, n):
    return forbidden(logits, followers(words, n)[-1:])


def one_too_many(words, logits, n):
    return forbidden(logits, followers(words, n + 1))


def zero_logit(words, logits, n):
    return forbidden(logits, followers(words, n), 0.0)


def all_when_one(words, logits, n):
    """words[-(n - 1):] is the whole list when n is 1."""
    last = words[-(n - 1):]
    return forbidden(logits, [words[start + n - 1]
                              for start in range(len(words) - n + 1)
                              if words[start:start + n - 1] == last])


def last_words_only(words, logits, n):
    return forbidden(logits, words[len(words) - n + 1:] if n > 1 else words)


def texts(rng, n):
    """Beginnings whose last n - 1 words stood there twice, and a short one."""
    found = [([4], normal(rng, 9) + 5, n)] if n > 1 else []
    for _ in range(3):
        last = [rng.randrange(3) for _ in range(n - 1)]
        a, b = rng.sample(range(3, 8), 2)
        rest = [rng.randrange(3, 9) for _ in range(3)]
        words = [*last, a, *rest, *last, b, *rest[::-1], *last]
        found.append((words, normal(rng, 9) + 5, n))
    return found


Q3 = Question(
    "q3", "no_repeat", no_repeat,
    (Part("n = 2", 1, lambda rng: texts(rng, 2)),
     Part("n = 3 and 4", 2, lambda rng: texts(rng, 3) + texts(rng, 4)),
     Part("n = 1", 1, lambda rng: texts(rng, 1))),
    (Wrong("all_words",
           "You forbid each word that was written. A word may come again as long as n "
           "words in a row do not.", all_words),
     Wrong("latest_only",
           "You look at one earlier place only. The same words may have been followed "
           "by different ones.", latest_only),
     Wrong("one_too_many",
           "You compare the last n words. How many of the n are written before the "
           "next one comes?", one_too_many),
     Wrong("zero_logit",
           "A forbidden word of yours has the logit 0, and softmax still gives it a "
           "share.", zero_logit),
     Wrong("all_when_one",
           "With n = 1 you forbid nothing. What is `words[-0:]` in Python?",
           all_when_one),
     Wrong("last_words_only",
           "You forbid the last words themselves. Which word followed them before?",
           last_words_only)))


# ---- 4: when a search may stop


def may_stop(finished, unfinished, alpha, max_length):
    """Returns True if no unfinished hypothesis can still beat all finished ones."""
    if not finished:
        return not unfinished
    best = max(total / length ** alpha for total, length in finished)
    return all(total / max_length ** alpha <= best for total, _ in unfinished)


def stopping(finished, unfinished, alpha, bound, pick=max, power=None):
    """The answer when bound(total, length) is the most that can still come."""
    if not finished:
        return not unfinished
    power = alpha if power is None else power
    best = pick(total / length ** power for total, length in finished)
    return all(bound(*one) <= best for one in unfinished)


def first_end(finished, unfinished, alpha, max_length):
    return bool(finished) or not unfinished


def current_length(finished, unfinished, alpha, max_length):
    return stopping(finished, unfinished, alpha,
                    lambda total, length: total / length ** alpha)


def sums_compared(finished, unfinished, alpha, max_length):
    return stopping(finished, unfinished, alpha, lambda total, _: total, power=0)


def one_more_word(finished, unfinished, alpha, max_length):
    return stopping(finished, unfinished, alpha,
                    lambda total, length: total / (length + 1) ** alpha)


def worst_finished(finished, unfinished, alpha, max_length):
    return stopping(finished, unfinished, alpha,
                    lambda total, _: total / max_length ** alpha, pick=min)


def waits_for_all(finished, unfinished, alpha, max_length):
    return not unfinished


def close_calls(rng, alpha):
    """Searches that are just over, and searches where a longer one may still win."""
    found = []
    for _ in range(4):
        length, max_length = rng.randint(3, 5), rng.randint(12, 15)
        done = -rng.uniform(4.0, 5.0)
        best = done / length ** alpha
        edge = best * max_length ** alpha    # an unfinished sum that would be as good
        others = [(3.0 * done, length + 1), (done, length)]
        found += [(others, [(1.02 * edge, 6), (1.3 * edge, 3)], alpha, max_length),
                  (others, [(0.98 * edge, 6), (1.3 * edge, 3)], alpha, max_length)]
    # one more word is better than the best, and the sum as it stands is worse
    best = -2.0 / 2 ** alpha - 2.0 / 3 ** alpha
    return found + [([(best * 5 ** alpha, 5)], [(-4.0, 2)], alpha, 9),
                    ([(-5.0, 4)], [(-6.0, 6)], alpha, 12),
                    ([(-4.0, 8)], [(-3.5, 2)], alpha, 8),
                    ([(-3.0, 6), (-9.0, 2)], [(-9.0, 5)], alpha, 9)]


def ends(rng):
    alpha = rng.choice([0.0, 0.6, 1.0])
    return [([], [(-rng.uniform(1, 3), 2)], alpha, 9), ([(-3.0, 4)], [], alpha, 9),
            ([], [], alpha, 9)]


Q4 = Question(
    "q4", "may_stop", may_stop,
    (Part("alpha = 0", 1, lambda rng: close_calls(rng, 0.0)),
     Part("alpha above 0", 2, lambda rng: close_calls(rng, 0.6)
          + close_calls(rng, 1.0)),
     Part("nothing finished, or all", 1, ends)),
    (Wrong("first_end",
           "You stop at the first end. An unfinished hypothesis may still be the "
           "better one.", first_end),
     Wrong("current_length",
           "You judge unfinished hypotheses at the length they have. With more words "
           "the same sum is divided by more.", current_length),
     Wrong("sums_compared",
           "You compare sums. Finished hypotheses are ranked by the sum over a power "
           "of the length.", sums_compared),
     Wrong("one_more_word",
           "You look one word ahead. How long may an unfinished hypothesis get at "
           "most?", one_more_word),
     Wrong("worst_finished",
           "You compare with the worst finished hypothesis. Only the best one will be "
           "returned.", worst_finished),
     Wrong("waits_for_all",
           "You wait until nothing is unfinished. Sums can only fall, so some can be "
           "given up sooner.", waits_for_all)))


# ---- 5: a cache that stays small


def rolling_step(query, key, value, keys, values, size):
    """Returns context [B, H, K], and the keys and values that are kept."""
    keys = torch.cat([keys, key[:, :, None]], dim=2)          # [B, H, P + 1, K]
    values = torch.cat([values, value[:, :, None]], dim=2)    # [B, H, P + 1, K]
    if keys.shape[2] > size:
        kept = [0, *range(keys.shape[2] - size + 1, keys.shape[2])]
        keys, values = keys[:, :, kept], values[:, :, kept]
    scores = keys @ query[..., None] / query.shape[-1] ** 0.5
    weights = scores.softmax(dim=2)                           # [B, H, P, 1]
    return (weights * values).sum(dim=2), keys, values


def ask(query, keys, values):
    """The context of one query, by scaled dot products."""
    scores = torch.einsum("bhk,bhpk->bhp", query, keys) / query.shape[-1] ** 0.5
    return torch.einsum("bhp,bhpk->bhk", scores.softmax(dim=-1), values)


def grown(past, new):
    return torch.cat([past, new[:, :, None]], dim=2)


def first_dropped(query, key, value, keys, values, size):
    keys, values = grown(keys, key)[:, :, -size:], grown(values, value)[:, :, -size:]
    return ask(query, keys, values), keys, values


def cut_too_late(query, key, value, keys, values, size):
    context = ask(query, grown(keys, key), grown(values, value))
    return context, *rolling_step(query, key, value, keys, values, size)[1:]


def never_cut(query, key, value, keys, values, size):
    keys, values = grown(keys, key), grown(values, value)
    return ask(query, keys, values), keys, values


def newest_unread(query, key, value, keys, values, size):
    context = (ask(query, keys, values) if keys.shape[2] else torch.zeros_like(query))
    return context, *rolling_step(query, key, value, keys, values, size)[1:]


def newest_dropped(query, key, value, keys, values, size):
    keys, values = grown(keys, key)[:, :, :size], grown(values, value)[:, :, :size]
    return ask(query, keys, values), keys, values


def unscaled(query, key, value, keys, values, size):
    return rolling_step(query * query.shape[-1] ** 0.5, key, value, keys, values, size)


def caches(rng, pasts, size):
    return [(normal(rng, 2, 3, 4), normal(rng, 2, 3, 4), normal(rng, 2, 3, 4),
             normal(rng, 2, 3, past, 4), normal(rng, 2, 3, past, 4), size)
            for past in pasts]


Q5 = Question(
    "q5", "rolling_step", rolling_step,
    (Part("room is left", 2, lambda rng: caches(rng, (2, 4), 5)),
     Part("the cache is full", 2, lambda rng: caches(rng, (5,), 5)
          + caches(rng, (3,), 3)),
     Part("the first word", 1, lambda rng: caches(rng, (0,), rng.randint(2, 4)))),
    (Wrong("first_dropped",
           "Your cache forgot the first word of the sentence. It stays, however long "
           "the sentence gets.", first_dropped),
     Wrong("cut_too_late",
           "Your query still reads the row that is dropped. Cut first, then attend.",
           cut_too_late),
     Wrong("never_cut",
           "Your cache grows with each word. It may hold `size` rows, the newest "
           "among them.", never_cut),
     Wrong("newest_unread",
           "Your newest word does not look at itself. Its own key belongs to the keys "
           "of this step.", newest_unread),
     Wrong("newest_dropped",
           "When your cache is full, the newest word is lost. Which row is the oldest "
           "after the first?", newest_dropped),
     Wrong("unscaled",
           "Your weights are sharper than expected. By what does the book divide a dot "
           "product of K numbers?", unscaled)),
    drive=PARTS)

QUESTIONS = (Q1, Q2, Q3, Q4, Q5)
