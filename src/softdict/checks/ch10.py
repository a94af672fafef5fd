"""Checks for the exercises of chapter 10, several questions at once."""

import math

import torch

from softdict.checks.answers import (
    DETACHED, DIVIDED_BY_WIDTH, NOT_DIVIDED, ROWS, ask, blame, close, learns,
    no_gradient, pair, right_sums, tensor, two_tensors)
from softdict.checks.ch09 import inspect
from softdict.checks.result import Mistake, exercise, refuse


def cut(words, heads):
    """words [B, T, D]; returns [B, H, T, K]."""
    return words.unflatten(-1, (heads, -1)).transpose(-3, -2)


def join(parts):
    """parts [B, H, T, K]; returns [B, T, D]."""
    return parts.transpose(-3, -2).flatten(-2)


def looked(queries, keys, values, divisor):
    """Context and weights of a look whose scores are divided by `divisor`."""
    weights = (queries @ keys.transpose(-2, -1) / divisor).softmax(dim=-1)
    return weights @ values, weights


@exercise("10-1", points=2)
def check_10_1(several_questions):
    for T, D, H, K in ((5, 6, 2, 3), (4, 5, 3, 2)):
        torch.manual_seed(14 + T)
        parts = (torch.randn(T, D), *torch.randn(3, H, D, K).unbind(),
                 torch.randn(H * K, D))
        returned = ask(several_questions, *parts, likely=[
            ("not_side_by_side", "sizes do not meet. Side by side, the numbers that "
             "the heads found for one word are H times K, as many as W_O has rows.",
             "cannot be multiplied", "size mismatch")])
        refuse(getattr(pair(returned)[1], "shape", 0) == (T, T), "one_table", "each "
               "head has a table of weights of its own; return all of them, [H, T, T].")
        returned = two_tensors(returned, [(T, D), (H, T, T)], "new words")
        X, W_Q, W_K, W_V, W_O = (part.double() for part in parts)
        queries, keys, values = X @ W_Q, X @ W_K, X @ W_V
        found, weights = looked(queries, keys, values, math.sqrt(K))
        pieces = W_O.unflatten(0, (H, K))
        new = (found @ pieces).sum(dim=0)
        if close(returned, (new, weights)):
            continue
        if close(returned[1], weights):
            side = join(found[None])[0]
            blame(returned[0], [
                ("heads_mixed_up", "a word's numbers stand in the wrong order: first "
                 "all that head 0 found, then all that head 1 found.",
                 found.permute(1, 2, 0).flatten(1) @ W_O),
                ("reshaped", "your reshape joins rows of one head, which are different "
                 "words. Side by side stands what all heads found for one word.",
                 found.reshape(T, H * K) @ W_O),
                ("backwards", "head 0 comes first.",
                 join(found.flip(0)[None])[0] @ W_O),
                ("mean_of_heads", "the heads are added up, and not averaged.", new / H),
                ("one_piece", "each head has rows of W_O of its own; yours all use the "
                 "first.", (found @ pieces[0]).sum(dim=0)),
                ("first_head_only", "only head 0 speaks in your new words.",
                 found[0] @ pieces[0]),
                ("not_mixed",
                 "the heads stand side by side; W_O has not mixed them yet.", side),
                ("turned", "W_O is turned over: a row stands before its matrix.",
                 side @ W_O.T if H * K == D else side)])
            raise Mistake(
                "wrong_words", "the weights are right, but not the new words: each "
                "head averages its own values, and W_O mixes what all of them found.")
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(K)
        blame(returned[1], [
            ("root_of_whole", "yours divides by the root of the whole width. How many "
             "numbers does a head's dot product add up?",
             *(looked(queries, keys, values, math.sqrt(wide))[1]
               for wide in (D, H * K))),
            ("over_heads", "your softmax runs over the heads; each head shares out 1 "
             "among the words.", scores.softmax(dim=0)),
            ("same_head", "all your heads ask with the matrices of head 0.",
             weights[:1].expand(H, T, T)),
            ("key_asks", f"yours has query and key the wrong way round: {ROWS}.",
             scores.transpose(-2, -1).softmax(dim=-1))])
        inspect([found, returned[1]], queries, keys, values)
    return "every head asked its own question, and W_O let them meet."


