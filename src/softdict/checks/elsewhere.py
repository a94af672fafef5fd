"""Tensors that say they are on another device, so that a CPU shows what a GPU refuses.

torch's own tensors without numbers would show it too, but their first use loads a
thousand modules, for seconds.
"""

import torch
from torch.overrides import TorchFunctionMode

from softdict.checks.result import refuse

THERE = torch.device("meta")    # only its name is used: no function ever gets it
MOVES = {"to", "cpu", "type_as"}
# What CUDA takes from the CPU: copies, and the indices of a lookup
CROSSES = {*MOVES, "copy_", "__getitem__", "__setitem__", "index_put_", "index_put"}


class OtherDevice(Exception):
    """Raised where tensors of two devices meet."""


class Elsewhere(TorchFunctionMode):
    """In it, marked tensors and what is made from them say that they are THERE."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs, name = dict(kwargs or {}), getattr(function, "__name__", "")
        tensors = leaves([args, kwargs], torch.Tensor)
        if function == torch.Tensor.device.__get__ and is_there(args[0]):
            return THERE
        there = [part for part in tensors if is_there(part)]
        # numbers without axes may come from the CPU
        if name not in CROSSES and there and any(
                part.dim() and not is_there(part) for part in tensors):
            raise OtherDevice
        named = device_of(name, args, kwargs)
        made = function(*(on_cpu(part) for part in args),
                        **{key: on_cpu(part) for key, part in kwargs.items()})
        if name in MOVES:
            made = made.clone()    # it may be the tensor that was given
        if named is not None:
            goes = named == THERE
        elif name in MOVES | {"copy_", "index_put_", "__setitem__"}:
            goes = is_there(tensors[-1 if name in MOVES else 0])
        else:
            goes = bool(there) and function is not torch.tensor
        return marked(made) if goes else made


def device_of(name, args, kwargs):
    """The device that a call names, or None."""
    if name == "cpu":
        return torch.device("cpu")
    places = [kwargs.get("device"), *(args[1:2] if name == "to" else [])]
    return next((torch.device(place) for place in places
                 if isinstance(place, (str, torch.device))), None)


def on_cpu(part):
    """A device that is not the CPU becomes the CPU; all else stays."""
    return torch.device("cpu") if isinstance(part, torch.device) else part


def leaves(things, kind):
    """All things of a kind, also in lists, tuples and dicts."""
    if isinstance(things, kind):
        return [things]
    if isinstance(things, dict):
        things = list(things.values())
    if isinstance(things, (list, tuple)):
        return [leaf for thing in things for leaf in leaves(thing, kind)]
    return []


def is_there(part):
    return getattr(part, "is_elsewhere", False)


def marked(things):
    for part in leaves(things, torch.Tensor):
        part.is_elsewhere = True
    return things


def stays_where_it_is(answer, *given, device="..."):
    """Raises Mistake if the answer makes tensors on the CPU for others elsewhere."""
    given = [marked(part.detach().clone()) if isinstance(part, torch.Tensor) else part
             for part in given]
    try:
        with Elsewhere():
            made = answer(*given)
        here = not all(map(is_there, leaves(made, torch.Tensor)))
    except OtherDevice:
        here = True
    except Exception:    # what else is wrong is said by the other questions
        here = False
    refuse(here, "wrong_device", device=device)
