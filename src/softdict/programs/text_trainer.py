"""Trains a language model on any text, and keeps it in a folder. It is a folder as in
`saving.hf_format`, and beside it

    tokenizer.json       what cuts text, as the library tokenizers writes it
    history.jsonl        a record an update
    curves.svg           a picture of them
    run.toml             the flags that repeat it
"""

import hashlib
import json
import math
import sys
import tempfile
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import torch
from tqdm import tqdm

from softdict import runtime
from softdict.decoder_only import LLAMA, DecoderOnly, DecoderOnlyConfig, generate
from softdict.programs.flags import write_run
from softdict.programs.resume import check_folder, remove, resume
from softdict.programs.stopping import BEST, best_in, checked_metric, evaluator
from softdict.sampling import next_word
from softdict.saving.folder import (
    CURVES, HISTORY, OPTIONS, UNFINISHED, curves, is_number)
from softdict.saving.hf_format import PARTS, TOKENIZER, content_of, save_library
from softdict.subwords import train_subwords
from softdict.texts.files import alone, write_whole
from softdict.texts.long_text import NONE, characters, parts_of, scan, windows
from softdict.texts.wording import plural, short
from softdict.training import Settings, TrainingState, cross_entropy, train_on, update

@dataclass(frozen=True)
class Preset:
    """Sizes and Settings of a training on text."""

    sizes: dict
    settings: Settings


PRESETS = {
    # one megabyte in some three minutes on two cores
    "small": Preset({"width": 128, "heads": 4, "kv_heads": 2, "layers": 4,
                     "hidden": 352, "context_length": 128},
                    Settings(updates=1000, batch_size=16, peak_rate=3e-3, warmup=50,
                             interval=100)),
    "gpu": Preset({"width": 384, "heads": 6, "kv_heads": 6, "layers": 6,
                   "hidden": 1024, "context_length": 256, "dropout": 0.2},
                  Settings(updates=5000, batch_size=64, peak_rate=1e-3, warmup=100,
                           interval=250, precision="bfloat16"))}
LIMITS = OPTIONS | {"kv_heads": OPTIONS["heads"], "context_length": (int, 1, 10 ** 6)}
VALIDATED = 64      # windows of the validation
SHOWN = 200       # pieces of a sample


@dataclass(frozen=True)
class TextBatch:
    """Windows of an update: ids [B, T], and the piece behind each, targets [B, T]."""

    ids: torch.Tensor
    targets: torch.Tensor    # NONE has no piece

    @property
    def words(self):
        """How many pieces have one behind them: []."""
        return (self.targets != NONE).sum()

    def to(self, device):
        """The same batch on another device."""
        return TextBatch(self.ids.to(device), self.targets.to(device))

    def parts(self, count):
        """The same windows as at most `count` smaller batches."""
        return map(TextBatch, self.ids.chunk(count), self.targets.chunk(count))


def language_loss(model, batch, smoothing=0.0):
    """Mean of -log p of each next piece of a TextBatch; returns loss []."""
    logits = model(batch.ids)                                        # [B, T, V]
    return cross_entropy(logits, batch.targets, smoothing, NONE)     # []


def text_update(state, batch):
    """One update of `train_on` with the next pieces of a TextBatch."""
    return update(state, batch, lambda model, part, settings: language_loss(
        model, part, settings.smoothing))


@torch.no_grad()
def validate(model, batch, tokenizer):
    """Validation loss a piece, and bits a character, which compares any pieces."""
    device = model.embedding.weight.device
    count = math.ceil(len(batch.ids) / 16)
    loss = sum(language_loss(model, part.to(device)).item() * part.words.item()
               for part in batch.parts(count))
    letters = sum(len(tokenizer.decode(row[row != NONE].tolist()))
                  for row in batch.targets)
    return {"validation loss": loss / batch.words.item(),
            "bits a character": loss / math.log(2) / max(1, letters)}


