"""Examination questions: two for each chapter, with other numbers for each seed.

    make moodle SEED=3

They are for teachers, and stand neither on the site nor in the question bank of it. A
question is a function of a random.Random; it returns an item in the form of those in
book/practice, and computes its answers. What the answer depends on is in its text.
"""

import math
import random
from collections import Counter
from itertools import combinations, permutations

import torch
from softdict.attention import attention
from softdict.decoder_only import RMSNorm
from softdict.layers import LayerNorm, sinusoids
from softdict.linear_attention import gated_delta_rule
from softdict.lookup import cosine, dot, exact_lookup, softmax
from softdict.masks import causal_padding_mask
from softdict.pretraining import block_mask, pack
from softdict.sampling import keep_top_p

QUESTIONS = {}    # "02.1": the function that makes it
THINGS = "dog", "cup", "lamp", "coat", "kite"


def question(name):
    def keep(make):
        QUESTIONS[name] = make
        return make
    return keep


def examination(seed):
    """All items of a seed, by their names; one seed gives the same items each time."""
    return {name: drawn(make, random.Random(f"{seed} {name}")) | {"id": name}
            for name, make in sorted(QUESTIONS.items())}


def drawn(make, rng):
    """An item of which no two answers are the same: else numbers are drawn again."""
    while True:
        item = make(rng)
        told = [*item["right"], *(wrong for wrong, _ in item["tempting"])]
        apart = 2 * item.get("tolerance", 0)
        if len(set(told)) == len(told) and (item["kind"] == "shape" or all(
                abs(a - b) > apart for a, b in combinations(map(float, told), 2))):
            return item


def number(text, right, why, *tempting, tolerance=None):
    """An item whose answer is a number; tempting are pairs of a wrong one and why."""
    if tolerance is None:    # half of the last place of three
        tolerance = 0 if float(right).is_integer() else 0.005
    return {"kind": "number", "question": text, "right": [shown(right)],
            "why": why, "tempting": [[shown(one), told]
                                     for one, told in tempting], "tolerance": tolerance}


def shape(text, right, why, *tempting):
    """An item whose answer is a shape, given as a list of sizes."""
    return {"kind": "shape", "question": text, "right": [str(right)], "why": why,
            "tempting": [[str(one), told] for one, told in tempting]}


def shown(value):
    """A number as it is typed, with six places that count."""
    return f"{float(value):.0f}" if abs(value) >= 10 ** 6 else f"{float(value):.6g}"


def tensor(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)


# Chapters 01 to 03 --------------------------------------------------------------------


@question("01.1")
def _(rng):
    name, (a, b, c) = rng.choice(THINGS), rng.sample(range(2, 60, 3), 3)
    found, _ = exact_lookup(name, [name, "box", name, name], [a, 1, b, c])
    return number(
        f"A price list has {name} three times, with the prices {a}, {b} and {c}. Its "
        f"fourth entry is a box. What does the book's exact lookup of {name} answer?",
        found, "Each of the three matches has the weight 1/3.",
        (a + b + c, "The weights of the matches must add up to 1."),
        (c, "Python's dictionary keeps the last price. This lookup takes the mean."),
        ((a + b + c) / 4, "The box does not match, so it has no share."))


@question("01.2")
def _(rng):
    T, S, V, D = rng.sample(range(3, 12), 4)
    answers = torch.zeros(T, V) @ torch.zeros(S, V).T @ torch.zeros(S, D)
    return shape(
        f"{T} one-hot queries of {V} numbers ask {S} keys. Behind each key stand "
        f"{D} values. Which shape do all answers have together?",
        [*answers.shape], "One row for each query, as wide as a value.",
        ([T, S], "That is the shape of the weights."),
        ([S, D], "These are the values themselves, a row for each key."),
        ([T, V], "That is the shape of the queries."))


