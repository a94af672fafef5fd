"""A training on disk: written whole or not at all, and read only if it fits."""

import json
from dataclasses import asdict
from pathlib import Path

import safetensors
import safetensors.torch

from softdict.runtime import write_whole


def save(training, path):
    """Writes model, optimizer and history to one safetensors file: the whole of it, or nothing."""
    tensors = {f"model.{name}": tensor for name, tensor in training.model.state_dict().items()}
    for number, state in training.optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": tensor for name, tensor in state.items()}
    notes = {"vocabulary": training.vocabulary, "settings": asdict(training.settings), "history": training.history,
             "scaler": training.scaler.state_dict()}
    copies = {name: tensor.detach().cpu().clone() for name, tensor in tensors.items()}
    write_whole(path, safetensors.torch.save(copies, {"softdict": json.dumps(notes)}))


def save_model(model, path, vocabulary, dtype=None):
    """Writes the weights alone, in `dtype` where it is given: half the bytes in float16."""
    tensors = {f"model.{name}": tensor.detach().to("cpu", dtype, copy=True).contiguous()
               for name, tensor in model.state_dict().items()}
    write_whole(path, safetensors.torch.save(tensors, {"softdict": json.dumps({"vocabulary": vocabulary})}))


def load(training, path):
    """Puts a training where the checkpoint left it; a checkpoint that does not fit is refused and changes nothing."""
    tensors, notes = _checked(path, training.model, training.vocabulary)
    if notes["settings"] != asdict(training.settings):
        raise ValueError(f"{Path(path).name} belongs to a training with other settings: {notes['settings']}")
    training.model.load_state_dict(_part(tensors, "model."))
    moments = {}
    for name, tensor in _part(tensors, "optimizer.").items():
        number, kind = name.split(".")
        moments.setdefault(int(number), {})[kind] = tensor
    groups = training.optimizer.state_dict()["param_groups"]
    training.optimizer.load_state_dict({"state": moments, "param_groups": groups})
    training.scaler.load_state_dict(notes["scaler"])
    training.history[:] = notes["history"]


def load_model(model, path, vocabulary):
    """Copies the weights of a checkpoint into a model of the same size and vocabularies."""
    tensors, _ = _checked(path, model, vocabulary)
    model.load_state_dict(_part(tensors, "model."))


def _checked(path, model, vocabulary):
    """Tensors and notes of a checkpoint, if it is whole and fits the model and the vocabularies."""
    name = Path(path).name
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            tensors = {key: file.get_tensor(key) for key in file.keys()}
            notes = json.loads((file.metadata() or {})["softdict"])
    except (safetensors.SafetensorError, KeyError, ValueError):
        raise ValueError(f"{name} is damaged, cut short or no checkpoint of softdict") from None
    if notes["vocabulary"] != vocabulary:
        raise ValueError(f"{name} was trained with another vocabulary")
    mine, stored = ({key: list(tensor.shape) for key, tensor in tensors.items()}
                    for tensors in (model.state_dict(), _part(tensors, "model.")))
    for key in [*mine, *stored]:
        if mine.get(key) != stored.get(key):
            raise ValueError(f"{name} holds a model of another size: {key} is {stored.get(key, 'missing')} there "
                             f"and {mine.get(key, 'missing')} here")
    return tensors, notes


def _part(tensors, start):
    """The tensors whose names begin with `start`, under the rest of their names."""
    return {name.removeprefix(start): tensor for name, tensor in tensors.items() if name.startswith(start)}
