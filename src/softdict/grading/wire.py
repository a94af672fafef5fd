"""Values as bytes and back, between a grader and the process that runs an answer.

Structure is JSON, numbers are safetensors: reading them executes nothing, so a process
that is not trusted may have written them.
"""

import json
import struct

import numpy
import torch
from safetensors.torch import load, save

from softdict.grading.questions import Failure

LONGEST = 16 * 2 ** 20    # bytes of one answer, tensors and all
MOST_TEXT = 4 * 2 ** 20    # bytes of its JSON
HEAD = struct.Struct(">QQ")    # bytes of the JSON, and of the tensors
LOADED = b"+"    # a box tells it when it has loaded all
PLAIN = (bool, int, float, str, type(None))


def one_line(words):
    """Words from outside as one line that can be printed and written, 300 letters."""
    return "".join(letter if letter.isprintable() else " " if letter.isspace()
                   else ascii(letter)[1:-1] for letter in str(words)[:300])


def pack(value):
    """The bytes of a value made of plain values, lists, dicts and tensors."""
    tensors = {}
    text = json.dumps(encoded(value, tensors)).encode()
    numbers = save(tensors)
    return HEAD.pack(len(text), len(numbers)) + text + numbers


def encoded(value, tensors):
    """The value as JSON can hold it; its tensors are put into a dict."""
    if isinstance(value, Failure):
        return {"failure": value.words}
    if isinstance(value, numpy.generic):
        value = value.item()
    if isinstance(value, numpy.ndarray):
        value = torch.from_numpy(value.copy())
    if isinstance(value, torch.Tensor):
        name = str(len(tensors))
        tensors[name] = value.detach().cpu().contiguous().clone()
        return {"tensor": name}
    if isinstance(value, (list, tuple, set, frozenset)):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [encoded(part, tensors) for part in value]}
    if isinstance(value, dict):
        return {"dict": [[encoded(name, tensors), encoded(part, tensors)]
                         for name, part in value.items()]}
    if isinstance(value, PLAIN):
        return {"plain": value}
    return {"failure": f"it returned a {type(value).__name__}, which cannot be judged"}


def unpack(content, most=None):
    """The value of bytes from `pack`; ValueError for other bytes.

    most bounds the bytes of the structure, where who wrote it is not trusted
    """
    try:
        size, rest = HEAD.unpack_from(content)
        if most is not None and size > most:
            raise ValueError("the structure is too large")
        start = HEAD.size + size
        if len(content) != start + rest:
            raise ValueError("the sizes do not fit")
        tensors = load(bytes(content[start:]))
        return decoded(json.loads(content[HEAD.size:start]), tensors)
    except RecursionError:
        raise ValueError("nested too deep") from None
    except Exception as error:    # safetensors and struct have their own
        raise ValueError(f"no message: {error}") from None


def decoded(coded, tensors):
    """The inverse of `encoded`."""
    (kind, value), = coded.items()
    if kind == "failure":
        return Failure(one_line(value))
    if kind == "tensor":
        return tensors.pop(value)    # used twice, few bytes would make many numbers
    if kind in ("list", "tuple"):
        return {"list": list, "tuple": tuple}[kind](
            decoded(part, tensors) for part in value)
    if kind == "dict":
        return {decoded(name, tensors): decoded(part, tensors) for name, part in value}
    if kind == "plain" and isinstance(value, PLAIN):
        return value
    raise ValueError(f"of no known kind: {kind!r}")