@question("02.1")
def _(rng):
    ratio, heat = rng.choice([2, 3, 4]), rng.choice([0.5, 2])
    return number(
        f"One of two scores is larger by ln {ratio}. Both are divided by the "
        f"temperature {heat:g} before the softmax. How large is the larger weight?",
        softmax(tensor(math.log(ratio), 0) / heat)[0],
        f"The ratio of the weights is {ratio} to the power of {1 / heat:g}.",
        (ratio / (1 + ratio), "That is the weight at temperature 1."),
        (softmax(tensor(math.log(ratio), 0) * heat)[0],
         "Here the scores were multiplied by the temperature."))


@question("02.2")
def _(rng):
    (a, b), times = rng.choice([(3, 4), (5, 12), (8, 15)]), rng.choice([2, 3])
    query, key = tensor(a, b)[None], times * tensor(b, a)[None]
    c, d = key[0].int().tolist()
    return number(
        f"The query is ({a}, {b}), the key is ({c}, {d}). What is the cosine of the "
        "angle between them?", cosine(query, key),
        "The dot product is divided by both lengths.",
        (dot(query, key), "That is the dot product, which grows with the lengths."),
        (dot(query, key) / query.norm(), "The length of the key is left in it."),
        tolerance=0.002)


@question("03.1")
def _(rng):
    shares = rng.choice([(0.5, 0.3, 0.2), (0.6, 0.3, 0.1), (0.4, 0.35, 0.25)])
    came = rng.choice([0, 1, 2])
    logits = tensor(*shares).log().requires_grad_()
    torch.nn.functional.cross_entropy(logits, torch.tensor(came)).backward()
    told = ", ".join(f"{share:g}" for share in shares)
    return number(
        f"A model gives three candidates the shares {told}. Candidate {came + 1} came. "
        "By which number does the loss rise for each unit of its logit?",
        logits.grad[came], "Share minus truth: its share, minus 1.",
        (shares[came], "That is the slope of a candidate that did not come."),
        (1 - shares[came], "A higher logit of the right candidate lowers the loss."))


@question("03.2")
def _(rng):
    start, aim, rate = rng.randint(4, 9), rng.randint(0, 2), rng.choice([0.1, 0.2])
    place, places = float(start), [float(start)]
    for _ in range(2):
        place -= rate * 2 * (place - aim)
        places.append(place)
    return number(
        f"A parameter has the value {start}, and its loss is the square of its "
        f"distance from {aim}. Gradient descent takes two steps at the rate {rate:g}. "
        "Which value has it then?", place,
        "Each step subtracts the rate times the slope, which is twice the distance.",
        (places[1], "That is its value behind the first step."),
        (start + (start - aim) * ((1 + 2 * rate) ** 2 - 1),
         "The sign is turned: this climbs."),
        (aim + (start - aim) * (1 - rate) ** 2, "The slope of a square has a 2."))


# Chapters 04 to 08 --------------------------------------------------------------------


@question("04.1")
def _(rng):
    layers, B, S, H = rng.choice([2, 3]), *rng.sample(range(4, 12), 3)
    rnn = torch.nn.GRU(3, H, layers, bidirectional=True, batch_first=True)
    return shape(
        f"`nn.GRU(3, {H}, {layers}, bidirectional=True, batch_first=True)` reads {B} "
        f"sentences of {S} words. Which shape has its second result, the final states?",
        [*rnn(torch.zeros(B, S, 3))[1].shape],
        "A slice for each layer and direction comes first, also with `batch_first`.",
        ([layers, B, 2 * H], "The two directions have slices of their own."),
        ([B, 2 * layers, H], "`batch_first` does not move the axes of this result."),
        ([B, S, 2 * H], "That is the first result, the states of the last layer."))


@question("04.2")
def _(rng):
    n = rng.randint(5, 15)
    return number(
        f"A Korean sentence has {n} words, without tags. How many of its predictions "
        "count in the loss of the decoder, with teacher forcing?", n + 1,
        "Each word, and then the end of the sentence.",
        (n, "The end must be predicted, too, or nothing would stop the decoder."),
        (n + 2, "The beginning is given, and nobody predicts it."))


