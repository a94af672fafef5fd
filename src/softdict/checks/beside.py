"""A reader's class or function beside the book's: the capstones' checks."""

import contextlib
import copy

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence

from softdict.batches import make_batch
from softdict.checks.answers import (
    ask, close, no_gradient, pair, short, something, tensor, without_nan)
from softdict.checks.result import Mistake, attempt, refuse
from softdict.decoding import greedy
from softdict.vocab import BOS, EOS, PAD

PARTS = nn.Linear, nn.LayerNorm, nn.Embedding, nn.GRU


@contextlib.contextmanager
def in_float64():
    """New tensors are float64, the reader's too; afterwards they are as before."""
    kept = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(kept)


@in_float64()
def built(make, *sizes):
    """The reader's module in float64; raises Mistake for anything else."""
    module = something(make(*sizes), "returns_nothing-class")
    refuse(not isinstance(module, nn.Module), "no_module", kind=type(module).__name__)
    return module.double().eval()


def same_weights(module, book):
    """Gives the reader's module the book's weights; names the first that do not fit."""
    wanted, names = dict(book.named_parameters()), {}
    # each parameter once; a shared one goes by the book's name for it
    for name, part in sorted(module.named_parameters(remove_duplicate=False),
                             key=lambda named: named[0] not in wanted):
        names.setdefault(part, name)
    mine = {name: part for part, name in names.items()}
    missing = [name for name in wanted if name not in mine]
    extra = [name for name in mine if name not in wanted]
    every = dict(module.named_parameters(remove_duplicate=False))
    for name in missing:
        refuse(name in every, "shared_parameter", name=name,
               other=names[every.get(name)] if name in every else "")
    refuse(missing, "missing_parameter", name="".join(missing[:1]),
           mine=", ".join(list(mine)[:4]))
    refuse(extra, "extra_parameter", name="".join(extra[:1]))
    for name, part in wanted.items():
        got, shape = list(mine[name].shape), list(part.shape)
        refuse(got != shape, "parameter_shape", name=name, shape=shape, got=got)
    with torch.no_grad():
        for name, part in wanted.items():
            mine[name].copy_(part)


def followed(module, inputs):
    """What a call returns or raises, and what went into each smallest part.

    that is an input, and the state of an RNN, or else None
    """
    seen, handles = [], []

    def note(name, given, named):
        named = dict(zip(("input", "hx"), given), **named)
        seen.append((name, unpacked(named.get("input")), named.get("hx")))

    for name, part in module.named_modules():
        if isinstance(part, PARTS):
            handles.append(part.register_forward_pre_hook(
                lambda part, *given, name=name: note(name, *given), with_kwargs=True))
    try:
        return module(*inputs), seen
    except Exception as error:
        return error, seen
    finally:
        for handle in handles:
            handle.remove()


def unpacked(given):
    """The tensor inside a packed batch; anything else as it is."""
    return given.data if isinstance(given, PackedSequence) else given


def numbered(seen):
    """What went into each part, by the part's name, the number of the call, and what
    it is: ids are flat, with steps or without."""
    return {(name, n, kind): part if part.is_floating_point() else part.flatten()
            for name, calls in by_name(seen).items() for n, call in enumerate(calls)
            for kind, part in zip(("input", "state"), call)
            if isinstance(part, torch.Tensor)}


def by_name(seen):
    """For each part the list of what went into it."""
    found = {}
    for name, *given in seen:
        found.setdefault(name, []).append(given)
    return found


