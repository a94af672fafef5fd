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
from softdict.saving.checkpoint import groups_of, load, save
from softdict.vocab import BOS, EOS, PAD


def token_loss(logits, target):
    """Cross-entropy: the mean over the real words of -log p(word).

    pads are neither summed nor counted
    logits [..., V], target [...]; returns loss []
    """
    total = F.cross_entropy(logits.flatten(0, -2), target.flatten(), ignore_index=PAD,
                            reduction="sum")    # []
    return total / (target != PAD).sum()        # []


def smoothed_loss(logits, target, smoothing, pad=PAD):
    """`token_loss` with label smoothing: a target that is not quite sure.

    some of the target is spread equally over all words; a pad among them gets nothing
    logits [..., V], target [...]; smoothing is the share to spread; returns loss []
    Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4
    """
    real = target != pad                                             # [...]
    logs = logits.log_softmax(dim=-1)                                # [..., V]
    chosen = logs.gather(-1, (target * real)[..., None])[..., 0]     # [...]
    spread, words = logs.sum(dim=-1), logs.shape[-1]
    if 0 <= pad < words:
        spread, words = spread - logs[..., pad], words - 1
    loss = -(1 - smoothing) * chosen - smoothing * (spread / words)  # [...]
    return (loss * real).sum() / real.sum().clamp(min=1)             # []


def cross_entropy(logits, target, smoothing=0.0, pad=PAD):
    """The loss of every training here: `token_loss`, or with smoothing `smoothed_loss`.

    computed in float32 at least; 0 where no word is real, as in a part of a batch
    logits [..., V], target [...], which is `pad` where there is no word
    returns loss []
    """
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    if smoothing:
        return smoothed_loss(logits, target, smoothing, pad)
    total = F.cross_entropy(logits.flatten(0, -2), target.flatten(), ignore_index=pad,
                            reduction="sum")                         # []
    return total / (target != pad).sum().clamp(min=1)                # []


def wsd(step, updates, peak, warmup=0):
    """The peak for four fifths of the updates, then linear decay, almost to 0.

    the first `warmup` updates climb to it in a straight line
    """
    decay = (updates - step) / (updates / 5)
    return peak * min(1.0, (step + 1) / max(1, warmup), decay)


def inverse_sqrt(step, warmup, peak):
    """Linear warm-up to the peak, then decay with the inverse root; it never ends.

    the paper's own peak is (width * warmup) ** -0.5
    Vaswani et al. 2017, section 5.3
    """
    return peak * min((step + 1) / warmup, (warmup / (step + 1)) ** 0.5)


def cosine_decay(step, updates, peak, warmup=0):
    """Linear warm-up to the peak, then decay along half a cosine, almost to 0.

    Loshchilov and Hutter 2017, section 3
    """
    down = max(0, step - warmup) / max(1, updates - warmup)
    return peak * min((step + 1) / max(1, warmup), (1 + math.cos(math.pi * down)) / 2)