@question("05.1")
def _(rng):
    a, b = rng.choice([(2, 8), (2, 18), (3, 12), (4, 16), (5, 20)])
    return number(
        f"Half of the words of a text get the probability 1/{a} from a model, and the "
        f"other half 1/{b}. What is the perplexity of the text?", math.sqrt(a * b),
        "The mean of the losses comes first, then its exponential.",
        ((a + b) / 2, "That is a mean of perplexities."),
        (math.log(a * b) / 2, "That is the loss."))


@question("05.2")
def _(rng):
    words, losses = rng.choice([(30, 10), (20, 80), (90, 30)]), rng.sample([1, 2, 3], 2)
    total = sum(n * loss for n, loss in zip(words, losses))
    return number(
        f"One batch has {words[0]} real words and the mean loss {losses[0]}, another "
        f"has {words[1]} and {losses[1]}. Which loss per word do both have together?",
        total / sum(words), "Each batch counts with its words.",
        (sum(losses) / 2, "That is a mean of means, as if both had as many words."),
        (total, "That is the sum over all words."))


@question("06.1")
def _(rng):
    state, u = rng.choice([0.5, 0.6, 0.8]), rng.choice([0.5, 1.5, 2])
    return number(
        "In a recurrent network of one number, the new state is tanh(x + u · state). "
        f"The new state is {state:g}, and u is {u:g}. By which factor does a gradient "
        "change on its way back through this step?", u * (1 - state ** 2),
        "The slope of tanh is 1 minus the square of its value, and u multiplies it.",
        (1 - state ** 2, "The factor u is left out."),
        (u * state, "That is the value of tanh, and not its slope."))


@question("06.2")
def _(rng):
    S, layers = rng.randint(8, 20), rng.randint(2, 4)
    return number(
        f"{layers} recurrent layers stand on each other and read {S} words from left "
        "to right. What can be done at once is done at once. How many steps pass until "
        "the last state of the top layer is there?", S + layers - 1,
        "An upper layer can begin as soon as the first state below it is there.",
        (S * layers, "So it would be if each layer waited for the whole one below."),
        (S, "The top layer begins later than the lowest one."))


@question("07.1")
def _(rng):
    a, b, pad = rng.sample(range(2, 40, 2), 3)
    k = rng.choice([2, 3, 4])
    values, allowed = tensor(a, b, pad)[:, None], torch.tensor([True, True, False])
    context, _ = attention(tensor(1)[None], tensor(0, 0, math.log(k))[:, None], values,
                           allowed, score=dot)
    return number(
        f"A decoder's query has the scores 0, 0 and ln {k} with three states. The "
        f"third state is a pad, which is hidden as in the book. The values are {a}, "
        f"{b} and {pad}. What is the context?", context,
        "The pad weighs exactly 0, and the two words share 1.",
        ((a + b + k * pad) / (2 + k), "Here the pad takes part."),
        ((a + b + pad) / 3, "A score of 0 still earns a weight."),
        ((a + b) / (2 + k), "The weights were set to 0 after the softmax: the others "
                            "share less than 1."))


@question("07.2")
def _(rng):
    B, T, S, D = rng.sample(range(3, 13), 4)
    context, _ = attention(torch.zeros(B, T, D), torch.zeros(B, S, D),
                           torch.zeros(B, S, D))
    return shape(
        f"A batch of {B} sentences has sources of {S} words and targets of {T} words. "
        f"All states have {D} numbers. All target words look at once. Which shape do "
        "the contexts have?",
        [*context.shape], "Each target word gets an average of states.",
        ([B, T, S], "That is the shape of the weights."),
        ([B, S, D], "These are the states that are looked at."),
        ([B, D], "There is a context for each target word."))


