"""Checks for the exercises of chapter 15, training a Transformer."""

import copy
import math
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import nn

from softdict.batches import make_batch
from softdict.checks.answers import ask, blame, close, number, short, something
from softdict.checks.result import Mistake, attempt, exercise, refuse
from softdict.vocab import PAD

SENTENCES = ([[4, 5], [6, 7, 4]], [[5], [8]]), \
    ([[6, 4, 8], [5, 5]], [[7, 8], [4, 6, 7, 8, 5]]), \
    ([[8, 8], [7]], [[4], [7, 5, 6]], [[5, 6], [4, 4]])


class Seen(list):
    """A list that a model shares with its copies."""

    def __deepcopy__(self, memo):
        return self


class Witness(nn.Module):
    """A small model that keeps what it is given, and how."""

    def __init__(self, dropout=0.0):
        super().__init__()
        self.embed, self.generator = nn.Embedding(9, 6), nn.Linear(6, 9)
        # gradients shorter than 1, so that clipping changes nothing
        nn.init.normal_(self.embed.weight, std=0.3)
        self.dropout, self.seen = nn.Dropout(dropout), Seen()

    def forward(self, source, source_lengths, target_in):
        self.seen.append((target_in, self.dropout.training, torch.is_grad_enabled()))
        x = self.embed(target_in) + self.embed(source).mean(dim=1, keepdim=True)
        return self.generator(self.dropout(x))

    def reads(self, rows):
        """True if it was given these rows to read."""
        return any(torch.equal(seen[0], rows) for seen in self.seen)


def mean_loss(logits, target, pads="left out"):
    """The loss of the real words; pads may be counted as words, or as places only.

    pads may also be "sentences", which divide the sum
    """
    kept = {} if pads == "counted" else {"ignore_index": PAD}
    total = F.cross_entropy(logits.flatten(0, 1), target.flatten(), reduction="sum",
                            **kept)
    places = {"left out": (target != PAD).sum(), "sentences": len(target)}.get(
        pads, target.numel())
    return total / places


# 15-1

class Descent:
    """Plain gradient descent: torch's own optimizers take a second to load."""

    def __init__(self, parameters, rate):
        self.param_groups = [{"params": list(parameters), "lr": rate}]
        self.steps, self.moves = 0, 0    # a step without gradients moves nothing

    def zero_grad(self, set_to_none=True):
        for part in self.param_groups[0]["params"]:
            part.grad = None if set_to_none or part.grad is None else 0 * part.grad

    @torch.no_grad()
    def step(self, closure=None):
        with torch.enable_grad():
            loss = closure and closure()
        self.steps += 1
        for group in self.param_groups:
            for part in group["params"]:
                if part.grad is not None:
                    self.moves += bool(part.grad.any())
                    part.sub_(group["lr"] * part.grad)
        return loss


@exercise("15-1", points=2)
def check_15_1(right_loop):
    torch.manual_seed(25)
    for _ in range(2):
        compare_loops(right_loop, Witness(), [make_batch(pairs) for pairs in SENTENCES])


def compare_loops(right_loop, model, batches):
    """Raises the Mistake that explains a loop that does not train as it should."""
    def followed(pads="left out", empties=True, after=False, batches=batches):
        return follow(copy.deepcopy(model), batches, pads, empties, after)

    again = [replace(batch, target_in=batch.target_in[:, :-1],
                     target_out=batch.target_in[:, 1:]) for batch in batches]
    two_ahead = [replace(batch, target_in=batch.target_in[:, :-1],
                         target_out=batch.target_out[:, 1:]) for batch in batches]

    start, right = copy.deepcopy(model), followed()
    wrong = {pads: followed(pads) for pads in ("counted", "divided")}
    likely = [
        ("pads_counted", wrong["counted"], followed("counted", False)),
        ("pads_divided", wrong["divided"], followed("divided", False)),
        ("not_emptied", followed(empties=False)),
        ("loss_after_step", followed(after=True)),
        ("by_sentences", followed("sentences")),
        ("shifted_again", followed(batches=again)),
        ("two_ahead", followed(batches=two_ahead))]
    model.seen.clear()
    optimizer = Descent(model.parameters(), 0.5)
    returned = something(attempt(lambda: right_loop(model, optimizer, batches[:]),
                                 ("steps_too_early", "inplace operation")))
    refuse(not model.seen, "model_unused")
    refuse(any(model.reads(batch.target_out) for batch in batches), "not_shifted")
    refuse(not isinstance(returned, (list, tuple, torch.Tensor))
           or len(returned) != len(batches), "wrong_count")
    got = torch.cat([torch.tensor([number(loss) for loss in returned]), weights(model)])
    if not close(got, right, 1e-5):
        if torch.equal(weights(model), weights(start)):
            refuse(optimizer.steps and not optimizer.moves, "never_moves-emptied")
            raise Mistake("never_moves")
        blame(got, likely, 1e-5)
        raise Mistake("wrong_training", right=short(right[:3]), got=short(got[:3]))
    refuse(any(isinstance(loss, torch.Tensor) and loss.requires_grad
               for loss in returned), "keeps_graphs")


