"""The Transformer: layers that look and think, stacked to an encoder that reads and a decoder that writes."""

from dataclasses import dataclass, replace

import torch
from torch import nn

from softdict.heads import MultiHeadAttention
from softdict.layers import Dropout, FeedForward, LearnedPositions, Residual, sinusoids
from softdict.masks import causal_mask, padding_mask
from softdict.vocab import PAD


class EncoderLayer(nn.Module):
    """Words look among themselves, then each thinks for itself; with a causal mask, a layer that can write.

    attend is the function that the heads look with (see MultiHeadAttention)
    Vaswani et al. 2017, section 3.1
    """

    def __init__(self, width, heads, hidden, dropout=0.0, pre_norm=True, attend=None):
        super().__init__()
        self.attention = MultiHeadAttention(width, heads, attend)
        self.looked = Residual(width, dropout, pre_norm)
        self.feed_forward = FeedForward(width, hidden, dropout)
        self.thought = Residual(width, dropout, pre_norm)

    def forward(self, words, allowed=None, positions=None, need_weights=False):
        """words [B, T, D]; returns new words [B, T, D] and weights [B, H, T, T], None if they are not needed.

        allowed [B, T, T], [B, 1, T] or [T, T] is True where a word may look
        positions [T] turn queries and keys (`rotate`)
        """
        found, weights = self.attention(self.looked.before(words), None, allowed, positions, need_weights)
        words = self.looked.after(words, found)
        words = self.thought.after(words, self.feed_forward(self.thought.before(words)))
        return words, weights


class DecoderLayer(nn.Module):
    """Words look among the words before them, then at the source, then each thinks for itself.

    Vaswani et al. 2017, section 3.1
    """

    def __init__(self, width, heads, hidden, dropout=0.0, pre_norm=True, attend=None):
        super().__init__()
        self.attention = MultiHeadAttention(width, heads, attend)
        self.looked = Residual(width, dropout, pre_norm)
        self.source_attention = MultiHeadAttention(width, heads, attend)
        self.asked = Residual(width, dropout, pre_norm)
        self.feed_forward = FeedForward(width, hidden, dropout)
        self.thought = Residual(width, dropout, pre_norm)

    def forward(self, words, source, past, allowed=None, source_allowed=None, positions=None, need_weights=False):
        """words [N, T, D]; returns new words [N, T, D], keys and values of all words so far, and both weights.

        source and past are (keys, values): of the source [B, H, S, K], and of the words before these [N, H, P, K]
        N is B or a multiple of it: several translations of one source ask as rows of one query
        """
        asking = self.looked.before(words)
        new = self.attention.keys_and_values(asking, positions)
        key, value = (torch.cat(pair, dim=-2) for pair in zip(past, new))
        query = self.attention.queries(asking, positions)                    # [N, H, T, K]
        found, own_weights = self.attention.attend(query, key, value, allowed, need_weights)
        words = self.looked.after(words, found)
        asking = self.asked.before(words).reshape(source[0].shape[0], -1, words.shape[-1])
        query = self.source_attention.queries(asking)
        found, source_weights = self.source_attention.attend(query, *source, source_allowed, need_weights)
        words = self.asked.after(words, found.reshape(words.shape))
        words = self.thought.after(words, self.feed_forward(self.thought.before(words)))
        return words, (key, value), (own_weights, source_weights)


class Embedding(nn.Module):
    """Ids to vectors: a row of a table times the root of the width, plus the code of its position.

    positions is "sinusoidal", "learned" (for at most `longest` words), or "rotary": then nothing is added here
    Vaswani et al. 2017, sections 3.4 and 3.5
    """

    def __init__(self, vocabulary, width, positions="sinusoidal", dropout=0.0, longest=512):
        super().__init__()
        if positions not in ("sinusoidal", "learned", "rotary"):
            raise ValueError(f'positions must be "sinusoidal", "learned" or "rotary"; got {positions!r}')
        self.positions, self.longest = positions, longest
        self.table = nn.Embedding(vocabulary, width, padding_idx=PAD)
        nn.init.normal_(self.table.weight, std=width ** -0.5)
        nn.init.zeros_(self.table.weight[PAD])
        self.learned = LearnedPositions(longest, width) if positions == "learned" else None
        self.dropout = Dropout(dropout)

    def places(self, size, before=0):
        """Positions of `size` words behind `before` others; ValueError if a learned code ends before them."""
        if self.learned and before + size > self.longest:
            raise ValueError(f"this model has learned codes for {self.longest} positions; got {before + size} words")
        return before + torch.arange(size, device=self.table.weight.device)    # [T]

    def turns(self, places):
        """The positions by which heads turn queries and keys; None for the other kinds."""
        return places if self.positions == "rotary" else None

    def forward(self, ids, places):
        """ids [B, T], places [T]; returns words [B, T, D]."""
        words = self.table(ids) * self.table.embedding_dim ** 0.5    # [B, T, D]
        if self.positions == "sinusoidal":
            words = words + sinusoids(places, self.table.embedding_dim).to(words.dtype)
        if self.positions == "learned":
            words = words + self.learned(places)
        return self.dropout(words)