def train_text(text, out, model="llama", pieces=None, preset="small", seed=0,
               sizes=None, say=partial(print, file=sys.stderr), patience=0,
               metric=None, flags=None, **changes):
    """Trains a language model on a text file and keeps it in a folder.

    model is llama or gpt2, the parts; pieces the number of pieces of words, None for
    characters; sizes and changes are what differs from the preset: other heads than
    its own have keys of their own, as long as kv_heads does not say otherwise
    its last twentieth is for validation; say(sentence) is told how it goes
    patience and metric, which can be the loss alone: see `stopping.evaluator`
    flags: those that `write_run` keeps in the folder
    an interrupted training goes on from its last checkpoint
    raises ValueError, with one sentence, for what is no text or does not fit, for a
    folder on which another process is at work, or in the end for a model that the
    folder cannot hold: its last checkpoint is kept
    """
    if model not in PARTS or preset not in PRESETS:
        raise ValueError(f"a language model is one of {', '.join(PARTS)}, with the "
                         f"sizes of {' or '.join(PRESETS)}; got {model!r}, {preset!r}")
    folder, chosen = Path(out), PRESETS[preset]
    check_folder(folder)
    if (metric := checked_metric(patience, metric)) not in (None, "loss"):
        raise ValueError("a language model is chosen by its loss: with --text --metric "
                         f"is loss, not {metric}")
    settings = replace(chosen.settings, seed=seed, **changes)
    counts, (begin, size), digest = scan(text)
    edge = size - max((size - begin) // 20, 1)    # what stands behind it is validation
    tokenizer = (train_subwords(parts_of(text, begin, edge), pieces).tokenizer if pieces
                 else characters(counts))
    runtime.seed(seed)
    sizes = sizes or {}
    if sizes.get("heads", chosen.sizes["heads"]) != chosen.sizes["heads"]:
        sizes = {"kv_heads": sizes["heads"]} | sizes
    config = sized(model, tokenizer.get_vocab_size(), chosen.sizes | sizes)
    if size - begin < 40 * config.context_length:
        raise ValueError(f"{Path(text).name} has {size - begin} bytes: too few for "
                         f"windows of {config.context_length} pieces; it takes "
                         f"{40 * config.context_length} or more, or a smaller "
                         "--context-length")
    learned_from = hashlib.sha256((tokenizer.to_str() + digest).encode())
    state = TrainingState(DecoderOnly(config).to(runtime.device()), settings,
                          learned_from.hexdigest()[:16])
    state.model.start()    # refuses one that could not write as it learns
    try:
        content_of(state.model)
    except ValueError as error:    # its training is of use all the same
        say(f"No other program will load what is trained now: {error}")
    say(f"{plural(int(counts.sum()), 'character')} of text, "
        f"{config.vocab_size} different {'pieces' if pieces else 'ones, bytes too'}")
    folder.mkdir(parents=True, exist_ok=True)
    # refused now and not in an hour; hidden, so that `check_folder` sees no other file
    tempfile.TemporaryFile(dir=folder, prefix=".").close()
    with alone(folder / UNFINISHED), open(text, "rb") as file:
        resume(state, folder, "text", "another text", metric, say)
        if flags:
            write_run(folder, flags, settings, {})
        with best_in(folder, state, metric):
            learn(state, file, (begin, edge, size), tokenizer, folder, say, patience,
                  metric)
        lines = "".join(json.dumps(record) + "\n" for record in state.history)
        write_whole(folder / HISTORY, lines.encode("utf-8"))
        write_whole(folder / CURVES, curves(state.history))
        write_whole(folder / TOKENIZER, tokenizer.to_str(pretty=True).encode("utf-8"))
        try:
            save_library(state.model.eval(), folder)
        except ValueError as error:
            path = folder / (BEST[metric] if metric else UNFINISHED)
            raise ValueError(f"{error}; its weights are kept in {path}, from which "
                             "softdict.saving.checkpoint.load_model takes them"
                             ) from None
        remove(folder, UNFINISHED, *BEST.values())


def sized(model, vocab_size, sizes):
    """The DecoderOnlyConfig of a language model of a family, tied, with these sizes.

    raises ValueError for one that is far from any model, such as a mistyped one
    """
    for name, value in sizes.items():
        kind, least, most = LIMITS[name]
        if not is_number(value, kind, least, most):
            raise ValueError(f"{name} must be a number from {least} to {most}, not "
                             f"{short(value)}")
    parts = (LLAMA if model == "llama" else {"kv_heads": sizes["heads"]}) | {
        "tied": True}
    return DecoderOnlyConfig(vocab_size, **sizes | parts)


def text_batches(file, tokenizer, begin, edge, size, length):
    """Batches of `size` windows at places that chance draws, without an end."""
    while True:
        starts = torch.randint(begin, max(begin + 1, edge - length), (size,)).tolist()
        yield TextBatch(*windows(file, tokenizer, starts, edge, length))


def learn(state, file, edges, tokenizer, folder, say, patience, metric):
    """The updates that are left; now and then a checkpoint, and a sample is said."""
    length, (begin, edge, end) = state.model.config.context_length, edges
    places = torch.linspace(edge, max(edge, end - length), VALIDATED).long().tolist()
    held = TextBatch(*windows(file, tokenizer, places, end, length))

    def measure(model):
        record = validate(model, held, tokenizer)
        with tqdm.external_write_mode():
            say(f"update {len(state.history)}: "
                f"validation loss {record['validation loss']:.3f}, "
                f"{record['bits a character']:.3f} bits a character")
            say(sample_text(model, tokenizer, held.ids[0, :8].tolist()))
        return record

    train_on(state, text_batches(file, tokenizer, begin, edge,
                                 state.settings.batch_size, length),
             evaluator(state, measure, metric and folder / BEST[metric], patience,
                       metric), folder / UNFINISHED, text_update)


def sample_text(model, tokenizer, ids):
    """What the model writes behind ids, with them: a text."""
    rng = torch.Generator(model.embedding.weight.device).manual_seed(0)
    [new] = generate(model, [ids], SHOWN, partial(next_word, temperature=0.8, rng=rng))
    return tokenizer.decode([*ids, *new])
