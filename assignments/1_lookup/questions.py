"""Assignment 1, soft lookup and attention: what is graded, and how. Private."""

import math
import random

import torch
from softdict.grading import Part, Question, Wrong

TITLE = "Soft lookup and attention in translation"
MINUTES = {"q1": 15, "q2": 20, "q3": 25, "q4": 20, "q5": 10}

# what an answer returns as a tuple, part by part: the parts have unequal shapes
PARTS = """
def drive(answer, *case):
    found = answer(*case)
    if isinstance(found, (list, tuple)):
        found = {f"result {place}": one for place, one in enumerate(found, start=1)}
    return found
"""
NAMES = "Mina", "Yuna", "Theo", "Ines", "Kofi", "Lena", "Arun", "Sora"
TOWNS = "Busan", "Lyon", "Accra", "Porto", "Pune", "Turku", "Bergen", "Quito"


def variant(seed):
    """Numbers and names of the text's examples, worked out by hand for any of them."""
    rng = random.Random(seed)
    times = rng.choice([2, 3, 4])
    values = [6 * one for one in rng.sample(range(1, 6), 2)] + [6 * rng.randint(6, 9)]
    a, b, c = map(float, values)
    low, gap = rng.randint(1, 9), 4 * rng.randint(1, 5)
    heat = rng.choice([0.5, 2.0])
    state, other = rng.sample(range(2, 9), 2)
    near = [float(one) for one in rng.sample(range(2, 10), 4)]
    name, town = rng.choice(NAMES), rng.choice(TOWNS)
    return {
        "times": times, "a": a, "b": b, "c": c, "values": [[a], [b], [c]],
        "without": [[(b + times * c) / (1 + times)], [(a + times * c) / (1 + times)],
                    [(a + b) / 2]],
        "low": float(low), "high": float(low + gap), "heat": heat,
        "middle": low + gap / 2, "slope": gap / 4 / heat,
        "slopes": [-gap / 4 / heat, gap / 4 / heat],
        "state": float(state), "other": float(other), "mean": (state + 2 * other) / 3,
        "third": 1 / 3, "near": [[[one] for one in near]], "row": near,
        "around": (near[2] + near[1]) / 2, "name": name, "town": town,
        "source": ["<polite>", name, "lives", "in", town],
        "written": ["<unk>", "-neun", "<unk>", "-e", "sal", "-ayo"],
        "weights": [[0, 0.8, 0.1, 0.1, 0]] + [[0.2] * 5] + [[0, 0.1, 0.1, 0.1, 0.7]]
                   + [[0.2] * 5] * 3,
        "copied": [name, "-neun", town, "-e", "sal", "-ayo"],
    }


def normal(rng, *shape):
    """Random numbers of a shape, from a random.Random."""
    generator = torch.Generator().manual_seed(rng.getrandbits(40))
    return torch.randn(*shape, generator=generator)


# ---- 1: without one of the keys


def leave_one_out(scores, values):
    """Returns answers [S, D]; row i is the lookup's answer without key i."""
    answers = []
    for left in range(len(scores)):
        others = [s for s in range(len(scores)) if s != left]
        weights = scores[others].softmax(dim=0)
        answers.append(weights @ values[others])
    return torch.stack(answers)


def not_renormalised(scores, values):
    weights = scores.softmax(dim=0)[:, None]
    return weights.T @ values - weights * values


def divided_out(scores, values):
    weights = scores.softmax(dim=0)[:, None]
    return (weights.T @ values - weights * values) / (1 - weights)


def zero_score(scores, values):
    rows = scores.repeat(len(scores), 1).fill_diagonal_(0.0)
    return rows.softmax(dim=-1) @ values


def naive_exp(scores, values):
    rows = scores.exp().repeat(len(scores), 1).fill_diagonal_(0.0)
    return rows / rows.sum(dim=-1, keepdim=True) @ values


def only_the_left_one(scores, values):
    return values.clone()


def even_scores(rng):
    return [(0.5 * normal(rng, S), normal(rng, S, 3)) for S in (3, 5)]


def leader(rng):
    scores = 0.5 * normal(rng, 5)
    scores[rng.randrange(5)] = 30.0
    return [(scores, normal(rng, 5, 2))]


def large_scores(rng):
    return [(shift + 0.5 * normal(rng, 4), normal(rng, 4, 3))
            for shift in (rng.randint(500, 1000), -rng.randint(500, 1000))]


