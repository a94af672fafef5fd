"""What must hold for any right implementation, whatever its weights: each property is
written once, as a function.

The implementations come in four kinds:
- look(x, real): self-attention; x [B, T, D], real [B, T] is False for pads; returns
  x [B, T, D]
- attend(query, key, value, allowed): as `softdict.attention.attention`
- codes(x, positions): x [B, T, D] with something added that depends on
  positions [T]
- turned(query, key, query_positions, key_positions): scores [T, S] of queries [T, K]
  and keys [S, K] at their positions
A property takes the implementation, the lengths of a few sentences, a small number
`more` and a seed for all the rest.
"""

import math

import torch
import torch.nn.functional as F
from copied import differences, draw

D = 12
CLOSE = {"rtol": 0, "atol": 1e-10}


def flags(lengths, in_front=0, behind=0):
    """True for the words, with that many pads on either side of each sentence, and pads
    behind the shorter ones."""
    size = max(lengths) + in_front + behind
    return torch.tensor([[in_front <= place < in_front + length
                          for place in range(size)] for length in lengths])


def gradient(answer, inputs, seed):
    """Gradient of the answer in a random direction."""
    return torch.autograd.grad((answer * draw(seed, *answer.shape)).sum(), inputs,
                               retain_graph=True)[0]


def causality(look, lengths, more, seed):
    """A word is reached by itself and by every word before it, and by nothing later:
    values and gradients."""
    real, size = flags(lengths), max(lengths)
    x = draw(seed, len(lengths), size, D).requires_grad_()
    new = look(x, real)
    place = more % size
    changed = x.detach().clone()
    changed[:, place:] += draw(seed + 1, len(lengths), size - place, D)
    torch.testing.assert_close(look(changed, real)[:, :place], new[:, :place], **CLOSE)
    for b, length in enumerate(lengths):
        for t in range(length):
            reached = gradient(new[b, t], x,
                               seed + 2)[b].abs().amax(dim=-1)    # [T]
            assert (reached[:t + 1] > 0).all(), "a word that should be seen is not"
            assert reached[t + 1:].count_nonzero() == 0, "a word sees the future"


def padding(look, lengths, more, seed):
    """More pads, on either side and whatever stands there, move no word and no
    gradient; a pad has no gradient."""
    lengths = [*lengths, 0] if seed % 2 else lengths    # and a sentence of pads alone
    real = flags(lengths)
    x = draw(seed, len(lengths), max(lengths), D).requires_grad_()
    new = look(x, real)
    wanted = gradient(new[real], x, seed)[real]
    for in_front, behind in ((0, more), (more, 0), (1, more)):
        longer = flags(lengths, in_front, behind)
        padded = 5 * draw(seed + 3, *longer.shape, D)
        padded[longer] = x.detach()[real]
        padded.requires_grad_()
        again = look(padded, longer)
        torch.testing.assert_close(again[longer], new[real], **CLOSE)
        reached = gradient(again[longer], padded, seed)
        torch.testing.assert_close(reached[longer], wanted, **CLOSE)
        assert reached[~longer].count_nonzero() == 0, "a pad has a gradient"


def row_sums(attend, lengths, more, seed):
    """Weights over the keys add up to 1, or are all 0 where everything is hidden; what
    is hidden weighs exactly 0."""
    T, S = max(lengths), max(lengths) + more
    query, key, value = (draw(seed, 2, 3, T, 4), draw(seed + 1, 2, 3, S, 4),
                         draw(seed + 2, 2, 3, S, 5))
    allowed = (torch.rand(2, 1, T, S, generator=torch.Generator().manual_seed(seed))
               < 0.6)
    allowed[0, 0, 0] = seed % 2 == 0
    context, weights = attend(query, key, value, allowed)
    assert weights.shape == (2, 3, T, S)
    assert (weights >= 0).all()    # a nan is not
    torch.testing.assert_close(weights.sum(dim=-1),
                               allowed.any(dim=-1).double().expand(2, 3, T), **CLOSE)
    assert (weights.masked_fill(allowed, 0).count_nonzero()
            == 0), "what is hidden has weight"
    assert (weights > 0)[allowed.expand_as(weights)].all(), "what is allowed has none"


def permutation(look, lengths, more, seed):
    """Words in another order give the same new words in that order, whoever asks:
    nothing tells a word its place."""
    size = max(lengths) + more
    x = draw(seed, len(lengths), size, D).requires_grad_()
    order = torch.randperm(size, generator=torch.Generator().manual_seed(seed))
    real = torch.ones(len(lengths), size, dtype=torch.bool)
    torch.testing.assert_close(look(x[:, order], real),
                               look(x, real)[:, order], **CLOSE)
    swapped = x.roll(1, dims=1)
    torch.testing.assert_close(look(swapped, real),
                               look(x, real).roll(1, dims=1), **CLOSE)


