"""A training on disk: written whole or not at all, and read only if it fits.

Each file holds a checksum (SHA-256) of what else it holds.
"""

import hashlib
import json
from dataclasses import asdict, fields, is_dataclass
from functools import partial
from itertools import count
from pathlib import Path

import safetensors
import safetensors.torch
import torch
from torch import nn

from softdict.layers import attend_of
from softdict.texts.files import write_whole

KEYS = {"vocabulary", "architecture"}    # what every file says of itself
# and one from which a training goes on
MORE = {"settings", "history", "scaler", "optimizer"}
# what a part may keep that changes nothing of what a model calculates with its weights,
# or that `architecture` tells
FREE = {"training", "dropout", "attend", "context_length", "teacher_forcing", "step"}
CHECKSUM = "sha256"
ASIDE = ".damaged"    # behind the name of a file that cannot be read


class CorruptFile(ValueError):
    """A file from which nothing can go on: it was cut, or changed, or is another."""


def set_aside(path):
    """Renames a file that nothing goes on from; returns its new path."""
    path = Path(path)
    names = (f"{path.name}{ASIDE}{number}" for number in count(1))
    return path.rename(next(path.with_name(name) for name in names
                            if not path.with_name(name).exists()))


def begin_anew(path, error):
    """Renames a damaged checkpoint; returns the sentence for its owner."""
    return (f"{str(error).partition(';')[0]}: the training begins anew, and the "
            f"damaged file is kept as {set_aside(path).name}")


def checksum(tensors, metadata):
    """The SHA-256 of named tensors and of what their file tells, a dict of texts."""
    digest = hashlib.sha256(json.dumps(metadata, sort_keys=True).encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"\n{name} {tensor.dtype} {list(tensor.shape)}\n".encode())
        digest.update(tensor.contiguous().flatten().view(torch.uint8).numpy())
    return digest.hexdigest()


def packed(tensors, metadata):
    """Tensors of the CPU and a dict of texts as a safetensors file with a checksum.

    returns its two parts, bytes; the same content gives the same bytes
    """
    metadata = metadata | {CHECKSUM: checksum(tensors, metadata)}
    content = memoryview(safetensors.torch.save(tensors, metadata))
    end = 8 + int.from_bytes(content[:8], "little")
    # the library writes these texts in any order
    header = json.loads(bytes(content[8:end])) | {"__metadata__": metadata}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text, content[end:]


def check_checksum(name, tensors, metadata):
    """Refuses by CorruptFile a file that has not the checksum that it tells."""
    rest = {key: text for key, text in metadata.items() if key != CHECKSUM}
    if metadata.get(CHECKSUM) != checksum(tensors, rest):
        raise CorruptFile(f"{name} is damaged: its checksum (SHA-256) is not that of "
                          "what it holds; copy it again, or train again")


def architecture(model):
    """What a model is made of: for each part that is not torch's its class, its options
    and what it attends with.

    the sizes are those of its weights; dropout is no part of what was learned
    """
    return {name: " ".join(filter(None, [type(part).__name__, part.extra_repr(),
                                         described(attend_of(part))]))
            for name, part in model.named_modules()
            if not type(part).__module__.startswith("torch.")
            and not isinstance(part, nn.Dropout)}


def options(model):
    """What else its parts keep that changes no size, such as a `gain`: their numbers
    and texts, and the fields of their configs that are not the default.

    a name that begins with _ is left out, as for what changes while a model runs
    """
    told, whole = {}, getattr(model, "config", None)
    for name, part in model.named_modules():
        if type(part).__module__.startswith("torch.") or isinstance(part, nn.Dropout):
            continue
        for key, value in vars(part).items():
            found = {key: value} if isinstance(value, (int, float, str, tuple)) else {}
            if is_dataclass(value) and (part is model or value is not whole):
                found = {field.name: getattr(value, field.name)
                         for field in fields(value)
                         if getattr(value, field.name) != field.default}
            told |= {f"{key} of {name or 'the whole'}": option
                     for key, option in found.items()
                     if not key.startswith("_") and key not in FREE}
    return json.loads(json.dumps(told, default=described))    # as it is read again


