"""The numbers of book/asked/using.md: each function returns what must stand in the
answer with its anchor."""

import math

import sacrebleu
import torch
from asked_numbers import output, row, text
from asking import computed
from softdict.decoding import normalised
from softdict.pretraining import block_mask
from softdict.sampling import keep_top_p

TABLE = torch.tensor([0.50, 0.25, 0.10, 0.08, 0.05, 0.02])    # chapter 17's


def short(number, digits=2):
    """The number without a zero in front of its point."""
    return f"{number:.{digits}f}".replace("0.", ".", 1 if abs(number) < 1 else 0)


def kept(logits, p):
    return keep_top_p(logits, p).softmax(0)


@computed("a-larger-beam-gives-a-lower-bleu")
def _():
    scores = [line.split()[1:] for line in output("17", "many").splitlines()
              if line.strip().startswith("BLEU")][1]
    assert "400 sentences, longer than any" in output("17", "many")
    assert "a beam of four or five" in text("17")
    return ("On 400 long sentences", f"{scores[0]} with a beam of 1",
            f"{scores[-1]} with 20", "Widths of 4 or 5", "a length penalty of .6 to 1")


@computed("does-beam-search-always-find-a-likelier-text-than-greedy")
def _():
    tree = {"": {"a": 0.4, "b": 0.35}, "a": {"x": 0.3}, "ax": {"$": 1.0},
            "b": {"y": 0.5, "z": 0.5}}
    tree |= {follower: {str(digit): 0.1 for digit in range(10)}
             for follower in ("by", "bz")}

    def beam(size):
        beams, whole = [("", 1.0)], []
        while beams:
            beams = sorted(((text + word, p * share) for text, p in beams
                            for word, share in tree.get(text, {"$": 1.0}).items()),
                           key=lambda one: -one[1])[:size]
            whole += [one for one in beams if one[0].endswith("$")]
            beams = [one for one in beams if not one[0].endswith("$")]
        return max(p for _, p in whole)

    assert math.isclose(beam(1), 0.12) and math.isclose(beam(2), 0.0175)
    a, b, after, half, tenth = (tree[place][word] for place, word in (
        ("", "a"), ("", "b"), ("a", "x"), ("b", "y"), ("by", "0")))
    return (f"*a* have {short(a)}, and its likeliest next word {short(after)}",
            short(beam(1)),
            f"*b* have {short(b)} and two followers of {short(half, 1)}",
            f"both have {short(b * half, 3)}", f"ten words of {short(tenth, 1)}",
            short(beam(2), 4))


@computed("translations-are-too-short-which-length-penalty")
def _():
    wu = [normalised(total, length, 0.6) for total, length in ((-4, 1), (-6, 7))]
    assert -4 > -6 and -4 / 1 < -6 / 7 and wu[0] < wu[1]
    return ("1 word with log p -4 beats a text of 7 words with -6",
            f"{-4 / 1:.2f} loses to -{short(6 / 7)}",
            f"Wu's formula and .6, {wu[0]:.2f} loses to {wu[1]:.2f}",
            "Powers of .6 to 1 are common")


@computed("is-the-length-penalty-the-same-in-every-library")
def _():
    length, power = 10, 0.6
    divisor = -1 / normalised(-1.0, length, power)
    assert math.isclose(divisor, ((5 + length) / 6) ** power)
    return ("((5 + length) / 6)", f"For {length} words and {short(power, 1)} the "
            f"divisors are {length ** power:.2f} and {divisor:.2f}")


@computed("the-translation-is-cut-off-before-the-end")
def _():
    return ("stops after 20 new pieces",)    # transformers' default of max_length


@computed("the-model-repeats-the-same-phrase-until-the-limit")
def _():
    assert "many changed ones say something twice" in text("18")
    return "position 0", "a temperature of .7 to 1 and top-p of .9"


