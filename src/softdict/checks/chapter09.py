"""Checks for the exercises of chapter 09, several questions at once."""

import math

import torch

from softdict.checks.chapter08 import inspect, two, unchanged
from softdict.checks.result import Mistake, attempt, close, exercise


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


def blame(returned, likely):
    """Raises the Mistake of the first (code, wrong answer, sentence) whose tensors are those that were returned."""
    for code, wrong, sentence in likely:
        if all(map(close, returned, wrong)):
            raise Mistake(code, sentence)


@exercise("09-1", points=3)
def check_09_1(several_questions):
    for T, D, H, K in ((5, 6, 2, 3), (4, 5, 3, 2)):
        torch.manual_seed(14 + T)
        tensors = (torch.randn(T, D), *torch.randn(3, H, D, K).unbind(), torch.randn(H * K, D))
        given = [tensor.clone() for tensor in tensors]
        beside = ("sizes do not meet. Side by side, the numbers that the heads found for one word are H times K, as many "
                  "as W_O has rows.")
        returned = attempt(lambda: several_questions(*given), ("cannot be multiplied", "not_side_by_side", beside),
                           ("size mismatch", "not_side_by_side", beside))
        if isinstance(returned, (tuple, list)) and len(returned) == 2 and getattr(returned[1], "shape", 0) == (T, T):
            raise Mistake("one_table", "each head has a table of weights of its own; return all of them, [H, T, T].")
        returned = two(returned, [(T, D), (H, T, T)])
        unchanged(given, tensors)
        X, W_Q, W_K, W_V, W_O = (tensor.double() for tensor in tensors)
        queries, keys, values = X @ W_Q, X @ W_K, X @ W_V
        found, weights = looked(queries, keys, values, math.sqrt(K))
        pieces = W_O.unflatten(0, (H, K))
        new = (found @ pieces).sum(dim=0)
        if close(returned[0], new) and close(returned[1], weights):
            continue
        if close(returned[1], weights):
            side = join(found[None])[0]
            likely = [
                ("heads_mixed_up", found.permute(1, 2, 0).flatten(1) @ W_O, "a word's numbers stand in the wrong order: "
                 "first all that head 0 found, then all that head 1 found."),
                ("reshaped", found.reshape(T, H * K) @ W_O, "your reshape joins rows of one head, which are different "
                 "words. Side by side stands what all heads found for one word."),
                ("backwards", join(found.flip(0)[None])[0] @ W_O, "head 0 comes first."),
                ("mean_of_heads", new / H, "the heads are added up, and not averaged."),
                ("one_piece", (found @ pieces[0]).sum(dim=0), "each head has rows of W_O of its own; yours all use the "
                 "first."),
                ("first_head_only", found[0] @ pieces[0], "only head 0 speaks in your new words.")]
            if H * K == D:
                likely += [("not_mixed", side, "the heads stand side by side; W_O has not mixed them yet."),
                           ("turned", side @ W_O.T, "W_O is turned over: a row stands before its matrix.")]
            blame(returned[:1], [(code, [wrong], sentence) for code, wrong, sentence in likely])
            values_are_words = "the weights are right, and the new words are not: each head averages its own values, " \
                               "and W_O mixes what all of them found."
            raise Mistake("wrong_words", values_are_words)
        for root in (math.sqrt(D), math.sqrt(H * K)):
            blame(returned[1:], [("root_of_whole", [looked(queries, keys, values, root)[1]], "yours divides by the root of "
                                  "the whole width. How many numbers does a head's dot product add up?")])
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(K)
        blame(returned[1:], [
            ("over_heads", [scores.softmax(dim=0)], "your softmax runs over the heads; each head shares out 1 among the "
             "words."),
            ("same_head", [weights[:1].expand(H, T, T)], "all your heads ask with the matrices of head 0."),
            ("key_asks", [(scores.transpose(-2, -1)).softmax(dim=-1)], "yours has query and key the wrong way round: rows "
             "are words that ask.")])
        inspect([found, returned[1]], queries, keys, values)
    return "every head asked its own question, and W_O let them meet."