def batch_independence(look, lengths, more, seed):
    """A sentence alone, without a pad, gives what it gives in a batch, and no sentence
    reaches another."""
    lengths = [*lengths, more]    # two at least, unsorted
    real = flags(lengths)
    x = draw(seed, len(lengths), max(lengths), D).requires_grad_()
    new = look(x, real)
    for b, length in enumerate(lengths):
        alone = x.detach()[b:b + 1, :length].requires_grad_()
        answer = look(alone, torch.ones(1, length, dtype=torch.bool))
        torch.testing.assert_close(answer[0], new[b, :length], **CLOSE)
        reached = gradient(new[b:b + 1, :length], x, seed)
        torch.testing.assert_close(reached[b, :length],
                                   gradient(answer, alone, seed)[0], **CLOSE)
        assert (reached[:b].count_nonzero() == reached[b + 1:].count_nonzero()
                == 0), "another sentence is reached"


def shifted_codes(codes, lengths, more, seed):
    """The code of p + k is the code of p, every pair turned by a fixed angle; so dot
    products tell distances alone.

    Every pair has length 1. What is added to every sentence is the same, and no two
    positions have the same code.
    """
    size, nothing = max(lengths) + 5, torch.zeros(len(lengths) + 1, max(lengths) + 5, D,
                                                  dtype=torch.float64)
    positions = torch.arange(size).double()
    table, later = (codes(nothing, positions),
                    codes(nothing, positions + more))    # [B, T, D]
    assert torch.equal(table[0], table[-1]), "sentences have codes of their own"
    table, later = table[0], later[0]
    pairs, after = (torch.view_as_complex(part.unflatten(-1, (-1, 2)).contiguous())
                    for part in (table, later))
    turns = after / pairs    # [T, W]
    # fixed: the same for every p
    torch.testing.assert_close(turns, turns[:1].expand_as(turns), **CLOSE)
    torch.testing.assert_close(pairs.abs(), torch.ones_like(pairs.abs()), **CLOSE)
    torch.testing.assert_close(later @ later.T, table @ table.T, **CLOSE)
    apart = torch.cdist(table, table) + torch.eye(size).double()
    assert apart.min() > 0.1, "two positions have one code"


def shifted_scores(turned, lengths, more, seed):
    """Turned queries and keys know distances alone: a common shift moves no score,
    another distance does."""
    T, S = max(lengths), max(lengths) + more
    query, key = draw(seed, T, D).requires_grad_(), draw(seed + 1, S, D)
    places = torch.arange(T).double(), torch.arange(S).double()
    scores = turned(query, key, *places)
    later = turned(query, key, places[0] + more, places[1] + more)
    torch.testing.assert_close(later, scores, **CLOSE)
    torch.testing.assert_close(gradient(later, query, seed),
                               gradient(scores, query, seed), **CLOSE)
    # distance 0 is the plain dot product
    torch.testing.assert_close(turned(query, key, places[0], places[0][:1].expand(S))
                               .diagonal()[:1], (query[0] @ key[0])[None], **CLOSE)
    assert ((turned(query, key, places[0] + more, places[1]) - scores).abs().min()
            > 1e-6), "a distance does not count"


# Not properties: comparisons. They catch what is wrong in the same way everywhere.

def like_torch(attend, lengths, more, seed):
    """The context is that of torch's own function, and so are the gradients; as many
    keys as queries."""
    size = max(lengths) + more
    parts = [draw(seed + n, 2, 3, size, 4) for n in range(3)]
    allowed = torch.rand(2, 1, size, size,
                         generator=torch.Generator().manual_seed(seed)) < 0.6
    allowed[0, 0, 0] = seed % 2 == 0
    apart = differences(
        lambda *parts: attend(*parts, allowed)[0],
        lambda *parts: F.scaled_dot_product_attention(*parts, attn_mask=allowed), parts)
    assert apart.max() <= 1e-10


def like_the_paper(codes, lengths, more, seed):
    """What is added is sin and cos of position / 10000^(2i / d)."""
    x = draw(seed, 2, max(lengths), D)
    positions = torch.arange(more, more + max(lengths)).double()
    wanted = torch.tensor([[wave(p / 10000 ** (2 * i / D)) for i in range(D // 2)
                            for wave in (math.sin, math.cos)]
                           for p in positions.tolist()], dtype=torch.float64)
    torch.testing.assert_close(codes(x, positions), x + wanted, **CLOSE)