def fit(model, pairs, updates, peak_rate, batch_size=64, seed=0,
        watch=lambda step: None):
    """Trains a model on pairs (source ids, target ids); returns each update's loss.

    watch(step) is called after each update
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
                rate = wsd(len(losses), updates, peak_rate)
                optimizer.param_groups[0]["lr"] = rate
                optimizer.step()
                losses.append(loss.item())
                bar.update()
                watch(len(losses))
            epoch += 1
    return losses


# A training that can be stopped and goes on


PRECISIONS = ("float32", "bfloat16", "float16")
SCHEDULES = ("wsd", "inverse_sqrt", "cosine")


@dataclass(frozen=True)
class Settings:
    """All choices of a training, except model and pairs; the last four are extras.

    raises ValueError for a value with which no training could run
    """

    updates: int = 2000
    batch_size: int = 64
    peak_rate: float = 4e-3
    clip: float = 1.0               # the longest gradient
    seed: int = 0
    interval: int = 500             # updates from one checkpoint to the next
    precision: str = "float32"      # or mixed: "bfloat16", "float16" where it is safe
    warmup: int = 0                 # updates until the peak rate is reached
    schedule: str = "wsd"           # or "inverse_sqrt", "cosine"
    smoothing: float = 0.0          # label smoothing
    micro_batches: int = 1          # parts of a batch that are computed one by one

    def __post_init__(self):
        for name in ("updates", "batch_size", "interval", "micro_batches"):
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
        if self.warmup < (self.schedule == "inverse_sqrt"):
            raise ValueError("warmup must be 0 or more, and 1 or more with the "
                             f"schedule inverse_sqrt; got {self.warmup}")
        if not 0 <= self.smoothing < 1:
            raise ValueError("smoothing must be at least 0 and below 1; "
                             f"got {self.smoothing}")


@dataclass
class TrainingState:
    """A model with all that its training needs to go on where it stopped.

    history holds one record for each update
    each update sets every group's rate: the schedule's rate, times the group's first
    rate, divided by the peak rate
    raises ValueError if the optimizer lacks a weight that can learn, or if no group has
    the peak rate
    """

    model: nn.Module
    settings: Settings = Settings()
    vocab_fingerprint: str = ""    # a checkpoint of other words is refused
    history: list = field(default_factory=list)
    optimizer: torch.optim.Optimizer = None    # Adam, if there is no other

    def __post_init__(self):
        self.device = next(self.model.parameters()).device
        if self.optimizer is None:
            self.optimizer = torch.optim.Adam(self.model.parameters(), fused=True,
                                              lr=self.settings.peak_rate)
        held = {weight for group in self.optimizer.param_groups
                for weight in group["params"]}
        if lost := [name for name, weight in self.model.named_parameters()
                    if weight.requires_grad and weight not in held]:
            raise ValueError(
                f"no group of the optimizer has {', '.join(lost[:9])}, which would "
                "never learn; put them into one, or freeze them by "
                "requires_grad_(False)")
        peak = self.settings.peak_rate
        if peak not in [group["lr"] for group in self.optimizer.param_groups]:
            raise ValueError("no group of the optimizer has the peak rate of the "
                             f"settings, {peak}: give it lr={peak}")
        self.asked = False    # by `check_end`
        rate_multipliers(self)
        groups_of(self)    # what no checkpoint can hold is refused now
        self.scaler = torch.amp.GradScaler(
            self.device.type, enabled=self.settings.precision == "float16")


def rate_multipliers(state):
    """The factor by which each group of the optimizer multiplies an update's rate.

    a group's own rate divided by the peak rate, as both were at first
    """
    peak = state.settings.peak_rate
    return [group.setdefault("factor", group["lr"] / peak)
            for group in state.optimizer.param_groups]


def batch_loss(model, batch, settings):
    """Mean loss of the real words of a batch.

    EOS is a real word: without it no model learns to end
    pads are left out before the generator, which is the most expensive layer
    """
    states = model.states(
        batch.source, batch.source_lengths, batch.target_in)             # [B, T, D]
    real = batch.target_out != PAD                                       # [B, T]
    logits = model.generator(states[real])                               # [N, V]
    return cross_entropy(logits, batch.target_out[real], settings.smoothing)    # []


def update(state, batch, loss=batch_loss):
    """One step against the gradient of a batch; returns loss, gradient norm, rate.

    raises ValueError for a loss with which no translation would learn to end
    """
    check_end(state, batch, loss)
    return take_step(state, backward(state, batch, loss))


def check_end(state, batch, loss):
    """Refuses by ValueError a loss with which no translation would learn to end.

    the loss is tested once, before the first update, also where a training goes on: at
    equal scores a step must raise EOS more than BOS, which is never a target
    a batch without an EOS, and a model without a generator, are not tested
    """
    generator, even = getattr(state.model, "generator", None), []
    target = getattr(batch, "target_out", None)    # rows of a text have none
    if (loss is batch_loss or state.asked or generator is None or target is None
            or not (target == EOS).any()):
        return

    def equal(module, given, scores):
        even.append(torch.zeros_like(scores).requires_grad_())
        return even[-1]

    handle = generator.register_forward_hook(equal)
    try:
        # dropout uses random numbers; afterwards the random state must be as before
        with torch.random.fork_rng([state.device] * (state.device.type == "cuda")):
            part = next(iter(batch.parts(state.settings.micro_batches)))
            loss(state.model, part, state.settings).backward()
    finally:
        handle.remove()
    # scores that were only used to choose random words have no gradient
    slopes = [scores.grad.flatten(0, -2).sum(dim=0) for scores in even
              if scores.grad is not None]
    if slopes and not sum(slopes)[EOS] < sum(slopes)[BOS]:
        raise ValueError("the loss does not fall where the end of sentence becomes "
                         "likelier: give EOS its share of the target, or no "
                         "translation learns to end")
    state.asked = True


def backward(state, batch, loss=batch_loss):
    """Computes the gradients of the mean loss of a batch's words; returns that loss.

    loss(model, part, settings) gives a part's mean; a batch has `words`, its number of
    words, and `parts(count)`; each part has `words`, too
    """
    settings, total = state.settings, 0.0
    kind = getattr(torch, settings.precision)
    state.optimizer.zero_grad()
    for part in batch.parts(settings.micro_batches):
        # weighted by words, the parts' means add up to the mean of the whole batch
        share = part.words / batch.words                                 # []
        with torch.autocast(state.device.type, kind, enabled=kind != torch.float32):
            part_loss = loss(state.model, part, settings) * share     # []
        state.scaler.scale(part_loss).backward()
        total += part_loss.item()
    return total


def take_step(state, loss):
    """The step of an update whose gradients are there; returns its record.

    raises ArithmeticError where loss or gradient are no numbers
    """
    settings, step = state.settings, len(state.history)
    optimizer, scaler = state.optimizer, state.scaler
    rate = rate_at(step, settings)
    for group, factor in zip(optimizer.param_groups, rate_multipliers(state)):
        group["lr"] = rate * factor
    weights = [part for group in optimizer.param_groups for part in group["params"]]
    scaler.unscale_(optimizer)    # before clipping: the limit is for the true gradient
    norm = nn.utils.clip_grad_norm_(weights, settings.clip).item()
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
    updates, warmup, peak = settings.updates, settings.warmup, settings.peak_rate
    return {"wsd": lambda: wsd(step, updates, peak, warmup),
            "inverse_sqrt": lambda: inverse_sqrt(step, warmup, peak),
            "cosine": lambda: cosine_decay(step, updates, peak, warmup)
            }[settings.schedule]()


def endless_batches(pairs, settings, done=0):
    """The batches after the first `done` batches, epoch after epoch, without an end."""
    epoch, done = divmod(done, math.ceil(len(pairs) / settings.batch_size))
    while True:
        yield from epoch_batches(pairs, settings.batch_size, settings.seed,
                                 epoch)[done:]
        epoch, done = epoch + 1, 0


def train(state, pairs, evaluate=None, path=None, update=update):
    """Trains on pairs (source ids, target ids) to the last update; returns the history.

    goes on from the checkpoint at `path` if there is one; see `train_on`
    raises ValueError for no pairs, and for a checkpoint that does not fit
    """
    if not pairs:
        raise ValueError("there are no pairs to train on")
    if path and Path(path).exists():
        load(state, path)
    batches = endless_batches(pairs, state.settings, len(state.history))
    return train_on(state, batches, evaluate, path, update)


def train_on(state, batches, evaluate=None, path=None, update=update):
    """The updates that are left, each on the next of the batches; returns the history.

    every `interval` updates, and at the end, the dict from evaluate(model) joins the
    update's record, and a checkpoint is written to `path`
    update(state, batch) does one update
    """
    settings, history = state.settings, state.history
    state.model.train()
    with tqdm(total=settings.updates, initial=len(history), desc=str(state.device),
              unit="update", mininterval=1) as bar:
        while len(history) < settings.updates:
            # chance depends on seed and update alone: the same after an interruption
            runtime.seed(settings.seed * 1_000_003 + len(history))
            history.append(update(state, next(batches).to(state.device)))
            bar.update()
            bar.set_postfix(loss=f"{history[-1]['loss']:.3f}", refresh=False)
            done = len(history)
            if done % settings.interval == 0 or done == settings.updates:
                if evaluate:
                    history[-1] |= evaluation(state.model, evaluate)
                if path:
                    save(state, path)
    return history


def evaluation(model, evaluate):
    """What evaluate(model) says of the model outside of training: no dropout."""
    model.eval()
    with torch.no_grad():
        record = evaluate(model)
    model.train()
    return record
