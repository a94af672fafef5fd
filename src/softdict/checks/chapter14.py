"""Checks for the exercises of chapter 14, learning to translate."""

import math

import torch
from torch import nn

from softdict.checks.result import Mistake, attempt, close, exercise, number, short
from softdict.vocab import PAD


def two(returned, names):
    """The two things that the reader's function returned; raises Mistake if it is not two."""
    if returned is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    if not isinstance(returned, (tuple, list)) or len(returned) != 2:
        raise Mistake("not_two_things", f"return two things, {names}.")
    return returned


# 14-1

@exercise("14-1", points=2)
def check_14_1(bucketed):
    chance = torch.Generator().manual_seed(21)
    for count, size in ((11, 4), (12, 3), (7, 2), (5, 9)):
        lengths = torch.randint(1, 30, (count,), generator=chance).tolist()
        compare_batches(bucketed, lengths, size)
    return "like stands with like, and nobody is left out."


def compare_batches(bucketed, lengths, size):
    """Raises the Mistake that explains batches, or a number of pads, that are wrong."""
    given = list(lengths)
    batches, pads = two(bucketed(given, size), "the batches and the number of pads")
    if given != lengths:
        raise Mistake("changes_arguments", "yours changes the list that it was given; `sorted` makes a new one.")
    if isinstance(batches, (int, float)):
        raise Mistake("swapped", "return the batches first and the number of pads second.")
    batches = [[int(number) for number in batch] for batch in batches]
    used = sorted(number for batch in batches for number in batch)
    everyone = list(range(len(lengths)))
    if used != everyone:
        if used == sorted(lengths):
            raise Mistake("lengths_not_numbers", "your batches hold lengths; they should hold the numbers of the "
                                                 "sentences, so that the sentences can be found.")
        if used == [number + 1 for number in everyone]:
            raise Mistake("counts_from_one", "sentences are numbered from 0.")
        if set(used) < set(everyone):
            raise Mistake("left_out", f"{len(lengths)} sentences in batches of {size}: yours leaves "
                                      f"{len(lengths) - len(set(used))} of them out.")
        raise Mistake("not_everyone_once", "each sentence should stand in one batch, and in one only.")
    if not all(batches):
        raise Mistake("empty_batch", "one of your batches is empty; stop cutting when nobody is left.")
    sizes = sorted((len(batch) for batch in batches), reverse=True)
    if sizes[:-1] != [size] * (len(sizes) - 1) or sizes[-1] > size:
        raise Mistake("wrong_sizes", f"all batches but one should have {size} sentences, and that one no more; yours "
                                     f"have {sizes}.")
    found = [[lengths[number] for number in batch] for batch in batches]
    ordered = sorted(found, key=lambda batch: (min(batch), max(batch)))
    if any(max(one) > min(other) for one, other in zip(ordered, ordered[1:])):
        in_order = [number for batch in batches for number in batch] == everyone
        raise Mistake("not_sorted", "your batches take the sentences as they come; sort by length first." if in_order
                      else "in yours a batch holds both shorter and longer sentences than another one.")
    right = sum(max(batch) * len(batch) - sum(batch) for batch in found)
    got = number(pads)
    likely = [("counts_places", sum(max(batch) * len(batch) for batch in found),
               "yours counts all places; pads are the places without a word."),
              ("counts_words", sum(lengths), "that is the number of words."),
              ("padded_to_longest_of_all", max(lengths) * len(lengths) - sum(lengths),
               "yours pads every batch to the longest sentence of all; a batch is as long as its own longest."),
              ("full_batches", sum(max(batch) * size - sum(batch) for batch in found),
               "the last batch may be smaller, and then it has fewer rows to fill.")]
    if got == right:
        return
    for code, wrong, sentence in likely:
        if got == wrong:
            raise Mistake(code, sentence)
    raise Mistake("wrong_pads", f"for lengths {lengths} and batches of {size} your batches need {right} pads; yours "
                                f"says {got:g}.")


# 14-2

@exercise("14-2", points=2)
def check_14_2(smoothed):
    torch.manual_seed(22)
    for M, V, smoothing in ((5, 6, 0.1), (4, 9, 0.4), (3, 5, 0.0)):
        logits, target = 2 * torch.randn(M, V), torch.randint(1, V, (M,))
        target[1] = PAD
        logits[:, PAD] += 1    # a pad that is not unlikely
        compare_losses(smoothed, logits, target, smoothing)
    return "a little for every word, and nothing for a pad."


