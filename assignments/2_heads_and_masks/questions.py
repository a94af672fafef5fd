"""Assignment 2, multi-head attention and masks: what is graded, and how. Private."""

import math
import random

import torch
from softdict.grading import Part, Question, Wrong
from softdict.layers import sinusoids

TITLE = "Multi-head attention and masks"
MINUTES = {"q1": 15, "q2": 20, "q3": 20, "q4": 15, "q5": 20}

# what an answer returns as a tuple, part by part: the parts have unequal shapes
PARTS = """
def drive(answer, *case):
    found = answer(*case)
    if isinstance(found, (list, tuple)):
        found = {f"result {place}": one for place, one in enumerate(found, start=1)}
    return found
"""


def variant(seed):
    """Numbers of the text's examples, worked out by hand for any of them."""
    rng = random.Random(seed)
    prefix = rng.choice([2, 3])
    length = prefix + rng.choice([1, 2])
    low, high = rng.randint(2, 5), rng.randint(6, 9)
    a, b, c, d = rng.sample(range(2, 10), 4)
    n_1, n_2 = rng.choice([(1, 3), (3, 1), (1, 4), (4, 1), (2, 3)])
    found = rng.sample(range(2, 7), 2)
    fill = rng.choice([1, 2, 3])
    m_1, m_2 = 5 * rng.choice([2, 3]), 5 * rng.choice([4, 6])
    allowed = [[s < length and (s <= t or t < prefix and s < prefix)
                for s in range(length + 1)] for t in range(length + 1)]
    return {
        "prefix": prefix, "length": length, "size": length + 1, "allowed": allowed,
        "table": ", ".join("".join(str(int(one)) for one in row) for row in allowed),
        "low": low, "low_2": low + 2, "high": high, "high_2": high + 4,
        "value": [[[[float(low)], [low + 2.0]], [[float(high)], [high + 4.0]]]],
        "heads": [low + 1.0, high + 2.0, low + 1.0, high + 2.0],
        "found": [[[float(one)]] for one in found], "found_0": found[0],
        "found_1": found[1],
        "matrix": [[float(a), float(b)], [float(c), float(d)]],
        "bias": [1.0, -1.0],
        "parts": [[[float(found[0] * a), float(found[0] * c)]],
                  [[float(found[1] * b), float(found[1] * d)]], [[1.0, -1.0]]],
        "fill": float(fill),
        "placed": [[fill, fill], [fill, fill + 1],
                   [round(fill + 0.8415, 4), round(fill + 0.5403, 4)]],
        "n_1": n_1, "n_2": n_2, "both": n_1 + n_2, "m_1": float(m_1),
        "m_2": float(m_2), "mean": (n_1 * m_1 + n_2 * m_2) / (n_1 + n_2),
        "halves": (m_1 + m_2) / 2,
    }


def normal(rng, *shape):
    """Random numbers of a shape, from a random.Random."""
    generator = torch.Generator().manual_seed(rng.getrandbits(40))
    return torch.randn(*shape, generator=generator)


# ---- 1: who may look


def prefix_mask(prefixes, lengths, size):
    """Returns allowed [B, T, T] with T = size, True where word t may look at word s."""
    allowed = torch.zeros(len(lengths), size, size, dtype=torch.bool)
    for b in range(len(lengths)):
        for t in range(size):
            for s in range(lengths[b]):
                reads = t < prefixes[b] and s < prefixes[b]
                allowed[b, t, s] = reads or s <= t
    return allowed


def table(prefixes, lengths, size, rule):
    """A mask from a rule for one entry: b's prefix and length, t and s."""
    return torch.tensor([[[rule(p, n, t, s) for s in range(size)] for t in range(size)]
                         for p, n in zip(prefixes, lengths)])


def causal_everywhere(prefixes, lengths, size):
    return table(prefixes, lengths, size, lambda p, n, t, s: s <= t and s < n)


def source_sees_all(prefixes, lengths, size):
    return table(prefixes, lengths, size,
                 lambda p, n, t, s: (s <= t or t < p) and s < n)


def pads_in_rows(prefixes, lengths, size):
    return table(prefixes, lengths, size,
                 lambda p, n, t, s: (s <= t or t < p and s < p) and t < n)


def pads_forgotten(prefixes, lengths, size):
    return table(prefixes, lengths, size, lambda p, n, t, s: s <= t or t < p and s < p)


def inverted(prefixes, lengths, size):
    return ~prefix_mask(prefixes, lengths, size)


def itself_hidden(prefixes, lengths, size):
    return table(prefixes, lengths, size,
                 lambda p, n, t, s: (s < t or t < p and s < p) and s < n)