def described(value):
    """A function by its name, with what a `partial` gives it, or another value as text.

    functions that compute plain attention tell nothing: what was learned with one
    serves the others
    """
    if isinstance(value, partial):
        given = [value.func, *value.args, *value.keywords.values()]
        return " ".join(filter(None, map(described, given)))
    name = getattr(value, "__name__", None) or " ".join(
        str(value).partition(" at 0x")[0].split())
    return "" if name in ("None", "attention", "sdpa") else name


def settings_of(state):
    """The Settings of a training, and the shares that its model drops out."""
    shares = {part.p for part in state.model.modules()
              if isinstance(part, nn.Dropout)}
    return asdict(state.settings) | {"dropout": sorted(shares)}


def groups_of(state):
    """What the optimizer of a training is: its kind, the group and place of each
    weight, and the options of each group but the rate, which every update sets.

    raises ValueError for a weight that the model does not have
    """
    names = {weight: name for name, weight in state.model.named_parameters()}
    groups = state.optimizer.param_groups
    told = {"the optimizer": type(state.optimizer).__name__,
            "the number of its groups": len(groups)}
    for number, group in enumerate(groups, start=1):
        for place, weight in enumerate(group["params"], start=1):
            if weight not in names:
                raise ValueError("the optimizer has a weight that the model has not, "
                                 f"of the shape {list(weight.shape)}: no checkpoint "
                                 "would hold it")
            told[f"the place of {names[weight]}"] = f"{place} of group {number}"
        told |= {f"{option} of group {number}": value
                 for option, value in group.items() if option not in ("params", "lr")}
    return json.loads(json.dumps(told, default=repr))    # as it is read again


def save(state, path):
    """Writes model, optimizer and history to a safetensors file, whole or not.

    raises ValueError for an optimizer that keeps more than tensors and numbers
    """
    tensors = {f"model.{name}": tensor
               for name, tensor in state.model.state_dict().items()}
    numbers = {}
    for number, moments in state.optimizer.state_dict()["state"].items():
        for name, value in moments.items():
            if isinstance(value, torch.Tensor):
                tensors[f"optimizer.{number}.{name}"] = value
            elif value is None or isinstance(value, (int, float)):
                numbers[f"{number}.{name}"] = value
            else:
                raise ValueError(
                    f"{type(state.optimizer).__name__} keeps {name}, a "
                    f"{type(value).__name__}: no checkpoint can hold it")
    notes = {"vocabulary": state.vocab_fingerprint,
             "architecture": architecture(state.model),
             "options": options(state.model), "settings": settings_of(state),
             "history": state.history,
             "scaler": state.scaler.state_dict(),
             "optimizer": {"groups": groups_of(state), "numbers": numbers}}
    copies = {name: tensor.detach().cpu().clone() for name, tensor in tensors.items()}
    write_whole(path, *packed(copies, {"softdict": json.dumps(notes)}))


def save_model(model, path, vocab_fingerprint, dtype=None):
    """Writes the weights alone, in `dtype` if it is given: float16 halves them."""
    tensors = {f"model.{name}": tensor.detach().to("cpu", dtype, copy=True).contiguous()
               for name, tensor in model.state_dict().items()}
    notes = {"vocabulary": vocab_fingerprint, "architecture": architecture(model),
             "options": options(model)}
    write_whole(path, *packed(tensors, {"softdict": json.dumps(notes)}))