@exercise("10-2", points=2)
def check_10_2(right_heads):
    for B, T, D, H in ((2, 5, 12, 3), (3, 6, 8, 2)):
        torch.manual_seed(24 + T)
        parts = torch.randn(B, T, D), *torch.randn(3, D, D).unbind()
        returned = ask(right_heads, *parts, H, likely=[
            ("not_swapped_back", "`view` cannot do this: the axes were swapped, so the "
             "numbers no longer stand in that order. Swap back before you join.",
             "view size is not compatible")])
        refuse(getattr(pair(returned)[1], "shape", 0) == (B, T, H, H), "never_swapped",
               "your weights are [B, T, H, H]: the parts of one word look at each "
               "other, and no word looks at another. Which axis lists the words?")
        returned = two_tensors(returned, [(B, T, D), (B, H, T, T)], "new words")
        words, *matrices = (part.double() for part in parts)
        made = [words @ matrix for matrix in matrices]
        root = math.sqrt(D // H)
        context, weights = looked(*(cut(part, H) for part in made), root)
        if close(returned, (join(context), weights)):
            learned = [part.clone().requires_grad_() for part in parts]
            learns(lambda *parts: right_heads(*parts, H)[0], learned)
            continue
        brackets = looked(*(part.reshape(B, H, T, -1) for part in made), root)
        strewn = [part.unflatten(-1, (-1, H)).permute(0, 3, 1, 2) for part in made]
        far, table = looked(*strewn, root)
        wide = looked(*(cut(part, H) for part in made), math.sqrt(D))
        turned = looked(*(cut(words @ matrix.T, H) for matrix in matrices), root)
        blame(returned, [
            ("view_alone", "both bugs are still there: head 0 holds whole words, in "
             "pieces. Brackets alone put no head in front of the words.",
             (brackets[0].reshape(B, T, D), brackets[1])),
            ("only_joined", "joining is right now; cutting is not. Print head 0 of "
             "word 1: whose numbers are these?", (join(brackets[0]), brackets[1])),
            ("not_swapped_back", "cutting is right now; joining is not. A row of yours "
             "holds numbers of several words.", (context.reshape(B, T, D), weights)),
            ("values_not_cut", "query and key are cut right; the values are not.",
             (join(weights @ made[2].reshape(B, H, T, -1)), weights)),
            ("joined_askew", "the parts are joined in the wrong order: first all "
             "numbers of head 0, then those of head 1.",
             (context.permute(0, 2, 3, 1).flatten(-2), weights)),
            ("every_other", "your heads own every H-th number of a word; head 0 should "
             "own the first D / heads, which are neighbours.",
             (far.permute(0, 2, 3, 1).flatten(-2), table), (join(far), table)),
            ("root_of_model", "the heads are right; the scores are divided by the root "
             "of D. How many numbers does a head's dot product add up?",
             (join(wide[0]), wide[1])),
            ("turned", "your matrices are turned over: words stand before them.",
             (join(turned[0]), turned[1]))])
        queries, keys, values = (cut(part, H) for part in made)
        blame(returned[1], [
            ("over_heads", "your softmax runs over the heads; each head shares out 1 "
             "among the words.",
             (queries @ keys.transpose(-2, -1) / root).softmax(dim=1))])
        inspect([cut(returned[0], H), returned[1]], queries, keys, values)
    return "cut inside each word, swapped, and swapped back."


@exercise("10-3", points=2)
def check_10_3(silenced):
    for D, heads, head in ((12, 3, 1), (8, 4, 3), (10, 2, 0)):
        torch.manual_seed(34 + D)
        matrix = torch.randn(D, D)
        got, K = ask(silenced, matrix, head, heads), D // heads
        refuse(getattr(got, "shape", (D, D)) != (D, D), "cut_out", "the matrix should "
               f"stay {[D, D]}, since the other heads still need their place.")
        got = tensor(got, (D, D), "matrix")
        place = torch.arange(D)

        def without(gone):
            return matrix.masked_fill(gone, 0.0)

        if close(got, without(place // K == head)):
            continue
        blame(got, [
            ("rows", "yours empties rows. Linear stores its matrix turned: what stands "
             "for a number that comes in, row or column?",
             without((place // K == head)[:, None])),
            ("others_silenced", "yours silences all heads but this one.",
             without(place // K != head)),
            ("everything", "yours silences all heads.", torch.zeros(D, D)),
            ("nothing", "yours leaves the matrix as it was.", matrix),
            ("one_number", "a head has D / heads numbers; yours silences one number.",
             without(place == head)),
            ("every_other", "the numbers of a head are neighbours.",
             without(place % heads == head)),
            ("heads_as_width", "yours takes the number of heads for the width of one.",
             without(place // heads == head)),
            ("off_by_one", "yours silences the head before; heads count from 0.",
             without(place // K == head - 1)),
            ("off_by_one", "yours silences the head behind; heads count from 0.",
             without(place // K == head + 1))])
        refuse(not close(got[:, place // K != head], matrix[:, place // K != head]),
               "others_changed", "the other heads should speak exactly as before.")
        raise Mistake("still_heard", "this head still says something: what it adds to "
                      "a new word should be 0.")
    return "that head says nothing now, and the others speak as before."


@exercise("10-4", points=3)
def check_10_4(best_two):
    S, K = 7, 4
    pads = torch.arange(S) < torch.tensor([7, 4])[:, None]    # [B, S]
    # the first word sees one key only
    triangle = torch.ones(5, S, dtype=torch.bool).tril()
    for lead, allowed in (((2, 1), None), ((2, 3), pads[:, None, None]),
                          ((2, 3), triangle), ((), triangle), ((2,), pads[:, None])):
        torch.manual_seed(44)
        parts = [torch.randn(*lead, *last) for last in ((5, K), (S, K), (S, 6))]
        likely = ("four_axes", "yours works for exactly four axes; there may be any in "
                  "front, as in [..., T, K]. Count axes from the end, -1 and -2.",
                  "to unpack", "out of range", "subscripts", "must match the number of")
        returned = ask(best_two, *parts, allowed,
                       likely=[likely] if len(lead) < 2 else [])
        returned = two_tensors(returned, [(*lead, 5, 6), (*lead, 5, S)], "new words")
        refuse(any(part.isnan().any() for part in returned), "nan",
               "some of your numbers are nan. True means may look; what does your "
               "softmax get in a row where every key was hidden or thrown away?")
        compare_best(returned, *(part.double() for part in parts), allowed)
        learned = [part.clone().requires_grad_() for part in parts]
        learns(lambda *parts: best_two(*parts, allowed)[0], learned)
    check_few(best_two)
    return "each query looked at the two keys that suit it best."


def check_few(best_two):
    """One key only; three keys of which two are equal; scores far below zero."""
    torch.manual_seed(45)
    query, key, value = torch.randn(3, 4), torch.randn(1, 4), torch.randn(1, 6)
    returned = ask(best_two, query, key, value, None, likely=[
        ("one_key_only", "yours needs two keys; where there is only one, it gets "
         "everything.", "out of range", "index k")])
    returned = two_tensors(returned, [(3, 6), (3, 1)], "new words")
    refuse(not close(returned[1], torch.ones(3, 1)), "one_key_only",
           "where there is only one key, it gets everything.")
    query, value = torch.tensor([[1.0, 0.0]]), torch.randn(4, 6)
    key = torch.tensor([[3.0, 1.0], [1.0, 2.0], [1.0, -1.0], [0.0, 1.0]])
    _, weights = two_tensors(ask(best_two, query, key, value, None),
                             [(1, 6), (1, 4)], "new words")
    refuse((weights > 0).sum() > 2, "three_on_a_tie", "three keys got weight where two "
           "are equally good and tie for the second place; one of them gets it.")
    right = torch.tensor([3.0, 1.0]).div(2 ** 0.5).softmax(dim=-1)
    refuse(not close(weights.sort(descending=True).values[0, :2], right),
           "wrong_weights", "two keys tie for the second place: either of them may "
           "get it, but one of them must.")
    key = torch.tensor([[-90.0, 0.0], [-91.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    allowed = torch.tensor([True, True, False, False])
    _, weights = two_tensors(ask(best_two, query, key, value, allowed),
                             [(1, 6), (1, 4)], "new words")
    refuse((weights[:, 2:] > 0).any(), "not_low_enough", "a key that is not allowed "
           "got weight, since the allowed ones have lower scores than what you write "
           "there. Only minus infinity is below every score.")


def compare_best(returned, queries, keys, values, allowed):
    """Raises the Mistake that explains the reader's new words and weights."""
    seen = torch.ones(keys.shape[-2], dtype=torch.bool) if allowed is None else allowed
    raw = queries @ keys.transpose(-2, -1)
    K = keys.shape[-1]
    scores = raw / math.sqrt(K)
    weights = shared(scores, seen)
    if close(returned[1], weights):
        return right_sums("wrong_words", "new words", returned[0], weights @ values)
    every, best = seen.expand_as(scores), best_keys(scores, seen, 2)
    chosen = best_keys(scores, torch.ones_like(seen), 2) & every
    left = scores.masked_fill(~chosen, -math.inf).softmax(dim=-1)
    too_late = ("mask_too_late", "yours chooses two keys before it asks which are "
                "allowed; hide the others before you choose.", left,
                shared(scores, torch.ones_like(seen)) * seen,
                scores.masked_fill(~chosen, -1e9).softmax(dim=-1))
    blame(returned[1], [too_late])    # first: its rows may add up to less than 1
    total = returned[1].sum(dim=-1)
    refuse(not close(total, torch.ones_like(total)), "not_shared_out",
           "the two weights of a query should add up to 1; in one of your rows it is "
           f"{total.min():.2f}.")
    blame(returned[1], [
        ("all_keys", "yours looks at all keys; two are enough.",
         scores.masked_fill(~every, -math.inf).softmax(dim=-1)),
        ("one_key", "yours looks at the best key only; the second best counts too.",
         shared(scores, seen, 1)),
        ("three_keys", "yours keeps three keys; two are wanted.",
         shared(scores, seen, 3)),
        ("worst_two", "yours keeps the worst keys.",
         shared(scores, every & ~best_keys(scores, seen, keys.shape[-2] - 2))),
        ("mask_ignored", "yours looks at keys that are not allowed.",
         shared(scores, torch.ones_like(seen))),
        ("zeros", "a key that was thrown away still gets weight: what is e to the "
         "power of 0?", torch.where(best, scores, 0.0).softmax(dim=-1)),
        ("halves", "the two keys should share by a softmax of their scores; yours get "
         "the same.", best / best.sum(dim=-1, keepdim=True)),
        (*NOT_DIVIDED, shared(raw, seen)),
        (*DIVIDED_BY_WIDTH, shared(raw / K, seen))])
    raise Mistake("wrong_weights", "the weights are not those of the two best keys "
                  "that are allowed.")


def best_keys(scores, seen, count):
    """True for the best keys of each query among those that it may see."""
    hidden = scores.masked_fill(~seen.expand_as(scores), -math.inf)
    last = hidden.topk(count, dim=-1).values[..., -1:]
    return (hidden >= last) & seen


def shared(scores, seen, count=2):
    """Weights of the best keys: a softmax among them."""
    return scores.masked_fill(~best_keys(scores, seen, count),
                              -math.inf).softmax(dim=-1)


@exercise("10-5", points=2)
def check_10_5(drop_weights):
    torch.manual_seed(55)
    p, shape = 0.2, (4, 3, 30, 40)
    weights = torch.randn(shape).softmax(dim=-1)

    def run(training):
        return tensor(ask(drop_weights, weights, p, training), shape, "weights")

    dropped, used = run(True), run(False)
    refuse(close(dropped, weights) and not close(used, weights), "only_in_use",
           "yours drops in use and not in training; it should be the other way round.")
    refuse(close(used, (1 - p) * weights), "smaller_in_use",
           "that is dropout as in its first paper. Here what stays is divided by 1 - p "
           "in training, and in use nothing is done.")
    refuse(not close(used, weights), "always", "with training=False the weights should "
           "come back as they are.")
    refuse(close(dropped, weights), "never", "in training nothing is dropped.")
    gone = dropped == 0    # [B, H, T, S]
    inspect_gone(gone, p)
    stays = weights.masked_fill(gone, 0)
    if not close(dropped, stays / (1 - p)):
        blame(dropped, [
            ("not_divided", "what stays should be divided by 1 - p, so that a row adds "
             "up to 1 on average.", stays),
            ("divided_by_p", "yours divides by p; 1 - p of the weights stay.",
             stays / p),
            ("rows_divided", "yours makes each row add up to 1 again. Divide by 1 - p: "
             "the rows add up to 1 on average.",
             stays / stays.sum(dim=-1, keepdim=True))])
        raise Mistake("wrong_weights", "the weights that stay should be divided by "
                      "1 - p.")
    refuse(torch.equal(gone, run(True) == 0), "seeded", "yours drops the same weights "
           "at every call. Set no seed, and draw anew.")
    learned = weights.clone().requires_grad_()
    refuse(no_gradient(drop_weights(learned, p, True), [learned]), *DETACHED)
    return "some weights are gone in training, and in use nothing happens."


def inspect_gone(gone, p):
    """Raises the Mistake that explains weights which were dropped in a wrong way."""
    share = gone.double().mean().item()
    for axis, code, words in (
            (2, "whole_keys", "a key is dropped for all queries or for none"),
            (3, "whole_queries", "a query loses all its weights or none"),
            (1, "same_in_heads", "all heads lose the same weights"),
            (0, "same_in_sentences", "all sentences lose the same weights")):
        refuse((gone == gone.narrow(axis, 0, 1)).all(), code,
               f"in yours {words}. Draw a number for each weight.")
    refuse(abs(share - (1 - p)) < 0.03, "keeps_p",
           "p is the probability that a weight is dropped; yours keeps so many.")
    refuse(abs(share - p) > 0.03, "wrong_share", f"with p = {p} about {100 * p:.0f} of "
           f"100 weights should be 0; in yours {100 * share:.0f} are.")