def no_source(rng):
    size = rng.randint(4, 6)
    return [([0], [size], size), ([1, 0], [size, size], size)]


def with_source(rng):
    size = rng.randint(6, 8)
    return [([size - 3], [size], size), ([2, size - 2], [size, size], size)]


def with_pads(rng):
    size = rng.randint(7, 9)
    return [([0, 1], [size - 2, size - 4], size),
            ([2, 3, size - 4], [size - 3, 5, size - 4], size)]


Q1 = Question(
    "q1", "prefix_mask", prefix_mask,
    (Part("no source, no pads", 1, no_source),
     Part("a source, no pads", 1, with_source),
     Part("pads", 2, with_pads)),
    (Wrong("causal_everywhere",
           "The first words of your source do not see its later words. "
           "They are all there before anything is written.", causal_everywhere),
     Wrong("source_sees_all",
           "A word of your source looks at words that are still to be written. "
           "What may row 0 look at?", source_sees_all),
     Wrong("pads_in_rows",
           "Your mask empties the rows of pads, which may look as a written word may. "
           "Which axis lists the words being looked at?", pads_in_rows),
     Wrong("pads_forgotten",
           "Your pads look at pads, also at themselves. Where does a row of the batch "
           "end?",
           pads_forgotten),
     Wrong("inverted",
           "Your True stands where a word may not look. Print row 0: the first word "
           "must see itself.", inverted),
     Wrong("itself_hidden",
           "A written word does not see itself in your mask. "
           "It has been read when its row is computed.", itself_hidden)))


# ---- 2: heads that share keys


def alternating_attention(query, key, value):
    """Returns context [B, H, T, K] and weights [B, H, T, S]."""
    share = query.shape[1] // key.shape[1]
    key = key.repeat(1, share, 1, 1)                 # [B, H, S, K]
    value = value.repeat(1, share, 1, 1)             # [B, H, S, K]
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = scores.softmax(dim=-1)                 # [B, H, T, S]
    return weights @ value, weights


def spread(query, pairs, pick):
    """Keys or values for each head: head h gets pair pick(h)."""
    return torch.stack([pairs[:, pick(h)] for h in range(query.shape[1])], dim=1)


