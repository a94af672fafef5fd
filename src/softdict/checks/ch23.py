"""Checks for the exercises of chapter 23, memory that is written."""

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

from softdict.checks.answers import (
    DETACHED, ask, blame, close, learns, no_gradient, number, pair, short, tensor,
    wrong_row)
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
    answers, memory = pair(returned, "the answers", "the memory")
    found = [tuple(getattr(part, "shape", ())) for part in (answers, memory)]
    refuse(found == [(K, D), (T, D)] != [(T, D), (K, D)], "swapped",
           "return the answers first and the memory second.")
    return (tensor(answers, (T, D), "answers", "a row for each query"),
            tensor(memory, (K, D), "memory", "a row for each number of a key"))


def right_row(got, right):
    """Raises the Mistake of the first answers or memory that differ."""
    for mine, wanted in zip(got, right):
        for name, part, other in zip(("answers", "memory"), mine, wanted):
            if not close(part, other):
                wrong_row(f"wrong_{name}", name, part, other)


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
    if kind == "softmax":
        hidden = torch.ones_like(scores).triu(1).bool()
        weights = scores.masked_fill(hidden, -torch.inf).softmax(-1)
    written = {"writes_query": query[:, :, None] * value[:, None]}.get(
        kind, key[:, :, None] * value[:, None])
    memory = {"only_last": written[-1], "mean": written.mean(0)}.get(
        kind, written.sum(0))
    return weights @ value, memory


WRONG_MEMORIES = [
    ("reads_first", "yours reads before it writes; query t finds pair t too."),
    ("not_in_turn", "yours writes all pairs before it reads; query t finds pairs 0 to "
     "t, and none that comes later."),
    ("only_last", "yours begins an empty memory for each pair; each pair is added to "
     "what is there."),
    ("mean", "yours divides by the number of pairs; nothing is divided here."),
    ("divided_by_root", "yours divides by the root of K; nothing is divided here."),
    ("softmax", "yours is softmax attention; here a query is multiplied by the memory, "
     "and nothing else."),
    ("asks_with_key", "yours reads with the keys; it is the queries that ask."),
    ("writes_query", "yours writes the queries; the keys are written."),
    ("exchanged", "yours writes the queries and reads with the keys; it is the other "
     "way round.")]


@exercise("23-1", points=2)
def check_23_1(write_and_read):
    cases, got = list(some_words(231)), []
    for query, key, value in cases:
        returned = ask(write_and_read, query, key, value, advice="make a new matrix")
        got.append(answers_and_memory(returned, query, value))
        refuse(returned[0].dtype != query.dtype, "other_dtype", "you get "
               f"{query.dtype} and return {returned[0].dtype}; compute in the dtype "
               "that you get.")
    right = [remembered(*case) for case in cases]
    if not close([mine for mine, _ in got], [wanted for wanted, _ in right]):
        blame([mine for mine, _ in got], [
            (code, sentence, [remembered(*case, code)[0] for case in cases])
            for code, sentence in WRONG_MEMORIES])
    right_row(got, right)
    learned = [part.requires_grad_() for part in cases[0]]
    refuse(attempt(lambda: no_gradient(write_and_read(*learned)[0], learned), (
        "in_place", "yours changes a tensor in place that gradients still need; make a "
        "new one, as in `memory = memory + ...`.", "inplace operation")), *DETACHED)
    learns(lambda *parts: torch.cat(write_and_read(*parts)), learned)
    return "each pair is added as a matrix, and each query is one product."


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
    known = key @ memory
    news = {"no_subtraction": strength * value, "fades": strength * value,
            "adds_known": strength * (value + known),
            "turned_round": strength * (known - value), "no_strength": value - known,
            "strength_on_value": strength * value - known,
            "strength_on_known": value - strength * known,
            "value_alone": value}.get(kind, strength * (value - known))
    kept = {"old_lost": 0, "fades": 1 - strength}.get(kind, 1)
    if kind == "one_row":
        key = F.one_hot(key.argmax(), len(key)).double()
    return kept * memory + torch.outer(key, news)


WRONG_WRITES = [
    ("no_subtraction", "yours adds the value as it is, so a key written twice gives "
     "the sum. Subtract what the memory answers already.", "no_subtraction",
     "value_alone"),
    ("adds_known", "yours adds what the memory answers already; subtract it.",
     "adds_known"),
    ("turned_round", "yours subtracts the value from what is known; it is the other "
     "way round.", "turned_round"),
    ("no_strength", "yours always writes with strength 1.", "no_strength"),
    ("strength_on_value", "yours multiplies the value alone by the strength; multiply "
     "the whole difference.", "strength_on_value"),
    ("strength_on_known", "yours multiplies what is known by the strength, and not the "
     "value; multiply the whole difference.", "strength_on_known"),
    ("old_lost", "yours returns what is added; the old memory stays, and it is added "
     "to that.", "old_lost"),
    ("fades", "yours weakens the whole memory; only what belongs to this key is to "
     "change.", "fades"),
    ("one_row", "yours changes only the row of the key's largest number; each row "
     "changes, as much as its number of the key says.", "one_row")]