@computed("what-does-a-repetition-penalty-do")
def _():
    return f"2 becomes {2 / 1.1:.2f}", f"-1 becomes {-1 * 1.1:.2f}", "takes about 1.2"


@computed("does-top-p-keep-all-words-above-p")
def _():
    shares = kept(TABLE.log(), 0.8)
    left = [short(share) for share in shares.tolist() if share]
    *first, last = map(short, TABLE.tolist())
    return (f"Of {', '.join(first)} and {last} it keeps three for p = .8",
            ", ".join(left), f"two have only {short(TABLE[:2].sum().item())}",
            "Values of .9 and .95 are common")


@computed("is-temperature-0-the-same-as-greedy")
def _():
    cold, colder = ((TABLE.log() / t).softmax(0)[0].item() for t in (0.5, 0.01))
    assert colder > 1 - 1e-9
    return (f"At .5 a word with {short(TABLE[0].item())} beside "
            f"{short(TABLE[1].item())} already gets {short(cold)}, and at .01 all",)


@computed("does-temperature-come-before-top-p")
def _():
    cold = (TABLE.log() / 0.5).softmax(0)
    counts = [int((kept(logits, 0.8) > 0).sum())
              for logits in (TABLE.log(), cold.log())]
    assert counts == [3, 2]
    return ("p = .8 keeps three", "two at .5",
            f"have {short(cold[:2].sum().item())} together")


@computed("output-differs-with-and-without-the-cache")
def _():
    assert (0.1 + 0.2) + 0.3 != 0.1 + (0.2 + 0.3)
    assert torch.finfo(torch.float16).bits < torch.finfo(torch.float32).bits
    return "(.1 + .2) + .3 is not .1 + (.2 + .3)", "In 16 bits", "in 32"


@computed("how-much-faster-is-generation-with-a-cache")
def _():
    one, many = (row("18", "speed", f"batch of {size}") for size in (1, 64))
    return (f"{one[-5]} times as fast at 10", f"{one[-1]} times at 160",
            f"For 64 texts at once it is {many[-5]} and {many[-1]} times")


@computed("how-large-is-the-kv-cache-of-llama-3")
def _():
    layers, heads, width = 32, 8, 128
    each = 2 * layers * heads * width * torch.float16.itemsize
    assert row("22", "published", "Llama 3, 8B")[0] == f"{each:,}"
    assert int(128_000 * each / 2 ** 30 * 100) / 100 == 15.62
    return ("For each word: 2 · layers", "Llama 3 with 8 billion has 2 · "
            f"{layers} · {heads} · {width} · 2 = {each:,} bytes",
            f"8,192 words need {8192 * each / 2 ** 30:.0f} GiB "
            f"({8192 * each / 1e9:.2f} GB)",
            f"131,072 words {131_072 * each / 2 ** 30:.0f} GiB",
            "15.62 GiB for *128k* counted 128,000",
            f"Llama 3 with 70 billion has 80 layers: {each // layers * 80:,} bytes",
            f"7B model has 32 key heads: {each // heads * 32:,}, or "
            f"{4096 * each // heads * 32 // 2 ** 30} GiB for 4,096 words")


@computed("my-kv-cache-estimate-is-four-times-too-large")
def _():
    queries, keys = 32, 8
    return (f"Llama 3's 8B model has {queries} heads for queries and {keys} for keys, "
            f"a factor of {queries // keys}",)


@computed("is-speculative-decoding-exact-and-why-is-it-slower")
def _():
    def words(p, guesses=4):
        accepted = sum(n * p ** n * (1 - p) for n in range(guesses))
        return accepted + guesses * p ** guesses + 1
    assert math.isclose(words(0.8), (1 - 0.8 ** 5) / (1 - 0.8))
    return (f"With 4 guesses that are each accepted with .8, a pass brings "
            f"{words(0.8):.2f} words", f"with .3 it brings {words(0.3):.2f}")


