"""Checks for the exercises of chapter 20, what a head is for."""

from collections import Counter

import torch

from softdict.attention import attention
from softdict.checks.answers import (
    ask, blame, close, no_gradient, number, pair, short, something, tensor, wrong_row)
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


def ablated(given, heads, kind="right"):
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
    "no_mask", "inverted", "from_one", "first_alone", "last_alone", "all", "sentences",
    "words", "numbers", "mean_of_heads", "mean_of_words", "scaled"]


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
        refuse(not callable(quiet), "no_function", kind=type(quiet).__name__)
        context, weights = pair(ask(quiet, *given_to, likely=[] if heads else [
            ("empty_list", "tensors used as indices must be",
             "Expected dtype int64 for index")]))
        refuse(named != heads, "changes_arguments-heads")
        refuse(not made, "never_asks")
        refuse(not torch.equal(made[0], made[1]), "changes_context")
        (B, H, T, K), (wide, weighed) = given_to[0].shape, (made[0], made[2])
        found = [tuple(getattr(part, "shape", ())) for part in (context, weights)]
        refuse(found == [weighed.shape, wide.shape] != [wide.shape, weighed.shape],
               "swapped")
        refuse(found[0] == (B, H - len(heads), T, K) != (B, H, T, K), "left_out")
        got = tensor(context, (B, H, T, K), "context")
        other_kind(context, given_to[0], "context")
        right = ablated(given_to, heads)
        if not close(got, right):
            refuse(heads and close(got, made[1]), "unchanged")
            blame(got, [(code, ablated(given_to, heads, code))
                        for code in WRONG_SILENCE])
            wrong_row("wrong_context", got, right)
        refuse(not isinstance(weights, torch.Tensor) or not close(weights, made[3]),
               "weights_changed")
    given, heads = next(some_answers())
    quiet, out = silent(attention, heads), ablated(given, heads)
    mine = quiet(*given)[0]
    refuse(no_gradient(mine, given[:3]), "detached")
    direction = torch.randn(out.shape, generator=torch.Generator().manual_seed(1),
                            dtype=out.dtype)
    slopes = [torch.autograd.grad((made * direction).sum(), given[:3])
              for made in (mine, out)]
    refuse(not close(*slopes), "part_detached")
    stays_where_it_is(lambda *parts: silent(attention, [1])(*parts), *given,
                      device="context.device")


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


def head_accuracy(weights, links, kind="right"):
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
        if kind.startswith("cut_out"):    # and what is left is counted from 0
            gone = {"cut_out": [0], "cut_out_itself": [q]}.get(kind, [0, q])
            rows = rows[:, [n for n in range(rows.shape[1]) if n not in gone]]
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


def offset_accuracy(links, kind="right"):
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
    "both_too", "tag_too", "itself_too", "other_way", "columns", "column_of_word",
    "mass", "least", "by_sentence", "by_sentences", "counted", "percent"]
WRONG_OFFSETS = [
    ("which_offset", "which"), ("absolute", "absolute"), ("places", "places"),
    ("previous", "previous"), ("mean_offset", "mean", "middle"), ("kinds", "kinds"),
    ("offset_counted", "counted", "percent")]


@exercise("20-2", points=2)
def check_20_2(hits):
    cases, shares, offsets = list(some_links()), [], []
    for weights, links in cases:
        returned = pair(ask(hits, weights, links))
        H = weights.shape[1]
        first, second = (getattr(part, "shape", ()) for part in returned)
        refuse(tuple(first) != (H,) == tuple(second), "swapped")
        refuse(isinstance(returned[0], torch.Tensor) and returned[0].dim() == 0
               and H > 1, "one_head")
        shares.append(tensor(returned[0], (H,), "shares"))
        offsets.append(number(returned[1], "no_share"))
    right = [head_accuracy(*case) for case in cases]
    if not close(shares, right):
        blame(shares, [(code, [head_accuracy(*case, code) for case in cases])
                       for code in WRONG_HITS]
              + [("cut_out", *[[head_accuracy(*case, kind) for case in cases]
                               for kind in ("cut_out", "cut_out_itself",
                                            "cut_out_both")])])
        n = next(n for n in range(len(cases)) if not close(shares[n], right[n]))
        raise Mistake("wrong_shares", links=len(cases[n][1]), right=short(right[n]),
                      got=short(shares[n]))
    right = [offset_accuracy(links) for _, links in cases]
    if not close(offsets, right):
        blame(offsets, [(code, *[[offset_accuracy(links, kind) for _, links in cases]
                                 for kind in kinds]) for code, *kinds in WRONG_OFFSETS])
        n = next(n for n in range(len(cases)) if not close(offsets[n], right[n]))
        distances = [k - q for _, q, k in cases[n][1]]
        raise Mistake("wrong_offset", distances=distances, right=right[n],
                      got=offsets[n])


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
    if kind == "links":
        link = int(valid.double().mean(0).argmax())
        return link, test.double().mean(0)[min(link, test.shape[1] - 1)]
    share = {"reported_on_valid": own[head], "turned_round": own[head],
             "best_of_test": other.max(), "all_heads": other.mean(),
             "counted": test[head].sum(), "percent": 100 * other[head],
             "other_count": test[head].sum() / valid.shape[1]}.get(kind, other[head])
    return head + (kind == "from_one"), share


WRONG_REPORTS = [
    "chosen_on_test", "reported_on_valid", "turned_round", "best_of_test", "all_heads",
    "joined", "joined_choice", "mean_of_both", "worst", "from_one", "over_heads",
    "other_count", "counted", "percent"]


@exercise("20-3", points=1)
def check_20_3(reported):
    cases, got = list(some_hits()), []
    for valid, test in cases:
        head, share = pair(ask(reported, valid, test))
        head, share = number(head), number(share, "no_share")
        got.append([head, share])
    right = [list(reports(*case)) for case in cases]
    if not close(got, right):
        refuse(close([row[::-1] for row in got], right), "swapped")
        blame(got, [(code, [list(reports(*case, code)) for case in cases])
                    for code in WRONG_REPORTS]
              + [("over_heads", [list(reports(*case, "links")) for case in cases])])
        n = next(n for n in range(len(cases)) if not close(got[n], right[n]))
        head, share = right[n]
        raise Mistake("wrong_report", heads=len(cases[n][0]), head=head, share=share,
                      got=got[n][0], got_share=got[n][1])


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
    "no_step", "before", "last_alone", "first_alone", "turned", "hits", "mean_of_keys",
    "occurrences", "by_sentence", "every_place", "sentences", "summed"]


@exercise("20-4", points=2)
def check_20_4(prefix_scores):
    cases, got = list(some_repeats()), []
    for weights, ids in cases:
        returned = something(ask(prefix_scores, weights, ids))
        H = weights.shape[1]
        refuse(isinstance(returned, torch.Tensor) and returned.dim() == 0 and H > 1,
               "one_head")
        score = tensor(returned, (H,), "scores")
        refuse(score.isnan().any(), "nan")
        got.append(score)
    right = [prefixes(*case) for case in cases]
    if not close(got, right):
        blame(got, [(code, [prefixes(*case, code) for case in cases])
                    for code in WRONG_PREFIXES])
        n = next(n for n in range(len(cases)) if not close(got[n], right[n]))
        raise Mistake("wrong_scores", words=cases[n][1].tolist(), right=short(right[n]),
                      got=short(got[n]))