@exercise("09-2", points=3)
def check_09_2(right_heads):
    for B, T, D, H in ((2, 5, 12, 3), (3, 6, 8, 2)):
        torch.manual_seed(24 + T)
        tensors = torch.randn(B, T, D), *torch.randn(3, D, D).unbind()
        given = [tensor.clone() for tensor in tensors]
        returned = attempt(lambda: right_heads(*given, H), (
            "view size is not compatible", "not_swapped_back", "`view` cannot do this: the axes were swapped, so the "
            "numbers no longer stand in that order. Swap back before you join."))
        if isinstance(returned, (tuple, list)) and len(returned) == 2 and getattr(returned[1], "shape", 0) == (B, T, H, H):
            raise Mistake("never_swapped", "your weights are [B, T, H, H]: the parts of one word look at each other, and "
                                           "no word looks at another. Which axis lists the words?")
        returned = two(returned, [(B, T, D), (B, H, T, T)])
        unchanged(given, tensors)
        words, *matrices = (tensor.double() for tensor in tensors)
        made = [words @ matrix for matrix in matrices]
        root = math.sqrt(D // H)
        context, weights = looked(*(cut(part, H) for part in made), root)
        if close(returned[0], join(context)) and close(returned[1], weights):
            continue
        brackets = looked(*(part.reshape(B, H, T, -1) for part in made), root)
        strewn = [part.unflatten(-1, (-1, H)).permute(0, 3, 1, 2) for part in made]
        far, table = looked(*strewn, root)
        wide = looked(*(cut(part, H) for part in made), math.sqrt(D))
        turned = looked(*(cut(words @ matrix.T, H) for matrix in matrices), root)
        every_other = ("your heads own every H-th number of a word; head 0 should own the first D / heads, which are "
                       "neighbours.")
        blame(returned, [
            ("view_alone", (brackets[0].reshape(B, T, D), brackets[1]), "both bugs are still there: head 0 holds whole "
             "words, in pieces. Brackets alone put no head in front of the words."),
            ("only_joined", (join(brackets[0]), brackets[1]), "joining is right now; cutting is not. Print head 0 of "
             "word 1: whose numbers are these?"),
            ("not_swapped_back", (context.reshape(B, T, D), weights), "cutting is right now; joining is not. A row of "
             "yours holds numbers of several words."),
            ("values_not_cut", (join(weights @ made[2].reshape(B, H, T, -1)), weights), "query and key are cut right; the "
             "values are not."),
            ("joined_askew", (context.permute(0, 2, 3, 1).flatten(-2), weights), "the parts are joined in the wrong "
             "order: first all numbers of head 0, then those of head 1."),
            ("every_other", (far.permute(0, 2, 3, 1).flatten(-2), table), every_other),
            ("every_other", (join(far), table), every_other),
            ("root_of_model", (join(wide[0]), wide[1]), "the heads are right; the scores are divided by the root of D. "
             "How many numbers does a head's dot product add up?"),
            ("turned", (join(turned[0]), turned[1]), "your matrices are turned over: words stand before them.")])
        inspect([cut(returned[0], H), returned[1]], *(cut(part, H) for part in made))
    return "cut inside each word, swapped, and swapped back."


@exercise("09-3", points=2)
def check_09_3(silenced):
    for D, heads, head in ((12, 3, 1), (8, 4, 3), (10, 2, 0)):
        torch.manual_seed(34 + D)
        matrix = torch.randn(D, D)
        given, K = matrix.clone(), D // heads
        got = silenced(given, head, heads)
        if got is None:
            raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
        if not isinstance(got, torch.Tensor):
            raise Mistake("no_tensor", f"return a matrix; yours is of type {type(got).__name__}.")
        unchanged([given], [matrix])
        if got.shape != matrix.shape:
            raise Mistake("cut_out", f"the matrix should stay {[D, D]}, since the other heads still need their place; "
                                     f"yours is {list(got.shape)}.")
        place = torch.arange(D)

        def without(gone):
            return matrix.masked_fill(gone, 0.0)

        if close(got, without(place // K == head)):
            continue
        blame([got], [
            ("rows", [without((place // K == head)[:, None])], "yours empties rows. Linear stores its matrix turned: what "
             "stands for a number that comes in, row or column?"),
            ("others_silenced", [without(place // K != head)], "yours silences all heads but this one."),
            ("everything", [torch.zeros(D, D)], "yours silences all heads."),
            ("nothing", [matrix], "yours leaves the matrix as it was."),
            ("one_number", [without(place == head)], "a head has D / heads numbers; yours silences one number."),
            ("every_other", [without(place % heads == head)], "the numbers of a head are neighbours."),
            ("heads_as_width", [without(place // heads == head)], "yours takes the number of heads for the width of one."),
            ("off_by_one", [without(place // K == head - 1)], "yours silences the head before; heads count from 0."),
            ("off_by_one", [without(place // K == head + 1)], "yours silences the head behind; heads count from 0.")])
        if not close(got[:, place // K != head], matrix[:, place // K != head]):
            raise Mistake("others_changed", "the other heads should speak exactly as before.")
        raise Mistake("still_heard", "this head still says something: what it adds to a new word should be 0.")
    return "that head says nothing now, and the others speak as before."


@exercise("09-4", points=3)
def check_09_4(best_two):
    B, H, T, S, K = 2, 3, 5, 7, 4
    torch.manual_seed(44)
    tensors = torch.randn(B, H, T, K), torch.randn(B, H, S, K), torch.randn(B, H, S, 6)
    pads = torch.arange(S) < torch.tensor([7, 4])[:, None]    # [B, S]
    triangle = torch.ones(T, S, dtype=torch.bool).tril()      # the first word sees one key only
    for allowed in (None, pads[:, None, None], triangle):
        given = [tensor.clone() for tensor in tensors]
        mask = None if allowed is None else allowed.clone()
        returned = two(best_two(*given, mask), [(B, H, T, 6), (B, H, T, S)])
        unchanged(given, tensors)
        if allowed is not None:
            unchanged([mask], [allowed])
        if any(part.isnan().any() for part in returned):
            raise Mistake("nan", "some of your numbers are nan. What does your softmax get in a row where every key was "
                                 "hidden or thrown away?")
        queries, keys, values = (tensor.double() for tensor in tensors)
        seen = torch.ones(S, dtype=torch.bool) if allowed is None else allowed
        raw = queries @ keys.transpose(-2, -1)
        weights = shared(raw / math.sqrt(K), seen)
        if close(returned[0], weights @ values) and close(returned[1], weights):
            continue
        if close(returned[1], weights):
            raise Mistake("wrong_words", "the weights are right, and what was found is not: add up the values, each times "
                                         "its weight.")
        if not close(returned[1].sum(dim=-1), torch.ones(B, H, T)):
            raise Mistake("not_shared_out", "the two weights of a query should add up to 1; in one of your rows it is "
                                            f"{returned[1].sum(dim=-1).min().item():.2f}.")
        scores = raw / math.sqrt(K)
        every, best = seen.expand_as(scores), best_keys(scores, seen, 2)
        blame(returned[1:], [
            ("all_keys", [scores.masked_fill(~every, -math.inf).softmax(dim=-1)], "yours looks at all keys; two are "
             "enough."),
            ("one_key", [shared(scores, seen, 1)], "yours looks at the best key only; the second best counts too."),
            ("three_keys", [shared(scores, seen, 3)], "yours keeps three keys; two are wanted."),
            ("worst_two", [shared(scores, every & ~best_keys(scores, seen, S - 2))], "yours keeps the worst keys."),
            ("mask_ignored", [shared(scores, torch.ones(S, dtype=torch.bool))], "yours looks at keys that are not "
             "allowed."),
            ("zeros", [torch.where(best, scores, 0.0).softmax(dim=-1)], "a key that was thrown away still gets weight: "
             "what is e to the power of 0?"),
            ("halves", [best / best.sum(dim=-1, keepdim=True)], "the two keys should share by a softmax of their scores; "
             "yours get the same."),
            ("not_divided", [shared(raw, seen)], "your scores are not divided by the root of their width."),
            ("divided_by_width", [shared(raw / K, seen)], "yours divides by the width; divide by its root.")])
        raise Mistake("wrong_weights", "the weights are not those of the two best keys that are allowed.")
    return "each query looked at the two keys that suit it best."


def best_keys(scores, seen, count):
    """True for the best keys of each query among those that it may see."""
    hidden = scores.masked_fill(~seen.expand_as(scores), -math.inf)
    last = hidden.topk(count, dim=-1).values[..., -1:]
    return (hidden >= last) & seen


def shared(scores, seen, count=2):
    """Weights of the best keys: a softmax among them."""
    return scores.masked_fill(~best_keys(scores, seen, count), -math.inf).softmax(dim=-1)
