"""What each rule of decoding writes: a small language model of Multi30k's captions.

`python -m softdict.experiments.captions --data-dir DIR` trains a decoder-only model on
the 29,000 English captions of the training. A window begins with a caption, and behind
each stands another that chance draws. So the model has learned to go on after a full
stop. Its pieces are learned from the same captions. Then each rule writes 80 pieces
behind one beginning, and behind the first three words of 20 captions of `val`. No text
ends before. A rule that draws writes 20 texts with each of three seeds. Of every text
are counted: the share of its runs of four words that it had before, the share of
different words, the share of words that no caption of the training has, and the mean
log p of a piece under the model. `val` itself is counted beside them. It is one model,
trained once: other trainings would write other texts. A stopped training goes on from
its checkpoint with the same command.
"""

import argparse
import datetime
import re
import statistics
import sys
from dataclasses import asdict, dataclass, replace

import torch

from softdict import runtime
from softdict.decoder_only import LLAMA, DecoderOnly, DecoderOnlyConfig, generate
from softdict.decoding import beam_search
from softdict.experiments.real_text import keep
from softdict.experiments.runner import UNFINISHED, hardware, versions
from softdict.sampling import next_word
from softdict.saving.checkpoint import load
from softdict.subwords import train_subwords
from softdict.texts.files import alone
from softdict.texts.real_text import multi30k
from softdict.training import Settings, TrainingState, cross_entropy, train_on, update
from softdict.vocab import SPECIALS, Vocab

NAME = "captions"
VOCAB_SIZE = 2000
DRAWS, SEEDS = 20, (0, 1, 2)    # texts of a rule with each seed
NEW = 80                        # pieces that are written: about five captions
OPTIONS = LLAMA | {"tied": True, "width": 128, "heads": 4, "kv_heads": 4, "layers": 2,
                   "hidden": 256, "context_length": 128, "dropout": 0.0}
SETTINGS = Settings(updates=700, batch_size=16, peak_rate=4e-3, warmup=50, interval=50,
                    schedule="cosine")
BEGINNING = "A man in"
BEAM = 5
RULES = {"temperature .7": {"temperature": 0.7}, "temperature 1": {},
         "temperature 1.5": {"temperature": 1.5}, "top-k 10": {"top_k": 10},
         "top-p .9": {"top_p": 0.9}, "min-p .1": {"min_p": 0.1}}


# The captions and the model


class Captions:
    """The English captions of the training and of `val`, as pieces and as ids."""

    def __init__(self, data_dir, pieces=VOCAB_SIZE):
        self.train, self.val = (
            [" ".join(english.split()) for _, english in multi30k(
                split, "de", "en", data_dir)] for split in ("train", "val"))
        self.pieces = train_subwords(self.train, pieces)
        cut = list(map(self.pieces.tokenize, self.train))
        self.vocab = Vocab(cut)    # the pieces that are left in captions, and no bytes
        self.ids = list(map(self.vocab.ids, cut))
        self.known = {word for caption in self.train for word in words(caption)}

    def read(self, text):
        """The ids of a text."""
        return self.vocab.ids(self.pieces.tokenize(text), "UNK")

    def text(self, ids):
        """The text of ids."""
        return self.pieces.join(self.vocab.tokens(ids))


def words(text):
    """The words of a text, in small letters, without signs."""
    return re.findall(r"[^\W_]+", text.lower())


@dataclass(frozen=True)
class Windows:
    """Windows of an update: ids [B, T], and the piece behind each, targets [B, T]."""

    ids: torch.Tensor
    targets: torch.Tensor

    @property
    def words(self):
        """How many pieces are to be guessed: []."""
        return torch.tensor(self.targets.numel())

    def to(self, device):
        """The same windows on another device."""
        return Windows(self.ids.to(device), self.targets.to(device))

    def parts(self, count):
        """The same windows in at most `count` parts."""
        return map(Windows, self.ids.chunk(count), self.targets.chunk(count))