def neighbours(query, key, value):
    share = query.shape[1] // key.shape[1]
    return alternating_attention(query, spread(query, key, lambda h: h // share),
                                 spread(query, value, lambda h: h // share))


def first_pair_only(query, key, value):
    return alternating_attention(query, key[:, :1], value[:, :1])


def unscaled(query, key, value):
    return alternating_attention(query * query.shape[-1] ** 0.5, key, value)


def scaled_by_all(query, key, value):
    return alternating_attention(query / query.shape[1] ** 0.5, key, value)


def over_queries(query, key, value):
    share = query.shape[1] // key.shape[1]
    scores = query @ key.repeat(1, share, 1, 1).mT / query.shape[-1] ** 0.5
    weights = scores.softmax(dim=-2)
    return weights @ value.repeat(1, share, 1, 1), weights


def pairs_averaged(query, key, value):
    return alternating_attention(query, key.mean(1, keepdim=True),
                                 value.mean(1, keepdim=True))


def groups(rng, sizes):
    return [(normal(rng, B, H, 3, 4), normal(rng, B, G, 5, 4), normal(rng, B, G, 5, 4))
            for B, H, G in sizes]


Q2 = Question(
    "q2", "alternating_attention", alternating_attention,
    (Part("a pair for each head", 1, lambda rng: groups(rng, [(2, 3, 3), (1, 2, 2)])),
     Part("one pair for all heads", 1,
          lambda rng: groups(rng, [(2, 3, 1), (1, 4, 1)])),
     Part("groups of heads", 3,
          lambda rng: groups(rng, [(2, 6, 2), (1, 6, 3), (3, 4, 2)]))),
    (Wrong("neighbours",
           "Heads that stand next to one another share a set in yours. They take the "
           "sets in turns.", neighbours),
     Wrong("first_pair_only",
           "All your heads ask the first pair of keys and values. The others are never "
           "read.", first_pair_only),
     Wrong("unscaled",
           "Your weights are sharper than expected. What is the standard deviation of "
           "your scores when K grows?", unscaled),
     Wrong("scaled_by_all",
           "Your weights are too even. How long are the vectors in each dot product?",
           scaled_by_all),
     Wrong("over_queries",
           "Your weights make 1 down a column. For one query, what should add up to 1?",
           over_queries),
     Wrong("pairs_averaged",
           "You mixed all keys into one set, and all values. Each group of heads keeps "
           "its own.", pairs_averaged)),
    drive=PARTS)


# ---- 3: what each head adds


def head_parts(found, matrix, bias):
    """Returns the parts [H + 1, T, D]; the last is the bias."""
    H, T, K = found.shape
    parts = [found[h] @ matrix[:, h * K:(h + 1) * K].T for h in range(H)]
    parts.append(bias.expand(T, len(bias)))
    return torch.stack(parts)


def parts_of(found, bias, piece):
    """The parts when head h owns the matrix piece(h) [K, D]."""
    heads = [one @ piece(h) for h, one in enumerate(found)]
    return torch.stack([*heads, bias.expand(found.shape[1], len(bias))])


def rows_for_columns(found, matrix, bias):
    K = found.shape[2]
    return parts_of(found, bias, lambda h: matrix[h * K:(h + 1) * K])


def bias_in_each(found, matrix, bias):
    parts = head_parts(found, matrix, bias)
    return torch.cat([parts[:-1] + bias, parts[-1:]])


def columns_in_turns(found, matrix, bias):
    return parts_of(found, bias, lambda h: matrix[:, h::len(found)].T)


def heads_backwards(found, matrix, bias):
    parts = head_parts(found.flip(0), matrix, bias)
    return torch.cat([parts[:-1].flip(0), parts[-1:]])


def pieces(rng, sizes, quiet=False):
    return [(normal(rng, H, T, K), normal(rng, D, H * K),
             torch.zeros(D) if quiet else normal(rng, D)) for H, T, K, D in sizes]


Q3 = Question(
    "q3", "head_parts", head_parts,
    (Part("one head, no bias", 1, lambda rng: pieces(rng, [(1, 3, 4, 4)], quiet=True)),
     Part("several heads", 2, lambda rng: pieces(rng, [(3, 4, 2, 6), (2, 3, 4, 8)])),
     Part("more numbers out than in", 1, lambda rng: pieces(rng, [(2, 5, 3, 7)]))),
    (Wrong("rows_for_columns",
           "You cut rows from the matrix. How does nn.Linear store it: which axis "
           "belongs to what comes in?", rows_for_columns),
     Wrong("bias_in_each",
           "Your parts do not add up to the layer's answer: the bias is in it once for "
           "each head too often.", bias_in_each),
     Wrong("columns_in_turns",
           "Your heads take the columns in turns. What heads found lies side by side, "
           "all of head 0 first.", columns_in_turns),
     Wrong("heads_backwards",
           "Your heads take the pieces in the opposite order. With two heads, compare "
           "the first columns with what head 0 should own.", heads_backwards)))


# ---- 4: pads in front


def left_padded(x, allowed):
    """Returns the words with their positions [B, T, D]; pads stay as they are."""
    B, T, D = x.shape
    placed = x.clone()
    for b in range(B):
        words = allowed[b].nonzero()[:, 0]
        placed[b, words] += sinusoids(torch.arange(len(words)).to(x), D)
    return placed


def coded(x, positions, where=None):
    """x with the codes of positions [B, T], where it is True."""
    codes = torch.stack([sinusoids(row.to(x), x.shape[-1]) for row in positions])
    return x + (codes if where is None else codes * where[..., None])


def by_column(x, allowed):
    return coded(x, torch.arange(x.shape[1]).expand(x.shape[:2]))


def by_column_words(x, allowed):
    return coded(x, torch.arange(x.shape[1]).expand(x.shape[:2]), allowed)


def from_one(x, allowed):
    return coded(x, allowed.cumsum(1), allowed)


def code_on_pads(x, allowed):
    return coded(x, (allowed.cumsum(1) - 1).clamp_min(0))


def by_sentence(x, allowed):
    return coded(x, torch.arange(len(x))[:, None].expand(x.shape[:2]), allowed)


def fronts(rng, B, T, D, pads):
    allowed = torch.stack([torch.arange(T) >= count for count in pads])
    return [(normal(rng, B, T, D), allowed)]


Q4 = Question(
    "q4", "left_padded", left_padded,
    (Part("no pads", 1, lambda rng: fronts(rng, 2, rng.randint(4, 6), 6, [0, 0])),
     Part("pads in front", 1, lambda rng: fronts(rng, 3, 6, 4, [rng.randint(1, 3), 0,
                                                               4])),
     Part("nothing but pads", 1, lambda rng: fronts(rng, 2, 5, 8,
                                                    [5, rng.randint(1, 3)]))),
    (Wrong("by_column",
           "Your positions count the columns, pads too. Where does the first real word "
           "of a padded sentence stand?", by_column),
     Wrong("by_column_words",
           "Your pads are left alone, and yet they are counted. The same sentence gets "
           "other codes when its neighbour is longer.", by_column_words),
     Wrong("from_one",
           "Your first word has the code of position 1. Which position has the very "
           "first word?", from_one),
     Wrong("code_on_pads",
           "Your pads have changed. The code of position 0 is not zero: half of its "
           "numbers are 1.", code_on_pads),
     Wrong("by_sentence",
           "All words of a sentence get the same code from you. Does word 3 differ "
           "from word 4?", by_sentence)))


# ---- 5: two halves make a whole


def merge(context_1, total_1, context_2, total_2):
    """Returns context [..., T, D] and total [..., T] over the keys of both halves."""
    totals = torch.stack([total_1, total_2])              # [2, ..., T]
    largest = totals.amax(dim=0)
    largest = largest.masked_fill(largest == -math.inf, 0.0)
    powers = (totals - largest).exp()                     # [2, ..., T]
    whole = powers.sum(dim=0)
    shares = powers / whole.masked_fill(whole == 0, 1.0)
    context = shares[0, ..., None] * context_1 + shares[1, ..., None] * context_2
    return context, whole.log() + largest


def mean_of_both(context_1, total_1, context_2, total_2):
    return (context_1 + context_2) / 2, torch.logaddexp(total_1, total_2)


def overflows(context_1, total_1, context_2, total_2):
    first, second = total_1.exp(), total_2.exp()
    whole = first + second
    safe = whole.masked_fill(whole == 0, 1.0)
    context = first[..., None] * context_1 + second[..., None] * context_2
    return context / safe[..., None], whole.log()


def nan_from_nothing(context_1, total_1, context_2, total_2):
    shares = torch.stack([total_1, total_2]).softmax(dim=0)[..., None]
    return (shares[0] * context_1 + shares[1] * context_2,
            torch.logaddexp(total_1, total_2))


def logs_as_weights(context_1, total_1, context_2, total_2):
    share = (total_1 / (total_1 + total_2))[..., None]
    return (share * context_1 + (1 - share) * context_2,
            torch.logaddexp(total_1, total_2))


def totals_added(context_1, total_1, context_2, total_2):
    return merge(context_1, total_1, context_2, total_2)[0], total_1 + total_2


def half(rng, shape, scores):
    """Context and total of a half with these scores [..., T, S]."""
    value = normal(rng, *shape, scores.shape[-1], 3)
    total = scores.logsumexp(dim=-1)
    weights = (scores - total.nan_to_num(neginf=0.0)[..., None]).exp()
    return weights @ value, total


def halves(rng, shift=0.0):
    return [(*half(rng, shape, normal(rng, *shape, 4, 5) + shift),
             *half(rng, shape, normal(rng, *shape, 4, 2) + shift))
            for shape in [(), (2, 3)]]


def empty_halves(rng):
    one, other = normal(rng, 2, 4, 5), normal(rng, 2, 4, 3)
    one[:, 1], other[:, 2] = -math.inf, -math.inf
    return [(*half(rng, (2,), one), *half(rng, (2,), other))]


def both_empty(rng):
    one, other = normal(rng, 4, 5), normal(rng, 4, 3)
    one[1], other[1] = -math.inf, -math.inf
    return [(*half(rng, (), one), *half(rng, (), other))]


Q5 = Question(
    "q5", "merge", merge,
    (Part("two halves", 1, lambda rng: halves(rng) + empty_halves(rng)),
     Part("large scores", 1, lambda rng: halves(rng, 500.0) + halves(rng, -500.0)),
     Part("nothing in either half", 2, both_empty)),
    (Wrong("mean_of_both",
           "You give both halves the same say. A half with ten good keys should count "
           "more than one with a bad one.", mean_of_both),
     Wrong("overflows",
           "Large scores break your sums: exp(500) is infinite in float32. Softmax "
           "looks at differences only.", overflows),
     Wrong("nan_from_nothing",
           "Where neither half has a key, you return nan. What is minus infinity minus "
           "minus infinity?", nan_from_nothing),
     Wrong("logs_as_weights",
           "You share the weight by the logarithms themselves. What are they "
           "logarithms of?", logs_as_weights),
     Wrong("totals_added",
           "Your context is right, and your total is not. The sum of two logarithms is "
           "the logarithm of a product.", totals_added)),
    drive=PARTS)

QUESTIONS = (Q1, Q2, Q3, Q4, Q5)
