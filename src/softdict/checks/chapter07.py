"""Checks for the exercises of chapter 07, learning to ask."""

import torch

from softdict.checks.result import Mistake, attempt, close, exercise, number, short


def table(returned, shape):
    """The reader's scores; raises Mistake unless they are one tensor of this shape."""
    if returned is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    if not isinstance(returned, torch.Tensor):
        raise Mistake("no_tensor", f"return one tensor; yours is of type {type(returned).__name__}.")
    got = tuple(returned.shape)
    if got == (*shape[:-2], shape[-1], shape[-2]) != shape:
        raise Mistake("transposed", f"the scores should be {list(shape)}, a row for each query and a column for each "
                                    f"key; yours are {list(got)}.")
    if got != shape:
        raise Mistake("wrong_shape", f"the scores should be {list(shape)} here; yours are {list(got)}.")
    return returned.detach().double()


@exercise("07-1", points=3)
def check_07_1(additive_scores):
    torch.manual_seed(9)
    for T, S, Q, K, A in ((2, 5, 3, 4, 6), (3, 2, 5, 2, 4)):
        compare_additive(additive_scores, torch.randn(T, Q), torch.randn(S, K),
                         torch.randn(A, Q), torch.randn(A, K), torch.randn(A))
    return "every query is added to every key, squeezed, and judged."


def compare_additive(additive_scores, query, key, W, U, v):
    """Raises the Mistake that explains the reader's scores, if they are wrong."""
    (T, S), A = (len(query), len(key)), len(v)
    given = [tensor.clone() for tensor in (query, key, W, U, v)]
    got = table(additive_scores(*given), (T, S))
    if not all(map(torch.equal, given, (query, key, W, U, v))):
        raise Mistake("changes_arguments", "yours changes what it was given; work on copies.")
    asked, offered = query @ W.T, key @ U.T    # [T, A], [S, A]
    sums = asked[:, None] + offered            # [T, S, A]
    right = sums.tanh() @ v
    if close(got, right):
        return
    likely = [
        ("no_tanh", sums @ v, "there is no tanh in yours. Without it the part of the query is the same for every key, "
                              "so every query would get the same weights."),
        ("tanh_last", (sums @ v).tanh(), "yours squeezes the score; tanh belongs on the A numbers, before v adds "
                                         "them up."),
        ("tanh_apart", asked.tanh()[:, None] @ v[:, None].expand(T, A, 1) + offered.tanh() @ v,
         "yours squeezes the query's and the key's numbers apart; add them first, then take the tanh."),
        ("product", (asked[:, None] * offered).tanh() @ v, "yours multiplies W q and U k; they are added."),
        ("no_v", sums.tanh().sum(dim=-1), "yours adds the squeezed numbers up as they are; each is first multiplied "
                                          "with its number of v."),
        ("mean", sums.tanh() @ v / A, "yours takes a mean; the score is the sum."),
        ("exponentials", (sums.tanh() @ v).softmax(dim=-1), "those are weights; return the scores, before the "
                                                            "softmax."),
        ("one_query", right[:1].expand(T, S), "both rows are those of the first query."),
        ("one_key", right[:, :1].expand(T, S), "every column is that of the first key."),
    ]
    for code, wrong, sentence in likely:
        if close(got, wrong.reshape(T, S)):
            raise Mistake(code, sentence)
    raise Mistake("wrong_scores", f"the scores of the first query are {short(right[0])}; yours are {short(got[0])}.")


@exercise("07-2", points=2)
def check_07_2(near):
    torch.manual_seed(10)
    for lead in ((), (2,), (3, 2)):
        query, key = torch.randn(*lead, 4, 6), torch.randn(*lead, 5, 6)
        axes = ("must match the size", "axes", "queries and keys do not meet: give the queries an axis of length 1 for the "
                                               "keys, and the keys one for the queries.")
        given = query.clone(), key.clone()
        got = table(attempt(lambda: near(*given), axes), (*lead, 4, 5))
        if not all(map(torch.equal, given, (query, key))):
            raise Mistake("changes_arguments", "yours changes what it was given; work on copies.")
        difference = query[..., :, None, :] - key[..., None, :, :]
        squares = difference.square().sum(dim=-1)
        if close(got, -squares / 2):
            learned = query.clone().requires_grad_(), key.clone().requires_grad_()
            again = near(*learned)
            if not again.requires_grad or None in torch.autograd.grad(again.sum(), learned, allow_unused=True):
                raise Mistake("detached", "the numbers are right, but no gradient flows back through them, so the "
                                          "model could not learn; work with the tensors as they come.")
            continue
        likely = [
            ("no_minus", squares / 2, "yours is largest for the keys that are farthest away; the minus is missing."),
            ("no_half", -squares, "yours is twice as large; halve the squared distance."),
            ("not_squared", -squares.sqrt() / 2, "that is minus half the distance; square it."),
            ("not_squared", -squares.sqrt(), "that is minus the distance; take half of its square."),
            ("mean", -difference.square().mean(dim=-1) / 2, "yours takes the mean over the numbers of a vector; add "
                                                            "the squares up."),
            ("sum_squared", -difference.sum(dim=-1).square() / 2, "square every difference first, and add up then."),
            ("dot", query @ key.transpose(-2, -1), "that is the dot product."),
        ]
        for code, wrong, sentence in likely:
            if close(got, wrong):
                raise Mistake(code, sentence)
        where = "" if not lead else f" with axes {list(lead)} in front"
        raise Mistake("wrong_scores", f"the first query's scores{where} are {short((-squares / 2).reshape(-1, 5)[0])}; "
                                      f"yours are {short(got.reshape(-1, 5)[0])}.")
    return "the nearer the key, the higher the score."


