"""From sentence pairs to tensors: sentences of similar length share a padded batch."""

import random
from dataclasses import dataclass

import torch

from softdict.vocab import BOS, EOS, PAD


@dataclass(frozen=True)
class Batch:
    """Sentence pairs of one update: source [B, S], its lengths [B], targets [B, T]."""

    source: torch.Tensor
    source_lengths: torch.Tensor    # stays on the CPU, where packing wants it
    target_in: torch.Tensor         # BOS, first word, ..., last word
    target_out: torch.Tensor        # first word, ..., last word, EOS

    @property
    def words(self):
        """How many words of the targets are real: []."""
        return (self.target_out != PAD).sum()

    def to(self, device):
        """The same batch on another device."""
        return Batch(self.source.to(device), self.source_lengths,
                     self.target_in.to(device), self.target_out.to(device))

    def parts(self, count):
        """The same pairs as `count` smaller batches, at most one for each pair."""
        columns = [self.source, self.source_lengths, self.target_in, self.target_out]
        count = min(count, len(self.source))
        return [Batch(*rows) for rows in
                zip(*(column.tensor_split(count) for column in columns))]


def padded(rows):
    """Lists of numbers as one tensor [B, S], with PAD after the shorter ones."""
    size = max(len(row) for row in rows)
    return torch.tensor([row + [PAD] * (size - len(row)) for row in rows])


def pads_behind(ids):
    """The same rows, in which pads in front of the words are moved to the end.

    ids [B, S]; returns ids [B, S]; rows that are padded at the end stay as they are
    """
    size = ids.shape[1]
    in_front = ((ids != PAD).cumsum(dim=1) == 0).sum(dim=1)               # [B]
    places = torch.arange(size, device=ids.device) + in_front[:, None]    # [B, S]
    # ONNX has no `places % size`
    places = places.where(places < size, places - size)                   # [B, S]
    return ids.gather(1, places)                                          # [B, S]


def make_batch(pairs):
    """One batch of pairs (source ids, target ids), in their order.

    what the decoder reads begins with BOS, what it is to write ends with EOS
    raises ValueError for an empty sentence
    """
    for number, (source, target) in enumerate(pairs):
        if not source or not target:
            raise ValueError(f"pair {number} has an empty sentence")
    sources, targets = zip(*pairs)
    return Batch(
        source=padded(sources),
        source_lengths=torch.tensor([len(source) for source in sources]),
        target_in=padded([[BOS] + target for target in targets]),
        target_out=padded([target + [EOS] for target in targets]))


def epoch_batches(pairs, batch_size, seed, epoch):
    """Every pair once, in batches of similar length (bucketing) and in random order.

    the order is the same for the same seed and epoch
    pairs is a list of (source ids, target ids)
    returns a list of batches of `batch_size` pairs, one of them smaller
    """
    rng = random.Random(f"{seed} {epoch}")
    shuffled = rng.sample(pairs, len(pairs))
    # equal lengths stay shuffled
    shuffled.sort(key=lambda pair: (len(pair[1]), len(pair[0])))
    groups = [shuffled[n:n + batch_size] for n in range(0, len(shuffled), batch_size)]
    return [make_batch(group) for group in rng.sample(groups, len(groups))]
