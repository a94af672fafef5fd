"""From sentence pairs to tensors: sentences of similar length share a batch, and pads stand behind them."""

import random
from dataclasses import dataclass
from pathlib import Path

import torch

from softdict.vocab import BOS, EOS, PAD


@dataclass(frozen=True)
class Batch:
    """Sentence pairs of one update: source [B, S], source_lengths [B], target_in and target_out [B, T]."""

    source: torch.Tensor
    source_lengths: torch.Tensor    # stays on the CPU, where packing wants it
    target_in: torch.Tensor         # BOS, first word, ..., last word
    target_out: torch.Tensor        # first word, ..., last word, EOS

    def to(self, device):
        """The same batch on another device."""
        return Batch(self.source.to(device), self.source_lengths, self.target_in.to(device), self.target_out.to(device))

    def parts(self, count):
        """The same pairs as `count` smaller batches, or as many as there are pairs."""
        columns = [self.source, self.source_lengths, self.target_in, self.target_out]
        return [Batch(*rows) for rows in zip(*(column.tensor_split(min(count, len(column))) for column in columns))]


def padded(rows):
    """Lists of numbers as one tensor [B, S], with PAD behind the shorter ones."""
    size = max(len(row) for row in rows)
    return torch.tensor([row + [PAD] * (size - len(row)) for row in rows])


def make_batch(pairs):
    """One batch of pairs (source ids, target ids), in their order; the decoder reads BOS first and ends on EOS."""
    for number, (source, target) in enumerate(pairs):
        if not source or not target:
            raise ValueError(f"pair {number} has an empty sentence")
    sources, targets = zip(*pairs)
    return Batch(
        source=padded(sources), source_lengths=torch.tensor([len(source) for source in sources]),
        target_in=padded([[BOS] + target for target in targets]),
        target_out=padded([target + [EOS] for target in targets]))


def epoch_batches(pairs, size, seed, epoch):
    """Every pair once, in batches of like length and in random order: the same for the same seed and epoch.

    pairs is a list of (source ids, target ids); returns a list of batches of `size` pairs, one of them smaller
    """
    chance = random.Random(f"{seed} {epoch}")
    shuffled = chance.sample(pairs, len(pairs))
    shuffled.sort(key=lambda pair: (len(pair[1]), len(pair[0])))    # equal lengths stay shuffled
    groups = [shuffled[start:start + size] for start in range(0, len(shuffled), size)]
    return [make_batch(group) for group in chance.sample(groups, len(groups))]


def read_pairs(path):
    """Pairs (source words, target words) of a UTF-8 file: a pair a line, a tab between, a space between words."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")    # with or without a byte order mark
    except UnicodeDecodeError as error:
        line = path.read_bytes()[:error.start].count(b"\n") + 1
        raise ValueError(f"{path.name}, line {line}: this is not UTF-8; save the file as UTF-8") from None
    pairs = []
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        columns = [column.split() for column in line.split("\t")]
        if len(columns) != 2 or not all(columns):
            raise ValueError(f"{path.name}, line {number}: a line is two sentences with one tab between them, "
                             f"not {line[:40]!r}")
        pairs.append(tuple(columns))
    return pairs