def load(state, path):
    """Puts a training where the checkpoint left it.

    a checkpoint that does not fit is refused by ValueError and changes nothing
    """
    name = Path(path).name
    tensors, notes = _fitting(path, state.model, state.vocab_fingerprint)
    if "history" in notes and not MORE <= notes.keys():
        raise ValueError(f"{name} was written by an earlier version of softdict, and "
                         "that one can go on with it; here, use another file")
    if not MORE <= notes.keys():
        raise ValueError(f"{name} holds a model and no training: nothing can go on "
                         "from it; give the training another file")
    mine = settings_of(state)
    if apart := [key for key in mine | notes["settings"]
                 if mine.get(key) != notes["settings"].get(key)]:
        raise ValueError(
            f"{name} belongs to a training with other settings ("
            + ", ".join(f"{key} is {notes['settings'].get(key, 'missing')} there and "
                        f"{mine.get(key, 'missing')} here" for key in apart)
            + "); use these, or another file")
    _fit(f"{name} belongs to a training with another optimizer",
         groups_of(state), notes["optimizer"]["groups"])
    state.model.load_state_dict(_part(tensors, "model."))
    moments = {}
    for key, value in [*_part(tensors, "optimizer.").items(),
                       *notes["optimizer"]["numbers"].items()]:
        number, _, kind = key.partition(".")
        moments.setdefault(int(number), {})[kind] = value
    groups = state.optimizer.state_dict()["param_groups"]
    state.optimizer.load_state_dict({"state": moments, "param_groups": groups})
    state.scaler.load_state_dict(notes["scaler"])
    state.history[:] = notes["history"]


def load_model(model, path, vocab_fingerprint):
    """Copies the weights of a file into a model of the same kind, size and words.

    raises ValueError, with the reason, for any other file
    """
    tensors, _ = _fitting(path, model, vocab_fingerprint)
    model.load_state_dict(_part(tensors, "model."))


def _read(path):
    """Tensors and notes of a file that is whole; CorruptFile for any other.

    a model of an earlier version has no checksum
    """
    name = Path(path).name
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            # copies: Windows replaces no file from which a tensor is mapped
            tensors = {key: file.get_tensor(key).clone() for key in file.keys()}
            metadata = file.metadata() or {}
        notes = json.loads(metadata["softdict"])
        if not KEYS <= notes.keys() or not all(isinstance(
                notes.get(name, {}), dict) for name in ("architecture", "options")):
            raise ValueError
    except (safetensors.SafetensorError, AttributeError, KeyError, ValueError):
        raise CorruptFile(f"{name} is damaged, cut short or no checkpoint of softdict; "
                          "copy it again, or train again") from None
    if CHECKSUM in metadata or "optimizer" in notes:
        check_checksum(name, tensors, metadata)
    return tensors, notes


def _fitting(path, model, vocab_fingerprint):
    """Tensors and notes of a file, if it is whole and fits model and vocabularies."""
    name = Path(path).name
    tensors, notes = _read(path)
    if notes["vocabulary"] != vocab_fingerprint:
        raise ValueError(f"{name} was trained with another vocabulary")
    _fit(f"{name} holds another model", architecture(model), notes["architecture"])
    _fit(f"{name} holds a model of another size",
         {key: list(tensor.shape) for key, tensor in model.state_dict().items()},
         {key: list(tensor.shape) for key, tensor in _part(tensors, "model.").items()})
    if "options" in notes:    # earlier versions told of none
        _fit(f"{name} holds another model", options(model), notes["options"])
    for key, tensor in tensors.items():
        if not tensor.isfinite().all():
            raise ValueError(f"{name} holds weights that are no numbers, in {key}: "
                             "its training went wrong; train again")
    return tensors, notes


def _fit(problem, mine, stored):
    """Raises ValueError with the first difference of two dicts."""
    for key in [*mine, *stored]:
        if mine.get(key) != stored.get(key):
            raise ValueError(f"{problem}: {key or 'the whole'} is "
                             f"{stored.get(key, 'missing')} there and "
                             f"{mine.get(key, 'missing')} here")


def _part(tensors, start):
    """The tensors whose names begin with `start`, under the rest of their names."""
    return {name.removeprefix(start): tensor for name, tensor in tensors.items()
            if name.startswith(start)}
