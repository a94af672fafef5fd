"""Pretraining: the Transformer's blocks learn from text of one language alone.

One model reads both ways and fills in masked words, another reads forwards and says the
next word. What they learned can be copied into a Transformer that is to translate.
"""

from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import nn

from softdict.batches import padded
from softdict.masks import causal_mask
from softdict.training import cross_entropy, update
from softdict.transformer import Embedding, EncoderLayer
from softdict.vocab import PAD, SPECIALS, Vocab

MASK = "<mask>"    # the last word of its vocabulary


def with_mask(vocab):
    """A vocabulary with MASK behind the words of `vocab`, which keep their numbers."""
    return Vocab.of([*vocab.words[len(SPECIALS):], MASK])


def mask_words(ids, mask, rng, share=0.15):
    """Some words hidden, and what stood there: what a masked language model learns.

    of the chosen words 80 % become `mask`, 10 % a random word, 10 % stay as they are
    ids [B, T]; mask is the last number of the vocabulary; no special word is chosen or
    drawn; rng is a torch.Generator of the device of ids
    returns masked [B, T] and target [B, T]: the chosen words, and PAD elsewhere
    raises ValueError if ids hold `mask` or a larger number
    Devlin et al. 2019, section 3.1
    """
    words = len(SPECIALS)
    if mask <= words or (ids >= mask).any():
        raise ValueError("mask must be the last number of the vocabulary, behind all "
                         f"words; got {mask} for ids up to {int(ids.max())}")
    chance, fate = torch.rand(2, *ids.shape, generator=rng, device=ids.device)
    chosen = (chance < share) & (ids >= words)                     # [B, T]
    drawn = torch.randint(words, mask, ids.shape, generator=rng,
                          dtype=ids.dtype, device=ids.device)      # [B, T]
    masked = drawn.where(chosen & (fate >= 0.9), ids)              # [B, T]
    masked = masked.masked_fill(chosen & (fate < 0.8), mask)       # [B, T]
    return masked, ids.masked_fill(~chosen, PAD)


class TextModel(nn.Module):
    """Blocks of self-attention and feed-forward that read one language: the mask alone
    decides whether they read both ways or forwards.

    the generator's matrix is the table of the embedding
    Devlin et al. 2019, section 3; Radford et al. 2018, section 3.1
    """

    def __init__(self, vocab_size, config):
        super().__init__()
        self.embedding = Embedding(vocab_size, config)
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width)
        self.generator = nn.Linear(config.width, vocab_size)
        self.generator.weight = self.embedding.table.weight

    def states(self, ids, allowed, positions=None):
        """What the generator scores.

        ids [B, T] and positions [B, T]: 0, 1, 2, ... if None; returns x [B, T, D]
        allowed [B, T, T], [B, 1, T] or [T, T] is True where a word may look
        """
        if positions is None:
            positions = torch.arange(ids.shape[1], device=ids.device).expand_as(ids)
        # an embedding wants one position for each column: all words stand in one row
        x = self.embedding(ids.reshape(1, -1), positions.flatten())    # [1, B*T, D]
        x = x.view(*ids.shape, -1)                                     # [B, T, D]
        for layer in self.layers:
            x = layer(x, allowed)
        return self.norm(x)

    def forward(self, ids, allowed, positions=None):
        """Scores of every word at every place, as `states`; returns logits [B, T, V].
        """
        return self.generator(self.states(ids, allowed, positions))


# Two ways to learn from text


def masked_loss(model, masked, target, smoothing=0.0):
    """Mean loss of the chosen words, which a TextModel guesses from both sides.

    masked [B, T] and target [B, T] as `mask_words` gives them; returns loss []
    """
    chosen = target != PAD    # [B, T]
    states = model.states(masked, (masked != PAD)[:, None, :])    # [B, T, D]
    return cross_entropy(model.generator(states[chosen]), target[chosen],
                         smoothing)                               # []


def next_word_loss(model, target_in, target_out, smoothing=0.0):
    """Mean loss of each next word, which a TextModel guesses from the words before it;
    EOS counts as a word.

    target_in [B, T] begins with BOS, target_out [B, T] ends with EOS; returns loss []
    """
    real = target_out != PAD    # [B, T]
    states = model.states(
        target_in, causal_mask(target_in.shape[1], target_in.device))    # [B, T, D]
    return cross_entropy(model.generator(states[real]), target_out[real],
                         smoothing)                                      # []


