"""The numbers of book/asked/basics.md: each function returns what must stand in the
answer with its anchor."""

import math
import statistics

import torch
from asked_numbers import results
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


@computed("what-can-eight-heads-do-that-one-wide-head-cannot")
def _():
    width, heads, many = 512, 8, 32
    return (f"eight heads of {width // heads} numbers", f"as one of {width}",
            "1 head gave 24.9 BLEU",
            f"{heads} gave 25.8, and {many}, each only {width // many} wide, 25.4",
            f"first Transformer has {heads} heads, BERT-base and GPT-2 small have "
            f"{768 // 64}, each {width // heads} wide (128 in many newer models)")


@computed("is-a-bleu-score-of-25-good-and-how-much-worse-is-25-than-28")
def _():
    return ("from 0 to 100", "below 100",
            "20 to 29 show the sense with significant errors",
            "30 to 40 are understandable to good", "Texts below 10 are almost useless",
            "below 20 hard to understand", "above 40",
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


@computed("why-is-it-a-problem-that-the-encoder-hands-the-whole-sentence-to-the-"
          "decoder-as-one-vector")
def _():
    looked, once = (statistics.mean(one["by length"]["21-24"]["content"][0]
                                    for one in results(name))
                    for name in ("unfed-dot", "unfed-control"))
    return ("size for 5 words and for 50,", f"keeps {looked:.0f} of 100 content words "
            "of sentences with 21 to 24 words; a comparison model with one vector "
            f"keeps {once:.0f}")


@computed("does-each-attention-head-get-its-own-slice-of-the-word-s-vector-dims-"
          "0-to-63-for-the-first-head-and-so-on")
def _():
    project = nn.Linear(512, 512, bias=False)
    width = project.out_features // 8
    one = torch.zeros(1, 512, requires_grad=True)
    project(one)[0, :width].sum().backward()    # the first head's slice
    assert (one.grad != 0).all()
    return (f"with width {one.numel()} and 8 heads, it makes a query, a key and a "
            f"value of {width} numbers", "from 512 to 512 numbers",
            "on all 512 input numbers", f"this matrix is {width} rows of the large one")


@computed("what-is-exposure-bias-in-a-model-that-is-trained-with-teacher-forcing")
def _():
    often, noise, plain = (statistics.mean(one["by length"]["21-24"]["bleu"][0]
                                           for one in results(name))
                           for name in ("rnn-forced-75", "rnn-noised-75", "rnn"))
    return (f"gains {often - plain:.1f} BLEU on sentences of 21 to 24 words; "
            f"random wrong words gain {noise - plain:.1f}",)


@computed("my-training-loss-jumps-up-and-down-from-batch-to-batch-is-something-wrong")
def _():
    small, large = 4, 64
    times = {1: "as much", 4: "four times as much"}[round((large / small) ** 0.5)]
    return (f"batches of {small} swing {times} as batches of {large}",)


@computed("what-is-the-difference-between-zero-shot-one-shot-and-few-shot-and-"
          "does-the-model-learn-anything-then")
def _():
    return ("some (2 to some tens)",)


@computed("what-is-an-inductive-bias-and-why-is-it-said-that-a-transformer-has-"
          "less-of-it-than-a-cnn-or-an-rnn")
def _():
    return ("on 300 million images",)


@computed("why-does-training-a-transformer-need-a-gpu-if-my-cpu-has-cores-with-a-"
          "higher-clock")
def _():
    desktop = 2 * 8 * 5.6      # channels, bytes, billions of transfers a second
    card = 384 / 8 * 21        # an RTX 4090's bytes, billions of transfers a second
    large = 3350               # an H100 SXM's, as its maker says
    assert 10 < card / desktop < large / desktop
    return (f"DDR5-5600 give at most {desktop:.1f} GB a second, an RTX 4090 "
            f"gives {card:,.0f} and an H100 gives {large:,} (",)


@computed("why-has-a-transformer-many-layers-if-already-in-the-first-one-each-"
          "word-can-look-at-all-the-others")
def _():
    looks = torch.tensor([[0.0, 1, 0], [0, 0, 1], [0, 0, 1]])
    assert looks[0].tolist() == [0, 1, 0] and (looks @ looks)[0].tolist() == [0, 0, 1]
    return ("word 0 looks only at word 1, and gets word 2 in the second layer",)


@computed("do-the-numbers-of-the-tokens-mean-anything-is-token-3-956-closer-to-3-"
          "957-than-to-40-000-and-has-a-word-always-the-same-number")
def _():
    table = nn.Embedding(40_001, 4)
    near, other, far = table(torch.tensor([3_956, 3_957, 40_000]))
    fetched = table.weight[[3_956, 3_957, 40_000]]
    assert torch.equal(torch.stack([near, other, far]), fetched)
    return ("so 3,956 is no closer to 3,957 than to 40,000",)
