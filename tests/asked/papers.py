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


@computed("flashattention-takes-blocks-of-m-4d-keys-and-min-m-4d-d-queries-why-4-and-"
          "why-the-minimum-with-d")
def _():
    M, d = 49_152, 64
    keys = math.ceil(M / (4 * d))
    assert min(keys, d) * keys == M // 4 and 4 * keys * d == M
    return ("so each may have M/4 numbers, or M/(4d) rows",
            "at most M/4 numbers, hence", "each of the 4Nd/M blocks of keys",
            "The 4 is a rough constant", f"such as {d} or {2 * d} that suit")


@computed("mistral-7b-has-a-window-of-4-096-and-claims-an-attention-span-of-131k-how-"
          "is-this-counted-and-does-the-model-use-so-much-text")
def _():
    window, layers = 4096, 32
    share, small = [1.], 8
    for _ in range(layers):
        longer = [0.] * (len(share) + small - 1)
        for place, part in enumerate(share):
            for step in range(small):
                longer[place + step] += part * (.5 / small + .5 * (step == 0))
        share = longer
    assert sum(share[len(share) // 2:]) < .0001
    return (f"{window:,} · {layers} = {window * layers:,}, since",
            f"So {window * layers // 1000}K is", "less than .0001 comes",
            # Jiang et al. 2023
            "The paper's table 1 gives a context of 8,192",
            f"the cache keeps {window:,} places")


@computed("how-are-the-16-values-of-qlora-s-nf4-computed-where-does-the-offset-0-"
          "9677083-come-from-and-why-are-they-not-symmetric")
def _():
    half = (1 / (2 * 16) + 1 / (2 * 15)) / 2
    assert f"{1 - half:.7f}" == "0.9677083" and 8 + 7 + 1 == 16
    return (f"1 - {1 - half:.7f} is the mean of 1/32 and 1/30, half of a 16th and half "
            "of a 15th", "so 8 values above and 7 below")


@computed("the-adam-paper-has-in-one-formula-and-in-another-which-one-do-pytorch-and-"
          "tensorflow-use-and-does-it-matter")
def _():
    first = math.sqrt(1 - .999)
    g, eps = 1e-8, 1e-8
    other = first * g / (first * g + eps)
    return (f"{1 / first:.1f} times at step 1 with β₂ = .999",
            "a gradient of 1e-8 gives steps of "
            f"{g / (g + eps):.1f} and {other:.2f} learning".replace("0.", "."))


@computed("the-mamba-paper-computes-b-with-an-inverse-and-its-code-only-multiplies-b-"
          "by-is-this-a-bug-and-what-is")
def _():
    def exact(A, step):
        return (math.exp(step * A) - 1) / A
    one, other = exact(-1, .01), exact(-16, .1)
    text = (f"With A = -1 and Δ = 0.01 it is {one:.5f} in place of 0.01; with A = -16 "
            f"and Δ = 0.1 it is {other:.2f} in place of 0.1.")
    return text.replace("0.", "."),


@computed("llama-3-s-paper-said-a-feed-forward-size-of-6-144-the-file-has-14-336-and-"
          "llama-2-70b-has-28-672-how-are-these-sizes-computed")
def _():
    def sizes(d, factor, step):
        two_thirds = int(2 * 4 * d / 3)
        times = int(factor * two_thirds)
        return two_thirds, times, math.ceil(times / step) * step
    small, large = sizes(4096, 1.3, 1024), sizes(8192, 1.3, 4096)
    old = sizes(4096, 1, 256)
    return ("two thirds of 4 · d",
            f"For Llama 3 8B, d = 4,096 gives {small[0]:,}; times 1.3 that is "
            f"{small[1]:,}, and {small[2]:,} in steps of 1,024",
            f"With d = 8,192, 1.3 and steps of 4,096, Llama 2 and 3 70B have "
            f"{large[2]:,};", f"Llama 7B](using.md#why-{old[2]}-",
            f"steps of 256, hence {old[2]:,}", "The 6,144 in the first version",
            "of Llama 3's paper")    # meta-llama/llama3, issue 283


@computed("i-count-78-billion-parameters-for-llama-2-70b-80-4-8-1922-3-8-192-28-672-"
          "and-the-embedding-what-is-wrong")
def _():
    d, wide, words = 8192, 28_672, 32_000
    attention, full = 2 * d * d + 2 * d * 1024, 4 * d * d
    layers, tables = 80 * (attention + 3 * d * wide), 2 * words * d
    assert round((80 * (full + 3 * d * wide) + words * d) / 1e9) == 78
    norms = 161 * d
    return ("The 4 · d² counts",
            "the 70B model has 64 query heads and only 8 key-value",
            f"2 · d² + 2 · d · 1,024 is {attention / 1e6:.0f} million, "
            f"and not {full / 1e6:.0f} million",
            f"With {3 * d * wide / 1e6:.0f} million in the feed-forward network, "
            f"80 layers have {layers / 1e9:.1f} billion",
            f"add {tables / 1e9:.1f} billion".replace("0.", "."),
            f"about {norms / 1e6:.0f} million: "
            f"{(layers + tables + norms) / 1e9:.1f} billion in all",
            "Llama 2 7B and 13B have")


@computed("nanogpt-adds-12-l-h-q-t-to-6-n-and-kaplan-s-paper-has-2-n-layer-n-ctx-d-"
          "attn-where-does-the-difference-come-from")
def _():
    layers, width, keys = 12, 768, 1024
    weights, all_keys = 6 * layers * 12 * width ** 2, 12 * layers * width * keys
    forward = 2 * 2
    return (f"take {forward} · H · Q operations in the forward pass",
            f"and {3 * forward} · H · Q with backward",
            "Kaplan has 2 forward, so 6 with",
            "with T/2 keys",
            f"With {layers} layers, width {width} and T = {keys:,} it is "
            f"{all_keys / 1e6:.0f} or {all_keys / 2e6:.0f} million", "[6 · N](",
            f"= {weights / 1e6:.0f} million")


@computed("deepseek-v3-balances-its-experts-by-a-bias-and-not-a-loss-why-does-the-"
          "bias-only-choose-and-where-is-it-updated-in-the-code")
def _():
    return ("to choose the 8 experts of a token",    # DeepSeek-AI 2024
            "In DeepSeek-V3 γ was .001, and 0 for the last 500 billion tokens",
            "(section 4.2)")


@computed("electra-multiplies-the-discriminator-s-loss-by-50-and-takes-a-small-"
          "generator-why-and-is-it-a-gan")
def _():
    fill, judge = math.log(30_522), math.log(2)
    return ("The 50 makes", "among 30,522 pieces",
            f"By chance alone the losses are {fill:.2f} and {judge:.2f};"
            .replace(" 0.", " ."),
            "50 was selected from 1, 10, 20, 50 and 100", "(section 3.2)")


@computed("bert-was-trained-with-128-tokens-in-90-per-cent-of-the-steps-and-with-512-"
          "in-the-rest-why-and-what-if-i-train-with-128-only")
def _():
    def work(n, d=768):
        return n * (12 * d * d + 2 * n * d)
    ratio = work(512) / work(128)
    return (f"a sequence of 512 tokens costs {ratio:.1f} times as much as one of 128",
            "a layer of width 768",
            f"the whole training took {.9 + .1 * ratio:.1f} units of work in place of "
            f"{ratio:.1f}", f"from {128 + 1} to 512", "you train with 128 only")


@computed("distilbert-starts-from-bert-s-layers-0-2-4-7-9-and-11-why-these-and-why-not-"
          "from-random-weights")
def _():
    gone = 6 * (12 * 768 ** 2 + 13 * 768) + 768 ** 2 + 3 * 768    # and the pooler
    tables = (30_522 + 512 + 2) * 768
    whole = 12 * (12 * 768 ** 2 + 13 * 768) + tables + 2 * 768 + 768 ** 2 + 768
    assert whole == 109_482_240    # BERT
    return ("0, 2, 4 and so on", "from 0 to 11",
            f"Only {gone / 1e6:.0f} of {whole / 1e6:.0f} million parameters go, since "
            f"the tables with {tables / 1e6:.0f} million stay", "the paper's table 4")


@computed("bart-s-text-infilling-draws-span-lengths-from-a-poisson-distribution-with-3-"
          "even-0-how-many-spans-are-there-and-what-does-a-span-of-0-do")
def _():
    shares = [math.exp(-3) * 3 ** k / math.factorial(k) for k in range(20)]
    assert abs(max(shares) - shares[2]) < 1e-9 and abs(shares[2] - shares[3]) < 1e-9
    return ("about 30 per cent of", f"about {512 * .3 / 3:.0f} spans for 512 tokens",
            f"2 and 3 are the most frequent, and {100 * shares[0]:.0f} of 100 are 0",
            "(section 2.2)")


@computed("albert-replaces-next-sentence-prediction-by-sentence-order-why-and-which-n-"
          "grams-does-it-mask")
def _():
    shares = [1 / n / sum(1 / m for m in (1, 2, 3)) for n in (1, 2, 3)]
    text = "1/n: {:.2f}, {:.2f} and {:.2f} (section 4.1)".format(*shares)
    return ("finds the order in 52.0 of 100 cases",    # Lan et al. 2020
            "it solves BERT's task in 78.9 (table 5)", "runs of n = 1, 2 or 3 words",
            text.replace("0.", "."))


@computed("switch-transformer-picks-one-expert-why-is-its-output-still-multiplied-by-"
          "the-router-s-probability-and-how-does-the-router-learn")
def _():
    return "(section 2.4)",


@computed("chinchilla-s-loss-1-69-406-4-n-0-34-410-7-d-0-28-what-do-the-parts-mean-and-"
          "why-do-i-not-get-20-tokens-per-parameter")
def _():
    def best(A, B, a, b, C=6 * 70e9 * 1.4e12):
        N = (a * A / (b * B) * (C / 6) ** b) ** (1 / (a + b))
        return N / 1e9, C / 6 / N / N
    printed = best(406.4, 410.7, .34, .28)
    new = best(482.01, 2085.43, .3478, .3658)
    assert 1.4e12 / 70e9 == 20
    return ("The 1.69 is", "With 6 · N · D fixed",
            f"β / (α + β) = {.28 / .62:.2f}.".replace("0.", "."),
            f"give {printed[0]:.0f} billion parameters and {printed[1]:.0f} tokens for "
            "each, not 70 billion and 20", "The 20 come",
            f"a new fit gives {new[0]:.0f} billion and {new[1]:.0f} (")


@computed("in-the-transformer-paper-the-base-model-has-a-bleu-of-27-3-in-table-2-and-"
          "25-8-in-table-3-which-one-is-right")
def _():
    return ("Both: table 2 scores the test set, newstest2014, and table 3 the",
            "For table 2 the last 5 checkpoints of base were averaged",
            "(sections 6.1 and 6.2)",
            "the big model has 28.4 and 26.4",    # Vaswani et al. 2017
            # tensor2tensor, issue 317
            "script, with a changed reference, gave 29.02, and sacrebleu [27.52](")


@computed("convs2s-multiplies-each-residual-sum-by-0-5-and-each-context-by-m-1-m-where-"
          "do-these-factors-come-from")
def _():
    assert abs(2 * math.sqrt(.5) ** 2 - 1) < 1e-9
    assert abs((25 * math.sqrt(1 / 25)) ** 2 / 25 - 1) < 1e-9
    return "of variance 1 has variance 2, and times √.5 it has 1 again",


@computed("how-does-the-unigram-trainer-of-sentencepiece-decide-which-pieces-to-drop-"
          "if-em-had-to-run-again-without-each-piece")
def _():
    many = 40 * math.log(.008 / (.1 * .04))
    few = 10 * math.log(.002 / (.02 * .001))
    assert many < few
    return ("a piece with 40 occurrences is dropped before one with 10",
            "The paper keeps 80 of 100 pieces in each round as an example, "
            "the program 75")


@computed("what-is-in-chrf-why-2-and-six-letters-and-what-do-the-2-in-chrf2-and-the-in-"
          "chrf-mean")
def _():
    from sacrebleu.metrics import CHRF
    right, half = "the small cat sleeps on the mat", "the small cat"
    one, two = (CHRF(beta=beta).sentence_score(half, [right]).score for beta in (1, 2))
    longer = CHRF().sentence_score(f"{right} near the old house", [right]).score
    chrf = CHRF()
    assert (chrf.beta, chrf.char_order, chrf.word_order) == (2, 6, 0)
    return ("With β = 2 recall counts", "(1 + β²)PR / (β²P + R)",
            "six letters and β = 3 (", "and a later one found 2 better",
            f"still gets {longer:.1f}",
            f"gets {one:.1f} with β = 1 and {two:.1f} with β = 2",
            "The 2 in chrF2 is β", "runs of 1 and 2 words")


@computed("prove-that-rope-makes-a-score-depend-on-the-distance-alone-what-is-the-score-"
          "of-1-0-at-place-3-with-1-0-at-place-1")
def _():
    far = f"cos 2 = {math.cos(3 - 1):.3f}".replace("-0.", "-.")
    assert abs(math.cos(12 - 10) - math.cos(3 - 1)) < 1e-9
    return (f"(1, 0) at place 3 with (1, 0) at place 1 is {far}",
            "; places 12 and 10 give the same")


@computed("width-4-096-32-layers-feed-forward-11-008-and-32-000-words-how-do-llama-7b-s-"
          "6-74-billion-parameters-come-together")
def _():
    d, layers, inside, words = 4096, 32, 11_008, 32_000
    attention, forward, tables = 4 * d * d, 3 * d * inside, 2 * words * d
    norms = (2 * layers + 1) * d
    small = f"{tables / 1e9:.2f}".lstrip("0")
    assert f"{(layers * (attention + forward) + tables + norms) / 1e9:.2f}" == "6.74"
    assert abs(3 * inside / (8 * d) - 1) < .01
    new = 2 * d * d + 2 * d * 8 * 128 + 3 * d * 14_336 + 2 * d
    whole = (layers * new + 2 * 128_256 * d + d) / 1e9
    return (f"4 · {d:,}² = {attention / 1e6:.0f} million",
            f"3 · {d:,} · {inside:,} = {forward / 1e6:.0f} million",
            f"{layers} layers have {layers * (attention + forward) / 1e9:.2f} billion",
            f"2 · {words:,} · {d:,} = {small} billion", "three matrices",
            f"the {2 * layers + 1} norms together have "
            + f"{norms / 1e6:.2f} million".lstrip("0"),
            f"12 · d² a layer gives {layers * 12 * d * d / 1e9:.2f} billion",
            f"3 · {inside:,} is about 8 · {d:,}", "Llama 3 8B has [8 key-value heads]",
            f"14,336 and 128,256 words: {whole:.2f} billion")


@computed("vit-b-16-has-86-million-parameters-how-do-they-come-together")
def _():
    d, side, patches, classes = 768, 16, 196, 1000
    attention, forward, norms = 4 * d * d + 4 * d, 8 * d * d + 5 * d, 4 * d
    layer, table = attention + forward + norms, (patches + 1) * d
    embedding = side * side * 3 * d + d
    whole = 12 * layer + embedding + table + d + 2 * d
    return (f"A layer of width {d} has {layer:,}", f"{attention:,} in attention",
            f"{forward:,} in the feed-forward network, {norms:,} in two norms",
            f"Twelve layers have {12 * layer:,}",
            f"{side} · {side} · 3 · {d} weights and {d} biases, {embedding:,} in all",
            f"for {patches} patches and the class token has {patches + 1} · {d} = "
            f"{table:,}", f"that is {whole / 1e6:.1f} million",
            f"{classes:,} classes adds {classes * d + classes:,}",
            f"its table of words alone has {30_522 * d / 1e6:.1f} million")


@computed("why-do-the-activations-of-a-transformer-layer-take-sbh-34-5as-h-bytes")
def _():
    attention = 2 + 4 + 2 + 2 + 1    # input; q and k; v; input of the output; a mask
    forward = 2 + 8 + 8 + 1    # inputs of both layers, of GELU; a mask
    s, h, a = 2048, 12_288, 96
    pairs, norms = 5 * a * s / h, 2 * 2
    parts = attention + forward + norms
    layer = s * h * (parts + pairs)
    return ("In 16 bits the", "GELU (2 bytes) and dropout masks (1 byte) make "
            f"{parts}: {attention} in attention, {forward} in the feed-forward "
            f"network, {norms} in the norms", f"2 + 1 + 2 = {2 + 1 + 2} bytes",
            f"s = {s:,}, h = {h:,} and a = {a} the second term is {pairs:.0f}",
            f"{layer / 1e9:.1f} GB in a layer, and {96 * layer / 1e9:.0f} GB in 96",
            f"saves {pairs:.0f} of {parts + pairs:.0f} parts", "of a layer, 2 parts")


@computed("queries-and-keys-are-the-identity-matrix-of-size-2-the-values-1-2-"
          "and-3-4-what-does-scaled-dot-product-attention-give")
def _():
    def share(score):    # of the own key, and of the other, whose score is 0
        own = 1 / (1 + math.exp(-score))
        return tuple(f"{x:.3f}".removeprefix("0") for x in (own, 1 - own))
    root = math.sqrt(2)
    near, far = (float(x) for x in share(1 / root))
    rows = [f"({a:.2f}, {b:.2f})" for a, b in (
        (near + 3 * far, 2 * near + 4 * far), (far + 3 * near, 2 * far + 4 * near))]
    return (" and ".join(rows), f"score {1 / root:.3f}".replace("0.", "."),
            "makes {} and {} of them".format(*share(1 / root)),
            "{} · (1, 2) + {} · (3, 4)".format(*share(1 / root)), "divided by √2",
            "by 2, the width, which gives {} and {}".format(*share(1 / 2)),
            "not at all, which gives {} and {}".format(*share(1)))


@computed("what-does-the-conformer-add-to-a-transformer-and-why-is-it-used-for-speech")
def _():
    return "the convolution mattered most (section 3.4)",    # Gulati et al. 2020