Q1 = Question(
    "q1", "leave_one_out", leave_one_out,
    (Part("even scores", 2, even_scores), Part("one key far ahead", 1, leader),
     Part("large scores", 1, large_scores)),
    (Wrong("not_renormalised",
           "Your weights were shared out before the key was left out. What do the "
           "others add up to now?", not_renormalised),
     Wrong("divided_out",
           "You divide by what is left of the weight. If the missing key had nearly "
           "all of it, nearly nothing is left.", divided_out),
     Wrong("zero_score",
           "Your missing key still has the score 0. What is e to the power of 0?",
           zero_score),
     Wrong("naive_exp",
           "Your exp overflows, or ends at 0, where scores are large. Only their "
           "differences matter.", naive_exp),
     Wrong("only_the_left_one",
           "Row i of yours hears key i alone. It should hear all but key i.",
           only_the_left_one)))


# ---- 2: what a score moves


def slopes(scores, values, temperature):
    """Returns the slopes [S] of the answer, one for each score."""
    weights = (scores / temperature).softmax(dim=0)
    answer = weights @ values
    return weights * (values - answer) / temperature


def others_forgotten(scores, values, temperature):
    return (scores / temperature).softmax(dim=0) * values / temperature


def own_share_only(scores, values, temperature):
    weights = (scores / temperature).softmax(dim=0)
    return weights * (1 - weights) * values / temperature


def temperature_once(scores, values, temperature):
    return slopes(scores / temperature, values, 1.0)


def no_temperature(scores, values, temperature):
    return slopes(scores, values, 1.0)


def downhill(scores, values, temperature):
    return -slopes(scores, values, temperature)


def overflowing(scores, values, temperature):
    powers = (scores / temperature).exp()
    weights = powers / powers.sum()
    return weights * (values - weights @ values) / temperature


def at_temperatures(rng, temperatures, shift=0.0):
    return [(normal(rng, S) + shift, 4 * normal(rng, S), temperature)
            for S, temperature in zip((4, 6), temperatures)]


Q2 = Question(
    "q2", "slopes", slopes,
    (Part("temperature 1", 2, lambda rng: at_temperatures(rng, (1.0, 1.0))),
     Part("other temperatures", 1, lambda rng: at_temperatures(rng, (0.3, 5.0))),
     Part("large scores", 1, lambda rng: at_temperatures(rng, (1.0, 1.0), 700.0))),
    (Wrong("others_forgotten",
           "Your slopes let one key gain and no other lose. Raise all scores by 1: "
           "does the answer move?", others_forgotten),
     Wrong("own_share_only",
           "You follow the weight of the raised key alone. The other weights move too, "
           "and so do their values' shares.", own_share_only),
     Wrong("temperature_once",
           "Your weights know the temperature, and your slopes do not. A score counts "
           "only after it is divided.", temperature_once),
     Wrong("no_temperature",
           "Your slopes are right at temperature 1 only. Where does the temperature "
           "enter the lookup?", no_temperature),
     Wrong("downhill",
           "Your signs are turned round. Raise the score of the largest value: does "
           "the answer rise or fall?", downhill),
     Wrong("overflowing",
           "Your exp overflows where scores are large. Only their differences matter.",
           overflowing)))


# ---- 3: two sources, one query


def two_sources(query, first, second, first_allowed, second_allowed):
    """Returns context [B, D], and the weights of both sources, [B, S] and [B, R]."""
    states = torch.cat([first, second], dim=1)                     # [B, S + R, D]
    allowed = torch.cat([first_allowed, second_allowed], dim=1)    # [B, S + R]
    scores = (states @ query[:, :, None])[:, :, 0]
    weights = scores.masked_fill(~allowed, -math.inf).softmax(dim=1)
    context = (weights[:, None] @ states)[:, 0]                    # [B, D]
    return context, weights[:, :first.shape[1]], weights[:, first.shape[1]:]


def joined(query, first, second, first_allowed, second_allowed, weigh):
    """The answer when weigh(scores, allowed) makes the weights of both together."""
    states = torch.cat([first, second], dim=1)
    allowed = torch.cat([first_allowed, second_allowed], dim=1)
    weights = weigh(torch.einsum("bd,bsd->bs", query, states), allowed)
    S = first.shape[1]
    return torch.einsum("bs,bsd->bd", weights, states), weights[:, :S], weights[:, S:]


def masked(scores, allowed, dim=1):
    return scores.masked_fill(~allowed, -math.inf).softmax(dim=dim)


def two_softmaxes(query, first, second, *allowed):
    """Each source for itself; their contexts are added."""
    S = first.shape[1]
    return joined(query, first, second, *allowed, lambda scores, seen: torch.cat(
        [masked(scores[:, :S], seen[:, :S]), masked(scores[:, S:], seen[:, S:])], 1))


def half_each(query, first, second, *allowed):
    return tuple(one / 2 for one in two_softmaxes(query, first, second, *allowed))


