"""Checks for the exercises of chapter 20, what a head is for."""

from collections import Counter

import torch

from softdict.attention import attention
from softdict.checks.answers import (
    DETACHED, ask, blame, close, no_gradient, number, pair, short, something, tensor,
    wrong_row)
from softdict.checks.ch22 import other_kind
from softdict.checks.elsewhere import stays_where_it_is
from softdict.checks.result import Mistake, exercise, refuse

# 20-1

# sentences, heads, words that ask and are asked, width; the heads that are silent
QUIET = [(5, 4, 6, 7, 5, [0, 3]), (1, 3, 4, 4, 2, [0]), (2, 5, 3, 6, 4, []),
         (3, 2, 5, 2, 6, [0, 1]), (2, 6, 1, 9, 3, [5, 2, 0])]


def some_answers():
    """What heads are given, in float64, with a mask; and the silent heads."""
    chance = torch.Generator().manual_seed(201)
    for B, H, T, S, K, heads in QUIET:
        query, key, value = (
            torch.randn(*shape, generator=chance, dtype=torch.float64).requires_grad_()
            for shape in ((B, H, T, K), (B, H, S, K), (B, H, S, K)))
        allowed = torch.rand(B, 1, T, S, generator=chance) < 0.6
        allowed[..., 0] = True    # no row is empty
        yield (query, key, value, allowed), heads


def silenced(given, heads, kind="right"):
    """The context without these heads, or what comes of a common mistake."""
    query, key, value, allowed = given
    context = attention(query, key, value, None if kind == "no_mask" else allowed)[0]
    H = context.shape[1]
    quiet = torch.isin(torch.arange(H), torch.tensor(heads, dtype=torch.long))
    if kind == "inverted":
        quiet = ~quiet
    if kind == "from_one":
        quiet = quiet.roll(-1)
    if kind == "first_alone":
        quiet = torch.arange(H) == (heads[0] if heads else -1)
    if kind == "last_alone":
        quiet = torch.arange(H) == (heads[-1] if heads else -1)
    if kind == "all":
        quiet = torch.ones(H).bool()
    axis = {"sentences": 0, "words": 2, "numbers": 3}.get(kind)
    if axis is not None:
        size = context.shape[axis]
        gone = torch.isin(torch.arange(size), torch.tensor(heads, dtype=torch.long))
        return context.masked_fill(gone.view([-1] + [1] * (3 - axis)), 0)
    instead = {"mean_of_heads": context.mean(1, keepdim=True),
               "mean_of_words": context.mean(2, keepdim=True)}.get(kind, 0 * context)
    factor = H / max(H - len(heads), 1) if kind == "scaled" else 1
    return torch.where(quiet[:, None, None], instead, factor * context)


WRONG_SILENCE = [
    ("no_mask", "yours forgets `allowed`: words look where they may not. Hand on all "
     "four things."),
    ("inverted", "yours silences the other heads, and keeps those that are named."),
    ("from_one", "heads count from 0; yours silences the one before."),
    ("first_alone", "yours silences the first of `heads` alone; there may be several."),
    ("last_alone", "yours silences the last of `heads` alone; there may be several."),
    ("all", "yours silences every head; the others go on."),
    ("sentences", "yours silences whole sentences; heads are the second axis, "
     "[B, H, T, K]."),
    ("words", "yours silences words; heads are the second axis, [B, H, T, K]."),
    ("numbers", "yours silences numbers of every head; heads are the second axis, "
     "[B, H, T, K]."),
    ("mean_of_heads", "yours puts the mean of all heads in the place of a silent one; "
     "zeros are asked for."),
    ("mean_of_words", "yours puts a head's mean in the place of its answers; zeros are "
     "asked for."),
    ("scaled", "yours makes the other heads louder, as dropout does; they stay as they "
     "are.")]