@computed("what-vocabulary-size-should-i-choose-for-bpe")
def _():
    assert "one list of about 6,000 pieces" in text("19")
    assert "After all 247 merges, every word of the training is one piece" in text("19")
    return ("30,000 to 40,000 pieces are usual with millions of pairs",
            "1,000 to 16,000 with a few hundred thousand pairs or fewer",
            "The book has about 6,000 for 29,000 pairs",
            "have 30,000 to 50,000 for one language, and 100,000 or more for many",
            "95 of 100 pieces occur at least 100 times",
            "a bad size can cost 3 to 4 BLEU")


@computed("why-is-the-vocabulary-larger-than-the-number-of-merges")
def _():
    return ("GPT-2 has 256 bytes, 50,000 merges and one end-of-text token, "
            f"{256 + 50_000 + 1:,} in all", "with all 256 nothing")


@computed("how-do-i-compare-perplexity-with-different-tokenizers")
def _():
    return (f"{math.exp(12 / 3):.1f} as 3", f"{math.exp(12 / 6):.1f} as 6",
            f"with 20 letters it is {short(12 / math.log(2) / 20)}",
            f"ln 2 = {short(math.log(2), 3)}", "A text with 12 nats",
            "is 2 to the power of the bits", f"with 0 bits it is {2 ** 0}",
            f"below 1 bit for each byte it is below {2 ** 1}")


@computed("which-bleu-should-i-report")
def _():
    first = output("19", "scores").partition("test_2017")[0].splitlines()
    cased, lower, cut = (line.split()[1] for line in first[1:4])
    return (cased, f"lower case they have {lower}",
            f"and {cut} if another tool also", "1.8 points")


@computed("bleu-is-ridiculously-high-with-sacrebleu")
def _():
    score = sacrebleu.BLEU(tokenize="none").corpus_score
    whole = score(["the snowman melts slowly now"], [["the snowman melts quickly now"]])
    cut = score(["the snow man melt s slow ly now"],
                [["the snow man melt s quick ly now"]])
    return f"has {whole.score:.1f}", f"has {cut.score:.1f}"


@computed("sacrebleu-gives-another-score-for-chinese-with-each-tokenizer")
def _():
    pair = ["我喜欢红苹果"], [["我喜欢青苹果"]]
    usual = sacrebleu.BLEU().corpus_score(*pair).score
    letters = sacrebleu.BLEU(tokenize="char").corpus_score(*pair).score
    return f"scores {usual:.0f};", f"has {letters:.1f}"


@computed("why-are-there-unknown-words-in-my-output")
def _():
    german = output("19", "counts").partition("English")[0]
    words, sentences = german.split("in the test ")[1].split("% of the words are")[0], (
        german.split("unknown, in ")[1].split("%")[0])
    return f"{words} of 100", f"{sentences} of 100"


@computed("why-80-10-10-in-masked-language-models")
def _():
    chosen = 15
    return (f"Of 100 words {chosen} are guessed", "the 10 per cent",
            f"more words than {chosen} in 100",
            f"{chosen * 0.8:.0f} are hidden, {chosen * 0.1} are replaced and "
            f"{chosen * 0.1} stay",)


@computed("is-the-loss-on-all-words-or-on-the-masked-ones")
def _():
    one, mean = output("21", "blank-hand").replace(",", "").split()[3::5][:2]
    return f"loss of {one}", mean.lstrip("0")


@computed("do-packed-documents-see-each-other")
def _():
    allowed = block_mask(torch.tensor([[1, 1, 1, 2, 2]]))[0]
    assert not allowed[..., 3, :3].any() and allowed[..., 4, 3].all()
    each, packed = (line.split(": ")[1].split("%")[0]
                    for line in output("21", "packing-waste").splitlines())
    return (f"{packed} of 100 pads in place of {each}",)