def follow(model, batches, pads, empties, after):
    """Losses and last weights of a training, rightly or wrongly done."""
    optimizer, losses = Descent(model.parameters(), 0.5), []

    def loss_of(batch):
        logits = model(batch.source, batch.source_lengths, batch.target_in)
        return mean_loss(logits, batch.target_out, pads)

    for batch in batches:
        loss = loss_of(batch)
        if empties:
            optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append((loss_of(batch) if after else loss).item())
    return torch.cat([torch.tensor(losses), weights(model)])


def weights(model):
    """All numbers of a model in a row."""
    return torch.cat([part.detach().flatten() for part in model.parameters()])


# 15-2

@exercise("15-2", points=1)
def check_15_2(fair_loss):
    torch.manual_seed(26)
    for was_training in (True, False):
        for pairs in SENTENCES[:2]:
            with torch.enable_grad():    # and back again, whatever an answer leaves
                compare_fair(fair_loss, Witness(0.5).train(was_training),
                             make_batch(pairs))


def compare_fair(fair_loss, model, batch):
    """Raises the Mistake that explains a loss that was not measured as in use."""
    was_training = model.training
    got = number(fair_loss(model, batch))
    refuse(not model.seen, "model_unused")
    refuse(model.reads(batch.target_out), "not_shifted")
    refuse(any(training for _, training, _ in model.seen), "dropout_left_on")
    refuse(any(graph for _, _, graph in model.seen), "keeps_graph")
    refuse(not torch.is_grad_enabled(), "gradients_left_off")
    now = [part.training for part in model.modules()]
    refuse(was_training and not all(now), "left_in_eval")
    refuse(not was_training and any(now), "left_in_training")
    with torch.no_grad():
        logits = model.eval()(batch.source, batch.source_lengths, batch.target_in)
    right, counted, divided = (mean_loss(logits, batch.target_out, pads).item()
                               for pads in ("left out", "counted", "divided"))
    if not close(got, right, 1e-5):
        blame(got, [
            ("pads_counted", counted),
            ("pads_divided", divided),
            ("two_ahead", mean_loss(logits[:, :-1], batch.target_out[:, 1:])),
            ("by_sentences", mean_loss(logits, batch.target_out, "sentences")),
            ("sum", right * (batch.target_out != PAD).sum()),
            ("mean_of_sentences", torch.stack(
                [mean_loss(one[None], words[None], "left out")
                 for one, words in zip(logits, batch.target_out)]).mean())], 1e-5)
        raise Mistake("wrong_loss", right=right, got=got)


# 15-4

@exercise("15-4", points=2)
def check_15_4(right_gradient):
    torch.manual_seed(23)
    for counts in ((1, 6), (4, 2, 9), (3, 3), (5,)):
        compare_gradients(right_gradient, [
            (torch.randn(count, 4).double(), torch.randint(0, 3, (count,)))
            for count in counts])