def mask_after_softmax(*case):
    return joined(*case, lambda scores, seen: scores.softmax(dim=1) * seen)


def pads_score_zero(*case):
    return joined(*case, lambda scores, seen: (scores * seen).softmax(dim=1))


def pads_forgotten(*case):
    return joined(*case, lambda scores, seen: scores.softmax(dim=1))


def over_sentences(*case):
    return joined(*case, lambda scores, seen: masked(scores, seen, dim=0))


def scaled(query, *case):
    return two_sources(query / query.shape[-1] ** 0.5, *case)


def sources(rng, lengths):
    """A batch with two sources, and how many words of both are real."""
    B, S, R = len(lengths), 5, 3
    query = 0.5 * normal(rng, B, 4)    # so that no word weighs next to nothing
    return [(query, normal(rng, B, S, 4), normal(rng, B, R, 4),
             torch.tensor([[s < one for s in range(S)] for one, _ in lengths]),
             torch.tensor([[r < two for r in range(R)] for _, two in lengths]))]


Q3 = Question(
    "q3", "two_sources", two_sources,
    (Part("no pads", 2, lambda rng: sources(rng, [(5, 3)] * 3)),
     Part("pads", 2, lambda rng: sources(rng, [(rng.randint(2, 4), 3), (5, 1), (3, 2)])
          ),
     Part("a source of pads alone", 1, lambda rng: sources(rng, [(4, 2), (0, 2), (5, 0)]
                                                           ))),
    (Wrong("two_softmaxes",
           "Your weights make 2 together. The words of both sources compete in one "
           "lookup.", two_softmaxes),
     Wrong("half_each",
           "You give each source half of the weight, whatever it says. A source "
           "without a good word should get little.", half_each),
     Wrong("mask_after_softmax",
           "Your weights make less than 1 where there are pads. The pads took their "
           "share before you hid them.", mask_after_softmax),
     Wrong("pads_score_zero",
           "Your pads have the score 0, and still get weight. What is e to the power "
           "of 0?", pads_score_zero),
     Wrong("pads_forgotten", "Your pads get weight, as words do. Which argument tells "
           "where they stand?", pads_forgotten),
     Wrong("over_sentences",
           "Your softmax runs over the sentences of the batch. Does sentence 0 depend "
           "on sentence 1?", over_sentences),
     Wrong("scaled",
           "Your weights are too even. The task takes the plain dot product, as "
           "chapter 07 does.", scaled)),
    drive=PARTS)


# ---- 4: near a place


def local_attention(query, states, lengths, centres, reach):
    """Returns context [B, D] and weights [B, S]."""
    weights = torch.zeros(states.shape[:2])
    for b in range(len(states)):
        near = [s for s in range(lengths[b]) if abs(s - centres[b]) <= reach]
        if near:
            weights[b, near] = (states[b, near] @ query[b]).softmax(dim=0)
    return (weights[:, None] @ states)[:, 0], weights


def within(query, states, lengths, centres, near):
    """The answer when near(s, length, centre) says which states take part."""
    seen = torch.tensor([[near(s, n, c) for s in range(states.shape[1])]
                         for n, c in zip(lengths, centres)])
    scores = torch.einsum("bd,bsd->bs", query, states).masked_fill(~seen, -math.inf)
    weights = scores.softmax(dim=1).nan_to_num()
    return torch.einsum("bs,bsd->bd", weights, states), weights


def one_short(query, states, lengths, centres, reach):
    return within(query, states, lengths, centres,
                  lambda s, n, c: s < n and abs(s - c) < reach)


def one_sided(query, states, lengths, centres, reach):
    return within(query, states, lengths, centres,
                  lambda s, n, c: s < n and c - reach <= s <= c)


def pads_in_reach(query, states, lengths, centres, reach):
    return within(query, states, lengths, centres,
                  lambda s, n, c: abs(s - c) <= reach)


def window_after_softmax(query, states, lengths, centres, reach):
    _, weights = within(query, states, lengths, centres, lambda s, n, c: s < n)
    places = torch.arange(states.shape[1])
    weights = weights * ((places - torch.tensor(centres)[:, None]).abs() <= reach)
    return torch.einsum("bs,bsd->bd", weights, states), weights


def negative_start(query, states, lengths, centres, reach):
    """A slice that begins before 0 counts from the end: it is empty."""
    return within(query, states, lengths, centres, lambda s, n, c: s in range(n)[
        c - reach:c + reach + 1])


def nan_from_nothing(query, states, lengths, centres, reach):
    context, weights = local_attention(query, states, lengths, centres, reach)
    empty = weights.sum(dim=1) == 0
    weights[empty], context[empty] = math.nan, math.nan
    return context, weights


