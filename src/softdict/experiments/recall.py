"""What a memory of fixed size recalls beside softmax attention, and its seconds.

A row holds pairs of a key and a value; then keys are given, and their values are
wanted. Arora et al. 2024 test language models in this way; here only the lookup is
left. In "once" every key is written once, in "twice" two times, and its last value is
right. In "void" a mark stands in the middle, and for every key before it the right
answer is "nothing".
"""

import statistics
import time
from functools import partial
from itertools import islice

import torch
import torch.nn.functional as F
from torch import nn

from softdict import runtime
from softdict.experiments.runner import Experiment
from softdict.linear_attention import (
    empty, gated_delta_block, gated_delta_rule, in_blocks, linear_attention, read,
    write)
from softdict.lookup import dot, softmax

KEYS, VALUES = 256, 64    # a mark is one key more, and "nothing" one value more
PAIR_COUNTS = (4, 8, 16, 32, 64, 128)
WIDTHS = (16, 32, 64)
TASKS = ("once", "twice", "void")


# Rows

def rows(task, count, pairs):
    """Rows of a task: keys and values [B, P], keys to look up and answers [B, Q].
    """
    names = torch.rand(count, KEYS).argsort(dim=-1)[:, :pairs]    # [B, P]
    values = torch.randint(VALUES, names.shape)                   # [B, P]
    return {"once": once, "twice": twice, "void": void}[task](names, values)


def once(names, values):
    return names, values, names, values


def twice(names, values):
    """Half of the keys, each written two times; the last value is right."""
    asked = names[:, ::2]                                           # [B, Q]
    keys = asked.repeat_interleave(2, dim=-1)                       # [B, P]
    keys = keys.gather(-1, torch.rand(keys.shape).argsort(dim=-1))  # [B, P]
    places = torch.arange(keys.shape[-1])                           # [P]
    last = ((keys[:, None] == asked[..., None]) * places).argmax(dim=-1)    # [B, Q]
    return keys, values, asked, values.gather(-1, last)


def void(names, values):
    """A mark after the first half of the pairs; what stands before it is void."""
    half, (count, pairs) = names.shape[-1] // 2, names.shape
    mark = torch.ones(count, 1, dtype=torch.long)
    right = values.where(torch.arange(pairs) >= half, VALUES)       # [B, P]
    return (torch.cat([names[:, :half], KEYS * mark, names[:, half:]], dim=-1),
            torch.cat([values[:, :half], VALUES * mark, values[:, half:]], dim=-1),
            names, right)


# Models

def gates_behind(gate):
    """What is left at the end of what each place wrote; gate and result [B, P, 1]."""
    later = torch.cat([gate[:, 1:], torch.ones_like(gate[:, :1])], dim=1)
    return later.flip(1).cumprod(dim=1).flip(1)


def by_softmax(query, key, value, strength, gate):
    """Softmax attention; a gate weakens what is older, as in Lin et al. 2025."""
    left = gates_behind(gate).mT                                    # [B, 1, P]
    return softmax(dot(query, key) + left.clamp_min(1e-30).log()) @ value


def by_sum(query, key, value, strength, gate):
    """A sum of outer products, each times its strength and the gates after it."""
    left = gates_behind(gate)                                       # [B, P, 1]
    return read(write(empty(key, value), left * key, strength * value), query)


def by_delta(query, key, value, strength, gate):
    """The gated delta rule, in blocks."""
    _, state = in_blocks(gated_delta_block, 32, key, key, value, strength, gate)
    return read(state, query)


RULES = {"softmax": by_softmax, "sum": by_sum, "delta": by_delta}
KINDS = ("softmax", "sum", "delta", "gated softmax", "gated delta")


class Recaller(nn.Module):
    """Reads pairs of a key and a value, and names the value of each key to look up.

    kind is one of KINDS; the kinds differ in what they do with the same tables, and in
    two small layers: for strengths, and for gates
    """

    def __init__(self, kind, width):
        super().__init__()
        gated, _, name = kind.rpartition(" ")
        self.rule = RULES[name]
        self.key = nn.Embedding(KEYS + 1, width)
        self.query = nn.Embedding(KEYS, width)
        self.value = nn.Embedding(VALUES + 1, width)
        self.generator = nn.Linear(width, VALUES + 1)
        self.strength = nn.Linear(width, 1) if name != "softmax" else None
        self.gate = nn.Linear(width, 1) if gated else None

    def forward(self, keys, values, asked):
        """keys [B, P], values [B, P], asked [B, Q]; returns logits [B, Q, V]."""
        key = F.normalize(self.key(keys), dim=-1)                   # [B, P, K]
        strength = gate = torch.ones_like(key[..., :1])             # [B, P, 1]
        if self.strength:
            strength = self.strength(key).sigmoid()                 # [B, P, 1]
        if self.gate:
            gate = (self.gate(key) + 4).sigmoid()    # nearly open  # [B, P, 1]
        return self.generator(self.rule(self.query(asked), key, self.value(values),
                                        strength, gate))