@exercise("23-2", points=2)
def check_23_2(delta_write):
    cases = list(some_memories())
    got = [tensor(ask(delta_write, *case, advice="make a new matrix"), case[0].shape,
                  "memory", "a row for each number of the key") for case in cases]
    right = [rewritten(*case) for case in cases]
    if not close(got, right):
        blame(got, [(code, sentence, *[[rewritten(*case, kind) for case in cases]
                                       for kind in kinds])
                    for code, sentence, *kinds in WRONG_WRITES])
        for mine, wanted in zip(got, right):
            if not close(mine, wanted):
                wrong_row("wrong_memory", "memory", mine, wanted)
    *learned, strength = cases[0]
    learned = dict(zip(("memory", "key", "value"),
                       (part.clone().requires_grad_() for part in learned)))
    same_slopes(delta_write(*learned.values(), strength),
                rewritten(*learned.values(), strength), **learned)
    return "it writes what the memory did not know, so the last value is read."


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
    ("not_carried", "yours begins each block with an empty memory; what earlier blocks "
     "wrote must be read too."),
    ("no_mask", "inside a block, yours finds words that come later; only earlier ones "
     "and the word itself count."),
    ("without_itself", "a query finds its own pair too; yours leaves it out."),
    ("only_memory", "yours reads earlier blocks alone; words of the same block count "
     "too."),
    ("counted_twice", "yours writes a block into the memory before it reads, so the "
     "words of the block count twice."),
    ("last_dropped", "the last block may be shorter, and counts too; its words get "
     "zeros in yours."),
    ("not_added", "yours keeps the last block alone; each block is added to the "
     "memory.")]


@exercise("23-3", points=3)
def check_23_3(in_blocks):
    cases = [(*words, size) for words, (_, size) in zip(
        some_words(233, [sizes for sizes, _ in BLOCKS]), BLOCKS)]
    got = []
    for query, key, value, size in cases:
        returned = ask(in_blocks, query, key, value, size, advice="make new tensors")
        rows, whole = len(query), len(query) // size * size
        if isinstance(returned, (tuple, list)) and len(returned) == 2:
            found = getattr(returned[0], "shape", [rows])[0]
            refuse(found == whole < rows, "last_dropped", f"with {rows} words in "
                   f"blocks of {size} yours gives {found} answers; the last block may "
                   "be shorter, and counts too.")
        got.append(answers_and_memory(returned, query, value))
    right = [blockwise(*case) for case in cases]
    if not close(got, right):
        for n in (0, 1):
            blame([mine[n] for mine in got], [
                (code, sentence, [blockwise(*case, code)[n] for case in cases])
                for code, sentence in WRONG_BLOCKS
                if not close([blockwise(*case, code)[n] for case in cases],
                             [wanted[n] for wanted in right])])
        right_row(got, right)
    learned = [part.requires_grad_() for part in cases[1][:3]]
    refuse(no_gradient(in_blocks(*learned, 3)[0], learned), *DETACHED)
    for n in (0, 1):    # the memory knows no queries: a sum gives it a gradient
        same_slopes(in_blocks(*learned, 3)[n] + sum(part.sum() for part in learned),
                    blockwise(*learned, 3)[n] + sum(part.sum() for part in learned),
                    query=learned[0], key=learned[1], value=learned[2])
    [many] = some_words(2330, [(96, 3, 2)])
    with Largest() as largest:
        in_blocks(*many, 4)
    refuse(largest.numbers >= 96 * 96, "all_at_once", "the numbers are right, but for "
           "96 words yours makes a table of 96 · 96 scores. With blocks of 4 no table "
           "of scores needs more than 4 · 4.")
    return "inside a block a product, between blocks the memory."


# 23-4

