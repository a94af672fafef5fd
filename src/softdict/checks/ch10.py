"""Checks for the exercises of chapter 10, several questions at once."""

import math

import torch

from softdict.checks.answers import (
    ask, blame, close, learns, no_gradient, pair, right_sums, tensor, two_tensors)
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
            ("not_side_by_side", "cannot be multiplied", "size mismatch")])
        refuse(getattr(pair(returned)[1], "shape", 0) == (T, T), "one_table")
        returned = two_tensors(returned, [(T, D), (H, T, T)], "new_words")
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
                ("heads_mixed_up", found.permute(1, 2, 0).flatten(1) @ W_O),
                ("reshaped", found.reshape(T, H * K) @ W_O),
                ("backwards", join(found.flip(0)[None])[0] @ W_O),
                ("mean_of_heads", new / H),
                ("one_piece", (found @ pieces[0]).sum(dim=0)),
                ("first_head_only", found[0] @ pieces[0]),
                ("same_head-values", *((weights @ part @ pieces).sum(dim=0)
                                       for part in values)),
                ("not_mixed", side),
                ("turned", side @ W_O.T if H * K == D else side)])
            raise Mistake("wrong_words-heads")
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(K)
        blame(returned[1], [
            ("root_of_whole", *(looked(queries, keys, values, math.sqrt(wide))[1]
                                for wide in (D, H * K))),
            ("over_heads", scores.softmax(dim=0)),
            ("same_head", weights[:1].expand(H, T, T)),
            ("same_head-keys",
             *(looked(queries, part, part, math.sqrt(K))[1] for part in keys)),
            ("same_head-queries",
             *(looked(part, keys, keys, math.sqrt(K))[1] for part in queries)),
            ("key_asks", scores.transpose(-2, -1).softmax(dim=-1))])
        inspect([found, returned[1]], queries, keys, values)


@exercise("10-2", points=2)
def check_10_2(right_heads):
    for B, T, D, H in ((2, 5, 12, 3), (3, 6, 8, 2)):
        torch.manual_seed(24 + T)
        parts = torch.randn(B, T, D), *torch.randn(3, D, D).unbind()
        returned = ask(right_heads, *parts, H, likely=[
            ("not_swapped_back-view", "view size is not compatible")])
        refuse(getattr(pair(returned)[1], "shape", 0) == (B, T, H, H), "never_swapped")
        returned = two_tensors(returned, [(B, T, D), (B, H, T, T)], "new_words")
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
        owner = torch.arange(D) // (D // H)
        own = owner[:, None] == owner
        blocks = looked(*(cut(words @ (own * matrix), H) for matrix in matrices), root)
        blame(returned, [
            ("view_alone", (brackets[0].reshape(B, T, D), brackets[1])),
            ("only_joined", (join(brackets[0]), brackets[1])),
            ("not_swapped_back", (context.reshape(B, T, D), weights)),
            ("values_not_cut", (join(weights @ made[2].reshape(B, H, T, -1)), weights)),
            ("joined_askew", (context.permute(0, 2, 3, 1).flatten(-2), weights)),
            ("every_other", (far.permute(0, 2, 3, 1).flatten(-2), table),
             (join(far), table)),
            ("root_of_model", (join(wide[0]), wide[1])),
            ("turned", (join(turned[0]), turned[1])),
            ("words_cut_first", (join(blocks[0]), blocks[1]))])
        queries, keys, values = (cut(part, H) for part in made)
        scores = queries @ keys.transpose(-2, -1) / root
        blame(returned[1], [("over_heads", scores.softmax(dim=1))])
        inspect([cut(returned[0], H), returned[1]], queries, keys, values)