@exercise("20-1", points=2)
def check_20_1(silent):
    for given, heads in some_answers():
        given_to, made = [part.detach() for part in given], []

        def attend(query, key, value, allowed=None, made=made):
            context, weights = attention(query, key, value, allowed)
            made += [context, context.clone(), weights, weights.clone()]
            return context, weights

        named = list(heads)
        quiet = something(silent(attend, named))
        refuse(not callable(quiet), "no_function", "return a function that can be "
               f"called as `attend` is; yours is of type {type(quiet).__name__}.")
        context, weights = pair(ask(quiet, *given_to), "the context", "the weights")
        refuse(named != heads, "changes_arguments", "yours changes the list of heads, "
               "so the next call silences others; leave it as it is.")
        refuse(not made, "never_asks", "yours never calls `attend`, so it cannot know "
               "what the other heads answer.")
        refuse(not torch.equal(made[0], made[1]), "changes_context", "yours writes "
               "zeros into what `attend` returned, and that may be in use elsewhere; "
               "clone it first.")
        (B, H, T, K), (wide, weighed) = given_to[0].shape, (made[0], made[2])
        found = [tuple(getattr(part, "shape", ())) for part in (context, weights)]
        refuse(found == [weighed.shape, wide.shape] != [wide.shape, weighed.shape],
               "swapped", "return the context first and the weights second.")
        refuse(found[0] == (B, H - len(heads), T, K) != (B, H, T, K), "left_out",
               "yours has fewer heads; the matrix behind them needs every place, so a "
               "silent head stays and says 0.")
        got = tensor(context, (B, H, T, K), "context")
        other_kind(context, given_to[0], "context")
        right = silenced(given_to, heads)
        if not close(got, right):
            refuse(heads and close(got, made[1]), "unchanged", "all heads still answer "
                   "in your context; it is the context that is silenced.")
            blame(got, [(code, sentence, silenced(given_to, heads, code))
                        for code, sentence in WRONG_SILENCE])
            wrong_row("wrong_context", "context", got, right)
        refuse(not isinstance(weights, torch.Tensor) or not close(weights, made[3]),
               "weights_changed", "the context is right, but the weights are not those "
               "of `attend`; hand them on as they are.")
    given, heads = next(some_answers())
    quiet, out = silent(attention, heads), silenced(given, heads)
    mine = quiet(*given)[0]
    refuse(no_gradient(mine, given[:3]), *DETACHED)
    direction = torch.randn(out.shape, generator=torch.Generator().manual_seed(1),
                            dtype=out.dtype)
    slopes = [torch.autograd.grad((made * direction).sum(), given[:3])
              for made in (mine, out)]
    refuse(not close(*slopes), "part_detached", "the numbers are right, but not the "
           "gradient: the other heads must still learn.")
    stays_where_it_is(lambda *parts: silent(attention, [1])(*parts), *given)
    return "the others speak on, and nobody fills the gap."


# 20-2

# sentences, heads, words, links
LINKED = [(4, 3, 8, 17), (1, 2, 5, 3), (3, 5, 11, 29), (2, 1, 6, 4)]


def some_links():
    """Weights that like the tag and the word itself, and links of distant words."""
    chance = torch.Generator().manual_seed(202)
    for (B, H, S, count), far in zip(LINKED, (-2, 2, 3, 1)):
        scores = 1.5 * torch.randn(B, H, S, S, generator=chance, dtype=torch.float64)
        scores[..., 0] += 1
        scores += torch.eye(S)
        links = set()
        while len(links) < count:
            b = int(torch.randint(B, (1,), generator=chance).item() ** 2 / B)
            q, k = torch.randint(1, S, (2,), generator=chance).tolist()
            if int(torch.randint(3, (1,), generator=chance)):
                k = q + far if 0 < q + far < S else q
            links |= {(b, q, k)} if q != k else set()
        chosen = sorted(links)
        yield scores.softmax(-1), [chosen[n] for n in torch.randperm(
            len(chosen), generator=chance)]


def head_hits(weights, links, kind="right"):
    """Share of links that each head hits, or what comes of a common mistake."""
    hits, sentences = [], []
    for b, q, k in links:
        if kind == "other_way":
            q, k = k, q
        rows = weights[b, :, q].clone()
        if kind == "columns":
            rows, k, q = weights[b, :, :, k].clone(), q, k
        if kind == "column_of_word":
            rows = weights[b, :, :, q].clone()
        if kind == "mass":
            hits.append(rows[:, k])
            continue
        if kind not in ("tag_too", "both_too"):
            rows[:, 0] = -1
        if kind not in ("itself_too", "both_too"):
            rows[:, q] = -1
        if kind == "least":
            rows = torch.where(rows < 0, 2, rows)
            hits.append((rows.argmin(-1) == k).double())
        else:
            hits.append((rows.argmax(-1) == k).double())
        sentences.append(b)
    hits = torch.stack(hits)
    if kind == "by_sentence":
        where = torch.tensor(sentences)
        return torch.stack([hits[where == b].mean(0) for b in set(sentences)]).mean(0)
    scale = {"counted": len(links), "percent": 100,
             "by_sentences": len(links) / len(weights)}.get(kind, 1)
    return hits.mean(0) * scale


