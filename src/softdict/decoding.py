"""From a trained model to sentences: greedy, beam search, sampling, for any model that can start and step."""

from typing import NamedTuple

import torch

from softdict.seq2seq import source_weights
from softdict.vocab import BOS, EOS, PAD


@torch.inference_mode()
def greedy(model, source, source_lengths, limit=100):
    """The likeliest word, then the likeliest after it, up to EOS or `limit` words; the target is never seen.

    source [B, S], source_lengths [B]; returns B lists of ids, without BOS and EOS
    """
    state = model.start(source, source_lengths)
    words = torch.full_like(source[:, 0], BOS)             # [B]
    ended = torch.zeros_like(words, dtype=torch.bool)      # [B]
    written = []
    while len(written) < limit and not ended.all():
        logits, state = model.step(words, state)
        words = without(logits, PAD, BOS).argmax(dim=-1)   # [B]
        ended = ended | (words == EOS)                     # [B]
        written.append(words)
    return [up_to_end(row) for row in torch.stack(written, dim=1).tolist()]


def without(logits, *ids):
    """The same scores [..., V] with minus infinity for words that may not be written."""
    logits = logits.clone()
    logits[..., list(ids)] = float("-inf")
    return logits


def up_to_end(ids):
    """The words before the first EOS."""
    return ids[:ids.index(EOS)] if EOS in ids else ids


class Hypothesis(NamedTuple):
    """A translation with log p of all its words, the EOS among them, and the score by which it is ranked."""

    ids: list
    log_probability: float
    score: float


def normalised(log_probability, length, power):
    """log p over a penalty that grows with the length, EOS counted: without it short sentences would win.

    Wu et al. 2016, section 7, equation 14: ((5 + length) / 6) ** power
    """
    return log_probability / ((5 + length) / 6) ** power


@torch.inference_mode()
def beam_search(model, source, source_lengths, size=5, power=0.6, limit=100):
    """The `size` best translations of each sentence that a search finds which keeps the `size` likeliest beginnings.

    what has ended is kept aside, the best `size` of it; a sentence is done when nothing that goes on scores better
    source [B, S], source_lengths [B]; returns B lists of Hypothesis, the best first
    """
    if size < 1:
        raise ValueError(f"a beam keeps at least one hypothesis; got size {size}")
    count, device = len(source), source.device
    first = torch.arange(count, device=device).repeat_interleave(size)    # [B*R]
    state = model.rows(model.start(source, source_lengths), first)
    words, ids = torch.full_like(first, BOS), first.new_empty(count, size, 0)
    # R equal beginnings: one of them counts
    totals = torch.full((count, size), float("-inf"), device=device)      # [B, R]
    totals[:, 0] = 0.0
    found, done = [[] for _ in range(count)], [False] * count
    for length in range(1, limit + 1):
        logits, state = model.step(words, state)
        logs = without(logits, PAD, BOS).log_softmax(dim=-1).unflatten(0, (count, size))    # [B, R, V]
        best, parents, chosen = continued(totals, logs)
        ends = chosen == EOS
        for b, r in (ends[:, :size] & best[:, :size].isfinite()).nonzero().tolist():
            if not done[b]:
                found[b].append(hypothesis(ids[b, parents[b, r]], best[b, r], length, power))
        totals, order = best.masked_fill(ends, float("-inf")).topk(size)
        for b, top in enumerate(totals[:, 0].tolist()):
            found[b] = sorted(found[b], key=lambda one: -one.score)[:size]
            done[b] = done[b] or len(found[b]) == size and found[b][-1].score >= normalised(top, length, power)
        if all(done):
            break
        parents, chosen = parents.gather(1, order), chosen.gather(1, order)    # [B, R], [B, R]
        ids = torch.cat([ids.gather(1, parents[..., None].expand_as(ids)), chosen[..., None]], dim=-1)
        state, words = model.rows(state, (first.view(count, size) * size + parents).flatten()), chosen.flatten()
    # what has not ended by the limit stands behind what has
    rest = [[hypothesis(*one, limit, power) for one in zip(*row) if one[1].isfinite()] for row in zip(ids, totals)]
    return [whole if over else (whole + more)[:size] for whole, over, more in zip(found, done, rest)]