@exercise("10-3", points=2)
def check_10_3(silenced):
    for D, heads, head in ((12, 3, 1), (8, 4, 3), (10, 2, 0)):
        torch.manual_seed(34 + D)
        matrix = torch.randn(D, D)
        got, K = ask(silenced, matrix, head, heads), D // heads
        refuse(getattr(got, "shape", (D, D)) != (D, D), "cut_out", shape=[D, D])
        got = tensor(got, (D, D), "matrix")
        place = torch.arange(D)

        def without(gone):
            return matrix.masked_fill(gone, 0.0)

        if close(got, without(place // K == head)):
            continue
        blame(got, [
            ("rows", without((place // K == head)[:, None])),
            ("others_silenced", without(place // K != head)),
            ("everything", torch.zeros(D, D)),
            ("nothing", matrix),
            ("one_number", without(place == head)),
            ("every_other", without(place % heads == head)),
            ("heads_as_width", without(place // heads == head)),
            ("off_by_one-before", without(place // K == head - 1)),
            ("off_by_one-behind", without(place // K == head + 1))])
        refuse(not close(got[:, place // K != head], matrix[:, place // K != head]),
               "others_changed")
        raise Mistake("still_heard")


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
        likely = ("four_axes", "to unpack", "out of range", "subscripts",
                  "must match the number of")
        returned = ask(best_two, *parts, allowed, likely=[
            ("mask_as_index", "the shape of the indexed tensor"),
            *[likely][:len(lead) < 2]])
        returned = two_tensors(returned, [(*lead, 5, 6), (*lead, 5, S)], "new_words")
        doubles = [part.double() for part in parts]
        if any(part.isnan().any() for part in returned):
            scores = doubles[0] @ doubles[1].transpose(-2, -1) / math.sqrt(K)
            blame(returned[1], [("mask_too_late", chosen_before(scores, allowed))])
            raise Mistake("nan")
        compare_best(returned, *doubles, allowed)
        learned = [part.clone().requires_grad_() for part in parts]
        learns(lambda *parts: best_two(*parts, allowed)[0], learned)
    check_few(best_two)


def check_few(best_two):
    """One key only; three keys of which two are equal; scores far below zero."""
    torch.manual_seed(45)
    query, key, value = torch.randn(3, 4), torch.randn(1, 4), torch.randn(1, 6)
    returned = ask(best_two, query, key, value, None,
                   likely=[("one_key_only-needs_two", "out of range", "index k")])
    returned = two_tensors(returned, [(3, 6), (3, 1)], "new_words")
    refuse(not close(returned[1], torch.ones(3, 1)), "one_key_only")
    query, value = torch.tensor([[1.0, 0.0]]), torch.randn(4, 6)
    key = torch.tensor([[3.0, 1.0], [1.0, 2.0], [1.0, -1.0], [0.0, 1.0]])
    _, weights = two_tensors(ask(best_two, query, key, value, None), [(1, 6), (1, 4)],
                             "new_words")
    refuse((weights > 0).sum() > 2, "three_on_a_tie")
    right = torch.tensor([3.0, 1.0]).div(2 ** 0.5).softmax(dim=-1)
    refuse(not close(weights.sort(descending=True).values[0, :2], right),
           "wrong_weights-tie")
    key = torch.tensor([[-90.0, 0.0], [-91.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    allowed = torch.tensor([True, True, False, False])
    _, weights = two_tensors(ask(best_two, query, key, value, allowed),
                             [(1, 6), (1, 4)], "new_words")
    refuse((weights[:, 2:] > 0).any(), "not_low_enough")


def compare_best(returned, queries, keys, values, allowed):
    """Raises the Mistake that explains the reader's new words and weights."""
    seen = torch.ones(keys.shape[-2], dtype=torch.bool) if allowed is None else allowed
    raw = queries @ keys.transpose(-2, -1)
    K = keys.shape[-1]
    scores = raw / math.sqrt(K)
    weights = shared(scores, seen)
    if close(returned[1], weights):
        return right_sums("wrong_words", returned[0], weights @ values)
    every, best = seen.expand_as(scores), best_keys(scores, seen, 2)
    chosen = best_keys(scores, torch.ones_like(seen), 2) & every
    left = chosen_before(scores, seen)
    too_late = ("mask_too_late", left, shared(scores, torch.ones_like(seen)) * seen,
                scores.masked_fill(~chosen, -1e9).softmax(dim=-1))
    blame(returned[1], [too_late])    # first: its rows may add up to less than 1
    total = returned[1].sum(dim=-1)
    blame(returned[1], [(Mistake("not_shared_out-all", total=total.min()),
                         *(best * scores.masked_fill(~some, -math.inf).softmax(dim=-1)
                           for some in (every, torch.ones_like(every))))])
    refuse(not close(total, torch.ones_like(total)), "not_shared_out",
           total=total.min())
    blame(returned[1], [
        ("all_keys", scores.masked_fill(~every, -math.inf).softmax(dim=-1)),
        ("one_key", shared(scores, seen, 1)),
        ("three_keys", shared(scores, seen, 3)),
        ("worst_two",
         shared(scores, every & ~best_keys(scores, seen, keys.shape[-2] - 2))),
        ("mask_ignored", shared(scores, torch.ones_like(seen))),
        ("zeros", torch.where(best, scores, 0.0).softmax(dim=-1)),
        ("halves", best / best.sum(dim=-1, keepdim=True)),
        ("not_divided", shared(raw, seen)),
        ("divided_by_width", shared(raw / K, seen))])
    raise Mistake("wrong_weights-best_keys")


def best_keys(scores, seen, count):
    """True for the best keys of each query among those that it may see."""
    hidden = scores.masked_fill(~seen.expand_as(scores), -math.inf)
    last = hidden.topk(count, dim=-1).values[..., -1:]
    return (hidden >= last) & seen


def chosen_before(scores, seen):
    """Weights of the two best of all keys, if the mask comes afterwards."""
    chosen = best_keys(scores, torch.ones_like(scores, dtype=torch.bool), 2)
    if seen is not None:
        chosen = chosen & seen
    return scores.masked_fill(~chosen, -math.inf).softmax(dim=-1)


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
    refuse(close(dropped, weights) and not close(used, weights), "only_in_use")
    refuse(close(used, (1 - p) * weights), "smaller_in_use")
    refuse(not close(used, weights), "always")
    refuse(close(dropped, weights), "never")
    gone = dropped == 0    # [B, H, T, S]
    inspect_gone(gone, p)
    stays = weights.masked_fill(gone, 0)
    if not close(dropped, stays / (1 - p)):
        blame(dropped, [
            ("not_divided", stays),
            ("divided_by_p", stays / p),
            ("rows_divided", stays / stays.sum(dim=-1, keepdim=True))])
        raise Mistake("wrong_weights")
    refuse(torch.equal(gone, run(True) == 0), "seeded")
    learned = weights.clone().requires_grad_()
    for training, left in ((True, 1 - p), (False, 1)):
        made = drop_weights(learned, p, training)
        refuse(no_gradient(made, [learned]), "detached")
        slopes, = torch.autograd.grad(made.sum(), learned)
        refuse(not close(slopes, (made != 0) / left), "part_detached")


def inspect_gone(gone, p):
    """Raises the Mistake that explains weights which were dropped in a wrong way."""
    share = gone.double().mean().item()
    for axis, code in ((2, "whole_keys"), (3, "whole_queries"), (1, "same_in_heads"),
                       (0, "same_in_sentences")):
        refuse((gone == gone.narrow(axis, 0, 1)).all(), code)
    refuse(abs(share - (1 - p)) < 0.03, "keeps_p")
    refuse(abs(share - p) > 0.03, "wrong_share", p=p, right=100 * p, got=100 * share)
