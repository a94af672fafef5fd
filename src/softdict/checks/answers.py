"""What most checks ask about an answer, and the sentences that go with it."""

import torch

from softdict.checks.result import Mistake, attempt, refuse

ROWS = "rows are words that ask and columns words that are asked"
DETACHED = ("detached", "the numbers are right, but no gradient flows back through "
            "them, so nothing could learn; work with the tensors as they come.")
PART_DETACHED = ("part_detached", "the numbers are right, but the gradient is another: "
                 "a part of it is cut off. Work with the tensors as they come.")
MULTIPLIES = ("multiplies", "you multiply the scores by the temperature; divide by it.")
NO_TEMPERATURE = ("no_temperature", "your weights do not change with the temperature; "
                  "divide the scores by it.")
NOT_DIVIDED = ("not_divided", "your scores are not divided by the root of their width.")
NO_MASK_GIVEN = ("mask_is_none", "without a mask `allowed` is None; hide keys only if "
                 "there is a mask.", "NoneType")
DIVIDED_BY_WIDTH = ("divided_by_width",
                    "yours divides by the width; divide by its root.")
# Where all scores are far from 0: how far, a code, and a sentence
FAR = ((2000.0, "overflow", "with scores near 2000 the numbers are wrong: exp "
        "overflows. Use torch's softmax, or take the largest score away first."),
       (-20000.0, "not_low_enough", "with scores near -20000 the numbers are wrong: "
        "what you write at hidden words is above them. Only minus infinity is below "
        "every score."))


def ask(answer, *arguments, likely=(), advice="work on copies", name="function"):
    """What the reader's function returns for copies of the arguments.

    likely: errors that are explained, as in `attempt`; advice: how to leave arguments
    unchanged, or None if they may change; an argument that is None stands for no mask
    """
    given = copies(arguments)
    if any(part is None for part in arguments):
        likely = [*likely, NO_MASK_GIVEN]
    returned = something(attempt(lambda: answer(*given), *likely), name)
    if advice is not None:
        unchanged(given, arguments, advice)
    return returned


def copies(things):
    """Copies of tensors and of lists, inner ones too; other things as they are."""
    return [thing.clone() if isinstance(thing, torch.Tensor) else copies(thing)
            if type(thing) is list else thing for thing in things]


def unchanged(given, kept, advice="work on copies"):
    """Raises Mistake unless tensors and lists that were given are as those kept."""
    for one, other in zip(given, kept):
        same = torch.equal if isinstance(other, torch.Tensor) else list.__eq__
        if isinstance(other, (torch.Tensor, list)):
            refuse(not same(one, other), "changes_arguments",
                   f"yours changes what it was given; {advice}.")


def something(returned, name="function"):
    """What was returned; raises Mistake if that is None."""
    refuse(returned is None, "returns_nothing",
           f"your {name} returns None; is there a return at its end?")
    return returned


def pair(returned, first="the answer", second="the weights"):
    """The two things that were returned; raises Mistake if they are not two."""
    refuse(not isinstance(something(returned), (tuple, list)) or len(returned) != 2,
           "not_two_things", f"return two things, {first} and {second}.")
    return returned


def tensor(returned, shape, name, turned=None):
    """The tensor that was returned, in float64; raises Mistake unless it has the shape.

    turned: what to say if its last two axes are swapped
    """
    refuse(not isinstance(returned, torch.Tensor), "no_tensor", f"the {name} should be "
           f"a tensor; yours is of type {type(returned).__name__}.")
    got, shape = list(returned.shape), list(shape)
    wanted = f"the {name} should have the shape {shape} here"
    refuse(turned and got == [*shape[:-2], *shape[:-3:-1]] != shape, "transposed",
           f"{wanted}, {turned}; yours has {got}.")
    refuse(got != shape, "wrong_shape", f"{wanted}; yours has {got}.")
    return returned.detach().double()


def two_tensors(returned, shapes, first="answers", second="weights", code="swapped"):
    """The two tensors that were returned, if they have the shapes."""
    returned = pair(returned, f"the {first}", f"the {second}")
    found = [tuple(getattr(part, "shape", ())) for part in returned]
    refuse(found == shapes[::-1] != shapes, code,
           f"return the {first} first and the {second} second.")
    turned = "rows for queries and columns for keys"
    return [tensor(returned[0], shapes[0], first),
            tensor(returned[1], shapes[1], second, turned)]


def number(returned, code="no_number"):
    """The one number that was returned; raises Mistake if it is none."""
    is_tensor = isinstance(something(returned), torch.Tensor)
    try:
        return float(returned.detach() if is_tensor else returned)
    except (TypeError, ValueError, RuntimeError):
        kind = (f"has {returned.numel()} numbers" if is_tensor
                else f"is of type {type(returned).__name__}")
        raise Mistake(code, f"return one number; yours {kind}.") from None


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

    refuse(no_gradient(asked(*learned), learned), *DETACHED)
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
               *PART_DETACHED)


def blame(got, likely, tolerance=1e-4):
    """Raises the Mistake of the first wrong thing that was got.

    likely holds a code, a sentence, and the wrong things that they explain; where
    those have 0 or nan, nan in what was got is no difference
    """
    shown = without_nan(got)
    for code, sentence, *things in likely:
        refuse(any(close(got, wrong, tolerance)
                   or close(shown, without_nan(wrong), tolerance) for wrong in things),
               code, sentence)


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
        raise Mistake("finite_fill", f"yours puts {written.median():.4g} where nothing "
                      "may be seen, and it still gets a share; minus infinity gets "
                      "none.")


def without_nan(things):
    """Tensors, also in lists, with 0 for nan; one without any number stays."""
    if isinstance(things, (list, tuple)):
        return [without_nan(thing) for thing in things]
    if isinstance(things, torch.Tensor) and things.isnan().any():
        return things if things.isnan().all() else things.detach().nan_to_num(0.0)
    return things


def right_sums(code, name, got, right):
    """Raises Mistake unless the values were added up rightly, with right weights."""
    refuse(not close(got, right), code, f"the weights are right, but not the {name}: "
           "add up the values, each times its weight.")


def wrong_row(code, name, got, right, why=""):
    """Raises a Mistake that shows the row that is farthest from the right one."""
    far = (right - got).abs().nan_to_num(torch.inf).amax(dim=-1)
    place = tuple(map(int, torch.unravel_index(far.argmax(), far.shape)))
    where = f"row {list(place) if place[1:] else place[0]} of the " if place else "the "
    raise Mistake(code, f"{where}{name} should be {short(right[place])}; yours is "
                  f"{short(got[place])}.{why}")


def short(numbers):
    """Numbers as a reader wants to see them."""
    if isinstance(numbers, torch.Tensor):
        numbers = numbers.tolist()
    return [round(float(number), 3) for number in numbers]
