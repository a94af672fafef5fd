"""A training on disk: written whole or not at all, and read only if it fits."""

import json
from dataclasses import asdict
from pathlib import Path

import safetensors
import safetensors.torch
from torch import nn

from softdict.files import write_whole

KEYS = {"vocabulary", "architecture"}    # what every file says of itself
MORE = {"settings", "history", "scaler"}    # and one from which a training goes on


class Damaged(ValueError):
    """A file from which nothing can go on: it was cut, or changed, or is another."""


def begin_anew(path, error):
    """Takes a damaged checkpoint out of the way; returns the sentence for its owner."""
    Path(path).unlink()
    return f"{str(error).partition(';')[0]}: the training begins anew"


def architecture(model):
    """What a model is made of: for each part that is softdict's its class and options.

    the sizes are those of its weights; dropout is no part of what was learned
    """
    return {name: f"{type(part).__name__} {part.extra_repr()}".strip()
            for name, part in model.named_modules()
            if type(part).__module__.startswith("softdict")
            and not isinstance(part, nn.Dropout)}


def settings_of(training):
    """The Settings of a training, and the shares that its model drops out."""
    shares = {part.p for part in training.model.modules()
              if isinstance(part, nn.Dropout)}
    return asdict(training.settings) | {"dropout": sorted(shares)}


def save(training, path):
    """Writes model, optimizer and history to a safetensors file, whole or not."""
    tensors = {f"model.{name}": tensor
               for name, tensor in training.model.state_dict().items()}
    for number, state in training.optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": tensor
                    for name, tensor in state.items()}
    notes = {"vocabulary": training.vocabulary,
             "architecture": architecture(training.model),
             "settings": settings_of(training), "history": training.history,
             "scaler": training.scaler.state_dict()}
    copies = {name: tensor.detach().cpu().clone() for name, tensor in tensors.items()}
    write_whole(path, safetensors.torch.save(copies, {"softdict": json.dumps(notes)}))


def save_model(model, path, vocabulary, dtype=None):
    """Writes the weights alone, in `dtype` if it is given: float16 halves them."""
    tensors = {f"model.{name}": tensor.detach().to("cpu", dtype, copy=True).contiguous()
               for name, tensor in model.state_dict().items()}
    notes = {"vocabulary": vocabulary, "architecture": architecture(model)}
    write_whole(path, safetensors.torch.save(tensors, {"softdict": json.dumps(notes)}))


def load(training, path):
    """Puts a training where the checkpoint left it.

    a checkpoint that does not fit is refused by ValueError and changes nothing
    """
    name = Path(path).name
    tensors, notes = _checked(path, training.model, training.vocabulary)
    if not MORE <= notes.keys():
        raise ValueError(f"{name} holds a model and no training: nothing can go on "
                         "from it; give the training another file")
    if not isinstance(notes["settings"], dict):
        raise Damaged(f"{name} is damaged: its settings are none; delete it and train "
                      "again")
    mine = settings_of(training)
    if apart := [key for key in mine | notes["settings"]
                 if mine.get(key) != notes["settings"].get(key)]:
        raise ValueError(
            f"{name} belongs to a training with other settings ("
            + ", ".join(f"{key} is {notes['settings'].get(key, 'missing')} there and "
                        f"{mine.get(key, 'missing')} here" for key in apart)
            + "); use these, or another file")
    if problem := _unfit(training, notes, _part(tensors, "optimizer.")):
        raise Damaged(f"{name} is damaged: {problem}; delete it and train again")
    training.model.load_state_dict(_part(tensors, "model."))
    moments = {}
    for key, tensor in _part(tensors, "optimizer.").items():
        number, kind = key.split(".")
        moments.setdefault(int(number), {})[kind] = tensor
    groups = training.optimizer.state_dict()["param_groups"]
    training.optimizer.load_state_dict({"state": moments, "param_groups": groups})
    training.scaler.load_state_dict(notes["scaler"])
    training.history[:] = notes["history"]


def load_model(model, path, vocabulary):
    """Copies the weights of a file into a model of the same kind, size and words.

    raises ValueError, with the reason, for any other file
    """
    tensors, _ = _checked(path, model, vocabulary)
    model.load_state_dict(_part(tensors, "model."))


def _checked(path, model, vocabulary):
    """Tensors and notes of a file, if it is whole and fits model and vocabularies."""
    name = Path(path).name
    damaged = f"{name} is damaged, cut short or no checkpoint of softdict"
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            tensors = {key: file.get_tensor(key) for key in file.keys()}
            notes = json.loads((file.metadata() or {})["softdict"])
    except (safetensors.SafetensorError, KeyError, ValueError):
        raise Damaged(damaged) from None
    if not isinstance(notes, dict) or not KEYS <= notes.keys() \
            or not isinstance(notes["architecture"], dict):
        raise Damaged(damaged)
    if notes["vocabulary"] != vocabulary:
        raise ValueError(f"{name} was trained with another vocabulary")
    _fit(f"{name} holds another model", architecture(model), notes["architecture"])
    _fit(f"{name} holds a model of another size",
         {key: list(tensor.shape) for key, tensor in model.state_dict().items()},
         {key: list(tensor.shape) for key, tensor in _part(tensors, "model.").items()})
    for key, tensor in tensors.items():
        if not tensor.isfinite().all():
            raise ValueError(f"{name} holds weights that are no numbers, in {key}: "
                             "its training went wrong; train again")
    return tensors, notes


def _unfit(training, notes, moments):
    """What of a file does not belong to its weights, in words; None if all does."""
    history, done = notes["history"], training.settings.updates
    if not isinstance(history, list) or len(history) > done or not all(
            isinstance(record, dict) and "loss" in record for record in history):
        return "its history is none of this training"
    shapes = {}
    for number, weights in enumerate(training.model.parameters()):
        if f"{number}.step" in moments:
            shapes |= {f"{number}.{name}": list(weights.shape)
                       for name in ("exp_avg", "exp_avg_sq")} | {f"{number}.step": []}
    if shapes != {name: list(tensor.shape) for name, tensor in moments.items()}:
        return "its optimizer does not fit its weights"
    # the scaler of float16 skips updates: they are in the history, and no step
    steps = [int(moments[name]) for name in moments if name.endswith(".step")]
    skipped = len(history) - max(steps, default=0)
    if skipped < 0 or skipped and not training.scaler.is_enabled():
        return "its history does not fit its weights"
    if not isinstance(notes["scaler"], dict) \
            or notes["scaler"].keys() != training.scaler.state_dict().keys():
        return "its scaler is none of this training"
    return None


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
