"""Checks for the exercises of chapter 03, learning."""

import math

import torch
import torch.nn.functional as F

from softdict.checks.answers import ask, blame, close, number, short, tensor
from softdict.checks.result import Mistake, exercise, refuse


@exercise("03-1", points=2)
def check_03_1(mean_loss):
    logits = torch.tensor([
        [2.0, 1.0, 0.0, -1.0], [0.5, -0.5, 3.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    target = torch.tensor([1, 2, 0])
    share = torch.softmax(logits, dim=1)
    rows = torch.arange(3)
    right, loss = share[rows, target], F.cross_entropy(logits, target)
    got = number(ask(mean_loss, logits, target, advice=None), "not_one_number")
    if not close(got, loss):
        blame(got, [
            ("adds_up", "yours grows with the number of examples; return the mean and "
             "not the sum.", -right.log().sum()),
            ("upside_down", "a loss is 0 or more; the logarithm of a share is "
             "negative: put a minus in front.", right.log().mean()),
            ("no_softmax", "yours takes the logit itself; the softmax of its row comes "
             "first.", -logits[rows, target].mean()),
            ("largest_added", "yours takes the largest logit away inside exp only; "
             "take it away from the right word's logit too.",
             loss - logits.amax(dim=1).mean()),
            ("softmax_twice", "the logits go through softmax twice; once is enough.",
             F.cross_entropy(share, target)),
            ("log_of_mean", "yours averages the shares, and then takes the logarithm; "
             "take the logarithm of each share, and then average.",
             -right.mean().log()),
            ("wrong_axis", "your softmax runs over the examples; the shares of one "
             "example, a row, should add up to 1.",
             F.cross_entropy(torch.log_softmax(logits, dim=0), target),
             -torch.softmax(logits, dim=0)[rows, target].log().mean()),
            ("likeliest", "yours scores the likeliest word; the one that came counts.",
             -share.amax(dim=1).log().mean()),
            ("divides_by_words", "yours divides by the number of words; divide by the "
             "examples.", -right.log().sum() / 4),
            ("mean_of_all", "yours averages over all words; only the word that came "
             "counts.", -share.log().mean()),
            ("every_target", "yours averages the losses of all targets in every row, "
             "as `[:, target]` gives them; each row has one target.",
             -share.log()[:, target].mean()),
            *(("other_base",
               f"use the natural logarithm, `math.log`; yours is to the base {base}.",
               -right.log().mean() / math.log(base)) for base in (2, 10)),
            ("misses_not_logs", "yours averages 1 - share; a loss of minus the "
             "logarithm punishes certainty much harder.", (1 - right).mean())])
        raise Mistake("wrong_loss", f"the loss here is {loss:.4f}; yours is {got:.4f}.")

    def probe(logits, places, loss, code, sentence):
        errors = ("math range error", "math domain error", "expected a positive input",
                  "division by zero")
        got = number(ask(mean_loss, torch.tensor(logits), torch.tensor(places), likely=[
            (code, sentence, *errors)], advice=None))
        refuse(not close(got, loss, 0.01), code, sentence)

    large, low = [1000.0, 990.0, 0.0], [-1000.0, -1001.0, -1002.0]
    for place, loss in ((0, 0.0), (1, 10.0), (2, 1000.0)):
        probe([large], [place], loss, "overflow", "with logits of 1000 exp overflows, "
              "or a share rounds to 0; the logarithm of the share is (x - m) - log(sum "
              "of exp(all - m)), and needs no share.")
    probe([large, low], [1, 0], 5.2038, "one_largest",
          "with one row around 1000 and one around -1000 yours fails; each row has a "
          "largest logit of its own, and it may be below 0.")
    return "the mean of minus the logarithms, for large logits too."


@exercise("03-2", points=2)
def check_03_2(step):
    query = torch.tensor([1.0, -0.5])
    key = torch.tensor([[1.5, 1.0], [0.5, -1.0], [-0.5, 2.0], [0.0, 1.0]])
    rate = 0.3
    share = torch.softmax(key @ query, dim=0)
    truth = torch.tensor([0.0, 0.0, 1.0, 0.0])
    gradient = (share - truth) @ key
    got = tensor(
        ask(step, query, key, 2, rate,
            advice="`query - ...` makes a new tensor, `query -= ...` does not", likely=[
                ("order", "look at the products: `key @ query` gives the logits, "
                 "`slope @ key` adds up the keys, each with its slope.",
                 "size mismatch", "inconsistent tensor size", "mat1 and mat2",
                 "cannot be multiplied", "tensor a (2)", "tensor b (2)")]),
        (2,), "new query")
    if close(got, query - rate * gradient):
        return "share minus truth, through the keys, against the slope."
    blame(got, [
        ("uphill", "your loss grows: the gradient is share minus truth, and a step "
         "subtracts it.", query + rate * gradient),
        ("no_rate", "your step has the size 1 whatever the rate; multiply the gradient "
         "by it.", query - gradient),
        ("no_truth", "yours pushes away from every word; take 1 away from the share of "
         "the word that came.", query - rate * share @ key),
        ("gradient_only", "you return the step; return the query minus rate times "
         "gradient.", -rate * gradient, rate * gradient),
        ("gradient_only", "you return the gradient; return the query after the step.",
         gradient),
        ("truth_only", "yours pulls towards the right key, and forgets what the other "
         "words got.", query + rate * truth @ key),
        ("one_key", "in yours only the key of the right word pulls; every other key "
         "pushes, by its share.", query - rate * (share[2] - 1) * key[2]),
        ("twice", "your step is twice as long as the rate says.",
         query - 2 * rate * gradient),
        ("mean_of_words", "yours takes the mean over the words; the slopes of all "
         "words are added up.", query - rate * gradient / len(key)),
        ("mean_of_words", "yours takes the mean over the features; each feature has a "
         "slope of its own.", query - rate * gradient.mean()),
        ("other_row", "the word that came is number `target`, counted from 0; yours "
         "moves towards its neighbour.",
         *(query - rate * (share - truth.roll(n)) @ key for n in (1, -1))),
        ("no_softmax", "yours uses the logits as shares; softmax first.",
         query - rate * (key @ query - truth) @ key)])
    raise Mistake("wrong_step", f"the new query is {short(query - rate * gradient)}; "
                  f"yours is {short(got)}.")


@exercise("03-3", points=1)
def check_03_3(nearest):
    vectors = torch.tensor([
        [1.0, 0.0], [0.9, 0.1], [5.0, 4.0], [0.1, 0.1], [-1.0, 0.1], [0.0, 3.0]])
    # of row 0 the cosines are 0.99, 0.78, 0.71; 2 is long, 3 is short

    def run(place, vectors, count):
        got = ask(nearest, place, vectors, count, likely=[
            ("not_among_them", "yours looks for the word itself among the best, where "
             "it need not be: an equal row is just as near.", "not in list")])
        got = [one.tolist() if isinstance(one, torch.Tensor) else one for one in got]
        refuse(any(isinstance(one, list) for one in got), "nested", "return a flat "
               "list of row numbers; yours is a list inside a list. Is `[0]` missing?")
        refuse(any(one != int(one) for one in got), "cosines",
               "return the numbers of the rows (`.indices`), and not their cosines.")
        return [int(one) for one in got]

    got = run(0, vectors, 2)
    refuse(0 in got, "itself", "row 0 itself is in your list; leave `place` out. With "
           "dot products the word need not come first, and if you cut its row away, "
           "the rows behind it change their numbers.")
    refuse(len(got) != 2, "wrong_count",
           f"two neighbours were asked for; yours gives {len(got)}.")
    refuse(got == [2, 1], "dot_product",
           "a long vector comes first in yours; use the cosine, or come nearest first.")
    refuse(got == [1, 3], "distance", "yours measures the distance between the points; "
           "the cosine asks for the direction.")
    refuse(got[0] == 4, "farthest", "yours begins with the word that is farthest away; "
           "the highest cosine comes first.")
    refuse(got != [1, 2], "wrong_neighbours",
           f"the two nearest rows to row 0 are [1, 2]; yours are {got}.")
    refuse(run(5, vectors, 3) != [3, 2, 1], "not_sorted",
           "of row 5 the three nearest are [3, 2, 1], the nearest first.")
    twins = torch.tensor([[1.0, 1.0], [0.0, 1.0], [2.0, 2.0], [1.0, 1.0]])
    refuse(any(place in run(place, twins, 2) for place in range(4)), "drops_the_first",
           "with two equal rows the best need not be the word itself: leave out "
           "`place`, and not the first.")
    refuse(any(set(run(place, twins, 2)) != {0, 2, 3} - {place} for place in (0, 2, 3)),
           "loses_the_twin", "a row equal to the word's own is another word, and its "
           "nearest; leave out `place` alone.")
    same = torch.ones(4, 2)
    refuse(any(len(set(run(place, same, count))) != count for place in range(4)
               for count in (1, 2)), "too_many",
           "with four equal rows yours gives more neighbours than were asked for; cut "
           "the list after leaving out `place`.")
    apart = torch.tensor([[1.0, 0.0], [-1.0, 0.2], [-1.0, 0.1], [-1.0, 0.9]])
    got, opposite = run(0, apart, 3), torch.tensor([[1.0, 0.0], [-1.0, 0.0]])
    refuse(0 in got or any(place in run(place, opposite, 1) for place in (0, 1)),
           "own_is_zero", "where all other cosines are negative, yours still names the "
           "word itself; give it a cosine below -1.")
    refuse(got != [3, 1, 2], "wrong_neighbours", "where all other cosines are "
           "negative, the three nearest rows to row 0 are [3, 1, 2]; yours are "
           f"{got}.")
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

    def adam():
        table, mean, square, found = logits.clone().requires_grad_(), 0, 0, []
        for n in range(1, 7):
            loss = F.cross_entropy(table[word], after)
            found.append(loss.item())
            slope, = torch.autograd.grad(loss, table)
            mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
            move = mean / (1 - 0.9**n) / ((square / (1 - 0.999**n)).sqrt() + 1e-8)
            table = (table - 1.5 * move).detach().requires_grad_()
        return found

    def clean(table):
        table.grad.zero_()

    copy = "train a copy, `logits.clone()`"
    got = ask(fit, logits, word, after, 1.5, 6, advice=copy, likely=[
        ("new_table", "`table = ...` makes a new tensor that keeps no record for "
         "gradients; change it in place: `table -= ...`.", "does not require grad")])
    got = [number(loss) for loss in got]
    refuse(len(got) != 6, "wrong_count",
           f"six steps give six losses, one before each; yours gives {len(got)}.")
    right = losses(clean)
    if close(got, right):
        return "each step follows its own gradient, and the loss goes down and stays."
    blame(got, [
        ("adds_gradients", "the gradients still add up from step to step; empty them "
         "each time.", losses()),
        ("uphill", "your loss grows: a step goes against the gradient.",
         losses(clean, sign=1)),
        ("softmax_twice", "cross_entropy takes logits; yours hands it shares.",
         losses(clean, double=True)),
        ("adam", "yours steps as Adam does, which divides the gradient by its size; "
         "here a step is the rate times the gradient.", adam())])
    refuse(close(got[0], got[-1]), "stands_still",
           "your loss never moves: the gradient is emptied before the step uses it, or "
           "the step changes another table.")
    refuse(close(got[:-1], right[1:]), "after_the_step",
           "yours reports the loss after each step; the one before it is asked for.")
    raise Mistake("wrong_losses",
                  f"the losses are {short(right)}; yours are {short(got)}.")
