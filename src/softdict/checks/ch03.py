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
    got = number(ask(mean_loss, logits, target, keeps=False), "not_one_number")
    if not close(got, loss):
        blame(got, [
            ("adds_up", -right.log().sum()),
            ("upside_down", right.log().mean()),
            ("no_softmax", -logits[rows, target].mean()),
            ("largest_added", loss - logits.amax(dim=1).mean()),
            ("softmax_twice", F.cross_entropy(share, target)),
            ("log_of_mean", -right.mean().log()),
            ("wrong_axis", F.cross_entropy(torch.log_softmax(logits, dim=0), target),
             -torch.softmax(logits, dim=0)[rows, target].log().mean()),
            ("likeliest", -share.amax(dim=1).log().mean()),
            ("divides_by_words", -right.log().sum() / 4),
            ("mean_of_all", -share.log().mean()),
            ("every_target", -share.log()[:, target].mean()),
            *((Mistake("other_base", base=base), -right.log().mean() / math.log(base))
              for base in (2, 10)),
            ("misses_not_logs", (1 - right).mean())])
        raise Mistake("wrong_loss", loss=loss, got=got)

    def probe(logits, places, loss, key):
        errors = ("math range error", "math domain error", "expected a positive input",
                  "division by zero")
        got = number(ask(mean_loss, torch.tensor(logits), torch.tensor(places),
                         likely=[(key, *errors)], keeps=False))
        refuse(not close(got, loss, 0.01), key)

    large, low = [1000.0, 990.0, 0.0], [-1000.0, -1001.0, -1002.0]
    for place, loss in ((0, 0.0), (1, 10.0), (2, 1000.0)):
        probe([large], [place], loss, "overflow")
    probe([large, low], [1, 0], 5.2038, "one_largest")


@exercise("03-2", points=2)
def check_03_2(step):
    query = torch.tensor([1.0, -0.5])
    key = torch.tensor([[1.5, 1.0], [0.5, -1.0], [-0.5, 2.0], [0.0, 1.0]])
    rate = 0.3
    share = torch.softmax(key @ query, dim=0)
    truth = torch.tensor([0.0, 0.0, 1.0, 0.0])
    gradient = (share - truth) @ key
    returned = ask(step, query, key, 2, rate, likely=[
        ("order", "size mismatch", "inconsistent tensor size", "mat1 and mat2",
         "cannot be multiplied", "tensor a (2)", "tensor b (2)")])
    got = tensor(returned, (2,), "new_query")
    if close(got, query - rate * gradient):
        return
    blame(got, [
        ("uphill", query + rate * gradient),
        ("no_rate", query - gradient),
        ("no_truth", query - rate * share @ key),
        ("gradient_only-step", -rate * gradient, rate * gradient),
        ("gradient_only", gradient),
        ("truth_only", query + rate * truth @ key),
        ("one_key", query - rate * (share[2] - 1) * key[2]),
        ("twice", query - 2 * rate * gradient),
        ("mean_of_words", query - rate * gradient / len(key)),
        ("mean_of_words-features", query - rate * gradient.mean()),
        ("other_row", *(query - rate * (share - truth.roll(n)) @ key for n in (1, -1))),
        ("no_softmax", query - rate * (key @ query - truth) @ key)])
    raise Mistake("wrong_step", right=short(query - rate * gradient), got=short(got))


@exercise("03-3", points=1)
def check_03_3(nearest):
    vectors = torch.tensor([
        [1.0, 0.0], [0.9, 0.1], [5.0, 4.0], [0.1, 0.1], [-1.0, 0.1], [0.0, 3.0]])
    # of row 0 the cosines are 0.99, 0.78, 0.71; 2 is long, 3 is short

    def run(place, vectors, count):
        got = ask(nearest, place, vectors, count,
                  likely=[("not_among_them", "not in list")])
        refuse(isinstance(got, torch.Tensor), "no_list")
        got = [one.tolist() if isinstance(one, torch.Tensor) else one for one in got]
        refuse(any(isinstance(one, list) for one in got), "nested")
        refuse(any(one != int(one) for one in got), "cosines")
        return [int(one) for one in got]

    got = run(0, vectors, 2)
    refuse(0 in got, "itself")
    refuse(got == [1], "wrong_count-itself")
    refuse(len(got) != 2, "wrong_count", got=len(got))
    refuse(got == [2, 1], "dot_product")
    refuse(got == [1, 3], "distance")
    refuse(got[0] == 4, "farthest")
    refuse(got != [1, 2], "wrong_neighbours", got=got)
    refuse(run(5, vectors, 3) != [3, 2, 1], "not_sorted")
    twins = torch.tensor([[1.0, 1.0], [0.0, 1.0], [2.0, 2.0], [1.0, 1.0]])
    refuse(any(place in run(place, twins, 2) for place in range(4)), "drops_the_first")
    refuse(any(set(run(place, twins, 2)) != {0, 2, 3} - {place} for place in (0, 2, 3)),
           "loses_the_twin")
    same = torch.ones(4, 2)
    refuse(any(len(set(run(place, same, count))) != count for place in range(4)
               for count in (1, 2)), "too_many")
    apart = torch.tensor([[1.0, 0.0], [-1.0, 0.2], [-1.0, 0.1], [-1.0, 0.9]])
    got, opposite = run(0, apart, 3), torch.tensor([[1.0, 0.0], [-1.0, 0.0]])
    refuse(0 in got or any(place in run(place, opposite, 1) for place in (0, 1)),
           "own_is_zero")
    refuse(got != [3, 1, 2], "wrong_neighbours-negative", got=got)


@exercise("03-4", points=2)
def check_03_4(fit):
    logits = torch.tensor([[0.3, 0.0, -0.2], [0.0, 0.5, 0.1], [0.0, 0.0, 0.0]])
    word, after = torch.tensor([0, 0, 1, 1, 2]), torch.tensor([1, 2, 0, 0, 2])

    def losses(between=lambda table: None, rate=lambda n: 1.5, rows=slice(None),
               double=False):
        table, found = logits.clone().requires_grad_(), []
        for n in range(6):
            scores = table[word].softmax(dim=1) if double else table[word]
            loss = F.cross_entropy(scores, after)
            found.append(loss.item())
            loss.backward()
            with torch.no_grad():
                table[rows] -= rate(n) * table.grad[rows]
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

    got = ask(fit, logits, word, after, 1.5, 6,
              likely=[("new_table", "does not require grad")])
    got = [number(loss) for loss in got]
    refuse(len(got) != 6, "wrong_count", got=len(got))
    right = losses(clean)
    if close(got, right):
        return
    blame(got, [
        ("adds_gradients", losses()), ("uphill", losses(clean, lambda n: -1.5)),
        ("softmax_twice", losses(clean, double=True)), ("adam", adam()),
        ("sum_of_pairs", losses(clean, lambda n: 1.5 * len(word))),
        ("one_row", *(losses(clean, rows=row) for row in range(3))),
        ("rate_shrinks", *(losses(between, rate) for between in (clean, len)
                           for rate in (lambda n: 1.5 / (n + 1),
                                        lambda n: 1.5 / 2 ** n)))])
    refuse(close(got[0], got[-1]), "stands_still")
    refuse(close(got[:-1], right[1:]), "after_the_step")
    raise Mistake("wrong_losses", right=short(right), got=short(got))