def compare_losses(smoothed, logits, target, smoothing):
    """Raises the Mistake that explains the reader's loss, if it is wrong."""
    given = logits.clone(), target.clone()
    got = number(attempt(lambda: smoothed(*given, smoothing), (
        "math domain", "log_of_zero", "your code takes the logarithm of 0: a share of the softmax is never 0.")))
    if not (torch.equal(given[0], logits) and torch.equal(given[1], target)):
        raise Mistake("changes_arguments", "yours changes what it was given; work on copies.")
    logits = logits.double()
    V, real, logs = logits.shape[-1], target != PAD, logits.log_softmax(dim=-1)

    def loss(share, others, pad, rows=real, logs=logs):
        wanted = torch.full_like(logs, others)
        wanted[:, PAD] = pad
        wanted[torch.arange(len(target)), target] = share
        return -(wanted * logs).sum(dim=-1)[rows]

    each = smoothing / (V - 1)
    right = loss(1 - smoothing + each, each, 0.0)
    if close(got, right.mean()):
        return
    everyone = torch.ones_like(real)
    no_pad = logits.clone()
    no_pad[:, PAD] = float("-inf")
    without_pad = no_pad.log_softmax(dim=-1).clamp(min=-1e9)
    likely = [
        ("mass_on_pad", loss(1 - smoothing + smoothing / V, smoothing / V, smoothing / V).mean(),
         "yours wants a share for PAD too; nobody should ever say a pad."),
        ("right_word_left_out", loss(1 - smoothing, smoothing / (V - 2), 0.0).mean(),
         "yours spreads over the other words only; the right word takes part, too."),
        *[("shares_over_one", loss(share, each, 0.0).mean(), "what you want is more than 1 together: the right word "
           "gives up what is spread.") for share in (1.0, 1 + each)],
        ("shares_under_one", loss(1 - smoothing, each, 0.0).mean(), "what you want is less than 1 together: the right "
         "word takes part in what is spread."),
        ("mass_on_pad", loss(1 - smoothing, each, each).mean(), "yours wants a share for PAD, and the right word gets "
         "nothing of what is spread."),
        ("not_smoothed", loss(1.0, 0.0, 0.0).mean(), "that is the plain loss; nothing is spread."),
        ("pads_counted", right.sum() / len(target), "yours divides by the pads as well."),
        *[("pads_are_targets", torch.where(real, loss(1 - smoothing + each, each, 0.0, everyone),
                                           loss(share, each, 0.0, everyone)).mean(),
           "yours has a loss for places whose target is PAD; leave them out.")
          for share in (1 - smoothing, 1 - smoothing + each, 0.0)],
        ("sum", right.sum(), "yours is the sum over the places; return the mean."),
        ("pad_out_of_softmax", loss(1 - smoothing + each, each, 0.0, logs=without_pad).mean(),
         "yours leaves PAD out of the softmax; then nothing teaches the model not to say it."),
        ("minus_missing", -right.mean(), "a loss is positive; a logarithm of a share is not."),
        ("no_log", loss(1 - smoothing + each, each, 0.0, logs=logits).mean(),
         "yours multiplies with the scores; the logarithms of the shares are meant."),
        ("share_not_log", loss(1 - smoothing + each, each, 0.0, logs=logs.exp()).mean(),
         "yours multiplies with the shares; their logarithms are meant."),
        ("mean_over_words", right.mean() / V, "yours takes a mean over the words too; their parts are added up."),
    ]
    for code, wrong, sentence in likely:
        if close(got, wrong):
            raise Mistake(code, sentence)
    raise Mistake("wrong_loss", f"for scores {[short(row) for row in logits]}, targets {target.tolist()} and smoothing "
                                f"{smoothing} the loss is {right.mean():.4f}; yours is {got:.4f}.")


# 14-3

@exercise("14-3", points=2)
def check_14_3(right_gradient):
    torch.manual_seed(23)
    for counts in ((1, 6), (4, 2, 9), (3, 3), (5,)):
        compare_gradients(right_gradient, [(torch.randn(count, 4).double(), torch.randint(0, 3, (count,)))
                                           for count in counts])
    return "every word counts once, in whatever part it stands."


