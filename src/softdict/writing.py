"""Language models and text: a training on any text, and going on from a text. A model
is a folder as in `pretrained`, and beside it

    tokenizer.json       what cuts text, as the library tokenizers writes it
    history.jsonl        of a training here: a record an update
    curves.svg           a picture of them
    run.toml             the flags that repeat it
"""

import codecs
import hashlib
import json
import math
import sys
import tempfile
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models
from tqdm import tqdm

from softdict import runtime
from softdict.decoder_only import (
    LLAMA, DecoderOnly, DecoderOnlyConfig, generate, stream)
from softdict.files import alone, write_whole
from softdict.flags import write_run
from softdict.folder import (
    CONFIG, CURVES, HISTORY, OPTIONS, UNFINISHED, curves, is_number)
from softdict.pieces import BYTES, TextStream, train_subwords
from softdict.pretrained import PARTS, load_library, read_json, save_library
from softdict.resume import check_folder, remove, resume
from softdict.sampling import next_word
from softdict.stopping import BEST, best_in, checked_metric, evaluator
from softdict.training import Settings, TrainingState, cross_entropy, train_on, update
from softdict.wording import plural, short

TOKENIZER = "tokenizer.json"

# Texts


BLOCK = 2 ** 22     # bytes that are read at once
SAMPLE = 2 ** 23    # bytes, at most, that pieces are learned from
CHARACTERS = 5000   # at most; what is rarer is written as bytes
NONE = -100         # where there is no next word; as in F.cross_entropy


def scan(path):
    """How often each character stands in a UTF-8 text of any size, where the text
    begins and ends in the file, and its digest.

    returns counts by code point, (first byte, last byte) and a short text
    raises ValueError, with one sentence, for what is no text
    """
    path, counts = Path(path), np.zeros(0x110000, dtype=np.int64)
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is a folder or a device; a text file is needed")
    decoder, digest = codecs.getincrementaldecoder("utf-8")(), hashlib.sha256()
    line, begin, size = 1, 0, 0
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            if not size and block.startswith(codecs.BOM_UTF8):
                begin, block = 3, block[3:]
                size = 3
            try:
                text = decoder.decode(block)
            except UnicodeDecodeError as error:
                line += error.object[:error.start].count(b"\n")
                raise ValueError(f"{path.name}, line {line}: this is not UTF-8; save "
                                 "the file as UTF-8") from None
            if "\0" in text:
                line += text[:text.index("\0")].count("\n")
                raise ValueError(f"{path.name}, line {line}: a zero byte; this is no "
                                 "text")
            line += text.count("\n")
            size += len(block)
            digest.update(block)
            codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
            counts += np.bincount(codes, minlength=len(counts))
    if decoder.getstate()[0]:
        raise ValueError(f"{path.name}, line {line}: the text ends inside a character; "
                         "it is cut short, or not UTF-8")
    return counts, (begin, size), digest.hexdigest()[:16]