@computed("is-pretraining-any-help-with-few-pairs")
def _():
    gained = {count: row("21", "gain-run", f"{count} ")[0].lstrip("+")
              for count in (100, 500, 2000)}
    parts = [row("21", "parts-run", part)[0].lstrip("+")
             for part in ("encoder", "decoder")]
    return ("after 800 updates at most",
            f"{gained[500]} BLEU with 500", f"{gained[2000]} with 2,000",
            f"{short(float(gained[100]), 1)} with 100",
            "{} against {}".format(*parts))


def hits(column):
    lines = output("20", "align-run").splitlines()[1:6]
    return sorted(int(line.split()[column]) for line in lines)


@computed("can-i-average-the-heads-for-one-attention-map")
def _():
    *_, hit, mass = row("16", "looks-table", "Transformer, predicts")
    found = hits(5)
    return (f"only {float(mass):.0f} of 100", f"finds {float(hit):.0f} of 100 links",
            f"finds {found[0]} to {found[-1]} of 100 sure links")


@computed("which-layer-and-head-should-i-draw")
def _():
    found, below = hits(5), hits(-1)
    alone = row("20", "align-run", "places alone")[-1]
    return (f"{found[0]} to {found[-1]} of 100", f"alone finds {alone}",
            f"it is {below[0]} to {below[-1]}")


@computed("do-attention-weights-show-what-was-important")
def _():
    parts = [weight * length for weight, length in ((0.80, 0.1), (0.15, 2), (0.05, 3))]
    assert parts[0] == min(parts)
    return ("Weights of .80, .15 and .05 on values of lengths .1, 2 and 3 give parts "
            "of {}, {} and {}".format(*map(short, parts)),)


@computed("how-do-i-know-which-heads-matter")
def _():
    first = output("20", "together-seeds").splitlines()[0].replace(",", "").split()
    assert "it is number 5, 1, 1, 3 and 4 from the top" in text("20")
    return (first[2].lstrip("0"), f"costs {first[4].rstrip(':').lstrip('0')}",
            f"{first[5]} times", "5, 1, 1, 3 and 4")


@computed("has-gpt-2-small-117-or-124-million-parameters")
def _():
    D, V, T = 768, 50_257, 1024
    layer = 4 * D + (D * 3 * D + 3 * D) + (D * D + D) + (8 * D * D + 5 * D)
    whole = V * D + T * D + 12 * layer + 2 * D
    assert f"{whole:,}" in output("22", "biases")
    assert "The paper's table 2 says 117 million" in text("22")
    return (f"{whole:,}", f"{whole + V * D:,}", f"{whole - V * D - T * D:,}",
            "the 117 million of the paper's table 2",
            f"{V:,} · {D} = {V * D / 1e6:.1f} million",
            f"{T:,} · {D} = {T * D / 1e6:.1f}".replace("0.", ".") + " million",
            f"12 layers about 12 · {D}² = {12 * D ** 2 / 1e6:.1f} million each")


@computed("the-state-dict-has-more-parameters-than-the-model")
def _():
    words, width, stored = 32_000, 288, 24_407_712
    tied = words * width
    return (f"{words:,} words and width {width} that is {tied:,} numbers",
            f"{stored:,} in the file are {stored - tied:,}")


@computed("why-11008-and-not-four-times-the-width-in-llama")
def _():
    width, step = 4096, 256
    exact = 2 / 3 * 4 * width
    rounded = step * math.ceil(exact / step)
    assert "14,336: Llama 3 uses more" in text("22")
    return (f"two thirds of 4 · {width:,} is {exact:,.0f}", f"to steps of {step}",
            f"gives {rounded:,}", "Llama 3 takes 14,336", "6.74 billion in Llama 7B")