def compare_gradients(right_gradient, parts):
    """Raises the Mistake that explains gradients that are not those of the whole batch."""
    model = nn.Linear(4, 3).double()
    kept = [weights.detach().clone() for weights in model.parameters()]

    def gradient(total):
        slopes = torch.autograd.grad(total, model.parameters(), retain_graph=True)
        return torch.cat([slope.flatten() for slope in slopes])

    means = [nn.functional.cross_entropy(model(rows), target) for rows, target in parts]
    words = [len(target) for _, target in parts]
    whole = sum(mean * count for mean, count in zip(means, words)) / sum(words)
    old = 0.7
    for weights in model.parameters():
        weights.grad = torch.full_like(weights, old)    # what an earlier update left behind
    asked, sent = set(), set()    # parts whose loss was computed, and those that were sent back
    begun = []                    # at the start of each part: were all others before it sent back?

    def mean_loss(model, part):
        here = id(part[1])
        begun.append(asked - {here} <= sent)
        loss = nn.functional.cross_entropy(model(part[0]), part[1])
        if loss.requires_grad:
            asked.add(here)
            loss.register_hook(lambda slope: sent.add(here))
        return loss

    returned = right_gradient(model, parts, mean_loss, lambda part: len(part[1]))
    if not all(map(torch.equal, kept, (weights.detach() for weights in model.parameters()))):
        raise Mistake("takes_a_step", "yours changes the model; only the gradients are asked for.")
    if any(weights.grad is None for weights in model.parameters()):
        raise Mistake("no_gradient", "the gradients of the model are empty; has `backward` been called?")
    if returned is None:
        raise Mistake("returns_nothing", "your function returns None; return the loss of the whole batch as a number.")
    got = torch.cat([weights.grad.flatten() for weights in model.parameters()])
    likely = [
        ("not_emptied", gradient(whole) + old, "an old gradient was left in the model, and yours adds to it."),
        ("mean_of_means", gradient(sum(means) / len(means)), "each part counts alike in yours; each *word* should."),
        ("last_part", gradient(means[-1] * words[-1] / sum(words)), "only the last part is left in yours: the "
                                                                    "gradients are emptied too often."),
        ("last_part", gradient(means[-1] / len(means)), "only the last part is left in yours: the gradients are "
                                                        "emptied too often."),
        ("last_part", gradient(means[-1]), "only the last part is left in yours."),
        ("first_part", gradient(means[0] * words[0] / sum(words)), "only the first part is there in yours."),
        ("sum_of_means", gradient(sum(means)), "yours adds the parts up and never divides."),
        ("sum_of_words", gradient(whole * sum(words)), "yours is the sum over all words; the mean is asked for."),
        ("divided_twice", gradient(whole / len(means)), "yours divides by the number of parts as well."),
    ]
    if len(parts) == 1:    # every mistake of weighting is right here
        likely = likely[:1]
    if not close(got, gradient(whole), 1e-6):
        for code, wrong, sentence in likely:
            if close(got, wrong, 1e-6):
                raise Mistake(code, sentence)
        raise Mistake("wrong_gradient", f"for parts of {words} words the gradient is not that of all words together.")
    if not all(begun[1:]):
        raise Mistake("all_at_once", "the gradient is right, but all parts stay in memory until the end; send each "
                                     "part back before the next one is computed.")
    if not close(number(returned), whole, 1e-6):
        raise Mistake("wrong_loss", f"the gradient is right; the loss of the whole batch is {whole.item():.4f}, and "
                                    f"yours says {number(returned):.4f}.")


# 14-4

@exercise("14-4", points=1)
def check_14_4(cosine_rate):
    for updates, peak, warmup in ((100, 2.0, 10), (37, 0.003, 5), (20, 1.0, 0)):
        compare_rates(cosine_rate, updates, peak, warmup)
    return "up in a straight line, down along a cosine."