def characters(counts):
    """A tokenizer whose pieces are the characters that stand in a text twice or more;
    any other is written as its bytes."""
    common = np.argsort(-counts, kind="stable")[:CHARACTERS]
    pieces = [chr(code) for code in common if counts[code] > 1]
    tokenizer = Tokenizer(models.BPE(
        {piece: number for number, piece in enumerate([*pieces, *BYTES])}, [],
        byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer


def parts_of(path, begin, end):
    """Texts of at most 10,000 characters, from the whole file or from places evenly
    spread over it."""
    count = 64 if end - begin > SAMPLE else 1
    with open(path, "rb") as file:
        for number in range(count):
            start = begin + (end - begin) * number // count
            text = read(file, start, min(end, start + SAMPLE // count))
            yield from (text[at:at + 10_000] for at in range(0, len(text), 10_000))


def read(file, start, end):
    """The text between two bytes of a file; a character that is cut is left out."""
    file.seek(start)
    return file.read(end - start).decode("utf-8", "ignore")


def windows(file, tokenizer, starts, end, length):
    """Pieces of a text from each of the places, and the piece behind each of them.

    returns ids [B, T] and targets [B, T], where NONE has no piece
    """
    # a character has at most four bytes, a piece seldom more than eight
    texts = [read(file, start, min(end, start + 8 * (length + 1))) for start in starts]
    ids = torch.zeros(len(texts), length, dtype=torch.long)    # [B, T]
    targets = torch.full_like(ids, NONE)                       # [B, T]
    for row, cut in enumerate(tokenizer.encode_batch(texts, add_special_tokens=False)):
        known = torch.tensor(cut.ids[:length + 1], dtype=torch.long)
        last = max(0, len(known) - 1)
        ids[row, :last], targets[row, :last] = known[:last], known[1:]
    return ids, targets


# Training


@dataclass(frozen=True)
class Preset:
    """Sizes and Settings of a training on text."""

    sizes: dict
    settings: Settings


PRESETS = {
    # one megabyte in some three minutes on two cores
    "small": Preset({"width": 128, "heads": 4, "kv_heads": 2, "layers": 4,
                     "hidden": 352, "longest": 128},
                    Settings(updates=1000, batch_size=16, peak_rate=3e-3, warmup=50,
                             interval=100)),
    "gpu": Preset({"width": 384, "heads": 6, "kv_heads": 6, "layers": 6,
                   "hidden": 1024, "longest": 256, "dropout": 0.2},
                  Settings(updates=5000, batch_size=64, peak_rate=1e-3, warmup=100,
                           interval=250, precision="bfloat16"))}
LIMITS = OPTIONS | {"kv_heads": OPTIONS["heads"], "longest": (int, 1, 10 ** 6)}
CHECKED = 64      # windows of the validation
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


def text_update(training, batch):
    """One update of `train_on` with the next pieces of a TextBatch."""
    return update(training, batch, lambda model, part, settings: language_loss(
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
               metric=None, run=None, **changes):
    """Trains a language model on a text file and keeps it in a folder.

    model is llama or gpt2, the parts; pieces the number of pieces of words, None for
    characters; sizes and changes are what differs from the preset: other heads than
    its own have keys of their own, as long as kv_heads does not say otherwise
    its last twentieth is for validation; say(sentence) is told how it goes
    patience and metric, which can be the loss alone: see `stopping.evaluator`
    run: the flags that `write_run` keeps in the folder
    an interrupted training goes on from its last checkpoint
    raises ValueError, with one sentence, for what is no text or does not fit, or for
    a folder on which another process is at work
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
    if size - begin < 40 * config.longest:
        raise ValueError(f"{Path(text).name} has {size - begin} bytes: too few for "
                         f"windows of {config.longest} pieces; it takes "
                         f"{40 * config.longest} or more, or a smaller --longest")
    learned_from = hashlib.sha256((tokenizer.to_str() + digest).encode())
    state = TrainingState(DecoderOnly(config).to(runtime.device()), settings,
                          learned_from.hexdigest()[:16])
    say(f"{plural(int(counts.sum()), 'character')} of text, "
        f"{config.vocabulary} different {'pieces' if pieces else 'ones, bytes too'}")
    folder.mkdir(parents=True, exist_ok=True)
    # refused now and not in an hour; hidden, so that `check_folder` sees no other file
    tempfile.TemporaryFile(dir=folder, prefix=".").close()
    with alone(folder / UNFINISHED), open(text, "rb") as file:
        resume(state, folder, "text", "another text", metric, say)
        if run:
            write_run(folder, run, settings, {})
        with best_in(folder, state, metric):
            learn(state, file, (begin, edge, size), tokenizer, folder, say, patience,
                  metric)
        lines = "".join(json.dumps(record) + "\n" for record in state.history)
        write_whole(folder / HISTORY, lines.encode("utf-8"))
        write_whole(folder / CURVES, curves(state.history))
        write_whole(folder / TOKENIZER, tokenizer.to_str(pretty=True).encode("utf-8"))
        save_library(state.model.eval(), folder)
        remove(folder, UNFINISHED, *BEST.values())


def sized(model, vocabulary, sizes):
    """The Config of a language model of a family, tied, with these sizes.

    raises ValueError for one that is far from any model, such as a mistyped one
    """
    for name, value in sizes.items():
        kind, least, most = LIMITS[name]
        if not is_number(value, kind, least, most):
            raise ValueError(f"{name} must be a number from {least} to {most}, not "
                             f"{short(value)}")
    parts = (LLAMA if model == "llama" else {"kv_heads": sizes["heads"]}) | {
        "tied": True}
    return DecoderOnlyConfig(vocabulary, **sizes | parts)


def text_batches(file, tokenizer, begin, edge, size, length):
    """Batches of `size` windows at places that chance draws, without an end."""
    while True:
        starts = torch.randint(begin, max(begin + 1, edge - length), (size,)).tolist()
        yield TextBatch(*windows(file, tokenizer, starts, edge, length))


def learn(state, file, edges, tokenizer, folder, say, patience, metric):
    """The updates that are left; now and then a checkpoint, and a sample is said."""
    length, (begin, edge, end) = state.model.config.longest, edges
    places = torch.linspace(edge, max(edge, end - length), CHECKED).long().tolist()
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


# Writing


@dataclass(frozen=True)
class Writer:
    """A language model with what cuts its text, and the ids that end a text."""

    model: DecoderOnly
    tokenizer: Tokenizer
    eos_ids: tuple

    def write(self, text, count=200, temperature=0.8, **options):
        """The text and what the model writes behind it: the parts of `stream`."""
        return "".join(self.stream(text, count, temperature, **options))

    def stream(self, text, count=200, temperature=0.8, top_k=None, top_p=None,
               min_p=None, seed=None):
        """Yields the text, then part by part what the model writes behind it.

        it writes `count` pieces at most; temperature, top_k, top_p and min_p are those
        of `next_word`; seed None draws anew each time
        raises ValueError, with one sentence, for a text that cannot be read, and as
        `next_word` does
        """
        ids = self.ids(text)
        if not ids:
            raise ValueError("the text is empty: there is nothing to go on from")
        if max(ids) >= self.model.config.vocabulary:
            raise ValueError(f"{TOKENIZER} makes a piece with the number {max(ids)}; "
                             f"the model knows {self.model.config.vocabulary}")
        rng = torch.Generator(self.model.embedding.weight.device)
        rng.seed() if seed is None else rng.manual_seed(seed)
        choose = partial(next_word, temperature=temperature, top_k=top_k, top_p=top_p,
                         min_p=min_p, rng=rng)
        part, behind = text, TextStream(self.tokenizer, ids)
        for chosen in stream(self.model, [ids], count, choose):
            if chosen.item() in self.eos_ids:
                break
            part += behind.add(chosen.item())
            if part:
                yield part
                part = ""
        yield part + behind.rest()

    def ids(self, text):
        """The ids of the pieces of a text; ValueError where a character has none."""
        normalizer = self.tokenizer.normalizer
        try:
            ids = self.tokenizer.encode(text).ids
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:    # the library raises nothing narrower
            raise ValueError(f"{TOKENIZER} cannot cut this text ({short(str(error))})"
                             ) from None
        meant = normalizer.normalize_str(text) if normalizer else text
        read = self.tokenizer.decode(ids, skip_special_tokens=False)
        lost = [repr(letter) for letter in dict.fromkeys(text)
                if letter in meant and letter not in read and letter.strip()]
        if lost:
            raise ValueError(f"{TOKENIZER} has no piece for {', '.join(lost[:9])}; "
                             "leave such characters out")
        return ids


def load_writer(folder, device=None):
    """The Writer of a folder: one that `train_text` made, or one of the library's with
    its tokenizer.json.

    raises ValueError, with one sentence, for a folder that holds none
    """
    folder = Path(folder)
    model = load_library(folder)
    unfit = f"{folder} holds no language model that can be used: {TOKENIZER}"
    if not (folder / TOKENIZER).is_file():
        raise ValueError(f"{unfit}, which cuts text for it, is missing")
    try:
        tokenizer = Tokenizer.from_str((folder / TOKENIZER).read_text("utf-8"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        known = max(tokenizer.get_vocab().values(), default=-1) + 1
    except OSError:
        raise
    except Exception as error:    # the library raises nothing narrower
        raise ValueError(f"{unfit} is damaged ({short(str(error))})") from None
    if not 0 < known <= model.config.vocabulary:
        raise ValueError(f"{unfit} has {known} pieces, and the model "
                         f"{model.config.vocabulary}")
    return Writer(model.to(device or "cpu"), tokenizer, ends_of(folder))


def ends_of(folder):
    """The ids that end a text, by the library's files."""
    for name in ("generation_config.json", CONFIG):
        if (folder / name).is_file():
            eos_ids = read_json(folder / name).get("eos_token_id")
            eos_ids = eos_ids if isinstance(eos_ids, list) else [eos_ids]
            eos_ids = tuple(end for end in eos_ids if is_number(end, int, 0, 10 ** 9))
            if eos_ids:
                return eos_ids
    return ()
