"""Checks for the exercises of chapter 08, learning to ask."""

import torch

from softdict.checks.answers import (
    ask, blame, close, learns, number, tensor, wrong_row)
from softdict.checks.result import Mistake, exercise, refuse


def scores_of(returned, shape):
    """The scores that were returned; raises Mistake unless they have this shape."""
    return tensor(returned, shape, "scores",
                  "a row for each query and a column for each key")


@exercise("08-1", points=3)
def check_08_1(additive_scores):
    torch.manual_seed(9)
    for T, S, Q, K, A in ((2, 5, 3, 4, 6), (3, 2, 5, 2, 4)):
        compare_additive(additive_scores, torch.randn(T, Q), torch.randn(S, K),
                         torch.randn(A, Q), torch.randn(A, K), torch.randn(A))
    return "every query is added to every key, squeezed, and judged."


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
        ("no_tanh", "there is no tanh in yours. Without it the part of the query is "
         "the same for every key, so every query would get the same weights.",
         sums @ v),
        ("tanh_last", "yours squeezes the score; tanh belongs on the A numbers, before "
         "v adds them up.", (sums @ v).tanh()),
        ("tanh_apart", "yours squeezes the query's and the key's numbers apart; add "
         "them first, then take the tanh.",
         (asked.tanh() @ v)[:, None] + offered.tanh() @ v),
        ("product", "yours multiplies W q and U k; they are added.",
         (asked[:, None] * offered).tanh() @ v),
        ("no_v", "yours adds the squeezed numbers up as they are; each is first "
         "multiplied with its number of v.", sums.tanh().sum(dim=-1)),
        ("mean", "yours takes a mean; the score is the sum.", sums.tanh() @ v / A),
        ("exponentials", "those are weights; return the scores, before the softmax.",
         (sums.tanh() @ v).softmax(dim=-1)),
        ("key_by_key", "yours fills the scores key by key, but reads them as rows of "
         "queries; go query by query.", right.T.reshape(T, S)),
        ("one_query", "both rows are those of the first query.",
         right[:1].expand(T, S)),
        ("one_key", "every column is that of the first key.",
         right[:, :1].expand(T, S))])
    wrong_row("wrong_scores", "scores", got, right)


def meeting(near, query, key):
    """What explains sizes that do not match: a batch, or queries that meet no keys."""
    try:
        alone = close(near(query[0], key[0]),
                      -torch.cdist(query[0], key[0]).square() / 2, 1e-3)
    except Exception:    # it raises once more, and is explained
        alone = False
    return (("no_axis", "yours is right for [T, D] and [S, D] alone; `...` stands for "
             "any axes in front.", "must match the size") if alone else
            ("axes", "queries and keys do not meet: give the queries an axis of length "
             "1 for the keys, and the keys one for the queries.",
             "must match the size"))


