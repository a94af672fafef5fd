"""Checks for the exercises of chapter 23, memory that is written."""

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

from softdict.checks.answers import (
    ask, blame, close, learns, no_gradient, number, pair, short, tensor, wrong_row)
from softdict.checks.ch22 import same_slopes
from softdict.checks.result import attempt, exercise, refuse

SIZES = [(5, 3, 2), (1, 4, 3), (7, 2, 4), (6, 3, 3)]    # words, widths of both


def some_words(number, sizes=SIZES):
    """Queries and keys [T, K] and values [T, D] in float64."""
    chance = torch.Generator().manual_seed(number)
    for T, K, D in sizes:
        yield [torch.randn(T, width, generator=chance, dtype=torch.float64)
               for width in (K, K, D)]


def answers_and_memory(returned, query, value):
    """Both things that were returned, if they have the shapes."""
    (T, K), D = query.shape, value.shape[1]
    answers, memory = pair(returned)
    found = [tuple(getattr(part, "shape", ())) for part in (answers, memory)]
    refuse(found == [(K, D), (T, D)] != [(T, D), (K, D)], "swapped")
    return (tensor(answers, (T, D), "answers", "transposed-answers"),
            tensor(memory, (K, D), "memory", "transposed-memory"))


def right_row(got, right):
    """Raises the Mistake of the first answers or memory that differ."""
    for mine, wanted in zip(got, right):
        for name, part, other in zip(("answers", "memory"), mine, wanted):
            if not close(part, other):
                wrong_row(f"wrong_{name}", part, other)


# 23-1

def remembered(query, key, value, kind="right"):
    """Answers and memory of the exercise, or what comes of a common mistake."""
    if kind == "exchanged":
        query, key = key, query
    scores = {"asks_with_key": key @ key.T, "writes_query": query @ query.T}.get(
        kind, query @ key.T)
    weights = {"reads_first": scores.tril(-1), "not_in_turn": scores,
               "only_last": scores.diag().diag()}.get(kind, scores.tril())
    if kind == "divided_by_root":
        weights = weights / key.shape[1] ** 0.5
    if kind == "mean":
        weights = weights / torch.arange(1, len(key) + 1)[:, None]
    if kind == "normalised":
        weights = weights / weights.sum(-1, keepdim=True)
    if kind == "softmax":
        hidden = torch.ones_like(scores).triu(1).bool()
        weights = scores.masked_fill(hidden, -torch.inf).softmax(-1)
    written = {"writes_query": query[:, :, None] * value[:, None]}.get(
        kind, key[:, :, None] * value[:, None])
    memory = {"only_last": written[-1], "mean": written.mean(0)}.get(
        kind, written.sum(0))
    return weights @ value, memory


WRONG_MEMORIES = [
    "reads_first", "not_in_turn", "only_last", "mean", "divided_by_root", "softmax",
    "normalised", "asks_with_key", "writes_query", "exchanged"]


@exercise("23-1", points=2)
def check_23_1(write_and_read):
    cases, got = list(some_words(231)), []
    for query, key, value in cases:
        returned = ask(write_and_read, query, key, value)
        got.append(answers_and_memory(returned, query, value))
        refuse(returned[0].dtype != query.dtype, "other_dtype", given=query.dtype,
               got=returned[0].dtype)
    right = [remembered(*case) for case in cases]
    if not close([mine for mine, _ in got], [wanted for wanted, _ in right]):
        blame([mine for mine, _ in got], [
            (code, [remembered(*case, code)[0] for case in cases])
            for code in WRONG_MEMORIES])
    right_row(got, right)
    learned = [part.requires_grad_() for part in cases[0]]
    refuse(attempt(lambda: no_gradient(write_and_read(*learned)[0], learned),
                   ("in_place", "inplace operation")), "detached")
    learns(lambda *parts: torch.cat(write_and_read(*parts)), learned)


# 23-2

def some_memories():
    """A memory that is not empty, a key of length 1, a value, and a strength."""
    chance = torch.Generator().manual_seed(232)
    for (_, K, D), strength in zip(SIZES, (0.3, 1.0, 0.75, 0.5)):
        memory, key, value = (torch.randn(*shape, generator=chance, dtype=torch.float64)
                              for shape in ((K, D), (K,), (D,)))
        yield memory, F.normalize(key, dim=-1), value, strength


