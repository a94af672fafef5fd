"""Learning from examples: the loss, one update, one epoch, and a training that survives an interruption.

`checkpoint` writes and reads the files.
"""

import math
from dataclasses import dataclass, field
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from tqdm import tqdm

from softdict import runtime
from softdict.batches import epoch_batches
from softdict.checkpoint import load, save
from softdict.vocab import PAD


def token_loss(logits, target):
    """Mean over the real words of -log p(word): pads are neither summed nor counted.

    logits [B, T, V], target [B, T]; returns loss []
    """
    total = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD, reduction="sum")    # []
    return total / (target != PAD).sum()    # []


def learning_rate(step, updates, peak):
    """The peak for four fifths of the updates, then down in a straight line, almost to 0 at the last."""
    return peak * min(1.0, (updates - step) / (updates / 5))


@dataclass(frozen=True)
class Settings:
    """How a model is trained, beside the model and the pairs."""

    updates: int = 2000
    batch_size: int = 64
    peak_rate: float = 4e-3
    clip: float = 1.0               # the longest gradient
    teacher_forcing: float = 1.0
    seed: int = 0
    every: int = 500                # updates from one evaluation and checkpoint to the next
    half: bool = False              # float16 where it is safe, with scaled losses


@dataclass
class Training:
    """A model with all that its training needs to go on where it stopped; history holds one record an update."""

    model: nn.Module
    settings: Settings = Settings()
    vocabulary: str = ""            # fingerprint: a checkpoint of other words is refused
    history: list = field(default_factory=list)

    def __post_init__(self):
        self.device = next(self.model.parameters()).device
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=self.settings.peak_rate)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.settings.half)


def update(training, batch):
    """One step against the gradient of one batch; returns its record: loss, gradient norm and learning rate."""
    settings, model, optimizer, scaler = training.settings, training.model, training.optimizer, training.scaler
    step = len(training.history)
    rate = optimizer.param_groups[0]["lr"] = learning_rate(step, settings.updates, settings.peak_rate)
    with torch.autocast(training.device.type, torch.float16, enabled=settings.half):
        logits = model(batch.source, batch.source_lengths, batch.target_in, settings.teacher_forcing)    # [B, T, V]
    loss = token_loss(logits.float(), batch.target_out)    # []
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)    # before clipping: the limit is meant for the true gradient
    norm = nn.utils.clip_grad_norm_(model.parameters(), settings.clip)    # []
    if not loss.isfinite() or not (norm.isfinite() or settings.half):    # half: the scaler skips such a step
        raise ArithmeticError(f"update {step + 1} has the loss {loss.item()} and the gradient norm {norm.item()}: the "
                              "training stops, the last checkpoint is kept; a smaller learning rate may help")
    scaler.step(optimizer)
    scaler.update()
    return {"loss": loss.item(), "norm": norm.item(), "rate": rate}


def train_epoch(training, pairs, after=lambda training: None):
    """The updates that are left of one pass over the pairs; after(training) is called behind each."""
    settings, count = training.settings, math.ceil(len(pairs) / training.settings.batch_size)
    epoch, done = divmod(len(training.history), count)
    for batch in epoch_batches(pairs, settings.batch_size, settings.seed, epoch)[done:]:
        if len(training.history) == settings.updates:
            break
        # chance depends on seed and update alone: it is the same after an interruption
        runtime.seed(settings.seed * 1_000_003 + len(training.history))
        training.history.append(update(training, batch.to(training.device)))
        after(training)


def train(training, pairs, evaluate=None, path=None):
    """Trains to the last update and returns the history; goes on from the checkpoint at `path` if there is one.

    pairs holds (source ids, target ids); what evaluate(model) returns, a dict, joins the record of its update
    """
    settings, path = training.settings, path and Path(path)
    if not pairs:
        raise ValueError("there are no pairs to train on")
    if path and path.exists():
        load(training, path)
    bar = tqdm(total=settings.updates, initial=len(training.history), unit="update", mininterval=1)

    def after(training):
        bar.update()
        bar.set_postfix(loss=f"{training.history[-1]['loss']:.3f}", refresh=False)
        if len(training.history) % settings.every == 0 or len(training.history) == settings.updates:
            if evaluate:
                training.history[-1] |= evaluation(training.model, evaluate)
            if path:
                save(training, path)

    training.model.train()
    with bar:
        while len(training.history) < settings.updates:
            train_epoch(training, pairs, after)
    return training.history


def evaluation(model, evaluate):
    """What evaluate(model) says of the model outside of training: no dropout, no gradients."""
    model.eval()
    with torch.no_grad():
        record = evaluate(model)
    model.train()
    return record