def masked_update(state, batch, masking=mask_words, loss=masked_loss):
    """One update of `train` with the masked words of a batch's source.

    masking(ids, mask, rng) is asked anew in each update
    raises ValueError if no word is chosen
    """
    number = state.settings.seed * 1_000_003 + len(state.history)
    rng = torch.Generator(batch.source.device).manual_seed(number)
    mask = state.model.generator.out_features - 1
    masked, target = masking(batch.source, mask, rng)    # [B, T], [B, T]
    if (target == PAD).all():
        raise ValueError("no word is chosen: there is nothing to guess")
    return update(state, replace(batch, source=masked, target_out=target),
                  lambda model, part, settings: loss(
                      model, part.source, part.target_out, settings.smoothing))


def next_word_update(state, batch):
    """One update of `train` with the next words of a batch's target."""
    return update(state, batch, lambda model, part, settings: next_word_loss(
        model, part.target_in, part.target_out, settings.smoothing))


# Short texts in one row


def pack(texts, size):
    """Texts one behind the other in rows of `size`, each row filled in their order.

    texts are lists of ids; returns ids [B, T] with T = size, segments [B, T]: 1 for the
    first text of a row, 2 for the second, 0 for pads; and positions [B, T], which
    begin at 0 in every text
    raises ValueError for no text, an empty text and one that is longer than a row
    """
    if not texts:
        raise ValueError("there are no texts to pack")
    rows = []
    for number, text in enumerate(texts):
        if not 0 < len(text) <= size:
            raise ValueError(f"a row holds texts of 1 to {size} words; "
                             f"text {number} has {len(text)}")
        if not rows or sum(map(len, rows[-1])) + len(text) > size:
            rows.append([])
        rows[-1].append(text)
    columns = (
        [sum(row, []) for row in rows],
        [[n for n, text in enumerate(row, 1) for _ in text] for row in rows],
        [[place for text in row for place in range(len(text))] for row in rows])
    return tuple(F.pad(column, (0, size - column.shape[1]))    # 0 is PAD
                 for column in map(padded, columns))


def block_mask(segments):
    """True where a word and the one that it looks at are of the same text.

    segments [B, T], 0 for pads; returns allowed [B, T, T]
    """
    same = segments[:, :, None] == segments[:, None, :]    # [B, T, T]
    return same & (segments != 0)[:, None, :]              # [B, T, T]


# How surprised a model is


def token_losses(logits, target):
    """-log p of each word in nats, and 0 for pads.

    logits [..., V], target [...]; returns losses [...]
    """
    losses = F.cross_entropy(logits.flatten(0, -2), target.flatten(),
                             ignore_index=PAD, reduction="none")
    return losses.view(target.shape)


def perplexity(losses, counted):
    """exp of the mean of the losses that are counted: among how many equally likely
    words a model chooses.

    losses [...] in nats, counted [...] is True or False; returns a float
    raises ValueError if nothing is counted
    """
    if not counted.any():
        raise ValueError("no word is counted: there is no perplexity")
    return losses[counted].mean().exp().item()


# Into a Transformer


def copy_parts(transformer, encoder=None, decoder=None):
    """Copies what TextModels learned into a Transformer of the same sizes and words.

    encoder becomes its encoder; decoder its decoder with the generator, but for the
    cross-attention and the norm before it, which stay as they are
    raises ValueError, and copies nothing, if sizes, layers or heads differ
    """
    weights = {}
    if encoder is not None:
        weights |= {f"encoder.{place}": weight
                    for place, weight in weights_for(transformer.encoder, encoder)
                    if not place.startswith("generator")}
    if decoder is not None:
        # the second norm of a decoder's layer belongs to its cross-attention
        weights |= {place if place.startswith("generator")
                    else "decoder." + place.replace("norm2", "norm3"): weight
                    for place, weight in weights_for(transformer.decoder, decoder)}
    sizes = {place: list(part.shape)
             for place, part in transformer.state_dict().items()}
    for place, weight in weights.items():
        if list(weight.shape) != sizes.get(place, []):
            raise ValueError(f"{place} must be {sizes.get(place, 'no weight')}; "
                             f"got {list(weight.shape)}")
    transformer.load_state_dict(weights, strict=False)


def weights_for(part, model):
    """Names and weights of a TextModel whose layers are built as those of `part`.

    raises ValueError for other heads
    """
    ours, theirs = ([layer.self_attention.heads for layer in stack.layers]
                    for stack in (part, model))
    if ours != theirs:
        raise ValueError(f"the heads of the layers must be {ours}; got {theirs}")
    return model.state_dict().items()