def rewritten(memory, key, value, strength, kind="right"):
    """The new memory of the exercise, or what comes of a common mistake."""
    if kind == "one_hot":
        key = F.one_hot(key.argmax(), len(key)).double()
    known = key @ memory
    news = {"no_subtraction": strength * value, "fades": strength * value,
            "adds_known": strength * (value + known),
            "turned_round": strength * (known - value), "no_strength": value - known,
            "strength_on_value": strength * value - known,
            "strength_on_known": value - strength * known,
            "value_lost": -strength * known,
            "reads_after": strength * (value - known - strength * value),
            "value_alone": value}.get(kind, strength * (value - known))
    kept = {"old_lost": 0, "fades": 1 - strength}.get(kind, 1)
    if kind == "one_row":
        key = F.one_hot(key.argmax(), len(key)).double()
    return kept * memory + torch.outer(key, news)


WRONG_WRITES = [
    ("no_subtraction", "no_subtraction", "value_alone"), ("adds_known", "adds_known"),
    ("turned_round", "turned_round"), ("no_strength", "no_strength"),
    ("strength_on_value", "strength_on_value"),
    ("strength_on_known", "strength_on_known"), ("old_lost", "old_lost"),
    ("fades", "fades"), ("one_row", "one_row", "one_hot"), ("value_lost", "value_lost"),
    ("reads_after", "reads_after")]


@exercise("23-2", points=2)
def check_23_2(delta_write):
    cases = list(some_memories())
    got = [tensor(ask(delta_write, *case), case[0].shape, "memory",
                  "transposed-written") for case in cases]
    right = [rewritten(*case) for case in cases]
    if not close(got, right):
        blame(got, [(code, *[[rewritten(*case, kind) for case in cases]
                             for kind in kinds]) for code, *kinds in WRONG_WRITES])
        for mine, wanted in zip(got, right):
            if not close(mine, wanted):
                wrong_row("wrong_memory", mine, wanted)
    *learned, strength = cases[0]
    learned = dict(zip(("memory", "key", "value"),
                       (part.clone().requires_grad_() for part in learned)))
    same_slopes(delta_write(*learned.values(), strength),
                rewritten(*learned.values(), strength), **learned)


# 23-3

# words, widths of keys and values, and the size of a block
BLOCKS = [((6, 3, 2), 2), ((7, 2, 4), 3), ((5, 4, 3), 8), ((4, 3, 3), 1),
          ((9, 2, 2), 4)]


class Largest(TorchFunctionMode):
    """Notes how many numbers the largest tensor has that is made meanwhile."""

    numbers = 0

    def __torch_function__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        if isinstance(made, torch.Tensor):
            self.numbers = max(self.numbers, made.numel())
        return made


def blockwise(query, key, value, size, kind="right"):
    """Answers and memory of the exercise, or what comes of a common mistake."""
    memory, answers = torch.zeros_like(key.T @ value), []
    for q, k, v in zip(*(part.split(size) for part in (query, key, value))):
        if kind == "last_dropped" and len(q) < size:
            answers.append(0 * v)
            continue
        scores = q @ k.T
        inside = {"no_mask": scores, "without_itself": scores.tril(-1),
                  "only_memory": 0 * scores}.get(kind, scores.tril()) @ v
        before = memory
        memory = k.T @ v if kind == "not_added" else memory + k.T @ v
        read = {"not_carried": 0 * before, "counted_twice": memory}.get(kind, before)
        answers.append(inside + q @ read)
    return torch.cat(answers), memory


WRONG_BLOCKS = [
    "not_carried", "no_mask", "without_itself", "only_memory", "counted_twice",
    "last_dropped", "not_added"]