def inside(rng):
    return [(normal(rng, 2, 3), normal(rng, 2, 9, 3), [9, 9], [rng.randint(3, 5), 4],
             rng.choice([1, 2, 3]))]


def edges(rng):
    return [(normal(rng, 3, 4), 0.5 * normal(rng, 3, 8, 4), [8, rng.randint(5, 6), 6],
             [1, 4, 0], 2)]


def out_of_reach(rng):
    return [(normal(rng, 2, 3), normal(rng, 2, 10, 3), [3, 9], [rng.randint(7, 9), 4],
             2)]


Q4 = Question(
    "q4", "local_attention", local_attention,
    (Part("inside the sentence", 1, inside), Part("at the edges", 2, edges),
     Part("nothing in reach", 1, out_of_reach)),
    (Wrong("one_short",
           "Your window is one place too short on each side. A state at the distance "
           "`reach` still takes part.", one_short),
     Wrong("one_sided",
           "Your window looks back only. States behind the centre are in reach too.",
           one_sided),
     Wrong("pads_in_reach",
           "Your window reaches into the pads. Where does each sentence end?",
           pads_in_reach),
     Wrong("window_after_softmax",
           "Your weights make less than 1. States out of reach took their share before "
           "you cut them off.", window_after_softmax),
     Wrong("negative_start",
           "Near the beginning of a sentence you find nothing. What does Python make "
           "of a slice from -1?", negative_start),
     Wrong("nan_from_nothing",
           "You return nan where no state is in reach. What is the softmax of an empty "
           "row?", nan_from_nothing)),
    drive=PARTS)


# ---- 5: the unknown word


def copy_unknown(written, source, weights):
    """Returns the written words, with source words in place of "<unk>"."""
    words = []
    for t, word in enumerate(written):
        if word == "<unk>":
            row = weights[t, 1:len(source)]    # the tag is no word
            word = source[1 + int(row.argmax())]
        words.append(word)
    return words


def replaced(written, source, place):
    """The written words, where place(t) says which source word is copied."""
    return [source[place(t)] if word == "<unk>" else word
            for t, word in enumerate(written)]


def tag_copied(written, source, weights):
    return replaced(written, source,
                    lambda t: int(weights[t, :len(source)].argmax()))


def columns_for_rows(written, source, weights):
    return replaced(written, source,
                    lambda t: 1 + int(weights.T[t, 1:len(source)].argmax()))


def next_row(written, source, weights):
    return replaced(written, source,
                    lambda t: 1 + int(weights[t + 1, 1:len(source)].argmax()))


def word_before(written, source, weights):
    return replaced(written, source,
                    lambda t: int(weights[t, 1:len(source)].argmax()))


def pads_count(written, source, weights):
    return replaced(written, source, lambda t: 1 + int(weights[t, 1:].argmax()))


def same_place(written, source, weights):
    return replaced(written, source, lambda t: t + 1)


def maps(rng, rows=0, columns=0, tag=False):
    """Sentences with unknown words, and weights with more rows and columns."""
    found = []
    for _ in range(4):
        S = rng.randint(6, 8)
        T = S - 1
        source = ["<polite>", *rng.sample(NAMES + TOWNS, S - 1)]
        written = [f"word{t}" for t in range(T)]
        for t in rng.sample(range(T - 1), 3):
            written[t] = "<unk>"
        weights = (2 * normal(rng, T + 1 + rows, S)).softmax(dim=1)
        weights[:, 0] = 2.0 if tag else 0.0
        pads = torch.full((len(weights), columns), 0.9)
        found.append((written, source, torch.cat([weights, pads], dim=1)))
    return found


Q5 = Question(
    "q5", "copy_unknown", copy_unknown,
    (Part("a column for each word", 1, lambda rng: maps(rng)),
     Part("more rows and columns", 1, lambda rng: maps(rng, rows=2, columns=3)),
     Part("the tag is heaviest", 1, lambda rng: maps(rng, tag=True))),
    (Wrong("tag_copied",
           "You copied the tag. It asks for a style, and is no word of the sentence.",
           tag_copied),
     Wrong("columns_for_rows",
           "You look down a column. Which word of the source was heaviest when word t "
           "was written?", columns_for_rows),
     Wrong("next_row",
           "You look one row too far down. Row 0 belongs to the first written word.",
           next_row),
     Wrong("word_before",
           "You copy the word in front of the right one. From where are your places "
           "counted?", word_before),
     Wrong("pads_count",
           "Your heaviest column lies behind the sentence. How many columns have a "
           "word?", pads_count),
     Wrong("same_place",
           "You copy from the same place, whatever the weights say. Other languages "
           "order their words otherwise.", same_place)))

QUESTIONS = (Q1, Q2, Q3, Q4, Q5)
