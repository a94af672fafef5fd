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


@computed("deepseek-v2-says-that-rope-is-incompatible-with-its-compressed-keys-what-"
          "does-absorb-mean-and-why-is-a-second-key-needed")
def _():
    return "a second key, 64 turned numbers",    # DeepSeek-AI 2024, section 3.1.2


@computed("why-does-the-performer-take-exponentials-as-random-features-and-not-sines-"
          "and-cosines")
def _():
    true, vectors = math.exp(-2), 64
    # q - k has the square 9, q + k has 1: so much varies what is taken of w
    cosine = (1 + math.exp(-18)) / 2 - math.exp(-9)
    power = math.exp(2) - math.exp(1)
    cosines = math.exp(2.5) * math.sqrt(cosine / vectors)
    powers = math.exp(-2.5) * math.sqrt(power / vectors)
    return (f"true value is {true:.3f}".replace("0.", ".") +
            f": with {vectors} random vectors the error (root mean square) is "
            f"{cosines:.2f} with cosines and " +
            f"{powers:.2f} with exp".replace("0.", "."),
            r"$e^{q \cdot k}$")


@computed("speculative-decoding-draws-from-max-0-p-q-after-a-refusal-why-not-from-p-"
          "the-large-model-s-probabilities")
def _():
    p, q = (.6, .4), (.9, .1)
    accepted = [min(pair) for pair in zip(p, q)]
    wrong = accepted[0] + (1 - sum(accepted)) * p[0]
    return f"below, {wrong:.2f} instead of {p[0]}".replace("0.", "."),


@computed("gelu-x-0-5x-1-tanh-2-x-0-044715x3-where-does-0-044715-come-from")
def _():
    def error(c):
        def one(x):
            exact = (1 + math.erf(x / math.sqrt(2))) / 2
            return abs((1 + math.tanh(math.sqrt(2 / math.pi) *
                                      (x + c * x ** 3))) / 2 - exact)
        return max(one(i / 1000) for i in range(6000))
    best = min((c / 1e6 for c in range(44_600, 44_801, 5)), key=error)
    theory = 2 / (3 * math.pi) - 1 / 6
    text = (f"as small as possible: {error(best):.5f}, as",
            f"2/(3π) - 1/6 = {theory:.4f}, with the error {error(theory):.5f}.")
    return (f"With {best} the largest error of Φ is", "√(2/π)",
            "0.5(1 + tanh(...))", *(part.replace("0.", ".") for part in text))


@computed("qlora-s-double-quantization-saves-0-373-bits-per-parameter-how-is-this-"
          "computed-and-why-do-some-pages-say-0-375")
def _():
    once, second = 32 / 64, 32 / (64 * 256)
    twice = 8 / 64 + second
    text = (f"32 / 64 = {once:.1f} bits",
            f"8 / 64 + 32 / (64 · 256) = {twice:.3f} bits, "
            f"which is {once - twice:.3f} less",
            f"pages that say {once - 8 / 64:.3f} leave")
    return (*(part.replace(" 0.", " .") for part in text),
            "With 4 bits, each block of 64 weights", "256 scales share",
            f"takes {4 + twice:.3f} bits instead of {4 + once:.1f}",
            f"65 billion weights take {65 * (once - twice) / 8:.1f} GB less",
            f"one of {2 ** 4} values times its scale, and becomes a 16-bit number")


@computed("the-lora-paper-s-tables-say-25-19m-trainable-parameters-for-ft-top2-of-"
          "gpt-2-medium-and-4-7m-or-37-7m-for-gpt-3-how-are-they-counted")
def _():
    layer = 12 * 1024 ** 2 + 13 * 1024
    lora = 96 * 2 * 2 * 12_288
    return ("12 · d² + 13 · d parameters: for d = 1,024 "
            f"that is {layer:,}, and {2 * layer / 1e6:.2f} million for two",
            f"{2 * layer / 1e6:.2f}M is the size of two whole layers",
            "With the 96 layers of GPT-3 and d = 12,288, rank 1 at queries and values "
            f"gives 96 · 2 · 2 · 12,288 = {lora / 1e6:.1f} million",
            f"Rank 8 gives {8 * lora / 1e6:.1f} million")