def compare_gradients(right_gradient, parts):
    """Raises the Mistake that explains gradients which are not the whole batch's."""
    model = nn.Linear(4, 3).double()
    kept = [weights.detach().clone() for weights in model.parameters()]

    def gradient(total):
        slopes = torch.autograd.grad(total, model.parameters(), retain_graph=True)
        return torch.cat([slope.flatten() for slope in slopes])

    means = [nn.functional.cross_entropy(model(rows), target) for rows, target in parts]
    words = [len(target) for _, target in parts]
    whole = sum(mean * count for mean, count in zip(means, words)) / sum(words)
    old = 0.7
    for weights in model.parameters():
        weights.grad = torch.full_like(weights, old)    # of an earlier update
    # parts whose loss was computed, and those that were sent back
    asked, sent = set(), set()
    begun = []    # at the start of each part: were all others before it sent back?

    def mean_loss(model, part):
        here = id(part[1])
        begun.append(asked - {here} <= sent)
        loss = nn.functional.cross_entropy(model(part[0]), part[1])
        if loss.requires_grad:
            asked.add(here)
            loss.register_hook(lambda slope: sent.add(here))
        return loss

    returned = right_gradient(model, parts, mean_loss, lambda part: len(part[1]))
    refuse(not all(map(torch.equal, kept, (
        weights.detach() for weights in model.parameters()))), "takes_a_step")
    refuse(any(weights.grad is None for weights in model.parameters()), "no_gradient")
    something(returned)
    got = torch.cat([weights.grad.flatten() for weights in model.parameters()])
    if not close(got, gradient(whole), 1e-6):
        blame(got, [("not_emptied", gradient(whole) + old)], 1e-6)
        if parts[1:]:    # with one part, every mistake of weighting is right
            blame(got, [
                ("mean_of_means", gradient(sum(means) / len(means))),
                ("last_part", *(gradient(means[-1] * share) for share
                                in (words[-1] / sum(words), 1 / len(means), 1))),
                ("first_part", gradient(means[0] * words[0] / sum(words))),
                ("sum_of_means", gradient(sum(means))),
                ("sum_of_words", gradient(whole * sum(words))),
                ("divided_twice", gradient(whole / len(means))),
                ("words_so_far", gradient(sum(mean * words[n] / sum(words[:n + 1])
                                              for n, mean in enumerate(means))))], 1e-6)
        raise Mistake("wrong_gradient", words=words)
    refuse(not all(begun[1:]), "all_at_once")
    loss = number(returned)
    if not close(loss, whole, 1e-6):
        blame(loss, [
            ("loss_of_parts", sum(means) / len(means)),
            ("loss_of_one", *(mean * share for mean, count in zip(means, words)
                              for share in (1, count / sum(words)))),
            ("loss_summed", sum(means), whole * sum(words))], 1e-6)
    refuse(not close(loss, whole, 1e-6), "wrong_loss", right=whole.item(), loss=loss)


# 15-5

@exercise("15-5", points=2)
def check_15_5(smoothed):
    torch.manual_seed(22)
    for M, V, smoothing in ((5, 6, 0.1), (4, 9, 0.4), (3, 5, 0.0)):
        logits, target = 2 * torch.randn(M, V), torch.randint(1, V, (M,))
        target[1] = PAD
        logits[:, PAD] += 1    # a pad that is not unlikely
        compare_losses(smoothed, logits, target, smoothing)


def compare_losses(smoothed, logits, target, smoothing):
    """Raises the Mistake that explains the reader's loss, if it is wrong."""
    got = number(ask(smoothed, logits, target, smoothing,
                     likely=[("log_of_zero", "math domain", "expected a positive")]))
    logits = logits.double()
    V, real, logs = logits.shape[-1], target != PAD, logits.log_softmax(dim=-1)

    def loss(share, others, pad, rows=real, logs=logs):
        wanted = torch.full_like(logs, others)
        wanted[:, PAD] = pad
        wanted[torch.arange(len(target)), target] = share
        return -(wanted * logs).sum(dim=-1)[rows]

    each = smoothing / (V - 1)
    right = loss(1 - smoothing + each, each, 0.0)
    if close(got, right.mean()):
        return
    everyone, no_pad = torch.ones_like(real), logits.clone()
    no_pad[:, PAD] = -torch.inf
    without_pad = no_pad.log_softmax(dim=-1).clamp(min=-1e9)
    spread = 1 - smoothing
    share = spread + each
    entropy = -sum(part * math.log(part) for part in [share] + [each] * (V - 2) if part)
    blame(got, [
        ("mass_on_pad", loss(1 - smoothing + smoothing / V, smoothing / V,
                             smoothing / V).mean(), loss(share, each, each).mean()),
        ("right_word_left_out", loss(1 - smoothing, smoothing / (V - 2), 0.0).mean()),
        ("divided_by_all",
         loss(1 - smoothing + smoothing / V, smoothing / V, 0.0).mean()),
        ("exchanged", loss(smoothing + spread / (V - 1), spread / (V - 1), 0.0).mean(),
         loss(smoothing, spread / (V - 2), 0.0).mean()),
        ("shares_over_one", loss(1.0, each, 0.0).mean(),
         loss(1 + each, each, 0.0).mean()),
        ("shares_under_one", loss(1 - smoothing, each, 0.0).mean()),
        ("mass_on_pad-right_word", loss(1 - smoothing, each, each).mean()),
        ("not_smoothed", loss(1.0, 0.0, 0.0).mean()),
        ("pads_counted", right.sum() / len(target)),
        ("pads_are_targets", *(torch.where(real, loss(share, each, 0.0, everyone),
                                           loss(of_pad, each, 0.0, everyone)).mean()
                               for of_pad in (1 - smoothing, share, 0.0))),
        ("sum", right.sum()),
        ("pad_out_of_softmax", loss(share, each, 0.0, logs=without_pad).mean()),
        ("minus_missing", -right.mean()),
        ("no_log", loss(share, each, 0.0, logs=logits).mean()),
        ("share_not_log", loss(share, each, 0.0, logs=logs.exp()).mean()),
        ("entropy_taken_off", right.mean() - entropy),
        ("mean_over_words", right.mean() / V)])
    raise Mistake("wrong_loss", logits=[short(row) for row in logits],
                  target=target.tolist(), smoothing=smoothing, right=right.mean(),
                  got=got)