@exercise("23-3", points=3)
def check_23_3(in_blocks):
    cases = [(*words, size) for words, (_, size) in zip(
        some_words(233, [sizes for sizes, _ in BLOCKS]), BLOCKS)]
    got = []
    for query, key, value, size in cases:
        returned = ask(in_blocks, query, key, value, size)
        rows, whole = len(query), len(query) // size * size
        if isinstance(returned, (tuple, list)) and len(returned) == 2:
            found = getattr(returned[0], "shape", [rows])[0]
            refuse(found == whole < rows, "last_dropped-rows", rows=rows, size=size,
                   found=found)
        got.append(answers_and_memory(returned, query, value))
    right = [blockwise(*case) for case in cases]
    if not close(got, right):
        for n in (0, 1):
            blame([mine[n] for mine in got], [
                (code, [blockwise(*case, code)[n] for case in cases])
                for code in WRONG_BLOCKS
                if not close([blockwise(*case, code)[n] for case in cases],
                             [wanted[n] for wanted in right])])
        right_row(got, right)
    learned = [part.requires_grad_() for part in cases[1][:3]]
    refuse(attempt(lambda: no_gradient(in_blocks(*learned, 3)[0], learned),
                   ("in_place", "inplace operation")), "detached")
    for n in (0, 1):    # the memory knows no queries: a sum gives it a gradient
        same_slopes(in_blocks(*learned, 3)[n] + sum(part.sum() for part in learned),
                    blockwise(*learned, 3)[n] + sum(part.sum() for part in learned),
                    query=learned[0], key=learned[1], value=learned[2])
    [many] = some_words(2330, [(96, 3, 2)])
    with Largest() as largest:
        in_blocks(*many, 4)
    refuse(largest.numbers >= 96 * 96, "all_at_once")


# 23-4

def mended(query, key, value, strength, kind="right"):
    """Answers and memory of the delta rule, or what comes of a common mistake."""
    length = {"not_normalised": torch.ones_like(key[:, :1]),
              "square": key.square().sum(-1, keepdim=True),
              "over_words": key.norm(dim=0, keepdim=True),
              "of_matrix": key.norm(), "longest": key.norm(dim=-1).amax()}.get(
                  kind, key.norm(dim=-1, keepdim=True))
    given, key = key, key / length.clamp_min(1e-8)
    if kind == "queries_too":
        query = F.normalize(query, dim=-1)
    if kind == "values_too":
        value = F.normalize(value, dim=-1)
    if kind == "softmax":
        key = key.softmax(-1)
    memory, answers = torch.zeros_like(key.T @ value), []
    written = given if kind == "writes_long" else key
    for q, k, w, v, b in zip(query, key, written, value, strength):
        news = b * v if kind == "sum" else b * (v - k @ memory)
        memory = memory + torch.outer(w, news)
        answers.append(q @ memory)
    return torch.stack(answers), memory


WRONG_MENDS = [
    "not_normalised", "queries_too", "values_too", "square", "over_words",
    "writes_long", "longest", "of_matrix", "sum"]