def window_loss(model, batch, settings):
    """Mean of -log p of each next piece of Windows; returns loss []."""
    return cross_entropy(model(batch.ids), batch.targets, settings.smoothing)    # []


def window_update(state, batch):
    """One update of `train_on` with Windows."""
    return update(state, batch, window_loss)


def text_batches(captions, size, length):
    """Batches of windows, each of captions that chance draws, without an end."""
    while True:
        rows = []
        while len(rows) < size:
            row = []
            while len(row) <= length:
                row += captions[torch.randint(len(captions), ()).item()]
            rows.append(row[:length + 1])
        rows = torch.tensor(rows)    # [B, T]
        yield Windows(rows[:, :-1], rows[:, 1:])


def start(captions, seed=0):
    """The model in training."""
    runtime.seed(seed)
    model = DecoderOnly(DecoderOnlyConfig(len(captions.vocab), **OPTIONS))
    return TrainingState(model.to(runtime.device()), replace(SETTINGS, seed=seed),
                         captions.vocab.fingerprint())


def train(state, captions, path=None):
    """Trains to the last update, from the checkpoint at `path` if there is one."""
    length = state.model.config.context_length
    row = [number for text in captions.val for number in captions.read(text)]
    held = torch.tensor(row[:len(row) // (length + 1) * (length + 1)])
    held = held.unflatten(0, (-1, length + 1)).to(state.device)    # [B, T]

    def evaluate(model):
        batch = Windows(held[:, :-1], held[:, 1:])
        return {"validation loss": window_loss(model, batch, state.settings).item()}

    if path and path.exists():
        load(state, path)
    batches = text_batches(captions.ids, state.settings.batch_size, length)
    return train_on(state, batches, evaluate, path, window_update)


# Writing


class Continued:
    """The language model as a search asks it: a beginning stands for the source."""

    def __init__(self, model):
        self.model = model

    def start(self, source, source_lengths):
        """An empty cache, and the beginnings [B, T], all of one length, to be read."""
        return self.model.start(), source

    def step(self, ids, state):
        """Scores of the next piece, after ids [N]; in the first step, after source."""
        cache, unread = state
        unread = ids[:, None] if unread is None else unread    # [N, T]
        logits = self.model(unread, cache=cache)[:, -1]        # [N, V]
        return spoken(logits), (cache, None)

    def reorder(self, state, chosen):
        """The rows `chosen` [M] of a state, in this order: one for each text."""
        cache, unread = state
        return (cache.reorder(chosen),
                None if unread is None else unread[chosen])


def spoken(logits):
    """The same scores [..., V] without the special words, which no caption has."""
    specials = torch.arange(logits.shape[-1], device=logits.device) < len(SPECIALS)
    return logits.masked_fill(specials, float("-inf"))


def searched(model, beginnings, beam_size, count):
    """The new pieces of each beginning: `count` ids, the best that a beam has."""
    device, found = model.embedding.weight.device, []
    for ids in beginnings:
        [[best, *_]] = beam_search(Continued(model), torch.tensor([ids], device=device),
                                   torch.tensor([len(ids)]), beam_size,
                                   max_length=count)
        found.append(best.ids)
    return found


def drawn(model, beginnings, count, seed, **rule):
    """The new pieces of each beginning: `count` ids, drawn by a rule."""
    rng = torch.Generator(model.embedding.weight.device).manual_seed(seed)
    return generate(model, beginnings, count,
                    lambda logits: next_word(spoken(logits), rng=rng, **rule))


# Counting


@torch.no_grad()
def log_p(model, beginning, new):
    """Mean log p of new pieces behind a beginning, in one pass."""
    ids = torch.tensor([[*beginning, *new]], device=model.embedding.weight.device)
    logs = spoken(model(ids)[0, len(beginning) - 1:-1]).log_softmax(dim=-1)    # [T, V]
    return logs.gather(-1, ids[0, len(beginning):, None]).mean().item()


def repeated(text, size=4):
    """The share of a text's runs of four words that stand in it before."""
    told = words(text)
    runs = list(zip(*(told[n:] for n in range(size))))
    return 1 - len(set(runs)) / len(runs) if runs else 0.0


def counted(model, captions, beginnings, texts):
    """The means of what is counted in texts, each behind its beginning; all are ids."""
    rows = []
    for beginning, new in zip(beginnings, texts):
        text = captions.text([*beginning, *new])
        told = words(text)
        rows.append({
            "repeated": repeated(text), "words": len(told),
            "different": len(set(told)) / len(told),
            "unknown": sum(word not in captions.known for word in told) / len(told),
            "log p": log_p(model, beginning, new)})
    return {key: statistics.mean(row[key] for row in rows) for key in rows[0]}


def of_val(captions):
    """The first three words of captions of `val`, and what stands behind them: ids.

    behind the end of the caption stands the next one
    """
    beginnings, texts = [], []
    for number in range(0, len(captions.val), len(captions.val) // DRAWS)[:DRAWS]:
        first, *rest = captions.val[number].split(" ")
        first, rest = " ".join([first, *rest[:2]]), rest[2:]
        beginnings.append(captions.read(first))
        behind = [" ".join(rest), *captions.val[number + 1:], *captions.val]
        row = []
        for text in behind:
            row += captions.read(text) if text else []
            if len(row) >= NEW:
                break
        texts.append(row[:NEW])
    return beginnings, texts


def measure(model, captions):
    """Texts of every rule, and what is counted in them."""
    one = [captions.read(BEGINNING)]
    many, real = of_val(captions)
    found = {"beginning": BEGINNING, "new pieces": NEW, "draws": DRAWS, "seeds": SEEDS,
             "rules": {"greedy": {"beam_size": 1}, f"beam {BEAM}": {"beam_size": BEAM},
                       **RULES},
             "texts": {}, "one beginning": {}, "beginnings of val": {},
             "val": counted(model, captions, many, real)}
    for name, rule in found["rules"].items():
        searches = "beam_size" in rule
        for place, beginnings in (("one beginning", one), ("beginnings of val", many)):
            if place == "one beginning" and not searches:
                beginnings = one * DRAWS
            written = [searched(model, beginnings, rule["beam_size"], NEW) if searches
                       else drawn(model, beginnings, NEW, seed, **rule)
                       for seed in (SEEDS[:1] if searches else SEEDS)]
            rows = [counted(model, captions, beginnings, texts) for texts in written]
            found[place][name] = {key: [row[key] for row in rows] for key in rows[0]}
            if place == "one beginning":
                found["texts"][name] = [captions.text([*one[0], *new])
                                        for new in written[0]]
    return found


def result(data_dir, path):
    """Losses of the training, the texts and the counts."""
    captions = Captions(data_dir)
    state = start(captions)
    history = train(state, captions, path)
    return {"parameters": sum(part.numel() for part in state.model.parameters()),
            "pieces": len(captions.vocab), "captions": len(captions.train),
            "first": [record["loss"] for record in history[:5]],
            "loss": [record["loss"] for record in history[9::20]],
            "validation": [(number, record["validation loss"])
                           for number, record in enumerate(history, start=1)
                           if "validation loss" in record],
            **measure(state.model.eval(), captions)}


def main(arguments=None):
    """Trains, lets every rule write and keeps the result; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m softdict.experiments.captions", description=__doc__)
    parser.add_argument("--data-dir", help="where the files of Multi30k are")
    asked = parser.parse_args(arguments)
    torch.set_num_threads(1)
    path = UNFINISHED / f"{NAME}.safetensors"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with alone(path):
            found = result(asked.data_dir, path)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    keep(NAME, {"experiment": NAME, "seed": SETTINGS.seed,
                "date": datetime.date.today().isoformat(),
                "command": "python -m softdict.experiments.captions",
                "options": OPTIONS, "settings": asdict(SETTINGS),
                "hardware": hardware(), "versions": versions(), **found})
    return 0


if __name__ == "__main__":
    sys.exit(main())