# 15-6

TRAININGS = [(12, 4, 3.0), (3, 5, 0.5), (1, 1, 7.0), (9, 1, 0.3), (40, 10, 20.0)]


def rates_of(updates, warmup, peak, kind="right"):
    """The rates of the exercise, or those of a common mistake."""
    first = {"first_is_zero": 0, "starts_late": 2}.get(kind, 1)
    found = []
    for n in range(first, first + updates):
        up, down = n / warmup, (warmup / max(n, 1)) ** 0.5
        falls = {"no_root": warmup / max(n, 1), "never_falls": 1.0,
                 "straight_down": (updates - n) / max(1, updates - warmup),
                 "root_begins_anew": max(1, n - warmup) ** -0.5,
                 "root_begins_at_two": max(1, n - warmup + 1) ** -0.5}.get(kind, down)
        factor = min(up, falls)
        if kind == "parts_apart":
            factor = up if n <= warmup else n ** -0.5
        if kind == "no_warmup":
            factor = min(1.0, down)
        if kind == "largest_not_least":
            factor = max(up, down)
        found.append({"applied_twice": peak * peak * factor,
                      "factor_twice": peak * factor * factor,
                      "factor_alone": factor, "peak_of_paper": factor * warmup ** -0.5,
                      "peak_in_paper": peak * factor * warmup ** -0.5,
                      "peak_as_width": peak ** -0.5 * factor * warmup ** -0.5
                      }.get(kind, peak * factor))
    return found


WRONG_RATES = [
    ("first_is_zero", "first_is_zero"), ("starts_late", "starts_late"),
    ("applied_twice", "applied_twice", "factor_twice"),
    ("factor_alone", "factor_alone"), ("peak_of_paper", "peak_of_paper"),
    ("peak_of_paper-times", "peak_in_paper"), ("peak_of_paper-width", "peak_as_width"),
    ("no_warmup", "no_warmup"), ("never_falls", "never_falls"),
    ("largest_not_least", "largest_not_least"), ("no_root", "no_root"),
    ("straight_down", "straight_down"), ("parts_apart", "parts_apart"),
    ("root_begins_anew", "root_begins_anew", "root_begins_at_two")]


@exercise("15-6", points=1)
def check_15_6(rates):
    got = []
    for updates, warmup, peak in TRAININGS:
        returned = something(ask(rates, updates, warmup, peak))
        refuse(getattr(returned, "ndim", None) == 0
               or isinstance(returned, (int, float)), "last_alone")
        try:
            mine = [float(rate) for rate in returned]
        except (TypeError, ValueError):
            raise Mistake("no_numbers") from None
        refuse(len(mine) == updates + 1, "one_too_many", updates=updates, got=len(mine))
        refuse(len(mine) == warmup > updates, "whole_warmup", updates=updates,
               got=len(mine))
        refuse(len(mine) == warmup < updates, "warmup_alone", updates=updates,
               got=len(mine))
        refuse(len(mine) > updates, "too_many", updates=updates, got=len(mine))
        refuse(len(mine) != updates, "one_too_few", updates=updates, got=len(mine))
        got.append(mine)
    right = [rates_of(*training) for training in TRAININGS]
    if not close(got, right, 1e-6):
        blame(got, [(code, *[[rates_of(*training, kind) for training in TRAININGS]
                             for kind in kinds]) for code, *kinds in WRONG_RATES], 1e-6)
        for (updates, warmup, peak), mine, wanted in zip(TRAININGS, got, right):
            for n, (rate, other) in enumerate(zip(mine, wanted), 1):
                refuse(not close(rate, other, 1e-6), "wrong_rate", n=n, updates=updates,
                       warmup=warmup, peak=peak, right=other, got=rate)
