"""What most checks ask about an answer; its sentences stand in `says/shared.toml`."""

import torch

from softdict.checks.result import Mistake, attempt, refuse
from softdict.checks.sentences import Word

NO_MASK_GIVEN = "mask_is_none", "NoneType"
FAR = (2000.0, "overflow"), (-20000.0, "not_low_enough")    # all scores, far from 0


def ask(answer, *arguments, likely=(), keeps=True, nothing="returns_nothing"):
    """What the reader's function returns for copies of the arguments.

    likely: errors that are explained, as in `attempt`; keeps: whether arguments must
    stay unchanged; an argument that is None stands for no mask; nothing: as in
    `something`
    """
    given = copies(arguments)
    if any(part is None for part in arguments):
        likely = [*likely, NO_MASK_GIVEN]
    returned = something(attempt(lambda: answer(*given), *likely), nothing)
    if keeps:
        unchanged(given, arguments)
    return returned


def copies(things):
    """Copies of tensors and of lists, inner ones too; other things as they are."""
    return [thing.clone() if isinstance(thing, torch.Tensor) else copies(thing)
            if type(thing) is list else thing for thing in things]


def unchanged(given, kept):
    """Raises Mistake unless tensors and lists that were given are as those kept."""
    for one, other in zip(given, kept):
        same = torch.equal if isinstance(other, torch.Tensor) else list.__eq__
        if isinstance(other, (torch.Tensor, list)):
            refuse(not same(one, other), "changes_arguments")
        if isinstance(other, torch.Tensor):
            refuse(one.requires_grad and not other.requires_grad, "asks_gradients")


def something(returned, key="returns_nothing"):
    """What was returned; raises Mistake, with this key, if that is None."""
    refuse(returned is None, key)
    return returned


def pair(returned, key="not_two_things", **names):
    """The two things that were returned; raises Mistake if they are not two."""
    refuse(not isinstance(something(returned), (tuple, list)) or len(returned) != 2,
           key, **names)
    return returned


def tensor(returned, shape, word, turned=None):
    """The tensor that was returned, in float64; raises Mistake unless it has the shape.

    word: what it is called, a key of `words`; turned: the key of what to say if its
    last two axes are swapped
    """
    name = Word(word)
    refuse(not isinstance(returned, torch.Tensor), "no_tensor", name=name,
           kind=type(returned).__name__)
    got, shape = list(returned.shape), list(shape)
    refuse(turned and got == [*shape[:-2], *shape[:-3:-1]] != shape, turned,
           name=name, shape=shape, got=got)
    refuse(shape in [got[:n] + got[n + 1:] for n, size in enumerate(got) if size == 1],
           "wrong_shape-axis", name=name, shape=shape, got=got)
    refuse(got != shape, "wrong_shape", name=name, shape=shape, got=got)
    return returned.detach().double()


def two_tensors(returned, shapes, first="answers", second="weights", code="swapped"):
    """The two tensors that were returned, if they have the shapes."""
    names = {"first": Word(first), "second": Word(second)}
    returned = pair(returned, "not_two_things-named", **names)
    found = [tuple(getattr(part, "shape", ())) for part in returned]
    if found == shapes[::-1] != shapes:
        raise Mistake("swapped", code, **names)
    return [tensor(returned[0], shapes[0], first),
            tensor(returned[1], shapes[1], second, "transposed")]


def number(returned, code="no_number"):
    """The one number that was returned; raises Mistake if it is none."""
    is_tensor = isinstance(something(returned), torch.Tensor)
    try:
        return float(returned.detach() if is_tensor else returned)
    except (TypeError, ValueError, RuntimeError):
        if is_tensor:
            raise Mistake("no_number", code, count=returned.numel()) from None
        kind = type(returned).__name__
        raise Mistake("no_number-type", code, kind=kind) from None


def close(left, right, tolerance=1e-4):
    """True if numbers, tensors or lists of such differ by no more; nan never does."""
    if isinstance(left, str) or isinstance(right, str):
        return left == right
    if isinstance(right, (tuple, list)):
        return len(left) == len(right) and all(close(one, other, tolerance)
                                               for one, other in zip(left, right))
    left, right = (torch.as_tensor(item, dtype=torch.float64).detach().cpu()
                   for item in (left, right))
    return left.shape == right.shape and bool(((left - right).abs() <= tolerance).all())