def compare_rates(cosine_rate, updates, peak, warmup):
    """Raises the Mistake that explains the reader's rates, if they are wrong."""
    def rates(climb, turn, share=0.5):
        def progress(step):
            return (step - warmup) / (updates - warmup)

        return [climb(step) if step < warmup else share * peak * turn(progress(step)) for step in range(updates)]

    def straight(step):
        return peak * (step + 1) / warmup

    def down(x):
        return 1 + math.cos(math.pi * x)

    got = [number(attempt(lambda step=step: cosine_rate(step, updates, peak, warmup), (
        "division by zero", "divides_by_warmup", "with a warm-up of 0 updates there is no climb; yours divides by 0.")))
        for step in range(updates)]
    right = rates(straight, down)
    tolerance = 1e-6 * peak
    if close(got, right, tolerance):
        return
    likely = [
        ("begins_at_zero", rates(lambda step: peak * step / warmup, down), "your first update has the rate 0, and is "
                                                                           "wasted; step counts from 0."),
        ("no_warmup", [0.5 * peak * down(step / updates) for step in range(updates)], "there is no climb in yours."),
        ("not_halved", rates(straight, down, 1.0), "1 + cos is 2 at its top; half of it is meant."),
        ("goes_up_again", rates(straight, lambda x: 1 + math.cos(2 * math.pi * x)), "yours falls and rises again: half "
                                                                                   "a turn is pi."),
        ("straight_down", rates(straight, lambda x: 2 * (1 - x)), "yours falls in a straight line."),
        ("quarter", rates(straight, lambda x: 2 * math.cos(math.pi * x / 2)), "yours is a quarter of a turn; half a "
                                                                             "turn also ends flat."),
        ("whole_training", [straight(step) if step < warmup else 0.5 * peak * down(step / updates)
                            for step in range(updates)], "your descent is counted from the first update; it begins "
                                                         "where the climb ends."),
        ("ends_too_late", [straight(step) if step < warmup else 0.5 * peak * down((step - warmup) / updates)
                           for step in range(updates)], "your descent takes as long as the whole training, so it does "
                                                        "not get down; it has the updates that are left."),
        ("ends_too_early", rates(straight, lambda x: down(x * (updates - warmup) / (updates - 1 - warmup))),
         "x is 1 at step `updates`, which is never reached; yours is there one update too early."),
        ("climbs_too_long", [peak * (step + 1) / max(1, warmup) if step <= warmup else right[step]
                             for step in range(updates)], "step `warmup` is the first of the descent; yours still "
                                                          "climbs there."),
        ("both_at_once", [0.5 * peak * down(step / updates) * min(1, (step + 1) / max(1, warmup))
                          for step in range(updates)], "yours climbs and falls at the same time."),
        ("no_peak", [rate / peak for rate in right], "yours has the right form; the peak is missing."),
    ]
    for code, wrong, sentence in likely:
        if close(got, wrong, tolerance):
            raise Mistake(code, sentence)
    step = next(step for step in range(updates) if abs(got[step] - right[step]) > tolerance)
    raise Mistake("wrong_rate", f"for {updates} updates, peak {peak} and warm-up {warmup}, step {step} has the rate "
                                f"{right[step]:.5f}; yours is {got[step]:.5f}.")


# 14-5

@exercise("14-5", points=3)
def check_14_5(quiet):
    torch.manual_seed(24)
    for T, S, K, size in ((5, 7, 6, 1.0), (3, 3, 4, 1.0), (4, 6, 9, 60.0)):
        query, key, value = size * torch.randn(2, 3, T, K), size * torch.randn(2, 3, S, K), torch.randn(2, 3, S, K)
        allowed = torch.rand(2, 1, T, S) > 0.4
        allowed[0, 0, 1] = False
        for mask in (None, allowed, torch.ones(T, S, dtype=torch.bool)):
            compare_looks(quiet, query, key, value, mask)
    return "who finds nothing may now say so."