def long_keys(sizes):
    """Queries, keys of any length, values and strengths; one key is 0."""
    chance = torch.Generator().manual_seed(234)
    for (query, key, value), (T, _, _) in zip(some_words(2340, sizes), sizes):
        key = 2 * key
        key[T // 2] = 0
        yield query, key, value, torch.rand(T, generator=chance, dtype=torch.float64)


@exercise("23-4", points=2)
def check_23_4(delta_rule):
    cases, got = list(long_keys([(4, 3, 2), (5, 2, 3), (40, 4, 3)])), []
    for case in cases:
        returned = ask(delta_rule, *case)
        got.append(answers_and_memory(returned, case[0], case[2]))
    right = [mended(*case) for case in cases]
    if not close(got, right):
        nothing = [bool(part.isnan().any()) for mine in got[:2] for part in mine]
        refuse(any(nothing), "divides_by_0")
        blame(got[:2], [(code, [mended(*case, code) for case in cases[:2]])
                        for code in WRONG_MENDS])
        right_row(got, right)
    query, key, value, strength = cases[2]
    learned = {"query": query, "key": key, "value": value, "strength": strength}
    mine = {name: part.clone().requires_grad_() for name, part in learned.items()}
    answers = delta_rule(*mine.values())[0]
    refuse(attempt(lambda: no_gradient(answers, [mine["value"], mine["strength"]]),
                   ("in_place", "inplace operation")), "detached")
    wanted = mended(*mine.values())[0]
    early = [torch.autograd.grad(made[-1].sum(), mine["value"], retain_graph=True)[0]
             for made in (answers, wanted)]
    refuse(((early[0] == 0) & (early[1] != 0)).any(), "still_cut")
    [slope] = torch.autograd.grad(answers.sum(), mine["key"], retain_graph=True,
                                  allow_unused=True)
    refuse(slope is not None and slope.isnan().any(), "nan_slope")
    same_slopes(answers, wanted, value=mine["value"], strength=mine["strength"])
    [few] = some_words(2340, [(7, 3, 2)])    # no key is short: small steps are small
    learns(lambda *parts: torch.cat(delta_rule(*parts, strength[:7])),
           [part.requires_grad_() for part in few])


# 23-5

def some_lessons():
    """A memory, keys of any length, their values and a rate; several pairs, or one."""
    chance = torch.Generator().manual_seed(235)
    for (P, K, D), rate in zip([(3, 4, 2), (1, 3, 2), (5, 2, 4)], (0.3, 1.0, 0.15)):
        yield *(torch.randn(*shape, generator=chance, dtype=torch.float64)
                for shape in ((K, D), (P, K), (P, D))), rate


def taught(memory, key, value, rate, kind="right"):
    """Loss and new memory of the exercise, or what comes of a common mistake."""
    if kind == "normalised":
        key = F.normalize(key, dim=-1)
    error = key @ memory - value                                        # [P, D]
    slope = {"mean": key.T @ error / error.numel(), "no_half": 2 * key.T @ error,
             "mean_pairs": key.T @ error / len(key), "last_pair": torch.outer(
                 key[-1], error[-1]), "no_square": key.T @ error.sign()}.get(
                     kind, key.T @ error)
    new = {"ascends": memory + rate * slope, "no_rate": memory - slope, "slope": slope,
           "old_lost": -rate * slope}.get(kind, memory - rate * slope)
    if kind == "in_turn":
        new = memory
        for k, v in zip(key, value):
            new = rewritten(new, k, v, rate)
    if kind == "loss_after":
        error = key @ new - value
    squares = error.square()
    loss = {"no_half": squares.sum(), "mean": squares.mean() / 2,
            "mse": squares.mean(), "mean_pairs": squares.sum() / 2 / len(key),
            "last_pair": squares[-1].sum() / 2, "no_square": error.abs().sum()}.get(
                kind, squares.sum() / 2)
    return loss, new


WRONG_STEPS = [
    ("ascends", "ascends"), ("no_half", "no_half"), ("mean", "mean", "mean_pairs"),
    ("in_turn", "in_turn"), ("last_pair", "last_pair"), ("no_square", "no_square"),
    ("no_rate", "no_rate"), ("slope_returned", "slope"), ("old_lost", "old_lost"),
    ("normalised", "normalised")]
WRONG_LOSSES = [
    ("loss_after", "loss_after"), ("no_half-loss", "no_half"),
    ("mean-loss", "mean", "mean_pairs", "mse")]


@exercise("23-5", points=2)
def check_23_5(gradient_step):
    cases, got = list(some_lessons()), []
    for case in cases:
        returned = pair(ask(gradient_step, *case))
        shape = case[0].shape
        found = [tuple(getattr(part, "shape", ())) for part in returned]
        refuse(found == [shape, ()], "swapped")
        got.append((number(returned[0], "no_loss"),
                    tensor(returned[1], shape, "memory", "transposed-memory")))
    right = [taught(*case) for case in cases]
    for n, wrong in ((1, WRONG_STEPS), (0, WRONG_LOSSES)):
        mine, wanted = ([one[n] for one in made] for made in (got, right))
        if not close(mine, wanted):
            blame(mine, [(code, *[[taught(*case, kind)[n] for case in cases]
                                  for kind in kinds]) for code, *kinds in wrong])
    for (loss, memory), (wanted, other) in zip(got, right):
        if not close(memory, other):
            wrong_row("wrong_memory", memory, other)
        shown = short([wanted, loss])
        refuse(not close(loss, wanted), "wrong_loss", right=shown[0], got=shown[1])