@question("08.1")
def _(rng):
    a, b = rng.sample([1, 2, 3, 4], 2)
    K = rng.choice([4, 16, 64])
    return number(
        f"All {K} numbers of a query are {a}, and all of a key are {b}. What is their "
        "scaled dot product?", a * b * K / math.sqrt(K),
        "The sum of the products is divided by the root of the width.",
        (a * b * K, "That is the dot product without scaling."),
        (a * b, "It is divided by the width here, and not by its root."))


@question("08.2")
def _(rng):
    Q, K, A = rng.sample(range(4, 30, 2), 3)
    return number(
        f"Queries have {Q} numbers, keys {K}, and the hidden layer of an additive "
        f"score {A}. Nothing has a bias. How many numbers does the score learn?",
        A * Q + A * K + A,
        "A matrix for queries, one for keys, and a vector that judges.",
        (A * (Q + K), "The vector behind the tanh is learned, too."),
        (Q * K, "That is the general score, with one matrix."),
        (A * Q * K, "The two matrices are added and not multiplied."))


# Chapters 09 to 13 --------------------------------------------------------------------


@question("09.1")
def _(rng):
    a, b = rng.sample([1, 2, 3], 2)
    K = rng.choice([16, 25, 36, 64])
    return number(
        f"Queries and keys have {K} independent random numbers of mean 0. Those of the "
        f"queries have the standard deviation {a}, those of the keys {b}. What is the "
        "standard deviation of their dot products?", a * b * math.sqrt(K),
        "Variances of products are added up, and then the root is taken.",
        (a * b * K, "Variances are added, and not deviations."),
        (math.sqrt(K), "So it would be with deviations of 1."))


@question("09.2")
def _(rng):
    order, row = rng.choice([(order, row) for order in permutations(range(4))
                             for row in range(4)
                             if len({row, order[row], order.index(row)}) == 3])
    told = ", ".join(map(str, order))
    return number(
        "Self-attention without positions and without a mask reads four words, 0 to 3. "
        f"Then it reads the same words in the order {told}. Which row of the first "
        f"output is row {row} of the second?", order[row],
        f"At place {row} now stands word {order[row]}, and its output goes with it.",
        (row, "Outputs go with the words, and do not stay at the places."),
        (order.index(row), f"That is where word {row} stands now."))


@question("10.1")
def _(rng):
    H, K = rng.choice([2, 3, 4, 6]), rng.choice([4, 5, 8])
    D = H * K
    return number(
        f"A multi-head layer is {D} numbers wide and has {H} heads. Its linear maps "
        "have no biases. How many parameters has it?", 4 * D * D,
        "Four matrices of width times width, however many heads share them.",
        (4 * D * D * H, "The heads share the width among them."),
        (3 * D * D, "The matrix behind the heads counts as well."),
        (4 * D * K, "That is what one head has."))


@question("10.2")
def _(rng):
    B, H, T, S = rng.sample(range(2, 11), 4)
    return shape(
        f"{H} heads ask {S} words of a source for each of {T} target words, in {B} "
        "sentences at once. Which shape do the weights of all heads have?",
        [B, H, T, S], "Heads stand in front of the words, rows are queries.",
        ([B, T, H, S], "Heads must stand in front of the words before the product."),
        ([B, H, S, T], "Rows are queries, and columns are keys."),
        ([B, T, S], "Each head has weights of its own."))