def mended(query, key, value, strength, kind="right"):
    """Answers and memory of the delta rule, or what comes of a common mistake."""
    length = {"not_normalised": torch.ones_like(key[:, :1]),
              "square": key.square().sum(-1, keepdim=True),
              "over_words": key.norm(dim=0, keepdim=True),
              "longest": key.norm(dim=-1).amax()}.get(
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
    ("not_normalised", "your keys still have any length. Where a key is longer than "
     "the root of 2, a write of strength 1 makes the error larger."),
    ("queries_too", "yours divides the queries by their length as well; only the keys "
     "need it."),
    ("values_too", "yours divides the values by their length as well; only the keys "
     "need it."),
    ("square", "yours divides by the square of the length; divide by the length."),
    ("over_words", "yours takes the length over the words; each key has its own, over "
     "its K numbers."),
    ("writes_long", "yours reads with the key of length 1, and writes under the key as "
     "it came; use the one of length 1 for both."),
    ("longest", "yours divides all keys by the longest; each key has its own length."),
    ("sum", "yours does not subtract what is known any more; that part was right.")]


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
        returned = ask(delta_rule, *case, advice="make new tensors")
        got.append(answers_and_memory(returned, case[0], case[2]))
    right = [mended(*case) for case in cases]
    if not close(got, right):
        nothing = [bool(part.isnan().any()) for mine in got[:2] for part in mine]
        refuse(any(nothing), "divides_by_0", "a key of zeros has no length, and yours "
               "divides by it: nan. Let the divisor be at least 1e-8.")
        blame(got[:2], [(code, sentence, [mended(*case, code) for case in cases[:2]])
                        for code, sentence in WRONG_MENDS])
        right_row(got, right)
    query, key, value, strength = cases[2]
    learned = {"query": query, "key": key, "value": value, "strength": strength}
    mine = {name: part.clone().requires_grad_() for name, part in learned.items()}
    answers = delta_rule(*mine.values())[0]
    refuse(no_gradient(answers, [mine["value"], mine["strength"]]), *DETACHED)
    wanted = mended(*mine.values())[0]
    early = [torch.autograd.grad(made[-1].sum(), mine["value"], retain_graph=True)[0]
             for made in (answers, wanted)]
    refuse(((early[0] == 0) & (early[1] != 0)).any(), "still_cut", "the last answer "
           "sends no gradient back to the first words: the memory is cut off from "
           "them somewhere. It must stay part of the graph.")
    same_slopes(answers, wanted, value=mine["value"], strength=mine["strength"])
    [few] = some_words(2340, [(7, 3, 2)])    # no key is short: small steps are small
    learns(lambda *parts: torch.cat(delta_rule(*parts, strength[:7])),
           [part.requires_grad_() for part in few])
    return "keys have length 1, and every word may learn from every later answer."


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
    ("ascends", "yours goes with the gradient, and the loss grows; go against it.",
     "ascends"),
    ("no_half", "yours leaves out the half of the loss, so its step is twice as long.",
     "no_half"),
    ("mean", "your step is that of a mean, which divides the gradient; here all pairs "
     "and all numbers are added up.", "mean", "mean_pairs"),
    ("in_turn", "yours writes one pair after another, so each is read from a memory "
     "that has changed. It is one step: all pairs are read first.", "in_turn"),
    ("last_pair", "yours learns from the last pair alone; the loss is the sum over "
     "all.", "last_pair"),
    ("no_square", "yours takes the size of each error; take its square.", "no_square"),
    ("no_rate", "yours steps by the whole gradient; multiply it by the rate.",
     "no_rate"),
    ("slope_returned", "yours returns the gradient; return the memory after the step.",
     "slope"),
    ("old_lost", "yours returns the step alone; it is added to the old memory.",
     "old_lost"),
    ("normalised", "yours divides the keys by their length; they stay as they are "
     "here.", "normalised")]
WRONG_LOSSES = [
    ("loss_after", "the memory is right, and your loss is that after the step; return "
     "the loss of the memory that was given.", "loss_after"),
    ("no_half", "the memory is right, and your loss leaves out the half.", "no_half"),
    ("mean", "the memory is right, and your loss is a mean; it is half the sum of all "
     "squares.", "mean", "mean_pairs", "mse")]


@exercise("23-5", points=2)
def check_23_5(gradient_step):
    cases, got = list(some_lessons()), []
    for case in cases:
        returned = pair(ask(gradient_step, *case, advice="make a new matrix"),
                        "the loss", "the new memory")
        shape = case[0].shape
        found = [tuple(getattr(part, "shape", ())) for part in returned]
        refuse(found == [shape, ()], "swapped",
               "return the loss first and the new memory second.")
        got.append((number(returned[0], "no_loss"),
                    tensor(returned[1], shape, "memory", "a row for each number of a "
                           "key")))
    right = [taught(*case) for case in cases]
    for n, wrong in ((1, WRONG_STEPS), (0, WRONG_LOSSES)):
        mine, wanted = ([one[n] for one in made] for made in (got, right))
        if not close(mine, wanted):
            blame(mine, [(code, sentence, *[[taught(*case, kind)[n] for case in cases]
                                            for kind in kinds])
                         for code, sentence, *kinds in wrong])
    for (loss, memory), (wanted, other) in zip(got, right):
        if not close(memory, other):
            wrong_row("wrong_memory", "memory", memory, other)
        refuse(not close(loss, wanted), "wrong_loss", "the loss should be {} here; "
               "yours is {}.".format(*short([wanted, loss])))
    return "with one pair it is the delta rule; with several, all are read first."