@in_float64()
def first_wrong(module, book, inputs, *shapes, likely=list, errors=()):
    """Raises a Mistake that names the first tensor that differs from the book's.

    shapes: of what a call returns, one for each thing
    likely() gives keys, each with modules that make the mistake, with the book's
    weights; it is called only for a wrong answer
    errors: errors that are explained, as in `attempt`
    """
    same_weights(module, book)
    for part in inputs:
        if isinstance(part, torch.Tensor) and part.is_floating_point():
            part.requires_grad_()
    wanted, right = followed(book, inputs)
    returned, seen = followed(module, inputs)
    found, wanted_calls = by_name(seen), by_name(right)
    broken = isinstance(returned, Exception)
    if all_same(returned, wanted):    # it is right, whatever its parts were given
        right = []
    before = {}    # what went into the parts so far, and was right
    # all steps at once or one by one: both are right, and the result will show
    other = {name for name, calls in wanted_calls.items()
             if not broken and name in found and len(found[name]) != len(calls)}
    for name, given, state in right:
        last = name.rpartition(".")[2]
        if broken and not found.get(name):
            attempt(lambda: throw(returned), *errors)
        if name not in found:
            raise Mistake("unused", f"unused_{last}", name=name)
        if name in other:
            continue
        got, handed = found[name].pop(0)
        if not given.is_floating_point() and isinstance(got, torch.Tensor):
            got, given = got.flatten(), given.flatten()    # with steps or without
        n = len(wanted_calls[name]) - len(found[name]) - 1
        if not same(got, given):
            blame_modules(got, likely, inputs, before,
                          lambda _, parts: parts.get((name, n, "input")))
            mark, shown = differs(got, given)
            raise Mistake(f"into{mark}", f"into_{last}", name=name, **shown)
        before[name, n, "input"] = given
        if state is not None:
            if handed is None:
                raise Mistake("state-none", f"into_{last}", name=name)
            if not same(handed, state):
                blame_modules(handed, likely, inputs, before,
                              lambda _, parts: parts.get((name, n, "state")))
                mark, shown = differs(handed, state)
                raise Mistake(f"state{mark}", f"into_{last}", name=name, **shown)
            before[name, n, "state"] = state
    if broken:
        attempt(lambda: throw(returned), *errors)
    if len(shapes) > 1:
        pair(returned, "not_two_things-state")
    else:
        returned, wanted = (something(returned),), (wanted,)
    made = list(zip(returned, wanted))
    for n, (got, right, shape) in enumerate(zip(returned, wanted, shapes)):
        got = tensor(got, shape, "result")
        if not close(got, right):
            blame_modules(got, likely, inputs, before, lambda made, _: (
                made[n] if len(shapes) > 1 else made))
            mark, shown = differs(got, right)
            raise Mistake(f"result{mark}", **shown)
    refuse(no_gradient(returned[0], list(module.parameters())), "detached")
    same_gradients(module, book, inputs, *zip(*made))


def same_gradients(module, book, inputs, got, right):
    """Raises a Mistake that names what gets another gradient than in the book's."""
    mine = dict(module.named_parameters(remove_duplicate=False))
    names = [name for name, _ in book.named_parameters() if name in mine]
    wanted = dict(book.named_parameters())
    given = [part for part in inputs if getattr(part, "requires_grad", False)]
    directions = [torch.randn_like(part) for part in right]
    slopes = [torch.autograd.grad(
        sum((part * direction).sum() for part, direction in zip(parts, directions)),
        [*(learned[name] for name in names), *given], allow_unused=True)
        for parts, learned in ((got, mine), (right, wanted))]
    for name, *pair_of in zip([*names, *[""] * len(given)], *slopes):
        one, other = (torch.zeros(1) if slope is None else slope for slope in pair_of)
        if "embedding" in name:    # whether pads learn is left open
            one, other = one[PAD + 1:], other[PAD + 1:]
        wrong = one.shape != other.shape or not close(one, other)
        refuse(wrong and name, "part_detached-parameter", name=name)
        refuse(wrong, "part_detached-input")


def blame_modules(got, likely, inputs, before, pick):
    """As `blame`, for modules that go wrong where the reader's does.

    before: what goes into parts earlier, rightly; pick takes the tensor that was got
    from what a module returns and from what went into its parts
    """
    for key, *modules in likely():
        for module in modules:
            made, seen = followed(module, inputs)
            parts = numbered(seen)
            refuse(all(same(parts.get(at), given) for at, given in before.items())
                   and same(without_nan(got), without_nan(pick(made, parts))), key)


def throw(error):
    raise error


def changed(book, **methods):
    """A copy of the book's module, with its weights, and with other methods."""
    other = copy.deepcopy(book)
    other.__class__ = type("Changed", (type(book),), methods)
    return other


def same(got, right, tolerance=1e-4):
    """True if what is there is a tensor, and has the right shape and numbers."""
    return (isinstance(got, torch.Tensor) and isinstance(right, torch.Tensor)
            and got.shape == right.shape and close(got, right, tolerance))