@computed("why-does-hugging-face-rotate-halves-in-rope")
def _():
    pairs = [output("22", "pairs").splitlines()[n].split()[1:] for n in (0, 1)]
    assert sorted(pairs[0]) == sorted(pairs[1]) and pairs[0] != pairs[1]
    K = 4
    halves = [n for n, number in enumerate(pairs[1]) if float(number)]
    assert halves == [0, K // 2]
    return "0 with 1", "0 with K/2"


@computed("does-a-mixture-of-experts-load-only-the-active-parameters")
def _():
    whole, active = 235, 22
    return (f"A model of {whole} billion with {active} active needs {whole * 2} GB for "
            f"its weights in {torch.bfloat16.itemsize * 8} bits",
            f"{100 * active / whole:.1f} of 100")


@computed("the-load-balancing-loss-is-always-the-same")
def _():
    def term(shares, probabilities):
        return len(shares) * (shares * probabilities).sum().item()
    even, one = torch.full((8,), 1 / 8), torch.eye(8)[0]
    assert term(one, one) == 8
    return (f"is {term(even, even):.0f} if all experts",
            f"programs give {term(2 * even, even):.0f}",
            "a weight of about .01")    # Fedus et al. 2022, section 2.2


@computed("a-sliding-window-writes-gibberish-after-a-while")
def _():
    assert "5,158" in text("22") and "the perplexity was 5.40" in text("22")
    return "5,158", "5.40"


@computed("does-linear-attention-recall-as-well-as-softmax")
def _():
    def found(task):
        return row("23", "recall-table", task)
    softmax, total, delta = (found(f"once   {rule}")
                             for rule in ("softmax", "sum", "delta"))
    assert "128 pairs: 16   32   64" in output("23", "recall-table")
    return ("With 128 pairs and keys of 16 numbers",
            f"recalls {softmax[3]} of 100 values, linear attention {total[3]} "
            f"and the delta rule {delta[3]}",
            f"with 64 numbers these two recall {total[5]} and {delta[5]}",
            f"in {found('twice  softmax')[5]}, the delta rule in "
            f"{found('twice  delta')[5]}")


@computed("why-is-deltanet-so-slow-in-inference")
def _():
    blocks, steps, softmax = (row("23", "cost", name) for name in (
        "delta, in blocks", "delta, step by step", "softmax"))
    assert all(float(softmax[n]) < float(blocks[n]) for n in range(4))
    assert float(softmax[4].replace(",", "")) > float(blocks[4])
    assert output("23", "cost").splitlines()[0].split()[-1] == "8,192"
    return f"reads 8,192 words in {blocks[-1]} ms", steps[-1], "Up to 512 words"


@computed("sentences-compared-with-each-other-cross-encoder-or-bi-encoder")
def _():
    sentences = 10_000
    pairs = math.comb(sentences, 2)
    assert pairs == sentences * (sentences - 1) // 2
    return (f"{sentences:,} · {sentences - 1:,} / 2, about {pairs / 1e6:.0f} million",
            f"needs {sentences:,} passes", "5 seconds in place of 65 hours",
            "fetch the best 100")


@computed("which-temperature-should-i-set-when-a-language-model-translates")
def _():
    return "between 0 and .3", "Values of .7 to 1"


@computed("speculative-decoding-with-acceptance-rate-0-8-and-4-drafted-tokens-how-many-"
          "tokens-come-out-of-each-step-of-the-large-model")
def _():
    share, guesses, cost = 0.8, 4, 0.1
    accepted = sum(share ** n for n in range(1, guesses + 1))
    written = (1 - share ** (guesses + 1)) / (1 - share)
    assert math.isclose(written, accepted + 1)
    step = 1 + guesses * cost
    return (f"On average {written:.2f}", "(1 - .8^5) / (1 - .8)", "accepted with .8",
            f"= {accepted:.2f} are accepted, not {guesses * share:.1f}:",
            ".8 + .8² + .8³ + .8⁴", f"costs {short(cost, 1)} of a large step",
            f"{written:.2f} / {step:.1f} = {written / step:.1f}, or "
            f"{accepted / step:.2f} without", f"checking {guesses + 1} places")


@computed("how-do-i-get-word-alignments-out-of-a-transformer")
def _():
    return f"Six layers with 8 heads give {6 * 8} cross-attention maps",