@exercise("08-2", points=2)
def check_08_2(near):
    torch.manual_seed(10)
    for lead in ((2,), (), (3, 2)):
        query, key = torch.randn(*lead, 4, 6), torch.randn(*lead, 5, 6)
        likely = [meeting(near, query, key)] if lead == (2,) else [
            ("one_axis", "yours is right for [B, T, D] alone; `...` stands for any "
             "number of axes, none too.", "")]
        got = scores_of(ask(near, query, key, likely=likely), (*lead, 4, 5))
        difference = query[..., :, None, :] - key[..., None, :, :]
        squares = difference.square().sum(dim=-1)
        if close(got, -squares / 2):
            learned = query.clone().requires_grad_(), key.clone().requires_grad_()
            learns(near, learned)
            continue
        blame(got, [
            ("no_minus", "yours is largest for the keys that are farthest away; the "
             "minus is missing.", squares / 2),
            ("no_half", "yours is twice as large; halve the squared distance.",
             -squares),
            ("not_squared", "that is minus half the distance; square it.",
             -squares.sqrt() / 2),
            ("not_squared", "that is minus the distance; take half of its square.",
             -squares.sqrt()),
            ("mean", "yours takes the mean over the numbers of a vector; add the "
             "squares up.", -difference.square().mean(dim=-1) / 2),
            ("sum_squared", "square every difference first, and add up then.",
             -difference.sum(dim=-1).square() / 2),
            ("no_query_length", "yours lacks minus half the squared length of the "
             "query; the weights stay the same, the scores do not.",
             (query.square().sum(dim=-1)[..., None] - squares) / 2),
            ("dot", "that is the dot product.", query @ key.transpose(-2, -1))])
        refuse(close(got.log(), -squares / 2, 1e-3), "exponentials", "those are "
               "exponentials; return the scores, before exp.")
        wrong_row("wrong_scores", "scores", got, -squares / 2)
    return "the nearer the key, the higher the score."


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
    got = [number(ask(hit_share, *case, likely=[
        ("over_steps", "a row is a step, a column is a source place; yours asks for a "
         "column by the number of a written word.", "out of bounds for dimension 1")]))
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
        last_row = "yours needs a row for the end of the sentence; there may be none."
        for (weights, links), share in zip(cases, right):
            without = ask(hit_share, weights[:-1], links, advice=None,
                          likely=[("last_row", last_row, "out of")])
            refuse(not close(without, share), "last_row", last_row)
        return "each word is judged by the look that wrote it."
    blame(got, [
        ("same_bug", "yours still takes the row in which a word is *read*. Row j is "
         "the look that *wrote* word j.", hits(lambda weights, j: top(weights, j + 1))),
        ("shifted_back", "yours takes the row before; row j is the look that wrote "
         "word j.", hits(lambda weights, j: top(weights, j - 1))),
        ("shifted_place", "your source places are one off: place i is column i, and "
         "column 0, the tag, counts.", hits(lambda weights, j: top(weights, j) + 1),
         hits(lambda weights, j: top(weights, j) - 1),
         hits(lambda weights, j: top(weights[:, 1:], j))),
        ("tag_left_out", "yours leaves the tag out of the choice; where place 0 is the "
         "heaviest, it is the one that counts.",
         hits(lambda weights, j: top(weights[:, 1:], j) + 1)),
        ("over_steps", "yours takes, for each source place, the heaviest step; take, "
         "for each step, the heaviest place.",
         shares(lambda weights, links, j: any(
             word == j and i < weights.shape[1] and weights[:, i].argmax() == j
             for i, word in links))),
        ("turned_link", "a link names the source place first, the target place second; "
         "yours has them the other way round.",
         shares(lambda weights, links, j: (j, top(weights, j)) in links)),
        ("per_link", "yours counts each link; count each linked word once, however "
         "many links it has.",
         [sum((top(weights, j), j) in links for _, j in links) / len(links)
          for weights, links in cases]),
        ("per_link", "yours divides by the number of links; divide by the number of "
         "linked words.", over(lambda weights, links: len(links))),
        ("all_words", "yours divides by the number of all words; divide by the number "
         "of words that have a link.", over(lambda weights, links: len(weights) - 1)),
        ("all_words", "yours divides by the number of rows; divide by the number of "
         "words that have a link.", over(lambda weights, links: len(weights))),
        ("one_link", "a word may have several links, and yours keeps one of them; any "
         "of them is a hit.",
         *(shares(lambda weights, links, j: top(weights, j) == next(
             i for i, word in links[::way] if word == j)) for way in (1, -1))),
        ("mass", "yours adds up weights; count the words whose heaviest source word is "
         "linked.", shares(lambda weights, links, j: sum(
             weights[j, i].item() for i, word in links if word == j))),
        ("percent", "yours is in percent; return a share between 0 and 1.",
         [100 * share for share in right]),
        ("count", "that is the number of hits; divide it by the number of linked "
         "words.", over(lambda weights, links: 1))])
    n = next(n for n in range(4) if not close(got[n], right[n]))
    weights, links = cases[n]
    raise Mistake("wrong_share", f"for the links {links} and the heaviest source "
                  f"places {weights.argmax(dim=-1).tolist()} the share is "
                  f"{right[n]:.3f}; yours is {got[n]:.3f}.")
