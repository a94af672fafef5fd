"""From a trained model to sentences: greedy, beam search, sampling.

For any model with `start`, `step` and, for beams, `reorder`.
"""

from functools import partial
from typing import NamedTuple

import torch
from torch import nn

from softdict.sampling import next_word
from softdict.seq2seq import source_weights
from softdict.transformer import Transformer, all_weights
from softdict.vocab import BOS, EOS, PAD


@torch.no_grad()
def greedy(model, source, source_lengths, max_length=100):
    """The likeliest word, then the likeliest after it, up to EOS or `max_length` words.

    autoregressive: each word is written from those before it; the target is never seen
    source [B, S], source_lengths [B]; returns B lists of ids, without BOS and EOS
    raises ValueError for a max_length below 1
    """
    return decode(model, source, source_lengths, max_length,
                  lambda logits: logits.argmax(dim=-1))


def decode(model, source, source_lengths, max_length, choose):
    """Sentences up to EOS; choose(logits [B, V]) gives the ids [B] of the next words.

    source [B, S], source_lengths [B]; returns B lists of ids, without BOS and EOS
    raises ValueError for a max_length below 1
    """
    if max_length < 1:
        raise ValueError(f"max_length must be 1 or more; got {max_length}")
    state = model.start(source, source_lengths)
    ids = torch.full_like(source[:, 0], BOS)             # [B]
    ended = torch.zeros_like(ids, dtype=torch.bool)      # [B]
    steps = []
    while len(steps) < max_length and not ended.all():
        logits, state = model.step(ids, state)
        ids = choose(without(logits, PAD, BOS))          # [B]
        ended = ended | (ids == EOS)                     # [B]
        steps.append(ids)
    return [up_to_end(row) for row in torch.stack(steps, dim=1).tolist()]


def without(logits, *ids):
    """The same scores [..., V] with minus infinity for the words `ids`."""
    logits = logits.clone()
    for word in ids:
        logits[..., word] = float("-inf")
    return logits


def up_to_end(ids):
    """The words before the first EOS."""
    return ids[:ids.index(EOS)] if EOS in ids else ids


class Hypothesis(NamedTuple):
    """A translation with log p of all its words, EOS among them, and its score."""

    ids: list
    log_probability: float
    score: float


def normalised(log_probability, length, length_penalty):
    """log p divided by a penalty that grows with the length, in which EOS is counted.

    without it short sentences would win
    Wu et al. 2016, section 7, equation 14: ((5 + length) / 6) ** length_penalty
    """
    return log_probability / ((5 + length) / 6) ** length_penalty


@torch.no_grad()
def beam_search(model, source, source_lengths, beam_size=5, length_penalty=0.6,
                max_length=100):
    """The best translations of each sentence that a beam search finds.

    it keeps the `beam_size` likeliest beginnings, and aside the best that have ended
    a sentence is done when nothing that goes on can score better, however long it gets
    source [B, S], source_lengths [B]; returns B lists of Hypothesis, the best first
    raises ValueError for a beam_size or max_length below 1
    """
    if beam_size < 1:
        raise ValueError(f"a beam keeps at least one hypothesis; got size {beam_size}")
    if max_length < 1:
        raise ValueError(f"max_length must be 1 or more; got {max_length}")
    count, device = len(source), source.device
    first = torch.arange(count, device=device).repeat_interleave(beam_size)    # [B*R]
    state = model.reorder(model.start(source, source_lengths), first)
    last, ids = torch.full_like(first, BOS), first.new_empty(count, beam_size, 0)
    # R equal beginnings: only one of them is used
    totals = torch.full((count, beam_size), float("-inf"), device=device)      # [B, R]
    totals[:, 0] = 0.0
    found, done = [[] for _ in range(count)], [False] * count
    for length in range(1, max_length + 1):
        logits, state = model.step(last, state)
        logs = without(logits, PAD, BOS).log_softmax(dim=-1)    # [B*R, V]
        best, parents, chosen = expand(totals, logs.unflatten(0, totals.shape))
        ends = chosen == EOS
        ended = ends[:, :beam_size] & best[:, :beam_size].isfinite()
        for b, r in ended.nonzero().tolist():
            if not done[b]:
                found[b].append(hypothesis(
                    ids[b, parents[b, r]], best[b, r], length, length_penalty))
        totals, order = best.masked_fill(ends, float("-inf")).topk(beam_size)
        for b, top in enumerate(totals[:, 0].tolist()):
            found[b] = sorted(found[b], key=lambda one: -one.score)[:beam_size]
            # log p can only fall, the penalty only grow: the best that may still come
            most = max(normalised(top, end, length_penalty)
                       for end in (length + 1, max_length))
            done[b] |= len(found[b]) == beam_size and found[b][-1].score >= most
        if all(done):
            break
        parents, chosen = (part.gather(1, order) for part in (parents, chosen))
        rows = first.view(count, beam_size) * beam_size + parents              # [B, R]
        ids = torch.cat([ids.flatten(0, 1)[rows], chosen[..., None]], dim=-1)
        state, last = model.reorder(state, rows.flatten()), chosen.flatten()
    # what does not end by max_length follows what ends
    rest = [[hypothesis(*one, max_length, length_penalty)
             for one in zip(*row) if one[1].isfinite()] for row in zip(ids, totals)]
    return [ended if over else (ended + more)[:beam_size]
            for ended, over, more in zip(found, done, rest)]