def continued(totals, logs):
    """The best continuations of a sentence's beginnings, twice as many: their sums, whose they are, and by which word.

    totals [B, R], logs [B, R, V]; returns sums [B, 2*R], beginnings [B, 2*R], words [B, 2*R]
    """
    size, known = logs.shape[1:]
    # at most R of the best are ends: so R that go on are among twice as many
    best, places = (totals[..., None] + logs).flatten(1).topk(2 * size)    # [B, 2*R], [B, 2*R]
    return best, places // known, places % known


def hypothesis(ids, total, length, power):
    """What a search found, from tensors: ids [T], total []."""
    return Hypothesis(ids.tolist(), total.item(), normalised(total.item(), length, power))


def top_k(logits, k):
    """The same scores [..., V] with minus infinity for all but the k best, and what equals the last of them."""
    if k < 1:
        raise ValueError(f"top-k keeps at least one word; got {k}")
    smallest = logits.topk(min(k, logits.shape[-1])).values[..., -1:]    # [..., 1]
    return logits.masked_fill(logits < smallest, float("-inf"))


def top_p(logits, p):
    """The same scores [..., V] with minus infinity behind the fewest words that share at least p of the probability.

    Holtzman et al. 2020, section 3.1
    """
    if not 0 < p <= 1:
        raise ValueError(f"top-p is a share above 0 and at most 1; got {p}")
    shares, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)    # [..., V], [..., V]
    # kept as long as those before it do not reach p: the first always; p = 1 keeps all, for the sum is rounded
    behind = (shares.cumsum(dim=-1) - shares >= p) & (p < 1)                # [..., V]
    return logits.masked_fill(torch.zeros_like(behind).scatter(-1, order, behind), float("-inf"))


@torch.inference_mode()
def sample(model, source, source_lengths, temperature=1.0, k=None, p=None, limit=100):
    """A word drawn by its probability, then one after it, up to EOS or `limit` words: another text each time.

    temperature below 1 sharpens; k and p keep the likeliest words only (`top_k`, `top_p`)
    source [B, S], source_lengths [B]; returns B lists of ids, without BOS and EOS
    """
    if not temperature > 0:
        raise ValueError(f"temperature must be above 0; got {temperature}")
    state = model.start(source, source_lengths)
    words = torch.full_like(source[:, 0], BOS)             # [B]
    ended = torch.zeros_like(words, dtype=torch.bool)      # [B]
    written = []
    while len(written) < limit and not ended.all():
        logits, state = model.step(words, state)
        logits = without(logits, PAD, BOS) / temperature   # [B, V]
        logits = logits if k is None else top_k(logits, k)
        logits = logits if p is None else top_p(logits, p)
        words = logits.softmax(dim=-1).multinomial(1)[:, 0]    # [B]
        ended = ended | (words == EOS)                     # [B]
        written.append(words)
    return [up_to_end(row) for row in torch.stack(written, dim=1).tolist()]


def translate(model, sentence, source_vocab, target_vocab, longest=None):
    """Words of the translation of one sentence, a list of words; more than `longest` words are refused."""
    if not sentence:
        raise ValueError("the sentence is empty: there is nothing to translate")
    if longest and len(sentence) > longest:
        raise ValueError(f"the sentence has {len(sentence)} words and the model was trained on at most {longest}; "
                         f"longest=None translates it all the same")
    device = next(model.parameters()).device
    source = torch.tensor([source_vocab.ids(sentence)], device=device)    # [1, S]
    [ids] = greedy(model, source, torch.tensor([len(sentence)]))
    return target_vocab.tokens(ids)


@torch.no_grad()
def translation_weights(model, sentence, translation, source_vocab, target_vocab):
    """Where a model looks while it writes a translation, its own or another.

    sentence and translation are lists of words
    returns weights [T, S]; row t is for the step that writes word t
    """
    device = next(model.parameters()).device
    source = torch.tensor([source_vocab.ids(sentence)], device=device)    # [1, S]
    lengths = torch.tensor([len(sentence)])                               # [1]
    ids = [BOS] + target_vocab.ids(translation)
    target_in = torch.tensor([ids], device=device)                        # [1, T+1]
    weights = source_weights(model, source, lengths, target_in)           # [1, T+1, S]
    return weights[0, :-1]    # [T, S]: the last step writes EOS