def no_gradient(result, learned):
    """True if the result hands no gradient back to one of those that should learn."""
    return not result.requires_grad or None in torch.autograd.grad(
        result.sum(), learned, allow_unused=True, retain_graph=True)


def learns(call, learned):
    """Raises Mistake unless gradients are the slopes that small steps show.

    call(*learned) gives a tensor; steps are taken in float64, where it can do that
    """
    chance = torch.Generator().manual_seed(1)

    def drawn(part):
        return torch.randn(part.shape, generator=chance, dtype=part.dtype)

    def asked(*parts):
        return call(*(part.clone() for part in parts))    # some change what they get

    refuse(no_gradient(asked(*learned), learned), "detached")
    learned = [part.detach().double().requires_grad_() for part in learned]
    try:
        made = asked(*learned)
    except RuntimeError:    # it makes tensors of float32, which nothing forbids
        return
    if made.dtype != torch.float64:
        return
    direction, step = drawn(made), 1e-4
    slopes = torch.autograd.grad((made * direction).sum(), learned)
    for n, (part, slope) in enumerate(zip(learned, slopes)):
        way = drawn(part)
        with torch.no_grad():
            ends = [asked(*learned[:n], part + move * way, *learned[n + 1:])
                    for move in (step, -step)]
        seen = ((ends[0] - ends[1]) * direction).sum() / (2 * step)
        refuse(not close((slope * way).sum(), seen, 0.01 * (1 + abs(seen.item()))),
               "part_detached")


def blame(got, likely, tolerance=1e-4):
    """Raises the Mistake of the first wrong thing that was got.

    likely holds keys, or Mistakes, each with the wrong things that it explains; where
    those have 0 or nan, nan in what was got is no difference
    """
    shown = without_nan(got)
    for key, *things in likely:
        refuse(any(close(got, wrong, tolerance)
                   or close(shown, without_nan(wrong), tolerance) for wrong in things),
               key)


def fill(weights, scores, allowed):
    """Raises Mistake if weights are the softmax of hidden scores set to one number.

    scores broadcast to the weights, and allowed to the scores
    """
    hidden = ~allowed.expand(weights.shape)
    total = (scores - weights.log()).masked_fill(hidden, torch.nan).nanmedian(
        dim=-1, keepdim=True).values
    written = (weights.log() + total)[hidden & (weights > 0)]
    written = written[written.isfinite()]
    if len(written) and close(weights, scores.masked_fill(
            hidden, written.median().item()).softmax(dim=-1), 1e-6):
        raise Mistake("finite_fill", written=written.median())


def without_nan(things):
    """Tensors, also in lists, with 0 for nan; one without any number stays."""
    if isinstance(things, (list, tuple)):
        return [without_nan(thing) for thing in things]
    if isinstance(things, torch.Tensor) and things.isnan().any():
        return things if things.isnan().all() else things.detach().nan_to_num(0.0)
    return things


def right_sums(key, got, right):
    """Raises Mistake unless the values were added up rightly, with right weights."""
    refuse(not close(got, right), key)


def wrong_row(key, got, right, **fields):
    """Raises a Mistake that shows the row that is farthest from the right one.

    where there is but one row, its key ends in "-alone", and it has no place
    """
    far = (right - got).abs().nan_to_num(torch.inf).amax(dim=-1)
    place = tuple(map(int, torch.unravel_index(far.argmax(), far.shape)))
    fields |= {"right": short(right[place]), "got": short(got[place])}
    if not place:
        raise Mistake(f"{key}-alone", **fields)
    raise Mistake(key, place=list(place) if place[1:] else place[0], **fields)


def short(numbers):
    """Numbers as a reader wants to see them."""
    if isinstance(numbers, torch.Tensor):
        numbers = numbers.tolist()
    return [round(float(number), 3) for number in numbers]