def expand(totals, logs):
    """The best continuations of a sentence's beginnings: 2 * R for R beginnings.

    totals [B, R] and logs [B, R, V] are log p of beginnings and of their next words
    returns sums [B, 2*R], beginnings [B, 2*R], words [B, 2*R]
    """
    size, known = logs.shape[1:]
    # at most R of the best are ends: at least R of the best 2*R go on
    sums = (totals[..., None] + logs).flatten(1)    # [B, R*V]
    best, places = sums.topk(2 * size)              # [B, 2*R], [B, 2*R]
    return best, places // known, places % known


def hypothesis(ids, total, length, length_penalty):
    """What a search found, from tensors: ids [T], total []."""
    score = normalised(total.item(), length, length_penalty)
    return Hypothesis(ids.tolist(), total.item(), score)


@torch.no_grad()
def sample(model, source, source_lengths, temperature=1.0, max_length=100, **options):
    """Words chosen at random by probability, one by one, up to EOS or `max_length`.

    temperature and options (top_k, top_p, min_p, rng) are those of `next_word`
    source [B, S], source_lengths [B]; returns B lists of ids, without BOS and EOS
    raises ValueError as `next_word` does, and for a max_length below 1
    """
    draw = partial(next_word, temperature=temperature, **options)
    return decode(model, source, source_lengths, max_length, draw)


class NoRepeatNgrams(nn.Module):
    """A model in front of which every search writes no `size` words in a row twice.

    as `no_repeat_ngram_size` does in Hugging Face's library
    raises ValueError for a size below 1
    Paulus et al. 2018, section 2.5
    """

    def __init__(self, model, size):
        if size < 1:
            raise ValueError(f"size must be 1 or more; got {size}")
        super().__init__()
        self.model, self.size = model, size

    def start(self, source, source_lengths):
        """The state of the model, and the words so far: ids [B, 0]."""
        return self.model.start(source, source_lengths), source[:, :0]

    def step(self, ids, state):
        """Scores of the next word, after ids [N]; minus infinity where it repeats."""
        state, past = state
        logits, state = self.model.step(ids, state)
        past = torch.cat([past, ids[:, None]], dim=1)            # [N, T]
        again = repeats(past, self.size, logits.shape[-1])       # [N, V]
        return logits.masked_fill(again, float("-inf")), (state, past)

    def reorder(self, state, chosen):
        """The rows `chosen` [M] of a state, in this order: one for each translation."""
        state, past = state
        return self.model.reorder(state, chosen), past[chosen]


def repeats(ids, size, words):
    """Which words would end a run of `size` words that is there already.

    ids [N, T] are the words so far; returns repeats [N, V], with V = words
    """
    found = torch.zeros(len(ids), words, dtype=torch.int64, device=ids.device)
    if ids.shape[1] >= size:
        runs = ids.unfold(1, size, 1)                            # [N, R, size]
        last = ids[:, None, ids.shape[1] - size + 1:]            # [N, 1, size - 1]
        same = (runs[..., :-1] == last).all(dim=-1)              # [N, R]
        found.scatter_add_(1, runs[..., -1], same.long())
    return found > 0                                             # [N, V]


def translate(model, sentence, source_vocab, target_vocab, max_source_length=None):
    """Words of the translation of one sentence, a list of words.

    raises ValueError for an empty sentence, more than `max_source_length` words, or a
    word that is not in source_vocab
    """
    if not sentence:
        raise ValueError("the sentence is empty: there is nothing to translate")
    if max_source_length and len(sentence) > max_source_length:
        raise ValueError(f"the sentence has {len(sentence)} words and the model was "
                         f"trained on at most {max_source_length}; "
                         "max_source_length=None translates it in spite of its length")
    device = next(model.parameters()).device
    source = torch.tensor([source_vocab.ids(sentence)], device=device)    # [1, S]
    [ids] = greedy(model, source, torch.tensor([len(sentence)]))
    return target_vocab.tokens(ids)


@torch.no_grad()
def translation_weights(model, sentence, translation, source_vocab, target_vocab):
    """Where a model looks while it writes a translation, its own or another.

    of a Transformer, the mean of its cross-attention over layers and heads
    sentence and translation are lists of words
    returns weights [T, S]; row t is for the step that writes word t
    raises ValueError for a word that its vocabulary lacks, or a model without attention
    """
    device = next(model.parameters()).device
    source = torch.tensor([source_vocab.ids(sentence)], device=device)    # [1, S]
    lengths = torch.tensor([len(sentence)])                               # [1]
    ids = [BOS] + target_vocab.ids(translation)
    target_in = torch.tensor([ids], device=device)                        # [1, T+1]
    if isinstance(model, Transformer):
        maps = all_weights(model, source, lengths, target_in)[2]
        weights = torch.stack(maps).mean(dim=(0, 2))                      # [1, T+1, S]
    else:
        weights = source_weights(model, source, lengths, target_in)       # [1, T+1, S]
    return weights[0, :-1]    # [T, S]: the last step writes EOS
