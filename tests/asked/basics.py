"""The numbers of book/asked/basics.md: each function returns what must stand in the
answer with its anchor."""

import math

import torch
from asking import computed
from torch import nn


@computed("what-is-the-difference-between-parameters-and-hyperparameters")
def _():
    learned = sum(part.numel() for part in nn.Linear(8, 4).parameters())
    return (f"{learned} numbers are",)


@computed("if-i-set-top-k-50-and-top-p-0-95-together-is-top-p-ignored")
def _():
    return ("keeps the 50 likeliest words", "reach .95", "few of the 50 away")


@computed("why-do-i-need-a-validation-set-and-a-test-set-and-not-one-of-them-alone")
def _():
    models, examples = 20, 100
    shares = [math.comb(examples, right) / 2 ** examples
              for right in range(examples + 1)]
    below = [sum(shares[:right]) ** models for right in range(examples + 2)]
    best = sum(right * (below[right + 1] - below[right])
               for right in range(examples + 1)) / examples
    return (f"{models} models guess on {examples} examples",
            f"average {best:.2f} right".replace("0.", "."), ".50 on the test")


@computed("what-exactly-is-the-vanishing-gradient-problem-and-why-are-rnns-hit-by-it")
def _():
    return (f".5 to the power 20 is about {0.5 ** 20:.6f}".replace(" 0.", " ."),)


@computed("my-loss-fell-from-7-to-about-1-2-with-four-classes-and-the-accuracy-stays-at-25-"
          "percent-how-can-that-be")
def _():
    scores, labels = torch.zeros(4, 4), torch.arange(4)
    loss = nn.functional.cross_entropy(scores, labels).item()
    assert math.isclose(loss, math.log(4), rel_tol=1e-5)
    return (f"ln 4 = {loss:.2f}", f"{100 / 4:.0f} percent",
            "A loss of 7", "since 1.2 may")


@computed("is-a-bleu-score-of-25-good-and-how-much-worse-is-25-than-28")
def _():
    return ("from 0 to 100", "below 100",
            "20 to 29 show the sense with significant errors",
            "30 to 40 are understandable to good",
            "had 27.3, and 28.4 when larger", "3 points on a few thousand")


@computed("the-scores-of-the-second-of-four-tokens-are-1-8-2-5-1-1-and-9-what-are-"
          "they-after-the-causal-mask-and-what-are-the-weights")
def _():
    def short(number, digits=2):
        return f"{number:.{digits}f}".removeprefix("0")
    scores = torch.tensor([1.8, 2.5, 1.1, 0.9])
    first, second = scores[:2].softmax(dim=0).tolist()
    zeros = torch.tensor([1.8, 2.5, 0, 0]).softmax(dim=0)
    return ("so 1.8 and 2.5 stay", "added to 1.1 and .9", "differ by .7",
            f"the power -.7 is {short(math.exp(1.8 - 2.5), 3)}: softmax gives the "
            f"weights {short(first)}, {short(second)}, 0 and 0",
            f"give each later token {short(zeros[2].item())},",
            f"a sum of {short(scores.softmax(dim=0)[:2].sum().item())} only")


@computed("with-a-vocabulary-of-20-000-words-how-many-parameters-has-a-trigram-model-"
          "and-why-is-the-last-factor-19-999")
def _():
    V = 20_000
    trigrams, bigrams, four = (V ** n * (V - 1) for n in (2, 1, 3))
    return (f"{V:,} · {V:,} · {V - 1:,} parameters, about "
            f"{trigrams / 1e12:.0f} trillion", f"{V ** 2 / 1e6:.0f} million histories",
            f"from the other {V - 1:,}", f"there are {V:,} to the power 3",
            f"about {bigrams / 1e6:.0f} million parameters, and a four-gram model has "
            f"{round(four / 1e12, -2):,.0f} trillion")


@computed("why-does-a-bigram-model-without-an-end-symbol-give-no-single-probability-"
          "distribution-over-all-sentences")
def _():
    texts = [["<s>", *letters, "</s>"] for letters in ("ab", "bb", "ba", "aa")]
    pairs = [pair for text in texts for pair in zip(text, text[1:])]
    inner = [pair for pair in pairs if pair[1] != "</s>"]
    def p(first, second, pairs):
        return (pairs.count((first, second))
                / sum(pair[0] == first for pair in pairs))
    assert {p(x, y, inner) for x in ("<s>", "a", "b") for y in "ab"} == {1 / 2}
    begins, occurs = (sum(pair[0] == "a" for pair in found) for found in (inner, pairs))
    total, still = 0, {x: p("<s>", x, pairs) for x in "ab"}    # of all lengths
    for _ in range(60):
        total += sum(still[x] * p(x, "</s>", pairs) for x in "ab")
        still = {y: sum(still[x] * p(x, y, pairs) for x in "ab") for y in "ab"}
    assert abs(total - 1) < 1e-9
    two, three = (2 ** length for length in (2, 3))
    return ("every bigram has the probability 1/2",
            f"The four sentences of 2 words then have 1/{two} each, the eight of "
            f"3 words 1/{three} each", f"that a word begins ({begins}), not by its "
            f"count ({occurs})")


@computed("cbow-with-10-000-words-vectors-of-width-100-and-three-context-words-how-"
          "many-weights-has-the-word-matrix")
def _():
    words, width, context = 10_000, 100, 3
    table, output = nn.Embedding(words, width), nn.Linear(width, words, bias=False)
    weights, others = table.weight.numel(), output.weight.numel()
    return (f"{words:,} · {width} = {weights:,} weights, that is "
            f"{weights // 1000:,} thousand", f"row of {width} numbers",
            f"{context} · {words:,} · {width} = {context * words * width:,}",
            f"has another {others:,}", f"there are {weights + others:,}")
