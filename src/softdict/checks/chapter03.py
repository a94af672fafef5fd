"""Checks for the exercises of chapter 03, learning."""

import torch
import torch.nn.functional as F

from softdict.checks.result import Mistake, attempt, close, exercise, short


def one_number(returned):
    """The reader's answer as a number."""
    if returned is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    returned = torch.as_tensor(returned).detach()
    if returned.numel() != 1:
        raise Mistake("not_one_number", f"return one number, the mean; yours are {returned.numel()} numbers.")
    return returned.item()


@exercise("03-1", points=2)
def check_03_1(mean_loss):
    logits = torch.tensor([[2.0, 1.0, 0.0, -1.0], [0.5, -0.5, 3.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    target = torch.tensor([1, 2, 0])
    share = torch.softmax(logits, dim=1)
    right = share[torch.arange(3), target]
    got = one_number(mean_loss(logits.clone(), target.clone()))
    likely = [
        ("adds_up", -right.log().sum(), "yours grows with the number of examples; return the mean and not the sum."),
        ("upside_down", right.log().mean(), "a loss is 0 or more; the logarithm of a share is negative: put a minus "
                                            "in front."),
        ("no_softmax", -logits[torch.arange(3), target].mean(), "yours takes the logit itself; the softmax "
                                                                "of its row comes first."),
        ("softmax_twice", F.cross_entropy(share, target), "the logits go through softmax twice; once is enough."),
        ("log_of_mean", -right.mean().log(), "yours averages the shares, and then takes the logarithm; "
                                             "take the logarithm of each share, and then average."),
        ("wrong_axis", F.cross_entropy(torch.log_softmax(logits, dim=0), target),
         "your softmax runs over the examples; the shares of one example, a row, should add up to 1."),
        ("wrong_axis", -torch.softmax(logits, dim=0)[torch.arange(3), target].log().mean(),
         "your softmax runs over the examples; the shares of one example, a row, should add up to 1."),
        ("likeliest", -share.amax(dim=1).log().mean(), "yours scores the likeliest word; the one that came counts."),
        ("divides_by_words", -right.log().sum() / 4, "yours divides by the number of words; divide by the examples."),
        ("mean_of_all", -share.log().mean(), "yours averages over all words; only the word that came counts."),
        ("other_base", -right.log2().mean(), "use the natural logarithm, `math.log`; yours is to the base 2."),
        ("other_base", -right.log10().mean(), "use the natural logarithm, `math.log`; yours is to the base 10."),
        ("misses_not_logs", (1 - right).mean(), "yours averages 1 - share; a loss of minus the logarithm punishes "
                                                "certainty much harder."),
    ]
    if not close(got, F.cross_entropy(logits, target)):
        for code, wrong, sentence in likely:
            if close(got, wrong):
                raise Mistake(code, sentence)
        raise Mistake("wrong_loss", f"the loss here is {F.cross_entropy(logits, target):.4f}; yours is {got:.4f}.")
    rows = torch.tensor([[1000.0, 990.0, 0.0], [-1000.0, -1001.0, -1002.0]])
    large = rows[:1]
    too_large = ("with logits of 1000 exp overflows, or a share rounds to 0; the logarithm of the share is "
                 "(x - m) - log(sum of exp(all - m)), and needs no share.")
    each_row = ("with one row around 1000 and one around -1000 yours fails; each row has a largest logit of its own, "
                "and it may be below 0.")
    for place, loss in ((0, 0.0), (1, 10.0), (2, 1000.0)):
        got = attempt(lambda: one_number(mean_loss(large.clone(), torch.tensor([place]))),
                      ("math range error", "overflow", too_large), ("math domain error", "overflow", too_large),
                      ("expected a positive input", "overflow", too_large))
        if not abs(got - loss) < 0.01:
            raise Mistake("overflow", too_large)
    got = attempt(lambda: one_number(mean_loss(rows.clone(), torch.tensor([1, 0]))),
                  ("math domain error", "one_largest", each_row), ("expected a positive input", "one_largest", each_row),
                  ("division by zero", "one_largest", each_row))
    if not abs(got - 5.2038) < 0.01:
        raise Mistake("one_largest", each_row)
    return "the mean of minus the logarithms, for large logits too."


ORDER = "look at the order: `key @ query` gives the logits, `slope @ key` adds up the keys, each with its slope."


@exercise("03-2", points=2)
def check_03_2(step):
    query = torch.tensor([1.0, -0.5])
    key = torch.tensor([[1.5, 1.0], [0.5, -1.0], [-0.5, 2.0], [0.0, 1.0]])
    rate = 0.3
    share = torch.softmax(key @ query, dim=0)
    truth = torch.tensor([0.0, 0.0, 1.0, 0.0])
    gradient = (share - truth) @ key
    given, given_key = query.clone(), key.clone()
    got = attempt(lambda: step(given, given_key, 2, rate),
                  ("size mismatch", "order", ORDER), ("inconsistent tensor size", "order", ORDER),
                  ("mat1 and mat2", "order", ORDER), ("cannot be multiplied", "order", ORDER))
    if got is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    if not isinstance(got, torch.Tensor) or got.shape != query.shape:
        raise Mistake("wrong_shape", "return the new query, a tensor of the shape [2] here.")
    likely = [
        ("uphill", query + rate * gradient, "your loss grows: a step goes against the gradient, so subtract it."),
        ("no_rate", query - gradient, "your step has the size 1 whatever the rate; multiply the gradient by it."),
        ("no_truth", query - rate * share @ key, "yours pushes away from every word; take 1 away from the share of the "
                                                 "word that came."),
        ("gradient_only", -rate * gradient, "you return the step; return the query after it."),
        ("gradient_only", gradient, "you return the gradient; return the query after the step."),
        ("truth_only", query + rate * truth @ key, "yours pulls towards the right key, and forgets what the other "
                                                   "words got."),
        ("twice", query - 2 * rate * gradient, "your step is twice as long as the rate says."),
        ("other_row", query - rate * (share - truth.roll(1)) @ key, "the word that came is number `target`, counted "
                                                                    "from 0; yours moves towards its neighbour."),
        ("other_row", query - rate * (share - truth.roll(-1)) @ key, "the word that came is number `target`, counted "
                                                                     "from 0; yours moves towards its neighbour."),
        ("no_softmax", query - rate * (key @ query - truth) @ key, "yours uses the logits as shares; softmax first."),
    ]
    if not close(got, query - rate * gradient):
        for code, wrong, sentence in likely:
            if close(got, wrong):
                raise Mistake(code, sentence)
        raise Mistake("wrong_step", f"the new query is {short(query - rate * gradient)}; yours is {short(got)}.")
    if not torch.equal(given, query) or not torch.equal(given_key, key):
        raise Mistake("changes_arguments", "the new query is right, and you changed what you were given: "
                                           "`query - ...` makes a new tensor, `query -= ...` does not.")
    return "share minus truth, through the keys, against the slope."


@exercise("03-3", points=2)
def check_03_3(nearest):
    vectors = torch.tensor([[1.0, 0.0], [0.9, 0.1], [5.0, 4.0], [0.1, 0.1], [-1.0, 0.1], [0.0, 3.0]])
    right = [1, 2, 3]    # of row 0: cosines 0.99, 0.78, 0.71; 2 is long, 3 is short
    def run(place, vectors, count):
        given = vectors.clone()
        got = nearest(place, given, count)
        if not torch.equal(given, vectors):
            raise Mistake("changes_arguments", "yours changes the vectors that it was given; work on a copy.")
        if got is None:
            raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
        got = [one.tolist() if isinstance(one, torch.Tensor) else one for one in got]
        if any(isinstance(one, list) for one in got):
            raise Mistake("nested", "return a flat list of row numbers; yours is a list inside a list. "
                                    "Is a `[0]` missing?")
        if any(one != int(one) for one in got):
            raise Mistake("cosines", "return the numbers of the rows (`.indices`), and not their cosines.")
        return [int(one) for one in got]

    got = run(0, vectors, 2)
    if 0 in got:
        raise Mistake("itself", "row 0 itself is in your list; leave `place` out. With dot products the word need not "
                                "come first, and if you cut its row away, the rows behind it change their numbers.")
    if len(got) != 2:
        raise Mistake("wrong_count", f"two neighbours were asked for; yours gives {len(got)}.")
    if got == [2, 1]:
        raise Mistake("dot_product", "a long vector comes first in yours; use the cosine, or come nearest first.")
    if got == [1, 3]:
        raise Mistake("distance", "yours measures the distance between the points; the cosine asks for the direction.")
    if got[0] == 4:
        raise Mistake("farthest", "yours begins with the word that is farthest away; the highest cosine comes first.")
    if got != right[:2]:
        raise Mistake("wrong_neighbours", f"the two nearest rows to row 0 are {right[:2]}; yours are {got}.")
    if run(5, vectors, 3) != [3, 2, 1]:
        raise Mistake("not_sorted", "of row 5 the three nearest are [3, 2, 1], the nearest first.")
    twins = torch.tensor([[1.0, 1.0], [0.0, 1.0], [2.0, 2.0], [1.0, 1.0]])
    if any(place in run(place, twins, 2) for place in range(4)):
        raise Mistake("drops_the_first", "with two equal rows the best need not be the word itself: "
                                         "leave out `place`, and not the first.")
    if any(set(run(place, twins, 2)) != {0, 2, 3} - {place} for place in (0, 2, 3)):
        raise Mistake("loses_the_twin", "a row equal to the word's own is another word, and its nearest; "
                                        "leave out `place` alone.")
    same = torch.ones(4, 2)
    if any(len(set(run(place, same, count))) != count for place in range(4) for count in (1, 2)):
        raise Mistake("too_many", "with four equal rows yours gives more neighbours than were asked for; "
                                  "cut the list after leaving out `place`.")
    apart = torch.tensor([[1.0, 0.0], [-1.0, 0.2], [-1.0, 0.1], [-1.0, 0.9]])
    if run(0, apart, 3) != [3, 1, 2]:
        raise Mistake("own_is_zero", "where all other cosines are negative, yours still names the word itself; "
                                     "give it a cosine below -1.")
    return "nearest first, by direction, and never the word itself."


@exercise("03-4", points=2)
def check_03_4(fit):
    logits = torch.tensor([[0.3, 0.0, -0.2], [0.0, 0.5, 0.1], [0.0, 0.0, 0.0]])
    word, after = torch.tensor([0, 0, 1, 1, 2]), torch.tensor([1, 2, 0, 0, 2])

    def losses(between=lambda table: None, sign=-1, double=False):
        table, found = logits.clone().requires_grad_(), []
        for _ in range(6):
            scores = table[word].softmax(dim=1) if double else table[word]
            loss = F.cross_entropy(scores, after)
            found.append(loss.item())
            loss.backward()
            with torch.no_grad():
                table += sign * 1.5 * table.grad
            between(table)
        return found

    def clean(table):
        table.grad.zero_()

    got = attempt(lambda: fit(logits.clone(), word.clone(), after.clone(), 1.5, 6),
                  ("does not require grad", "new_table", "`table = ...` makes a new tensor that keeps no record for "
                                                         "gradients; change it in place: `table -= ...`."))
    if got is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    got = [float(torch.as_tensor(loss).detach()) for loss in got]
    if len(got) != 6:
        raise Mistake("wrong_count", f"six steps give six losses, one before each; yours gives {len(got)}.")
    right = losses(clean)
    if close(torch.tensor(got), torch.tensor(right)):
        return "each step follows its own gradient, and the loss goes down and stays."
    for code, wrong, sentence in [
            ("adds_gradients", losses(), "the gradients still add up from step to step; empty them each time."),
            ("uphill", losses(clean, sign=1), "your loss grows: a step goes against the gradient."),
            ("softmax_twice", losses(clean, double=True), "cross_entropy takes logits; yours hands it shares.")]:
        if close(torch.tensor(got), torch.tensor(wrong)):
            raise Mistake(code, sentence)
    if close(got[0], got[-1]):
        raise Mistake("stands_still", "your loss never moves: the gradient is emptied before the step uses it, "
                                      "or the step changes another table.")
    if close(torch.tensor(got[:-1]), torch.tensor(right[1:])):
        raise Mistake("after_the_step", "yours reports the loss after each step; the one before it is asked for.")
    raise Mistake("wrong_losses", f"the losses are {short(right)}; yours are {short(got)}.")