def marked(T, S, links, heavy):
    """Weights [T+1, S] whose rows are heaviest at the given places; the last row is for EOS."""
    weights = torch.rand(T + 1, S).softmax(dim=-1)
    for row, i in enumerate(heavy):
        weights[row, i] += 1
    return weights, links


@exercise("07-3", points=2)
def check_07_3(hit_share):
    torch.manual_seed(11)
    cases = [    # in the first, each mistake below gives another share; in the others, words at both ends are hits
        marked(7, 5, [(1, 0), (1, 1), (4, 3), (1, 5), (3, 5), (3, 6)], (2, 1, 2, 4, 0, 3, 1, 2)),
        marked(4, 6, [(0, 0), (2, 0), (3, 1), (5, 3)], (0, 3, 1, 5, 4)),
        marked(3, 4, [(1, 0), (3, 2), (0, 2)], (2, 1, 3, 0)),
        marked(5, 3, [(0, 1), (2, 1), (1, 4)], (1, 0, 0, 2, 0, 0))]
    for weights, links in cases:
        T = len(weights) - 1
        given = weights.clone(), list(links)
        got = number(hit_share(*given))
        if not torch.equal(given[0], weights) or given[1] != links:
            raise Mistake("changes_arguments", "yours changes what it was given; work on copies.")
        heaviest = weights.argmax(dim=-1).tolist()
        linked = sorted({j for _, j in links})
        found = [(heaviest[j], j) in links for j in linked]
        right = sum(found) / len(linked)
        if close(got, right):
            without = attempt(lambda: hit_share(weights[:T].clone(), list(links)), (
                "out of", "last_row", "yours needs a row for the end of the sentence; there may be none."))
            if not close(without, right):
                raise Mistake("last_row", "without the row for the end of the sentence yours is wrong; there may be none.")
            continue
        last = {j: i for i, j in links}
        first = {j: i for i, j in reversed(links)}
        likely = [
            ("same_bug", sum((heaviest[j + 1], j) in links for j in linked) / len(linked),
             "yours still takes the row in which a word is *read*. Row j is the look that *wrote* word j."),
            ("shifted_back", sum((heaviest[j - 1], j) in links for j in linked) / len(linked),
             "yours takes the row before; row j is the look that wrote word j."),
            ("per_link", sum((heaviest[j], j) in links for _, j in links) / len(links),
             "yours counts each link; count each linked word once, however many links it has."),
            ("per_link", sum(found) / len(links), "yours divides by the number of links; divide by the number of linked "
                                                  "words."),
            ("all_words", sum(found) / T, "yours divides by the number of all words; divide by the number of words that "
                                          "have a link."),
            ("all_words", sum(found) / (T + 1), "yours divides by the number of rows; divide by the number of words "
                                                "that have a link."),
            ("one_link", sum(heaviest[j] == last[j] for j in linked) / len(linked),
             "a word may have several links, and yours keeps one of them; any of them is a hit."),
            ("one_link", sum(heaviest[j] == first[j] for j in linked) / len(linked),
             "a word may have several links, and yours keeps one of them; any of them is a hit."),
            ("mass", sum(weights[j, i].item() for i, j in links) / len(linked), "yours adds up weights; count the words "
                                                                                "whose heaviest source word is linked."),
            ("percent", 100 * right, "yours is in percent; return a share between 0 and 1."),
            ("count", sum(found), "that is the number of hits; divide it by the number of linked words."),
        ]
        for code, wrong, sentence in likely:
            if close(got, wrong):
                raise Mistake(code, sentence)
        raise Mistake("wrong_share", f"for the links {links} and the heaviest source places {heaviest} the share is "
                                     f"{right:.3f}; yours is {got:.3f}.")
    return "each word is judged by the look that wrote it."