@computed("in-adam-every-gradient-is-2-what-are-m-at-steps-1-and-2-and-why-is-m-"
          "divided-by-1-t")
def _():
    one = .1 * 2
    two = .9 * one + .1 * 2
    longer = one / math.sqrt(.001 * 4)
    text = (f"With β₁ = 0.9, m is 0.1 · 2 = {one:.1f} after one step, and "
            f"0.9 · {one:.1f} + 0.1 · 2 = {two:.2f} after two",
            f"this sum ({1 - .9:.1f} at step 1, {1 - .9 ** 2:.2f} at step 2), m",
            "add up to 1 - 0.9^t only",
            f"step would be {longer:.2f} times as long: m is {1 / (1 - .9):.0f} times "
            f"too small, v {1 / (1 - .999):,.0f} times (β₂ = 0.999)")
    return "a weighted mean, here 2 (", *(part.replace("0.", ".") for part in text)


@computed("das-haus-the-house-das-buch-the-book-ein-buch-a-book-which-probabilities-"
          "has-ibm-model-1-after-one-and-two-rounds-of-em")
def _():
    pairs = [("das Haus", "the house"), ("das Buch", "the book"),
             ("ein Buch", "a book")]
    pairs = [(one.split(), other.split()) for one, other in pairs]
    t = dict.fromkeys(((f, e) for f in "das Haus Buch ein".split()
                       for e in "the house book a".split()), .25)
    told = []
    for _ in range(20):
        counts = dict.fromkeys(t, 0)
        for german, english in pairs:
            for e in english:
                for f in german:
                    counts[f, e] += t[f, e] / sum(t[other, e] for other in german)
        t = {(f, e): count / sum(counts[f, other] for g, other in t if g == f)
             for (f, e), count in counts.items()}
        told.append([t[pair.split()[0], pair.split()[1]] for pair in (
            "das the", "Buch book", "Haus house", "ein a", "das house", "das book")])
    assert told[0] == [1 / 2] * 4 + [1 / 4] * 2 and min(told[-1][:4]) > .9
    first, same, second, too = (f"{part:.2f}" for part in told[1][:4])
    assert first == same and second == too
    return (f"*Buch* have 1/2 and then {first};".replace("0.", "."),
            f"have 1/2 and {second}.".replace("0.", "."),
            "gets 1/2 from *the* in each",
            "1/2 from *house* and 1/2 from *book*, in all 2",
            "Divided by 2, that gives 1/2 for *the* and 1/4 for *house* and *book*")


@computed("word2vec-draws-negative-words-with-their-share-to-the-power-of-3-4-what-"
          "does-this-change-for-shares-of-0-9-0-09-and-0-01-and-why-3-4")
def _():
    shares = .9, .09, .01
    power = [share ** .75 for share in shares]
    drawn = [one / sum(power) for one in power]
    text = ("here {:.3f}, {:.3f} and {:.3f}, so".format(*drawn),
            "$0.9^{{3/4}}$ = {:.3f}, $0.09^{{3/4}}$ = {:.3f} and "
            "$0.01^{{3/4}}$ = {:.3f}, each".format(*power))
    return ("3/4 did better than 1",
            f"rarest is drawn {drawn[-1] / shares[-1]:.1f} times as often",
            f"their sum {sum(power):.3f}", *(part.replace("0.", ".") for part in text))


@computed("a-reward-model-gives-the-preferred-answer-2-0-and-the-other-0-5-what-are-"
          "the-probability-and-the-loss-and-what-if-both-get-10-more")
def _():
    def loss(apart):
        return math.log(1 + math.exp(-apart))
    share = 1 / (1 + math.exp(-1.5))
    text = (f"σ(2 - 0.5) = {share:.3f} (σ", f"-ln {share:.3f} = {loss(1.5):.3f}.",
            f"ln 2 = {loss(0):.3f}, and", "in the wrong order, 0.5 and 2, the")
    return ("Adding 10 to both", "a reward of 2 alone", f"the loss is {loss(-1.5):.3f}",
            *(part.replace("0.", ".") for part in text))