def compare_looks(quiet, query, key, value, allowed):
    """Raises the Mistake that explains context and weights that are wrong."""
    given = [tensor.clone() for tensor in (query, key, value)]
    mask = None if allowed is None else allowed.clone()
    context, weights = two(quiet(*given, mask), "the context and the weights")
    for got, name in ((context, "context"), (weights, "weights")):
        if not isinstance(got, torch.Tensor):
            raise Mistake("no_tensor", f"the {name} should be a tensor; yours is of type {type(got).__name__}.")
    if not all(map(torch.equal, given, (query, key, value))) or mask is not None and not torch.equal(mask, allowed):
        raise Mistake("changes_arguments", "yours changes what it was given; work on copies.")
    shape = (*query.shape[:-1], key.shape[-2])
    if tuple(weights.shape) == (*shape[:-1], shape[-1] + 1):
        raise Mistake("nothing_is_returned", "the weight of *nothing* is not returned: weights have a column for each "
                                             "key.")
    if tuple(context.shape) == shape != tuple(query.shape) == tuple(weights.shape):
        raise Mistake("swapped", "return the context first and the weights second.")
    if tuple(weights.shape) != shape or tuple(context.shape) != tuple(query.shape):
        raise Mistake("wrong_shape", f"the context should be {list(query.shape)} and the weights {list(shape)}; yours "
                                     f"are {list(context.shape)} and {list(weights.shape)}.")
    query, key, value = query.double(), key.double(), value.double()
    products = query @ key.transpose(-2, -1)
    scores = products / math.sqrt(query.shape[-1])
    may = torch.ones(shape, dtype=torch.bool) if allowed is None else allowed.broadcast_to(shape)

    def shared(scores, may=may, nothing=0.0):
        hidden = scores.masked_fill(~may, float("-inf"))
        with_nothing = torch.cat([hidden, torch.full_like(hidden[..., :1], nothing)], dim=-1)
        return with_nothing.softmax(dim=-1)[..., :-1]

    right = shared(scores)
    weights, context = weights.detach().double(), context.detach().double()
    if close(weights, right):
        if close(context, right @ value):
            return
        raise Mistake("wrong_context", "the weights are right, and the context is not: values times weights, added up.")
    if bool(weights.isnan().any()):
        hidden = bool(weights[~may.any(dim=-1)].isnan().any()) and not bool(weights[may.any(dim=-1)].isnan().any())
        raise Mistake("nan_row" if hidden else "overflow", "a query that may look at nothing gets nan; its weights "
                      "should be 0." if hidden else "large scores make nan in yours: exp overflows.")
    top = scores.masked_fill(~may, float("-inf")).amax(dim=-1, keepdim=True).clamp(min=-1e9)
    powers = (scores - top).exp() * may
    plain = torch.where(may.any(dim=-1, keepdim=True), shared(scores, nothing=-1e9), 0.0)
    likely = [
        ("plain_softmax", plain, "your weights are 1 together; nothing is left for *nothing*."),
        ("one_not_moved", powers / (1 + powers.sum(dim=-1, keepdim=True)), "you took the largest score off all scores, "
         "which is wise. But the score of *nothing*, 0, must be moved down with them."),
        ("not_divided", shared(products), "your scores are not divided by the root of the width."),
        ("divided_by_width", shared(scores / math.sqrt(query.shape[-1])), "divide by the root of the width."),
        ("mask_ignored", shared(scores, torch.ones_like(may)), "what may not be looked at gets a weight in yours."),
        ("mask_too_late", shared(scores, torch.ones_like(may)) * may, "yours hides keys after they have taken their "
                                                                      "share; hide them before."),
        ("mask_as_factor", shared(scores * may, torch.ones_like(may)), "a score of 0 is not hidden; hidden scores are "
                                                                       "minus infinity."),
        ("mask_turned", shared(scores, ~may), "in this book True means *may look*."),
        ("sigmoid", scores.sigmoid() * may, "yours gives each key its own yes or no; all keys and *nothing* share 1."),
        ("nothing_weighs_one", powers_over(scores, may, 0.0), "your *nothing* has the score 1; it should be 0, whose "
                                                              "power is 1."),
    ]
    for code, wrong, sentence in likely:
        if close(weights, wrong):
            raise Mistake(code, sentence)
    raise Mistake("wrong_weights", f"the first row of weights should be {short(right.flatten(0, -2)[0])}; yours is "
                                   f"{short(weights.flatten(0, -2)[0])}.")


def powers_over(scores, may, start):
    """Weights beside a key of score 1 instead of 0."""
    hidden = scores.masked_fill(~may, float("-inf"))
    return torch.cat([hidden, torch.full_like(hidden[..., :1], start + 1)], dim=-1).softmax(dim=-1)[..., :-1]
