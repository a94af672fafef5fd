"""The next word from its scores: the likeliest, or a random choice by probability."""

import torch


def keep_top_k(logits, k):
    """The same scores [..., V] with minus infinity for all but the k best (top-k).

    what equals the last of them stays too
    raises ValueError for a k below 1
    """
    if k < 1:
        raise ValueError(f"top-k keeps at least one word; got {k}")
    smallest = logits.topk(min(k, logits.shape[-1])).values[..., -1:]    # [..., 1]
    return logits.masked_fill(logits < smallest, float("-inf"))


def keep_top_p(logits, p):
    """The same scores [..., V] with minus infinity outside the nucleus (top-p).

    that is the fewest words that share at least p of the probability
    raises ValueError unless p is above 0 and at most 1
    Holtzman et al. 2020, section 3.1
    """
    if not 0 < p <= 1:
        raise ValueError(f"top-p is a share above 0 and at most 1; got {p}")
    shares, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    # a word is kept if the words before it have less than p; the first is always kept
    # p = 1 keeps all words: a rounded sum may reach 1 too early
    behind = (shares.cumsum(dim=-1) - shares >= p) & (p < 1)         # [..., V]
    outside = torch.zeros_like(behind).scatter(-1, order, behind)    # [..., V]
    return logits.masked_fill(outside, float("-inf"))


def keep_min_p(logits, ratio):
    """The same scores [..., V] with minus infinity for words that are too rare (min-p).

    that is less than `ratio` times the probability of the likeliest
    raises ValueError for a ratio below 0 or above 1
    Nguyen et al. 2024
    """
    if not 0 <= ratio <= 1:
        raise ValueError(f"min-p is a ratio from 0 to 1; got {ratio}")
    shares = logits.softmax(dim=-1)                      # [..., V]
    largest = shares.amax(dim=-1, keepdim=True)          # [..., 1]
    return logits.masked_fill(shares < ratio * largest, float("-inf"))


def next_word(logits, temperature=1.0, top_k=None, top_p=None, min_p=None, rng=None):
    """The next word of each text, chosen at random by its probability.

    logits [B, V]; returns ids [B]
    temperature below 1 sharpens; 0, or below a millionth, takes the likeliest
    top_k, top_p and min_p keep some of the words alone, in that order, of the scores
    that the temperature has divided; None keeps all
    rng is a torch.Generator; None draws from torch's own
    raises ValueError for a temperature below 0 or infinite, or as the filters do
    """
    if not 0 <= temperature < float("inf"):
        raise ValueError("temperature must be 0 or more, and finite; got "
                         f"{temperature}")
    greedy = temperature < 1e-6    # dividing by a smaller number may overflow
    logits = logits if greedy else logits / temperature                  # [B, V]
    logits = logits if top_k is None else keep_top_k(logits, top_k)      # [B, V]
    logits = logits if top_p is None else keep_top_p(logits, top_p)      # [B, V]
    logits = logits if min_p is None else keep_min_p(logits, min_p)      # [B, V]
    if greedy:
        return logits.argmax(dim=-1)                                     # [B]
    shares = logits.softmax(dim=-1)                                      # [B, V]
    return shares.multinomial(1, generator=rng)[:, 0]                    # [B]