def all_same(got, right):
    """True if one thing, or each of several, has the numbers of float64."""
    if not isinstance(right, tuple):
        return same(got, right, 1e-9)
    return (isinstance(got, (tuple, list)) and len(got) == len(right)
            and all(same(*both, 1e-9) for both in zip(got, right)))


def differs(got, right):
    """A mark, and shapes or the first numbers of what is there and what should be."""
    if not isinstance(got, torch.Tensor):
        return "-type", {"kind": type(got).__name__}
    if got.shape != right.shape:
        return "-shape", {"right": list(right.shape), "got": list(got.shape)}
    place = (got.detach() - right.detach()).abs().nan_to_num(torch.inf).flatten()
    row = int(place.argmax()) // right.shape[-1]
    one, other = (part.detach().reshape(-1, right.shape[-1])[row][:3]
                  for part in (right, got))
    return "", {"right": short(one), "got": short(other)}


WRONG_WRITERS = [
    ("first_position", "first"), ("stops_together", "together"),
    ("stops_together", "together before"), ("one_too_few", "short"),
    ("gives_pads", "full"), ("lowest_score", "least"), ("strikes_out", "free"),
    ("reads_last_alone", "last_alone"), ("goes_on", "goes on")]


@torch.no_grad()
def written(model, batch, longest, kind, taken=()):
    """The sentences of a common mistake in greedy search.

    taken: what the reader wrote; of PAD and BOS, where they are equal, it has the one
    """
    lengths = batch.source_lengths
    if kind == "full":
        lengths = torch.full_like(lengths, batch.source.shape[1])
    ids = torch.full((len(batch.source), 1), BOS)    # [B, T]
    for step in range(longest - (kind == "short")):
        read = ids[:, -1:] if kind == "last_alone" else ids
        logits = model(batch.source, lengths, read)
        scores = logits[:, 0 if kind == "first" else -1]    # [B, V]
        scores = -scores if kind == "least" else scores
        if kind != "free":
            scores[:, [PAD, BOS]] = 0 if kind == "zero" else -torch.inf
        best = scores.argmax(dim=-1, keepdim=True)
        for row, other in zip(best, taken):
            if row.item() in (PAD, BOS) and {*other[step:step + 1]} & {PAD, BOS}:
                row.fill_(other[step])
        ended = (best == EOS).any()
        if kind == "together before" and ended:
            break
        ids = torch.cat([ids, best], dim=1)
        if kind == "together" and ended:
            break
    rows = [row[1:] for row in ids.tolist()]
    if kind == "goes on":
        rows = [[word for word in row if word != EOS] for row in rows]
    rows = [row[:row.index(EOS)] if EOS in row else row for row in rows]
    return [[word for word in row if kind == "zero" or word not in (PAD, BOS)]
            for row in rows]


def translations(answer, model):
    """Raises a Mistake unless the reader's function writes what greedy search does."""
    batch = make_batch([([4, 5, 6, 7, 3], [4]), ([9, 10, 3], [7]), ([6, 3], [5])])
    found = []
    for longest in (8, 1):
        right = greedy(model, batch.source, batch.source_lengths, longest)
        got = ask(answer, model, batch.source, batch.source_lengths, longest)
        refuse(isinstance(got, torch.Tensor) or not isinstance(got, (list, tuple)),
               "no_list")
        refuse(len(got) != 3, "rows", got=len(got))
        rows = [[int(number) for number in row] for row in got]
        if any({PAD, BOS} & {*row} for row in rows):
            refuse(rows == written(model, batch, longest, "zero", rows), "zero_wins")
        refuse(all(row[:1] == [BOS] for row in rows), "keeps_bos")
        refuse(any(BOS in row for row in rows), "chooses_bos")
        refuse(any(EOS in row for row in rows), "keeps_eos")
        refuse(any(PAD in row for row in rows), "chooses_pad")
        refuse(any(len(row) > longest for row in rows), "too_long", longest=longest)
        found.append((longest, right, rows))
    if all(rows == right for _, right, rows in found):
        return
    for key, kind in WRONG_WRITERS:    # one that explains both lengths
        refuse(all(rows == written(model, batch, longest, kind)
                   for longest, _, rows in found), key)
    right, rows = next(pair for _, *pair in found if pair[0] != pair[1])
    raise Mistake("wrong_words-sentences", right=right, got=rows)
