"""The numbers of book/asked/papers.md: each function returns what must stand in the
answer with its anchor."""

import math

from asking import computed


@computed("why-have-newer-models-a-rope-base-theta-of-500-000-or-1-000-000-instead-of-"
          "10-000")
def _():
    def slow(base, words=8192, pairs=64):
        return sum(words * base ** (-i / pairs) < 2 * math.pi for i in range(pairs))
    return (f"with 500,000, {slow(500_000)} of 64 pairs stay within one turn "
            f"in 8,192 words, instead of {slow(10_000)}",
            "on long texts, with base 1,000,000",    # Rozière et al. 2023
            r"$\theta^{-2i/d}$")


@computed("which-tokens-get-global-attention-in-longformer-and-does-it-not-become-"
          "quadratic-again")
def _():
    n, w, g = 4096, 512, 20
    return ("n · w + 2 · n · g scores",
            f"For n = {n:,} and w = {w} these are {n * w / 1e6:.1f} million",
            f"{2 * n * g / 1e6:.2f} million more with g = {g}, ".removeprefix("0") +
            f"instead of {n * n / 1e6:.1f} million", "the places 1, 4 and 21 in")


@computed("gpt-j-palm-and-pythia-compute-x-attn-ln-x-mlp-ln-x-in-parallel-instead-of-"
          "one-after-the-other-why-and-does-it-hurt")
def _():
    return ("about 15 per cent faster at large sizes",    # Chowdhery et al. 2023
            "slightly at 8 billion parameters and not at all at 62 billion")


@computed("llama-7b-was-trained-on-1-000-billion-tokens-though-chinchilla-says-20-"
          "tokens-per-parameter-why-so-many")
def _():
    size, tokens, rule = 6.7, 1000, 20    # billions, but the rule
    later = 15_000 / 8
    return (f"LLaMA's {size} billion parameters the rule gives "
            f"{rule * size:.0f} billion",
            f"about {tokens / (rule * size):.0f} times as many, "
            f"{tokens / size:.0f} per parameter",
            "Llama 3 took 15,000 billion",    # Grattafiori et al. 2024
            f"about {round(later, -2):,.0f} per parameter for its model of 8 billion")


@computed("what-does-beta-do-in-dpo-and-does-a-larger-beta-such-as-0-5-instead-of-0-1-"
          "change-the-model-more-or-less")
def _():
    best = [math.log(.9 / .1) / beta for beta in (.1, .5)]
    return ("; the paper takes .1, and .5 for summaries", "in 90 of 100 cases",
            f"{best[0]:.1f} for β = .1, and {best[1]:.1f} for .5")


@computed("the-pointer-generator-network-writes-words-that-are-not-in-its-vocabulary-"
          "how-and-why-do-i-still-see-unk")
def _():
    return "a number after the 50,000 of",    # See, Liu and Manning 2017


@computed("the-right-next-word-gets-the-probability-0-1-and-from-a-better-model-0-7-"
          "what-are-the-losses-and-do-the-other-words-probabilities-matter")
def _():
    nats = [-math.log(share) for share in (.1, .7)]
    bits = [loss / math.log(2) for loss in nats]
    def short(number, digits):
        return f"{number:.{digits}f}".removeprefix("0")
    return (f"-ln .1 = {short(nats[0], 3)} and -ln .7 = {short(nats[1], 3)}",
            f"to base 2, they are {short(bits[0], 2)} and {short(bits[1], 2)}")


@computed("width-512-and-feed-forward-width-2-048-how-many-parameters-has-the-feed-"
          "forward-network-of-one-layer-without-biases-and-how-does-that-compare-with-"
          "its-attention")
def _():
    width, wide = 512, 2048
    feed_forward, attention = 2 * width * wide, 4 * width * width
    assert feed_forward / (feed_forward + attention) == 2 / 3
    assert feed_forward == 2 * attention
    return (f"two matrices, {width} × {wide:,} and {wide:,} × {width}, "
            f"so 2 · {width} · {wide:,} = {feed_forward:,}",
            f"four matrices of {width} × {width}", f"{attention:,} in all",
            f"divide the {width} numbers")