def offset_hits(links, kind="right"):
    """Share of links that the best single distance hits, or a common mistake."""
    far = [k - q for _, q, k in links]
    if kind == "absolute":
        far = [abs(one) for one in far]
    if kind == "places":
        far = [k for _, _, k in links]
    count = Counter(far).most_common(1)[0]
    if kind == "previous":
        return far.count(-1) / len(links)
    if kind == "middle":
        return far.count(sorted(far)[len(far) // 2]) / len(links)
    if kind == "mean":
        return far.count(round(sum(far) / len(far))) / len(links)
    if kind == "kinds":
        return 1 / len(set(far))
    return {"which": count[0], "counted": count[1],
            "percent": 100 * count[1] / len(links)}.get(kind, count[1] / len(links))


WRONG_HITS = [
    ("both_too", "yours lets a head look at the tag and at the word itself; leave both "
     "out before you take the largest weight."),
    ("tag_too", "yours lets a head look at the tag, place 0; leave it out before you "
     "take the largest weight."),
    ("itself_too", "yours lets a word look at itself; leave its own place out before "
     "you take the largest weight."),
    ("other_way", "yours goes the other way: a link (b, q, k) is hit if the word q "
     "looks at k."),
    ("columns", "yours takes the largest of a column; the word q has a row, "
     "weights[b, h, q]."),
    ("column_of_word", "yours takes the column of word q, who looks at it; its row, "
     "weights[b, h, q], says where it looks."),
    ("mass", "yours adds up the weight on the links; a link is hit or not, by the "
     "largest weight of its row."),
    ("least", "yours takes the smallest weight of a row; the largest decides."),
    ("by_sentence", "yours takes means of sentences; every link counts the same, "
     "whatever sentence it stands in."),
    ("by_sentences", "yours divides by the number of sentences; divide by the number "
     "of links."),
    ("counted", "yours counts the hits; their share of all links is asked for."),
    ("percent", "yours is in per cent; a share lies between 0 and 1.")]
WRONG_OFFSETS = [
    ("which_offset", "yours returns the offset itself; the share of links that it hits "
     "is asked for.", "which"),
    ("absolute", "yours takes one to the left and one to the right for one distance; "
     "k - q has a sign.", "absolute"),
    ("places", "yours counts the places of the keys; an offset is the distance k - q.",
     "places"),
    ("previous", "yours tries the word before alone; try every offset, and take the "
     "best.", "previous"),
    ("mean_offset", "yours takes a middle distance; take the one that hits most links.",
     "mean", "middle"),
    ("kinds", "yours gives every offset the same share; count how often each occurs.",
     "kinds"),
    ("offset_counted", "yours counts the links; their share is asked for.", "counted",
     "percent")]


@exercise("20-2", points=2)
def check_20_2(hits):
    cases, shares, offsets = list(some_links()), [], []
    for weights, links in cases:
        returned = pair(ask(hits, weights, links), "the shares of the heads",
                        "the share of the best offset")
        H = weights.shape[1]
        first, second = (getattr(part, "shape", ()) for part in returned)
        refuse(tuple(first) != (H,) == tuple(second), "swapped", "return the shares of "
               "the heads first, and that of the best offset second.")
        refuse(isinstance(returned[0], torch.Tensor) and returned[0].dim() == 0
               and H > 1, "one_head", "yours gives one number for all heads; each head "
               "has a share of its own.")
        shares.append(tensor(returned[0], (H,), "shares"))
        offsets.append(number(returned[1], "no_share"))
    right = [head_hits(*case) for case in cases]
    if not close(shares, right):
        blame(shares, [(code, sentence, [head_hits(*case, code) for case in cases])
                       for code, sentence in WRONG_HITS])
        n = next(n for n in range(len(cases)) if not close(shares[n], right[n]))
        raise Mistake("wrong_shares", f"for {len(cases[n][1])} links the shares should "
                      f"be {short(right[n])}; yours are {short(shares[n])}.")
    right = [offset_hits(links) for _, links in cases]
    if not close(offsets, right):
        blame(offsets, [(code, sentence, *[[offset_hits(links, kind)
                                            for _, links in cases] for kind in kinds])
                        for code, sentence, *kinds in WRONG_OFFSETS])
        n = next(n for n in range(len(cases)) if not close(offsets[n], right[n]))
        distances = [k - q for _, q, k in cases[n][1]]
        raise Mistake("wrong_offset", f"of the distances {distances} the commonest is "
                      f"{right[n]:.3f} of all; yours is {offsets[n]:.3f}.")
    return "a head is worth what it hits beyond a distance that never looks."


# 20-3

def some_hits():
    """Hits of heads on two sets of links; luck makes another head best on `test`."""
    chance = torch.Generator().manual_seed(203)
    for H, N, M in ((24, 40, 31), (5, 12, 50), (3, 7, 9), (8, 100, 60), (1, 5, 4)):
        level = 0.3 + 0.4 * torch.rand(H, 1, generator=chance)
        valid, test = (torch.rand(H, size, generator=chance) < level for size in (N, M))
        # one best head in each, and no two alike
        valid[H // 2], test[H // 2, :-1] = True, level[H // 2] > 0.5
        valid[H // 2, 0], test[0] = False, True
        test[0, 0], test[H // 2, -1] = False, True
        if H == 1:
            test[0, 1:3] = False
        yield valid, test


def reports(valid, test, kind="right"):
    """A head and its share, or what comes of a common mistake."""
    own, other = valid.double().mean(1), test.double().mean(1)
    head = int(own.argmax())
    if kind == "mean_of_both":
        return head, (own[head] + other[head]) / 2
    if kind == "joined":
        both = torch.cat([valid, test], dim=1).double().mean(1)
        return int(both.argmax()), both.max()
    if kind == "joined_choice":
        head = int(torch.cat([valid, test], dim=1).double().mean(1).argmax())
    if kind == "worst":
        head = int(own.argmin())
    if kind == "over_heads":
        head = min(int(valid.double().mean(0).argmax()), len(test) - 1)
    if kind in ("chosen_on_test", "turned_round"):
        head = int(other.argmax())
    share = {"reported_on_valid": own[head], "turned_round": own[head],
             "best_of_test": other.max(), "all_heads": other.mean(),
             "counted": test[head].sum(), "percent": 100 * other[head],
             "other_count": test[head].sum() / valid.shape[1]}.get(kind, other[head])
    return head + (kind == "from_one"), share


WRONG_REPORTS = [
    ("chosen_on_test", "yours chooses on `test`, as the colleague does: the best of "
     "many is lucky where it was chosen."),
    ("reported_on_valid", "yours reports the share on `valid`, where the head was "
     "chosen; fresh links decide."),
    ("turned_round", "yours has the two sets exchanged: choose on `valid`, report on "
     "`test`."),
    ("best_of_test", "the head is right, but the share is that of the best head of "
     "`test`; report the head that was chosen."),
    ("all_heads", "the share is the mean of all heads; report the head that was "
     "chosen."),
    ("joined", "yours puts both sets together; then nothing fresh is left to report."),
    ("joined_choice", "yours lets `test` help to choose; choose on `valid` alone."),
    ("mean_of_both", "yours is the mean of both shares; the one on `valid` has luck in "
     "it."),
    ("worst", "yours chooses the head that hits least."),
    ("from_one", "heads count from 0."),
    ("over_heads", "yours takes the mean over the heads, so it chooses a link; take "
     "the mean over the links of each head."),
    ("other_count", "yours divides the hits on `test` by the number of links in "
     "`valid`."),
    ("counted", "yours counts the hits; their share is asked for."),
    ("percent", "yours is in per cent; a share lies between 0 and 1.")]


@exercise("20-3", points=1)
def check_20_3(reported):
    cases, got = list(some_hits()), []
    for valid, test in cases:
        head, share = pair(ask(reported, valid, test), "the head", "its share")
        head, share = number(head), number(share, "no_share")
        got.append([head, share])
    right = [list(reports(*case)) for case in cases]
    if not close(got, right):
        refuse(close([row[::-1] for row in got], right), "swapped",
               "return the head first and its share second.")
        blame(got, [(code, sentence, [list(reports(*case, code)) for case in cases])
                    for code, sentence in WRONG_REPORTS])
        n = next(n for n in range(len(cases)) if not close(got[n], right[n]))
        head, share = right[n]
        raise Mistake("wrong_report", f"of {len(cases[n][0])} heads it should be head "
                      f"{head} with {share:.3f}; yours is head {got[n][0]:g} with "
                      f"{got[n][1]:.3f}.")
    return "chosen here, reported there: luck does not travel."


# 20-4

def some_repeats():
    """Weights of words that look back, and words of which some occur again."""
    chance = torch.Generator().manual_seed(204)
    for B, H, T, words in ((3, 4, 12, 5), (1, 2, 7, 3), (2, 3, 9, 4), (4, 1, 5, 2),
                           (2, 2, 6, 1000)):
        ids = torch.randint(words, (B, T), generator=chance)
        if words == 1000:
            ids = torch.stack([torch.randperm(T, generator=chance) for _ in range(B)])
        scores = torch.randn(B, H, T, T, generator=chance, dtype=torch.float64)
        later = torch.ones(T, T).bool().triu(1)
        yield scores.masked_fill(later, float("-inf")).softmax(-1), ids


def prefixes(weights, ids, kind="right"):
    """Mean weight on what followed the same word, or a common mistake."""
    T = ids.shape[1]
    same = ids[:, :, None] == ids[:, None, :]    # [B, T, T]
    earlier = same & torch.ones(T, T).bool().tril(-1)
    again = earlier.any(-1)                      # [B, T]
    if kind == "last_alone":
        at = earlier.long() * torch.arange(1, T + 1)
        earlier = earlier & (at == at.amax(-1, keepdim=True))
    if kind == "first_alone":
        earlier = earlier & (earlier.long().cumsum(-1) == 1)
    before = torch.nn.functional.pad(earlier[..., 1:], (0, 1))
    after = torch.nn.functional.pad(earlier[..., :-1], (1, 0))
    looked = {"no_step": earlier, "before": before}.get(kind, after)
    if kind == "turned":
        looked = looked.mT
    found = (weights * looked[:, None]).sum(-1)    # [B, H, T]
    if kind == "hits":
        found = looked[:, None].expand_as(weights).gather(
            -1, weights.argmax(-1, keepdim=True))[..., 0] * again[:, None]
        found = found.double()
    if kind == "mean_of_keys":
        found = found / looked.sum(-1).clamp(min=1)[:, None]
    if kind == "by_sentence":
        each = found.sum(-1) / again.sum(-1).clamp(min=1)[:, None]
        return each.mean(0)
    total = found.sum((0, 2))
    return total / {"every_place": again.numel(), "summed": 1, "sentences": len(ids),
                    "occurrences": max(int(earlier.sum()), 1)}.get(
                        kind, max(int(again.sum()), 1))


WRONG_PREFIXES = [
    ("no_step", "yours looks at the earlier occurrence itself; the place *behind* it "
     "is asked for, which says what came next."),
    ("before", "yours looks at the place before the earlier occurrence; the one behind "
     "it says what came next."),
    ("last_alone", "yours takes the last earlier occurrence alone; each of them "
     "counts."),
    ("first_alone", "yours takes the first occurrence alone; each earlier one counts."),
    ("turned", "yours is turned over: rows look, and columns are looked at."),
    ("hits", "yours counts largest weights; the weights themselves are added up."),
    ("mean_of_keys", "yours divides by the number of earlier occurrences; their "
     "weights are added up."),
    ("occurrences", "yours divides by the number of all earlier occurrences; divide by "
     "the number of places that repeat a word."),
    ("by_sentence", "yours takes means of sentences; every place that repeats a word "
     "counts the same."),
    ("every_place", "yours divides by all places; a word that is new has nothing to "
     "find, so it does not count."),
    ("sentences", "yours divides by the number of sentences; divide by the number of "
     "places that repeat a word."),
    ("summed", "yours is a sum; divide by the number of places that repeat a word.")]


@exercise("20-4", points=2)
def check_20_4(prefix_scores):
    cases, got = list(some_repeats()), []
    for weights, ids in cases:
        returned = something(ask(prefix_scores, weights, ids))
        H = weights.shape[1]
        refuse(isinstance(returned, torch.Tensor) and returned.dim() == 0 and H > 1,
               "one_head", "yours gives one number for all heads; each has a score of "
               "its own.")
        score = tensor(returned, (H,), "scores")
        refuse(score.isnan().any(), "nan", "yours is nan where no word occurs again; "
               "then every score is 0.")
        got.append(score)
    right = [prefixes(*case) for case in cases]
    if not close(got, right):
        blame(got, [(code, sentence, [prefixes(*case, code) for case in cases])
                    for code, sentence in WRONG_PREFIXES])
        n = next(n for n in range(len(cases)) if not close(got[n], right[n]))
        raise Mistake("wrong_scores", f"for the words {cases[n][1].tolist()} the "
                      f"scores should be {short(right[n])}; yours are "
                      f"{short(got[n])}.")
    return "who looks behind the last time knows what may come next."
