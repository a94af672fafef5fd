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

    logits [..., V], target [...]; returns loss []
    """
    total = F.cross_entropy(logits.flatten(0, -2), target.flatten(), ignore_index=PAD, reduction="sum")    # []
    return total / (target != PAD).sum()    # []


def smoothed_loss(logits, target, smoothing):
    """`token_loss` of a target that is not quite sure: some of it is spread evenly over all words but PAD.

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
    """The peak for four fifths of the updates, then down in a straight line, almost to 0 at the last.

    the first `warmup` updates climb to it in a straight line
    """
    return peak * min(1.0, (step + 1) / max(1, warmup), (updates - step) / (updates / 5))


def paper_rate(step, warmup, peak):
    """A straight line up to the peak, then down with the root of the updates; it never ends.

    the paper's own peak is (width * warmup) ** -0.5
    Vaswani et al. 2017, section 5.3
    """
    return peak * min((step + 1) / warmup, (warmup / (step + 1)) ** 0.5)


@dataclass(frozen=True)
class Settings:
    """How a model is trained, beside the model and the pairs; the last four are for chapter 14."""

    updates: int = 2000
    batch_size: int = 64
    peak_rate: float = 4e-3
    clip: float = 1.0               # the longest gradient
    teacher_forcing: float = 1.0
    seed: int = 0
    every: int = 500                # updates from one evaluation and checkpoint to the next
    precision: str = "float32"      # or "bfloat16", "float16" where it is safe
    warmup: int = 0                 # updates until the peak rate is reached
    schedule: str = "line"          # what follows the peak: `learning_rate`; or "root": `paper_rate`
    smoothing: float = 0.0          # share of the target that is spread over all words
    accumulate: int = 1             # parts of a batch that are computed one by one


@dataclass
class Training:
    """A model with all that its training needs to go on where it stopped; history holds one record an update."""

    model: nn.Module
    settings: Settings = Settings()
    vocabulary: str = ""            # fingerprint: a checkpoint of other words is refused
    history: list = field(default_factory=list)

    def __post_init__(self):
        self.device = next(self.model.parameters()).device
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=self.settings.peak_rate, fused=True)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.settings.precision == "float16")


def batch_loss(model, batch, settings):
    """Mean loss of the real words of a batch; pads are left out before the generator: it is the dearest layer."""
    kind = getattr(torch, settings.precision)
    with torch.autocast(batch.source.device.type, kind, enabled=kind != torch.float32):
        states = model.states(
            batch.source, batch.source_lengths, batch.target_in, settings.teacher_forcing)    # [B, T, D]
        real = batch.target_out != PAD               # [B, T]
        logits = model.generator(states[real])       # [N, V]
    if settings.smoothing:
        return smoothed_loss(logits.float(), batch.target_out[real], settings.smoothing)    # []
    return token_loss(logits.float(), batch.target_out[real])    # []


def update(training, batch):
    """One step against the gradient of one batch; returns its record: loss, gradient norm and learning rate."""
    settings, model, optimizer, scaler = training.settings, training.model, training.optimizer, training.scaler
    step, loss, words = len(training.history), 0.0, (batch.target_out != PAD).sum()
    rate = optimizer.param_groups[0]["lr"] = rate_at(step, settings)
    optimizer.zero_grad()
    for part in batch.parts(settings.accumulate):
        # a part counts by its words: the sum is the mean over all words of the batch
        share = batch_loss(model, part, settings) * (part.target_out != PAD).sum() / words    # []
        scaler.scale(share).backward()
        loss += share.item()
    scaler.unscale_(optimizer)    # before clipping: the limit is meant for the true gradient
    norm = nn.utils.clip_grad_norm_(model.parameters(), settings.clip).item()
    # the scaler of float16 skips an update whose gradient is too large
    if not math.isfinite(loss) or not (math.isfinite(norm) or scaler.is_enabled()):
        raise ArithmeticError(f"update {step + 1} has the loss {loss} and the gradient norm {norm}: the training "
                              "stops, the last checkpoint is kept; a smaller learning rate may help")
    scaler.step(optimizer)
    scaler.update()
    return {"loss": loss, "norm": norm, "rate": rate}


def rate_at(step, settings):
    """The learning rate of an update, by the schedule of the settings."""
    if settings.schedule == "root":
        return paper_rate(step, settings.warmup, settings.peak_rate)
    return learning_rate(step, settings.updates, settings.peak_rate, settings.warmup)


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
