"""Learning from examples: the loss, a plain loop, and a training that can be stopped.

`fit` is the loop; `train` does the same with what long trainings need. `checkpoint`
writes and reads the files.
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
    """Cross-entropy: the mean over the real words of -log p(word).

    pads are neither summed nor counted
    logits [..., V], target [...]; returns loss []
    """
    total = F.cross_entropy(logits.flatten(0, -2), target.flatten(), ignore_index=PAD,
                            reduction="sum")    # []
    return total / (target != PAD).sum()        # []


def smoothed_loss(logits, target, smoothing):
    """`token_loss` with label smoothing: a target that is not quite sure.

    some of the target is spread evenly over all words but PAD
    logits [..., V], target [...]; smoothing is the share to spread; returns loss []
    Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4
    """
    logs = logits.log_softmax(dim=-1)                                    # [..., V]
    chosen = logs.gather(-1, target[..., None])[..., 0]                  # [...]
    even = (logs.sum(dim=-1) - logs[..., PAD]) / (logs.shape[-1] - 1)    # [...]
    loss = -(1 - smoothing) * chosen - smoothing * even                  # [...]
    real = target != PAD                                                 # [...]
    return (loss * real).sum() / real.sum()                              # []


def learning_rate(step, updates, peak, warmup=0):
    """The peak for four fifths of the updates, then linear decay, almost to 0.

    the first `warmup` updates climb to it in a straight line
    """
    decay = (updates - step) / (updates / 5)
    return peak * min(1.0, (step + 1) / max(1, warmup), decay)


def paper_rate(step, warmup, peak):
    """Linear warm-up to the peak, then decay with the inverse root; it never ends.

    the paper's own peak is (width * warmup) ** -0.5
    Vaswani et al. 2017, section 5.3
    """
    return peak * min((step + 1) / warmup, (warmup / (step + 1)) ** 0.5)


def fit(model, pairs, updates, peak_rate, batch_size=64, seed=0,
        watch=lambda step: None):
    """Trains a model on pairs (source ids, target ids); returns each update's loss.

    watch(step) is called behind each update
    """
    device = next(model.parameters()).device
    optimizer = torch.optim.Adam(model.parameters(), lr=peak_rate)
    model.train()
    losses, epoch = [], 0
    with tqdm(total=updates, desc=str(device), unit="update", mininterval=1) as bar:
        while len(losses) < updates:
            batches = epoch_batches(pairs, batch_size, seed, epoch)
            for batch in batches[:updates - len(losses)]:
                batch = batch.to(device)
                logits = model(batch.source, batch.source_lengths, batch.target_in)
                loss = token_loss(logits, batch.target_out)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                rate = learning_rate(len(losses), updates, peak_rate)
                optimizer.param_groups[0]["lr"] = rate
                optimizer.step()
                losses.append(loss.item())
                bar.update()
                watch(len(losses))
            epoch += 1
    return losses


# A training that can be stopped and goes on


PRECISIONS = ("float32", "bfloat16", "float16")
SCHEDULES = ("line", "root")


@dataclass(frozen=True)
class Settings:
    """How a model is trained, beside the model and the pairs; the last four are extras.

    raises ValueError for a value with which no training could run
    """

    updates: int = 2000
    batch_size: int = 64
    peak_rate: float = 4e-3
    clip: float = 1.0               # the longest gradient
    seed: int = 0
    every: int = 500                # updates from one checkpoint to the next
    precision: str = "float32"      # or mixed: "bfloat16", "float16" where it is safe
    warmup: int = 0                 # updates until the peak rate is reached
    schedule: str = "line"          # `learning_rate`; or "root": `paper_rate`
    smoothing: float = 0.0          # label smoothing
    accumulate: int = 1             # parts of a batch that are computed one by one

    def __post_init__(self):
        for name in ("updates", "batch_size", "every", "accumulate"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more; got {getattr(self, name)}")
        for name in ("peak_rate", "clip"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be above 0; got {getattr(self, name)}")
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}; "
                             f"got {self.precision!r}")
        if self.schedule not in SCHEDULES:
            raise ValueError(f"schedule must be one of {', '.join(SCHEDULES)}; "
                             f"got {self.schedule!r}")
        if self.warmup < (self.schedule == "root"):
            raise ValueError("warmup must be 0 or more, and 1 or more with the "
                             f"schedule root; got {self.warmup}")
        if not 0 <= self.smoothing < 1:
            raise ValueError("smoothing must be at least 0 and below 1; "
                             f"got {self.smoothing}")


@dataclass
class Training:
    """A model with all that its training needs to go on where it stopped.

    history holds one record an update
    """

    model: nn.Module
    settings: Settings = Settings()
    vocabulary: str = ""    # fingerprint: a checkpoint of other words is refused
    history: list = field(default_factory=list)

    def __post_init__(self):
        self.device = next(self.model.parameters()).device
        self.optimizer = torch.optim.Adam(self.model.parameters(), fused=True,
                                          lr=self.settings.peak_rate)
        self.scaler = torch.amp.GradScaler(
            self.device.type, enabled=self.settings.precision == "float16")


def batch_loss(model, batch, settings):
    """Mean loss of the real words of a batch.

    pads are left out before the generator, which is the most expensive layer
    """
    kind = getattr(torch, settings.precision)
    device = batch.source.device.type
    with torch.autocast(device, kind, enabled=kind != torch.float32):
        states = model.states(
            batch.source, batch.source_lengths, batch.target_in)    # [B, T, D]
        real = batch.target_out != PAD             # [B, T]
        logits = model.generator(states[real])     # [N, V]
    target = batch.target_out[real]                # [N]
    if settings.smoothing:
        return smoothed_loss(logits.float(), target, settings.smoothing)    # []
    return token_loss(logits.float(), target)      # []


def update(training, batch):
    """One step against the gradient of a batch; returns loss, gradient norm, rate."""
    settings, loss = training.settings, 0.0
    words = (batch.target_out != PAD).sum()
    training.optimizer.zero_grad()
    for part in batch.parts(settings.accumulate):
        # a part counts by its words: the sum is the mean over all words of the batch
        share = (part.target_out != PAD).sum() / words
        part_loss = batch_loss(training.model, part, settings) * share    # []
        training.scaler.scale(part_loss).backward()
        loss += part_loss.item()
    return take_step(training, loss)


def take_step(training, loss):
    """The step of an update whose gradients are there; returns its record."""
    settings, step = training.settings, len(training.history)
    optimizer, scaler = training.optimizer, training.scaler
    rate = rate_at(step, settings)
    for group in optimizer.param_groups:
        group["lr"] = rate
    scaler.unscale_(optimizer)    # before clipping: the limit is for the true gradient
    norm = nn.utils.clip_grad_norm_(training.model.parameters(), settings.clip).item()
    # the scaler of float16 skips an update whose gradient is too large
    finite = math.isfinite(norm) or scaler.is_enabled()
    if not (math.isfinite(loss) and finite):
        raise ArithmeticError(
            f"update {step + 1} has the loss {loss} and the gradient norm {norm}: the "
            "training stops, the last checkpoint is kept; a smaller learning rate may "
            "help")
    scaler.step(optimizer)
    scaler.update()
    return {"loss": loss, "norm": norm, "rate": rate}


def rate_at(step, settings):
    """The learning rate of an update, by the schedule of the settings."""
    if settings.schedule == "root":
        return paper_rate(step, settings.warmup, settings.peak_rate)
    return learning_rate(step, settings.updates, settings.peak_rate, settings.warmup)


def train_epoch(training, pairs, after=lambda training: None, update=update):
    """The updates that are left of one pass; after(training) is called behind each."""
    settings = training.settings
    epoch, done = divmod(len(training.history),
                         math.ceil(len(pairs) / settings.batch_size))
    for batch in epoch_batches(pairs, settings.batch_size, settings.seed, epoch)[done:]:
        if len(training.history) == settings.updates:
            break
        # chance depends on seed and update alone: the same after an interruption
        runtime.seed(settings.seed * 1_000_003 + len(training.history))
        training.history.append(update(training, batch.to(training.device)))
        after(training)


def train(training, pairs, evaluate=None, path=None, update=update):
    """Trains to the last update and returns the history.

    goes on from the checkpoint at `path` if there is one
    pairs holds (source ids, target ids); what evaluate(model) returns, a dict, joins
    the record of its update; update(training, batch) does one
    """
    settings, path = training.settings, path and Path(path)
    if not pairs:
        raise ValueError("there are no pairs to train on")
    if path and path.exists():
        load(training, path)
    where = str(next(training.model.parameters()).device)
    bar = tqdm(total=settings.updates, initial=len(training.history), desc=where,
               unit="update", mininterval=1)

    def after(training):
        bar.update()
        done, last = len(training.history), training.history[-1]
        bar.set_postfix(loss=f"{last['loss']:.3f}", refresh=False)
        if done % settings.every == 0 or done == settings.updates:
            if evaluate:
                last |= evaluation(training.model, evaluate)
            if path:
                save(training, path)

    training.model.train()
    with bar:
        while len(training.history) < settings.updates:
            train_epoch(training, pairs, after, update)
    return training.history


def evaluation(model, evaluate):
    """What evaluate(model) says of the model outside of training: no dropout."""
    model.eval()
    with torch.no_grad():
        record = evaluate(model)
    model.train()
    return record