class TransformerEncoder(nn.Module):
    """Reads the source: embedding, layers, and a last norm for a sum that was never normalised."""

    def __init__(self, vocabulary, width, heads, layers, hidden, dropout=0.0, positions="sinusoidal", pre_norm=True,
                 attend=None):
        super().__init__()
        self.embedding = Embedding(vocabulary, width, positions, dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(width, heads, hidden, dropout, pre_norm, attend) for _ in range(layers))
        self.norm = nn.LayerNorm(width) if pre_norm else nn.Identity()

    def forward(self, source, lengths, need_weights=False):
        """source [B, S], lengths [B]; returns states [B, S, D], allowed [B, 1, S], weights of each layer."""
        places = self.embedding.places(source.shape[1])                                   # [S]
        allowed = padding_mask(lengths.to(source.device), source.shape[1])[:, None, :]    # [B, 1, S]
        states = self.embedding(source, places)                                           # [B, S, D]
        maps = []
        for layer in self.layers:
            states, weights = layer(states, allowed, self.embedding.turns(places), need_weights)
            maps.append(weights)
        return self.norm(states), allowed, maps


@dataclass(frozen=True)
class Writing:
    """A translation under way: keys and values of the source and of the words so far, a pair for each layer."""

    source: list
    source_allowed: torch.Tensor    # where the source has words
    past: list


class TransformerDecoder(nn.Module):
    """Writes the target: embedding, layers, and a last norm; keys and values of what it read are kept."""

    def __init__(self, vocabulary, width, heads, layers, hidden, dropout=0.0, positions="sinusoidal", pre_norm=True,
                 attend=None):
        super().__init__()
        self.embedding = Embedding(vocabulary, width, positions, dropout)
        self.layers = nn.ModuleList(
            DecoderLayer(width, heads, hidden, dropout, pre_norm, attend) for _ in range(layers))
        self.norm = nn.LayerNorm(width) if pre_norm else nn.Identity()

    def start(self, states, allowed):
        """A translation without a word yet, of a source with states [B, S, D], allowed [B, 1, S]."""
        source = [layer.source_attention.keys_and_values(states) for layer in self.layers]
        return Writing(source, allowed, [(key[:, :, :0], value[:, :, :0]) for key, value in source])

    def forward(self, target, writing, need_weights=False):
        """target [N, T] goes on where `writing` ends.

        returns states [N, T, D], the new Writing, and the weights of each layer
        """
        before, size = writing.past[0][0].shape[-2], target.shape[1]
        places = self.embedding.places(size, before)    # [T]
        # one new word may look at all before it
        allowed = None if size == 1 else causal_mask(before + size, target.device)[before:]
        words, turns, pasts, maps = self.embedding(target, places), self.embedding.turns(places), [], []
        for layer, source, past in zip(self.layers, writing.source, writing.past):
            words, past, weights = layer(words, source, past, allowed, writing.source_allowed, turns, need_weights)
            pasts.append(past)
            maps.append(weights)
        return self.norm(words), replace(writing, past=pasts), maps


class Transformer(nn.Module):
    """An encoder that reads the source, a decoder that writes the target, a generator that scores every word.

    options are those of both stacks; tied: the generator's matrix is the target's embedding
    Vaswani et al. 2017, section 3
    """

    def __init__(self, source_words, target_words, width=256, heads=8, layers=3, hidden=1024, dropout=0.1, tied=True,
                 **options):
        super().__init__()
        self.encoder = TransformerEncoder(source_words, width, heads, layers, hidden, dropout, **options)
        self.decoder = TransformerDecoder(target_words, width, heads, layers, hidden, dropout, **options)
        self.generator = nn.Linear(width, target_words)
        if tied:
            self.generator.weight = self.decoder.embedding.table.weight

    def start(self, source, source_lengths):
        """What `step` needs before the first word; source [B, S], source_lengths [B]."""
        states, allowed, _ = self.encoder(source, source_lengths)
        return self.decoder.start(states, allowed)

    def step(self, words, writing):
        """Scores of the next word, after words [N]; returns logits [N, V] and the new Writing."""
        states, writing, _ = self.decoder(words[:, None], writing)
        return self.generator(states[:, 0]), writing

    def rows(self, writing, chosen):
        """The translations `chosen` [N] among those of `writing`, in that order; the source is not copied."""
        # index_select(0, chosen) is [chosen], in less time
        return replace(writing, past=[(key.index_select(0, chosen), value.index_select(0, chosen))
                                      for key, value in writing.past])

    def states(self, source, source_lengths, target_in, teacher_forcing=1.0):
        """What the generator scores; source [B, S], source_lengths [B], target_in [B, T]; returns states [B, T, D].

        all words of the target are read at once: teacher_forcing can only be 1
        """
        if teacher_forcing != 1:
            raise ValueError(f"a Transformer reads the whole target at once: teacher_forcing must be 1; "
                             f"got {teacher_forcing}")
        return self.decoder(target_in, self.start(source, source_lengths))[0]

    def forward(self, source, source_lengths, target_in, teacher_forcing=1.0):
        """Scores of every target word, as `states`; returns logits [B, T, V]."""
        return self.generator(self.states(source, source_lengths, target_in, teacher_forcing))


def book_transformer(source_words, target_words, **options):
    """A Transformer of the size that the book trains: small enough for a CPU."""
    return Transformer(source_words, target_words, **{"width": 128, "heads": 4, "layers": 2, "hidden": 512} | options)


def all_weights(model, source, source_lengths, target_in):
    """Where every head of every layer of a Transformer looks: three lists with a tensor a layer.

    source [B, S], source_lengths [B], target_in [B, T]
    returns encoder [B, H, S, S], decoder [B, H, T, T] and decoder to source [B, H, T, S]
    """
    states, allowed, reading = model.encoder(source, source_lengths, need_weights=True)
    _, _, writing = model.decoder(target_in, model.decoder.start(states, allowed), need_weights=True)
    return reading, [own for own, _ in writing], [asked for _, asked in writing]