def losses(model, task, updates, rate, pairs):
    """Trains a model on fresh rows, each batch of one of the numbers of pairs; yields
    each loss."""
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0, updates)
    for number in torch.randint(len(pairs), (updates,)).tolist():
        *given, right = rows(task, 32, pairs[number])
        loss = F.cross_entropy(model(*given).flatten(0, 1), right.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        yield loss.item()


@torch.no_grad()
def right_answers(model, task, pairs):
    """By number of pairs, shares of right answers in 500 fresh rows.

    of all keys to look up, and of the first and the second half of them: in "void"
    the first half is void, and in "once" it was written earlier
    """
    shares = {"right": [], "first half": [], "second half": []}
    for count in pairs:
        *given, right = rows(task, 500, count)
        hits = (model(*given).argmax(dim=-1) == right).float()
        for name, part in zip(shares, (hits, *hits.tensor_split(2, dim=-1))):
            shares[name].append(part.mean().item())
    return shares


def trained(task, kind, width, seed, updates=600, rate=1e-2):
    """A model and the generator of its losses; all kinds get the same rows."""
    runtime.seed(seed)
    model = Recaller(kind, width)
    runtime.seed(seed + 1000)
    return model, losses(model, task, updates, rate, PAIR_COUNTS)


def first(task, seed, path=None, rate=1e-2):
    """The first five losses of the delta rule."""
    return list(islice(trained(task, "delta", 32, seed, rate=rate)[1], 5))


def recalled(task, seed, path=None, kinds=KINDS, widths=WIDTHS, updates=600,
             rate=1e-2):
    """By kind and width: parameters, losses, and right answers by number of pairs."""
    table = {"pairs": PAIR_COUNTS, "updates": updates, "rate": rate}
    for kind in kinds:
        for width in widths:
            model, curve = trained(task, kind, width, seed, updates, rate)
            curve = list(curve)
            runtime.seed(seed + 2000)
            table[f"{kind} {width}"] = {
                "parameters": sum(part.numel() for part in model.parameters()),
                "loss": [sum(curve[n:n + 50]) / 50 for n in range(0, updates, 50)],
                **right_answers(model, task, PAIR_COUNTS)}
    return table


def other_rate(rate, seed, path=None):
    """The same of the middle width with another peak rate, by task."""
    return {task: recalled(task, seed, widths=WIDTHS[1:2], rate=rate) for task in TASKS}


# Seconds

WAYS = {
    "softmax": partial(F.scaled_dot_product_attention, is_causal=True),
    "sum, in blocks": lambda q, k, v, b, a: in_blocks(linear_attention, 64, q, k, v)[0],
    "delta, in blocks": lambda *given: in_blocks(gated_delta_block, 64, *given)[0],
    "delta, step by step": lambda *given: gated_delta_rule(*given)[0]}


def some_words(T, heads=4, width=64):
    """Queries, keys, values, strengths and gates of T words, which learn."""
    query, key, value = torch.randn(3, 1, heads, T, width)
    strength, gate = torch.rand(2, 1, heads, T, 1)
    return [part.requires_grad_() for part in (query, F.normalize(key, dim=-1), value,
                                               strength, gate)]


def milliseconds(work, repeats):
    """Median CPU time of work(), after one call that is not timed."""
    times = []
    for _ in range(repeats + 1):
        begin = time.process_time()
        work()
        times.append(1000 * (time.process_time() - begin))
    return statistics.median(times[1:])


def seconds(seed, path=None, lengths=(64, 128, 256, 512, 1024, 2048, 4096, 8192),
            repeats=3):
    """Milliseconds of CPU time by length: forward and back, and one step after them.

    four heads, keys and values of 64 numbers; beside them the bytes that are kept
    """
    runtime.seed(seed)
    table = {"lengths": lengths, **{name: [] for name in WAYS}, "step, softmax": [],
             "step, delta": [], "bytes, softmax": [], "bytes, delta": []}
    for T in lengths:
        given = some_words(T)
        for name, way in WAYS.items():
            parts = given[:3] if name == "softmax" else given

            def work():
                torch.autograd.grad(way(*parts).sum(), parts[:3])
            table[name].append(milliseconds(work, repeats))
        query, key, value, strength, gate = (part.detach() for part in given)
        now = [part[..., -1:, :] for part in (query, key, value, strength, gate)]
        with torch.no_grad():
            state = gated_delta_block(query, key, value, strength, gate)[1]
            steps = {"softmax": lambda: F.scaled_dot_product_attention(
                         now[0], key, value),
                     "delta": lambda: gated_delta_rule(*now, state)}
            for name, step in steps.items():
                table[f"step, {name}"].append(milliseconds(step, 50))
        table["bytes, softmax"].append(key.nbytes + value.nbytes)
        table["bytes, delta"].append(state.nbytes)
    return table


def seconds_first(seed):
    """Seconds differ from run to run: the numbers are sums of what is computed."""
    runtime.seed(seed)
    given = some_words(64)
    return [way(*(given[:3] if name == "softmax" else given)).sum().item()
            for name, way in WAYS.items()]


EXPERIMENTS = [
    *[Experiment(f"recall-{task}", "recall", partial(first, task),
                 partial(recalled, task)) for task in TASKS],
    *[Experiment(f"recall-rate-{number}", "recall",
                 partial(first, "once", rate=number / 1000),
                 partial(other_rate, number / 1000), seeds=(0,)) for number in (3, 30)],
    Experiment("recall-seconds", "recall", seconds_first, seconds, seeds=(0,))]
