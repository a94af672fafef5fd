"""Checks for the exercises of chapter 08, learning to ask."""

import torch

from softdict.checks.answers import ask, blame, close, learns, number, tensor, wrong_row
from softdict.checks.result import Mistake, exercise, refuse


def scores_of(returned, shape):
    """The scores that were returned; raises Mistake unless they have this shape."""
    return tensor(returned, shape, "scores", "transposed-scores")


@exercise("08-1", points=3)
def check_08_1(additive_scores):
    torch.manual_seed(9)
    for T, S, Q, K, A in ((2, 5, 3, 4, 6), (3, 2, 5, 2, 4)):
        compare_additive(additive_scores, torch.randn(T, Q), torch.randn(S, K),
                         torch.randn(A, Q), torch.randn(A, K), torch.randn(A))


def compare_additive(additive_scores, query, key, W, U, v):
    """Raises the Mistake that explains the reader's scores, if they are wrong."""
    (T, S), A = (len(query), len(key)), len(v)
    got = scores_of(ask(additive_scores, query, key, W, U, v), (T, S))
    asked, offered = query @ W.T, key @ U.T    # [T, A], [S, A]
    sums = asked[:, None] + offered            # [T, S, A]
    right = sums.tanh() @ v
    if close(got, right):
        return
    blame(got, [
        ("no_tanh", sums @ v),
        ("tanh_last", (sums @ v).tanh()),
        ("tanh_apart", (asked.tanh() @ v)[:, None] + offered.tanh() @ v),
        ("product", (asked[:, None] * offered).tanh() @ v),
        ("no_v", sums.tanh().sum(dim=-1)),
        ("mean", sums.tanh() @ v / A),
        ("exponentials", (sums.tanh() @ v).softmax(dim=-1)),
        ("key_by_key", right.T.reshape(T, S)),
        ("one_query", right[:1].expand(T, S)),
        ("one_key", right[:, :1].expand(T, S))])
    wrong_row("wrong_scores", got, right)


def meeting(near, query, key):
    """What explains sizes that do not match: a batch, or queries that meet no keys."""
    try:
        alone = close(near(query[0], key[0]),
                      -torch.cdist(query[0], key[0]).square() / 2, 1e-3)
    except Exception:    # it raises once more, and is explained
        alone = False
    return "no_axis" if alone else "axes", "must match the size"


@exercise("08-2", points=2)
def check_08_2(near):
    torch.manual_seed(10)
    for lead in ((2,), (), (3, 2)):
        query, key = torch.randn(*lead, 4, 6), torch.randn(*lead, 5, 6)
        likely = [meeting(near, query, key)] if lead == (2,) else [("one_axis", "")]
        got = scores_of(ask(near, query, key, likely=likely), (*lead, 4, 5))
        difference = query[..., :, None, :] - key[..., None, :, :]
        squares = difference.square().sum(dim=-1)
        if close(got, -squares / 2):
            learned = query.clone().requires_grad_(), key.clone().requires_grad_()
            learns(near, learned)
            continue
        blame(got, [
            ("no_minus", squares / 2),
            ("no_half", -squares),
            ("not_squared", -squares.sqrt() / 2),
            ("not_squared-half", -squares.sqrt()),
            ("mean", -difference.square().mean(dim=-1) / 2),
            ("sum_squared", -difference.sum(dim=-1).square() / 2),
            ("no_query_length", (query.square().sum(dim=-1)[..., None] - squares) / 2),
            ("dot", query @ key.transpose(-2, -1))])
        refuse(close(got.log(), -squares / 2, 1e-3), "exponentials")
        wrong_row("wrong_scores", got, -squares / 2)


def marked(T, S, links, heavy):
    """Weights [T+1, S], the last row for EOS, that are heaviest at the given places."""
    weights = torch.rand(T + 1, S).softmax(dim=-1)
    for row, i in enumerate(heavy):
        weights[row, i] += 1
    return weights, links


@exercise("08-3", points=2)
def check_08_3(hit_share):
    torch.manual_seed(11)
    # together, each mistake below gives other shares; in the last three, words at both
    # ends are hits
    cases = [marked(9, 7, [
        (0, 0), (6, 0), (1, 1), (2, 1), (6, 4), (2, 5), (0, 6), (4, 6), (0, 7), (0, 8),
        (2, 8)], (0, 1, 6, 1, 6, 2, 1, 0, 2, 6)),
             marked(4, 6, [(0, 0), (2, 0), (3, 1), (5, 3)], (0, 3, 1, 5, 4)),
             marked(3, 4, [(1, 0), (3, 2), (0, 2)], (2, 1, 3, 0)),
             marked(5, 3, [(0, 1), (2, 1), (1, 4)], (1, 0, 0, 2, 0, 0))]
    linked = [sorted({j for _, j in links}) for _, links in cases]
    got = [number(ask(hit_share, *case,
                      likely=[("over_steps", "out of bounds for dimension 1")]))
           for case in cases]

    def top(weights, j):
        return int(weights[j].argmax())

    def shares(is_hit):
        return [sum(is_hit(*case, j) for j in words) / len(words)
                for case, words in zip(cases, linked)]

    def hits(place):
        return shares(lambda weights, links, j: (place(weights, j), j) in links)

    right = hits(top)

    def over(size):
        return [share * len(words) / size(*case)
                for share, words, case in zip(right, linked, cases)]

    if close(got, right):
        for (weights, links), share in zip(cases, right):
            without = ask(hit_share, weights[:-1], links, keeps=False,
                          likely=[("last_row", "out of")])
            refuse(not close(without, share), "last_row")
        return
    blame(got, [
        ("same_bug", hits(lambda weights, j: top(weights, j + 1))),
        ("shifted_back", hits(lambda weights, j: top(weights, j - 1))),
        ("shifted_place", hits(lambda weights, j: top(weights, j) + 1),
         hits(lambda weights, j: top(weights, j) - 1),
         hits(lambda weights, j: top(weights[:, 1:], j))),
        ("tag_left_out", hits(lambda weights, j: top(weights[:, 1:], j) + 1)),
        ("over_steps-places",
         shares(lambda weights, links, j: any(
             word == j and i < weights.shape[1] and weights[:, i].argmax() == j
             for i, word in links))),
        ("turned_link", shares(lambda weights, links, j:
                               (j, top(weights, j)) in links)),
        ("per_link", [sum((top(weights, j), j) in links for _, j in links) / len(links)
                      for weights, links in cases]),
        ("per_link-words", over(lambda weights, links: len(links))),
        ("all_words", over(lambda weights, links: len(weights) - 1)),
        ("all_words-rows", over(lambda weights, links: len(weights))),
        ("one_link", *(shares(lambda weights, links, j: top(weights, j)
                              == next(i for i, word in links[::way] if word == j))
                       for way in (1, -1))),
        ("mass", shares(lambda weights, links, j:
                        sum(weights[j, i].item() for i, word in links if word == j))),
        ("percent", [100 * share for share in right]),
        ("count", over(lambda weights, links: 1))])
    n = next(n for n in range(4) if not close(got[n], right[n]))
    weights, links = cases[n]
    raise Mistake("wrong_share", links=links, places=weights.argmax(dim=-1).tolist(),
                  right=right[n], got=got[n])