@question("11.1")
def _(rng):
    n, pads = rng.randint(6, 9), rng.randint(2, 3)
    real = n - pads
    return number(
        f"A row of {n} places ends with {pads} pads. The mask hides pads as keys, and "
        "what comes later. Pads may ask. How many entries of the mask are True?",
        causal_padding_mask(torch.tensor([real]), n).sum(),
        "Query t sees the first t places, and never more than there are words.",
        (n * (n + 1) // 2, "That is the triangle alone: it shows pads."),
        (n * real, "That is the padding alone: it shows what comes later."),
        (real * (real + 1) // 2, "Here the pads may not ask."))


@question("11.2")
def _(rng):
    S, pads = rng.choice([(5, 2), (8, 3), (10, 4), (5, 1)])
    return number(
        f"A query has the same score with {S} places, and {pads} of them are pads. "
        "Somebody sets the weights of the pads to 0 after the softmax. What do the "
        "weights add up to then?", (S - pads) / S,
        f"Each place had 1/{S}, and the pads took theirs with them.",
        (1, "So it is if the scores are hidden before the softmax."),
        (pads / S, "That is what the pads had."))


@question("12.1")
def _(rng):
    m, n, more = rng.randint(3, 6), rng.randint(7, 12), rng.randint(2, 9)
    return number(
        f"RoPE turns queries and keys. A query stands at position {m}, a key at {n}. "
        f"The query moves to {m + more}. Where must the key stand, on the same side, "
        "so that their score is as before?", n + more,
        "The score depends on the difference of the positions alone.",
        (n, "The distance is another one then."),
        (n - more, "Both must turn in the same direction."))


@question("12.2")
def _(rng):
    pair, p = rng.choice([1, 2, 3]), rng.randint(3, 9)
    code = sinusoids(torch.arange(p + 1).double(), 8)[p]
    angle = math.atan2(code[2 * pair], code[2 * pair + 1])
    return number(
        "Sinusoidal codes are 8 numbers wide, four pairs from 0 to 3. By which angle, "
        f"in radians, has pair {pair} turned at position {p}?", angle,
        f"The position, divided by 10000 to the power of {2 * pair}/8.",
        (p / 10000 ** (pair / 8), "The exponent has twice the number of the pair."),
        (p, "So far turns pair 0."), tolerance=angle / 200)


@question("13.1")
def _(rng):
    low, gap = rng.randint(1, 9), 2 * rng.randint(2, 5)
    gain, bias = rng.choice([2, 3]), rng.choice([1, 4, 5])
    norm = LayerNorm(2, eps=0).double()
    with torch.no_grad():
        found = gain * norm(tensor(low, low + gap))[1] + bias
    return number(
        f"A word is ({low}, {low + gap}). Layer norm has the gain {gain} and the bias "
        f"{bias} for both features, and epsilon is 0. What is the second number of the "
        "result?", found, "The larger of two numbers is one deviation above the mean.",
        (gain * (low + gap) + bias, "The word was not normalised."),
        (gain * gap / 2 + bias, "The mean is taken away, and nothing divided."),
        (gain - bias, "The bias is added."))


@question("13.2")
def _(rng):
    slope, layers = rng.choice([0.1, 0.2, 0.5]), rng.randint(3, 5)
    return number(
        f"{layers} layers follow each other, and each adds its answer to what it read. "
        f"If what it read moves a little, its answer moves {slope:g} times as far. How "
        "many times as far as the input moves the end of the stack?",
        (1 + slope) ** layers,
        "Each layer has the slope 1 + its own, and slopes along a stack multiply.",
        (slope ** layers, "That is the stack without residual connections."),
        (1 + layers * slope, "Slopes along a stack multiply."))


# Chapters 14 to 18 --------------------------------------------------------------------


@question("14.1")
def _(rng):
    D, F = rng.choice([6, 8, 10]), rng.choice([16, 20, 32])
    found = sum(one.numel() for layer in (torch.nn.Linear(D, F), torch.nn.Linear(F, D))
                for one in layer.parameters())
    return number(
        f"A feed-forward network makes {F} numbers of {D}, and {D} of these {F}. Both "
        "of its linear maps have biases. How many parameters has it?", found,
        "Two matrices of the same size, and a bias for each number that comes out.",
        (2 * D * F, "The biases are left out."),
        (D * F + F, "That is the first map alone."))


@question("14.2")
def _(rng):
    encoder, decoder = rng.sample(range(2, 8), 2)
    return number(
        f"A Transformer has {encoder} layers in its encoder and {decoder} in its "
        "decoder. How many multi-head attentions has it?", encoder + 2 * decoder,
        "A decoder layer has two: one for its own words, and one for the source.",
        (encoder + decoder, "A decoder layer asks twice."),
        (2 * (encoder + decoder), "An encoder layer asks once."),
        (2 * encoder + decoder, "It is the decoder whose layers ask twice."))


@question("15.1")
def _(rng):
    warm, k, peak = rng.choice([100, 400, 1000]), rng.choice([2, 3, 4]), 0.01
    return number(
        f"The rate rises over {warm:,} updates to its peak, {peak:g}. Then it falls "
        f"with the inverse square root. What is it at update {warm * k * k:,}?",
        peak / k,
        "The root of warm-up divided by update multiplies the peak.",
        (peak / k ** 2, "The root was not taken."),
        (peak, "It falls behind the warm-up."), tolerance=peak / 200)


@question("15.2")
def _(rng):
    V, smoothing = rng.choice([5, 10, 20]), rng.choice([0.1, 0.2])
    return number(
        f"Label smoothing of {smoothing:g} spreads over all {V} words of a vocabulary, "
        "as in the formula of the paper. Which target has the right word?",
        1 - smoothing + smoothing / V,
        "It keeps its rest, and has its share of what is spread.",
        (1 - smoothing, "The right word has its share of the spread, too."),
        (smoothing / V, "That is the target of a wrong word."), tolerance=0.001)


@question("16.1")
def _(rng):
    right, n = rng.choice([(50, 100), (80, 400), (90, 900), (200, 400)])
    p = right / n
    half = 1.96 * math.sqrt(p * (1 - p) / n)
    return number(
        f"A system translates {right} of {n} sentences exactly. How many percentage "
        "points is half of the 95 % interval of this share?", 100 * half,
        "1.96 times a root: that of p times (1 − p) over the number of sentences.",
        (200 * half, "That is the whole interval."),
        (100 * half / 1.96, "That is one standard error."), tolerance=0.05)


@question("16.2")
def _(rng):
    a, b = rng.choice([(2, 3), (3, 3), (3, 4), (4, 4)])
    scores = range(a + b)
    means = [sum(group) / a - (sum(scores) - sum(group)) / b
             for group in combinations(scores, a)]
    p = sum(abs(one) >= max(means) - 1e-9 for one in means) / len(means)
    return number(
        f"One variant is trained with {a} seeds, another with {b}. Every score of the "
        "first lies above all of the second. A permutation test counts both directions "
        "of the difference of means. Which p-value does it give, if the spacing of the "
        "scores is even?", p,
        f"{len(means)} ways to split them, of which {round(p * len(means))} are as far "
        "apart.",
        (p / 2, "The other direction counts as well."),
        (2 / 2 ** (a + b), "The sizes of the groups stay."), tolerance=p / 50)


@question("17.1")
def _(rng):
    shares = rng.choice([(0.55, 0.2, 0.15, 0.1), (0.4, 0.35, 0.15, 0.1),
                         (0.45, 0.3, 0.2, 0.05)])
    p = 0.7
    kept = keep_top_p(tensor(*shares).log()[None], p).softmax(-1)[0]
    told = ", ".join(f"{share:g}" for share in shares)
    return number(
        f"Four words have the probabilities {told}. Top-p with p = {p:g} cuts, and the "
        "rest is shared out again. With which probability is the first word drawn?",
        kept[0], f"{int((kept > 0).sum())} words are kept, and their sum becomes 1.",
        (shares[0], "What was cut has to be shared out."),
        (1 / int((kept > 0).sum()), "The words that are kept are not equally likely."),
        tolerance=0.002)


@question("17.2")
def _(rng):
    total, length = rng.choice([(3, 7), (4, 13), (6, 7), (5, 19)])
    return number(
        f"A translation has the log probability −{total} and {length} words, end "
        "counted. Which score has it with the length penalty of Wu et al. and the "
        "exponent 1?", -total / ((5 + length) / 6),
        "The log probability is divided by (5 + length) / 6.",
        (-total / length, "That is the mean for each word."),
        (-total * (5 + length) / 6, "It is divided, and not multiplied."))


@question("18.1")
def _(rng):
    layers, T, D, size = (rng.choice([4, 6, 8]), rng.choice([50, 100, 200]),
                          rng.choice([64, 128]), rng.choice([2, 4]))
    return number(
        f"A decoder has {layers} layers of width {D}. Its cache keeps the keys and "
        f"values of {T} words of its own, with {size} bytes a number. How many bytes "
        "are these?", 2 * layers * T * D * size,
        "Keys and values, for each layer and each word.",
        (layers * T * D * size, "Values are kept beside the keys."),
        (2 * T * D * size, "Each layer has its own."),
        (2 * layers * T * T * D * size,
         "A row is kept for each word, and not for each pair."))


@question("18.2")
def _(rng):
    given, written = rng.randint(4, 9), rng.randint(2, 6)
    return number(
        f"A prompt of {given} words was read at once, and {written} words were written "
        "and read behind it. Positions count from 0. Which position has the word that "
        "is read next?",
        given + written, "Each word that was read has taken a position.",
        (0, "The step reads one word, and this word does not begin the text."),
        (given + written - 1, "That position is taken."),
        (written, "The prompt has taken positions, too."))


# Chapters 19 to 23 --------------------------------------------------------------------


@question("19.1")
def _(rng):
    words = dict(zip(("low", "lower", "newer"), rng.sample(range(2, 12), 3)))
    pairs = Counter()
    for word, times in words.items():
        for pair in zip(word, word[1:]):
            pairs[pair] += times
    told = ", ".join(f"*{word}* {times} times" for word, times in words.items())
    return number(
        f"A text has {told}, and no other word. Nothing is merged yet. How often does "
        "w stand in front of e?",
        pairs["w", "e"], "In the two longer words, as often as "
        "these stand there.",
        (2, "Each word counts as often as it stands in the text."),
        (sum(words.values()), "One of the words does not have this pair."),
        (pairs["l", "o"], "That is the count of l in front of o."))


@question("19.2")
def _(rng):
    processes, parts, pairs = rng.sample([2, 3, 4, 5, 8], 3)
    pairs *= 8
    return number(
        f"{processes} processes share a training. Each reads {parts} micro-batches of "
        f"{pairs} pairs before all take one step together. How many pairs does the "
        "step see?", processes * parts * pairs, "Gradients are added up over parts and "
        "processes.",
        (processes * pairs, "The micro-batches of a process are added up first."),
        (parts * pairs, "That is what one process sees."))


@question("20.1")
def _(rng):
    a, b, c = rng.sample([2, 4, 6, 8, 10, 12], 3)
    gate = rng.choice([0.5, 0.25])
    return number(
        f"Three heads contribute {a}, {b} and {c} to a number of the output. The gate "
        f"of the second head goes from 1 to {gate:g}. What is the number then?",
        a + gate * b + c, "A gate multiplies the contribution of its own head.",
        (a + c, "That head speaks more quietly, and is not silent."),
        (gate * (a + b + c), "The other heads have gates of their own."))


@question("20.2")
def _(rng):
    d, away = rng.choice([1, 2]), rng.choice([3, 4])
    offsets = [d] * 3 + [-d] * 2 + [away]
    rng.shuffle(offsets)
    links = [(10 * k + 5, 10 * k + 5 + offset) for k, offset in enumerate(offsets)]
    told = ", ".join(f"({q}, {k})" for q, k in links)
    return number(
        f"Six gold links, as pairs of query and key, are {told}. How many of them does "
        "the best single offset hit?", Counter(offsets).most_common(1)[0][1],
        "An offset is the key minus the query, with its sign.",
        (5, "Left and right are two offsets."), (6, "One offset cannot hit them all."))


@question("21.1")
def _(rng):
    lengths = rng.sample([2, 3, 4, 5], 3)
    width = sum(lengths) + 2
    _, segments, _ = pack([[7] * length for length in lengths], width)
    a, b, c = lengths
    return number(
        f"Three texts of {a}, {b} and {c} words are packed into one row. A word sees "
        "itself and all words of its own text, earlier and later ones. How many "
        "entries of the mask are True?", block_mask(segments).sum(),
        "A square for each text.",
        (sum(lengths) ** 2, "Here the texts see each other."),
        (sum(length * (length + 1) // 2 for length in lengths),
         "Here a word does not see what comes later."))


@question("21.2")
def _(rng):
    n = rng.randint(20, 60)
    return number(
        f"A language model reads a row of {n} ids, tags among them. Its targets are "
        "the same ids, moved by one. How many positions have a target?", n - 1,
        "Behind the last id nothing stands that could be predicted.",
        (n, "The last position has no next id."),
        (n + 1, "The first id is given, and not predicted."))


@question("22.1")
def _(rng):
    H, G, head = rng.choice([(8, 2, 5), (8, 4, 6), (12, 3, 7), (12, 4, 10), (6, 2, 4)])
    return number(
        f"A decoder has {H} heads of queries and {G} of keys and values. All count "
        "from 0. Neighbours share, as in Llama. Which key head belongs to query head "
        f"{head}?",
        head // (H // G), f"Each group has {H // G} neighbours.",
        (head % G, "So it would be if key heads were dealt out in turn."),
        (head, "There are fewer key heads than query heads."))


@question("22.2")
def _(rng):
    a, b = rng.choice([(3, 4), (6, 8), (5, 12), (8, 6)])
    norm = RMSNorm(2, eps=0).double()
    with torch.no_grad():
        found = norm(tensor(a, b))[0]
    return number(
        f"RMSNorm reads the word ({a}, {b}). Its gain is 1, and epsilon is 0. What is "
        "the first number of the result?", found,
        "It divides by the root of the mean of the squares.",
        (math.copysign(1, a - b), "That is layer norm, which takes the mean away."),
        (a / math.hypot(a, b), "The squares were added up, and no mean was taken."),
        tolerance=0.002)


@question("23.1")
def _(rng):
    old, new, strength = (rng.choice([2, 4, 6]), rng.choice([10, 12, 14]),
                          rng.choice([0.5, 0.25, 0.75]))
    key, value = tensor(1, 1)[:, None], tensor(old, new)[:, None]
    found, _ = gated_delta_rule(key, key, value, tensor(1, strength)[:, None],
                                tensor(1, 1)[:, None])
    return number(
        f"A memory answers {old} for a key of length 1. The delta rule writes {new} "
        f"under the same key, with the strength {strength:g} and without a gate. What "
        "does the memory answer now?", found[1],
        "It moves from the old answer towards the new value, as far as the strength "
        "says.",
        (old + strength * new, "What was read before is subtracted first."),
        (new, "So it is with the strength 1."))


@question("23.2")
def _(rng):
    value, gate, steps = rng.choice([8, 16, 32]), rng.choice([0.5, 0.25]), 3
    keys = torch.eye(4, dtype=torch.float64)
    values = tensor(value, 1, 1, 1)[:, None]
    found, _ = gated_delta_rule(keys[[0, 0, 0, 0]], keys, values,
                                torch.ones(4, 1).double(),
                                tensor(1, gate, gate, gate)[:, None])
    return number(
        f"A memory has the value {value} under a key. Then {steps} writes follow under "
        f"keys at right angles to it. The gate in front of each is {gate:g}. What does "
        "the memory answer for the first key?", found[-1],
        "Each gate multiplies the whole memory.",
        (value, "Keys at right angles do not disturb, but gates do."),
        (value * gate, "There is a gate in front of each write."))
