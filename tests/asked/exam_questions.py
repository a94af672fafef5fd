"""The numbers of book/asked/exam_questions.md: each function returns what must stand in
the answer with its anchor."""

import math
import sys
import unicodedata

import sacrebleu
import torch
from asking import computed


def short(number, digits=2):
    """The number without a zero in front of its point."""
    return f"{number:.{digits}f}".replace("0.", ".", 1 if abs(number) < 1 else 0)


def bleu(hypotheses, *references, smoothing="none"):
    """Of texts that are cut at their blanks; a list of all texts for each reference."""
    return sacrebleu.corpus_bleu(hypotheses, list(references), tokenize="none",
                                 smooth_method=smoothing, lowercase=True)


@computed("which-query-makes-attention-copy-one-value")
def _():
    weights = [torch.tensor([factor, 0.0, 0.0]).softmax(dim=0)[0].item()
               for factor in (2.0, 5.0, 10.0)]
    two, five, ten = map(short, weights, (3, 3, 4))
    return (f"factor of 2 gives the weight {two}", f"5 gives {five}", f"10 gives {ten}",
            "length 1")


@computed("which-query-gives-the-mean-of-two-values")
def _():
    keys = torch.eye(10)
    one, ten, half = ((keys @ (factor * (keys[0] + keys[1]))).softmax(dim=0)[0].item()
                      for factor in (1.0, 10.0, 0.5))
    return (f"each is {short(one, 3)} with a factor of 1",
            f"and {short(ten, 5)} with 10", f"only {short(half, 3)}")


@computed("why-do-two-heads-give-the-mean-of-two-values-more-safely-than-one")
def _():
    scores = torch.tensor([10 * 1.2, 10.0])
    first, second = map(short, scores.softmax(dim=0).tolist())
    return ("scores are 10", "1.2 times as long", f"become {scores[0]:.0f} and 10",
            f"weights {first} and {second}")


@computed("what-is-the-jacobian-of-the-softmax")
def _():
    w = torch.tensor([0.7, 0.2, 0.1])
    slopes = w.diag() - torch.outer(w, w)
    assert torch.allclose(slopes.sum(dim=1), torch.zeros(3), atol=1e-6)
    first, *others = (short(slope) for slope in slopes[0].tolist())
    return "weights .7, .2 and .1", f"{first}, {others[0]} and {others[1]}"


@computed("triu-with-diagonal-0-or-1-which-one-is-the-causal-mask")
def _():
    allowed = torch.ones(4, 4).tril()
    return (f"{allowed.sum():.0f} of {allowed.numel()} pairs",)


@computed("masks-of-all-true-and-all-false-give-the-same-output-is-the-mask-broken")
def _():
    scores = torch.tensor([2.0, 1.0]) + float("-inf")
    assert scores.softmax(dim=0).isnan().all()
    return "-1e4", "-1e9"


@computed("the-rows-of-my-weights-sum-to-more-than-1-after-dropout-is-that-a-bug")
def _():
    return "p = .2", f"{1 / (1 - 0.2):.2f} times"


@computed("my-output-has-an-error-of-1-0-against-the-expected-one-dropout-before-or-"
          "after-the-values")
def _():
    return ("relative error of 1.0",)


@computed("scale-the-queries-or-the-scores-is-there-a-difference")
def _():
    words, width = 128, 64
    return (f"{words} words and heads of {width}",
            f"{words * width:,} and {words * words:,}")


@computed("i-divided-by-the-root-of-the-whole-width-and-not-of-one-head-does-it-matter")
def _():
    width, head = 384, 64
    scores = torch.tensor([2.0, 0.0])
    factor = (width / head) ** 0.5
    right, wrong = (list(map(short, one.softmax(dim=0).tolist()))
                    for one in (scores, scores / factor))
    return (f"width {width} and heads of {head}",
            f"{width ** 0.5:.1f} in place of {head ** 0.5:.0f}", f"{factor:.2f} times",
            f"{right[0]} and {right[1]} become {wrong[0]} and {wrong[1]}")


@computed("compute-the-positional-encoding-of-place-3-for-width-4")
def _():
    angles = 3 / 10_000 ** (0 / 4), 3 / 10_000 ** (2 / 4)
    assert math.isclose(angles[0], 3) and math.isclose(angles[1], 3 / 100)
    row = [short(f(angle), 4) for angle in angles for f in (math.sin, math.cos)]
    return ("Width 4", "3 and 3/100", "power of 2/4 is 100", "10,000",
            "sin 3, cos 3, sin .03, cos .03", f"{', '.join(row[:3])} and {row[3]}")


@computed("do-gamma-and-beta-undo-the-normalisation")
def _():
    return ("plus 3",)


@computed("what-if-the-feed-forward-layer-has-no-activation")
def _():
    width, hidden = 512, 2048
    return (f"width {width} with {hidden:,} in the middle",
            f"{2 * width * hidden:,} weights", f"{width * width:,}",
            f"{width} by {width}")


@computed("gru-without-update-gate-or-without-reset-gate-which-one-still-learns-long-"
          "sequences")
def _():
    return f"with .99 kept at each word, {short(0.99 ** 50)} is left after 50 words",


@computed("why-is-negative-sampling-cheaper-than-the-softmax")
def _():
    words, width, drawn = 50_000, 100, 5
    return (f"{words:,} words of {width} numbers", f"{words * width:,}",
            f"need {(1 + drawn) * width}", "to the power 3/4")    # section 2.2


@computed("why-are-tokenizers-built-on-utf-8-bytes-and-not-utf-16-or-characters")
def _():
    known = sum(unicodedata.category(chr(code)) not in ("Cn", "Co", "Cs")
                for code in range(sys.maxunicode + 1))
    assert known > 100_000
    sizes = [len("hello".encode(f"utf-{bits}")) for bits in (8, 16, 32)]
    ox = [len("牛".encode(f"utf-{name}")) for name in ("8", "16-le")]
    return ("256 bytes", "100,000 characters",
            f"{sizes[0]} bytes in UTF-8, {sizes[1]} in UTF-16 and {sizes[2]} in UTF-32",
            f"{ox[0]} bytes in UTF-8 and {ox[1]} in UTF-16")


@computed("an-entropy-of-three-bits-what-perplexity-and-does-the-base-matter")
def _():
    nats = 3 * math.log(2)
    assert math.isclose(math.e ** nats, 8)
    return ("power of 3 is 8", f"3 bits are {nats:.3f} nats",
            f"power of {nats:.3f} is 8", f"{math.e ** 3:.1f} or {2 ** nats:.2f}")


@computed("validation-loss-1-47-and-the-text-makes-no-sense-should-i-expect-more")
def _():
    loss, width = 1.47, 384    # nanoGPT's config/train_shakespeare_char.py: 6 layers
    assert 10 <= 6 * 12 * width ** 2 / 1e6 < 11
    return (f"about {loss} is", "10 million weights",
            f"power of {loss} is {math.exp(loss):.2f}", f"{6 * loss:.2f} nats",
            f"{math.exp(6 * loss):,.0f} for the word")


@computed("compute-bleu-of-two-sentences-with-two-references")
def _():
    score = bleu(["cat is cat", "reading group is my nightmare"],
                 ["the cat is on the mat", "reading group is my favourite class"],
                 ["there is a cat on the mat", "i love rg"])
    names = ("words", "pairs", "triples", "quadruples")
    counts = [f"{found} of {all_} {name}"
              for found, all_, name in zip(score.counts, score.totals, names)]
    assert (score.sys_len, score.ref_len) == (3 + 5, 6 + 6)
    assert sum(length - 2 for length in (3, 4, 5)) == 6
    assert counts[0] == "6 of 8 words"
    return ("6 of 8 words", f"{', '.join(counts[1:3])} and {counts[3]}",
            "6 and 6 against 3 and 5", f"exp(1 - 12/8) = {short(score.bp, 3)}",
            f"BLEU is {score.score:.1f}", "l - 2 triples", "3, 4 and 5 words have 6")


@computed("can-bleu-fall-when-a-reference-is-added")
def _():
    said = "a b c d e f g h i j"
    one = bleu([said], ["a b c d e f g h"])
    both = bleu([said], ["a b c d e f g h"], ["k l m n o p q r s t u"])
    assert one.bp == 1 and math.isclose(both.score / one.score, both.bp)
    return ("For 10 words and a reference of 8", "one of 11 words",
            f"exp(1 - 11/10) = {short(both.bp, 3)}")


@computed("bleu-of-a-four-word-sentence-is-0-with-three-words-right-why")
def _():
    pair = ["a fast brown fox"], ["a quick brown fox"]
    plain = bleu(*pair)
    assert (plain.score, plain.counts) == (0, [3, 1, 0, 0])
    floor = bleu(*pair, smoothing="floor").score / 100
    assert math.isclose(floor, (3 / 4 * 1 / 3 * 0.1 / 2 * 0.1) ** (1 / 4))
    usual = bleu(*pair, smoothing="exp").score / 100
    two = sacrebleu.BLEU(tokenize="none", max_ngram_order=2, effective_order=True)
    pairs = two.sentence_score(pair[0][0], pair[1]).score / 100
    assert math.isclose(pairs, 0.5)
    return ("3 of 4 words and 1 of 3 pairs",
            f"root of 3/4 · 1/3, that is {short(pairs, 1)}",
            f"with .1 found in place of none the score is {short(floor, 3)}",
            f"default {short(usual, 3)}")


@computed("the-bleu-of-my-chatbot-stays-at-0-00")
def _():
    score = bleu(["Fine , thanks a lot ."], ["I am very well ."])
    assert score.score == 0
    return (f"{score.counts[0]} of {score.totals[0]} words",)


@computed("where-does-the-2-in-2mkn-flops-come-from")
def _():
    L, d = 64, 128
    projections, pairs = 3 * 2 * L * d * d, 2 * 2 * L * L * d
    assert (projections, pairs) == (6 * L * d ** 2, 4 * L ** 2 * d)
    long = 3 * d // 2
    assert 6 * long * d ** 2 == 4 * long ** 2 * d
    return ("100 words", "512 by 2,048", f"{2 * 100 * 512 * 2048:,} operations",
            "about 2", "6 · L · d²", "4 · L² · d", f"L = {L} and d = {d} these are "
            f"{projections / 1e6:.1f} and {pairs / 1e6:.1f} million",
            f"L = {long / d} · d")


@computed("from-which-length-does-attention-cost-more-than-the-feed-forward-layer")
def _():
    width = 512

    def parts(words):
        return 2 * words ** 2 * width, 8 * words * width ** 2, 4 * words * width ** 2
    pairs, feed_forward, _ = parts(4 * width)
    assert pairs == feed_forward
    pairs, feed_forward, matrices = parts(2 * width)
    assert pairs + matrices == feed_forward
    pairs, *others = parts(100)
    share = 100 * pairs / (pairs + sum(others))
    return ("2 · n² · d", "8 · n · d²",
            f"n = 4 · d, which is {4 * width:,} words at width {width}", "4 · n · d²",
            f"n = 2 · d, or {2 * width:,} words",
            f"At 100 words scores and means are {share:.1f} %")


@computed("how-much-work-does-a-kv-cache-save-as-a-formula")
def _():
    given, written = 100, 1000
    without = sum(range(given, given + written))
    assert without == written * given + written * (written - 1) // 2
    kept = given + written - 1
    return ("n · (n - 1) / 2", f"{given} given and {written:,} written",
            f"{without:,} and {kept:,}", f"factor of {without / kept:.0f}")


@computed("why-does-twice-the-context-take-more-than-twice-the-prefill-time")
def _():
    width = 4096
    shares = [words / (words + 6 * width) for words in (8192, 512)]
    factors = [2 * (1 - share) + 4 * share for share in shares]
    return ("between 2 and 4", f"width {width:,} and 8,192 words", f"{shares[0]:.0%}"
            .replace("%", " %"), f"{factors[0]:.1f} times", "With 512 words",
            f"are {100 * shares[1]:.0f} %", f"factor is {factors[1]:.2f}")


@computed("why-is-writing-bound-by-memory-and-why-does-a-batch-help")
def _():
    weights, bits = 7e9, 16
    size = weights * bits / 8
    return ("7 billion weights in 16 bits", f"{size / 1e9:.0f} GB", "1,000 GB a second",
            f"take {1000 * size / 1e12:.0f} ms", f"{2 * weights / 1e9:.0f} billion",
            f"{short(1000 * 2 * weights / 100e12)} ms at 100 trillion",
            f"from about {size / 1e12 / (2 * weights / 100e12):.0f} texts on")


@computed("why-does-beam-search-need-so-much-cache")
def _():
    word = 2 * 32 * 8 * 128 * 2
    one, four = (f"{beams * word * 1000 / 1e6:.0f} MB" for beams in (1, 4))
    return ("Llama 3 with 8 billion", f"{word:,} bytes a word",
            f"1,000 words need {one}", f"beam of 4 it is {four}")


@computed("if-we-double-the-parameters-how-much-does-the-loss-fall")
def _():
    power = 0.076
    factor = 2 ** -power
    return (f"α = {short(power, 3)}", f"that is {short(factor, 3)}",
            f"{100 * (1 - factor):.1f} %", f"{2 ** (1 / power):,.0f} times",
            "2^{1/\\alpha}")


@computed("softmax-of-1-2-3-at-temperature-0-5-1-and-2-do-i-divide-before-or-after")
def _():
    logits = torch.tensor([1.0, 2.0, 3.0])
    one, half, two = ("{}, {} and {}".format(
        *(short(share, 3) for share in (logits / t).softmax(dim=0).tolist()))
        for t in (1, 0.5, 2))
    assert math.isclose((logits.softmax(dim=0) / 2).sum().item(), 1 / 2, rel_tol=1e-5)
    return (f"At T = 1 this gives {one}", f"at T = .5 it gives {half}",
            f"at T = 2 it gives {two}")


@computed("with-a-sliding-window-of-8-which-places-does-place-10-see")
def _():
    place, window = 10, 8
    both = [key for key in range(50) if abs(place - key) <= window // 2]
    causal = [key for key in range(50) if 0 <= place - key < window]
    back, words = window - 1, 1000
    return (f"places {both[0]} to {both[-1]}, which are {len(both)} with itself",
            f"window of {window}, places {causal[0]} to {causal[-1]}",
            f"L · {window // 2} places to each side, or L · {back} back, so three "
            f"causal layers reach {3 * back} back",
            f"for {words:,} words {words * window:,} and not {words ** 2:,}")


@computed("my-network-ends-in-a-softmax-and-crossentropyloss-stays-near-3-9-with-50-"
          "classes-why")
def _():
    classes = 50
    perfect = torch.zeros(1, classes)
    perfect[0, 0] = 1
    least, even = (torch.nn.functional.cross_entropy(given, torch.tensor([0])).item()
                   for given in (perfect, torch.full((1, classes), 1 / classes)))
    assert math.isclose(least, math.log(1 + (classes - 1) / math.e), rel_tol=1e-5)
    return (f"ln(1 + {classes - 1}/e) = {least:.2f}", f"ln {classes} = {even:.2f}",
            f"network, {even:.2f} only says")


@computed("a-batch-of-8-images-32-x-32-x-3-patches-of-8-width-64-which-shape-has-the-"
          "patch-embedding")
def _():
    images, side, patch, width = 8, 32, 8, 64
    conv = torch.nn.Conv2d(3, width, patch, stride=patch)
    found = conv(torch.zeros(images, 3, side, side)).flatten(2).mT
    numbers = conv.weight[0].numel()
    return (f"{list(found.shape)}", f"({side} / {patch})² = {found.shape[1]} patches",
            f"{patch} · {patch} · 3 = {numbers} numbers",
            f"{numbers} · {width} weights and {width} biases, together "
            f"{sum(part.numel() for part in conv.parameters()):,}",
            f"would be {found.shape[1] + 1} places and not {found.shape[1]}")


@computed("how-many-parameters-has-an-rnn-with-input-3-hidden-4-and-output-2-over-5-"
          "steps")
def _():
    rnn, out = torch.nn.RNN(3, 4), torch.nn.Linear(4, 2)
    once, steps = 3 * 4 + 4 * 4 + 4 + 4 * 2 + 2, 5
    theirs = sum(p.numel() for part in (rnn, out) for p in part.parameters())
    assert theirs == once + rnn.bias_hh_l0.numel()
    return (f"It has {once}: input to hidden 3 · 4 = {rnn.weight_ih_l0.numel()}",
            f"hidden to hidden 4 · 4 = {rnn.weight_hh_l0.numel()}", "bias of 4",
            f"hidden to output 4 · 2 = {out.weight.numel()}", "bias of 2",
            f"{steps} · {once} = {steps * once}", f"it counts {theirs}")


@computed("label-smoothing-of-0-3-with-three-classes-does-the-right-one-get-0-7-or-0-8")
def _():
    def targets(smoothing, classes):
        each = smoothing / classes
        return ((1 - smoothing + each, each),
                (1 - smoothing, smoothing / (classes - 1)))
    (right, each), (other, its) = targets(0.3, 3)
    assert math.isclose(right + 2 * each, 1) and math.isclose(other + 2 * its, 1)
    many, few = (one[0] for one in targets(0.1, 8000))
    return (f"1 - .3 + .3/3 = {short(right, 1)}, and {short(each, 1)} for each other",
            f"it is {short(other, 1)}, and {short(its)} for each other",
            "With 8,000 words and a factor of .1 the right word gets "
            f"{short(many, 5)} or {short(few, 1)}")


@computed("at-which-temperature-is-the-perplexity-on-a-fixed-test-set-lowest")
def _():
    shares = torch.tensor([0.7, 0.2, 0.1])

    def perplexity(t):
        return math.exp(-(shares * (shares.log() / t).log_softmax(dim=0)).sum())
    half, one, two = map(perplexity, (0.5, 1, 2))
    assert min((perplexity(t / 10), t / 10) for t in range(3, 30))[1] == 1
    assert perplexity(0.01) > 1e9 and 2.99 < perplexity(1000) < len(shares)
    return ("shares .7, .2 and .1", f"has the perplexity {one:.2f} at T = 1, "
            f"{half:.2f} at .5, {two:.2f} at 2, and with a high T near {len(shares)}, "
            "the number of words")


@computed("beam-width-2-i-am-has-1-0-and-you-are-1-2-which-two-continuations-survive")
def _():
    def sums(sad, kind):
        return {"happy": -1.0 - 0.5, "sad": -1.0 + sad, "kind": -1.2 + kind,
                "mean": -1.2 - 2.0}
    first = sums(-1.5, -0.3)
    assert set(sorted(first, key=first.get)[-2:]) == {"happy", "kind"}
    other = sums(-1.0, -1.0)
    assert math.exp(-0.5) + math.exp(-1.0) < 1    # they are probabilities
    assert set(sorted(other, key=other.get)[-2:]) == {"happy", "sad"}
    told = {word: f"-{short(-total, 1)}" for word, total in first.items()}
    return (f"*happy* (-.5) has {told['happy']}, with *sad* (-1.5) {told['sad']}",
            f"*kind* (-.3) has {told['kind']}, with *mean* (-2.0) {told['mean']}",
            "with -1.0 for both",
            f"power of {told['happy']} is {short(math.exp(first['happy']))}")


@computed("how-many-flops-does-a-forward-pass-of-gpt-2-xl-take-for-1-024-tokens")
def _():
    layers, d, V, T = 48, 1600, 50_257, 1024

    def parts(T):
        """Of the matrices, of scores and weighted values, and of the output layer."""
        return layers * 24 * T * d ** 2, layers * 4 * T ** 2 * d, 2 * T * d * V
    matrices, pairs, out = (part / 1e12 for part in parts(T))
    assert math.isclose(8 * d ** 2 * 2, 24 * d ** 2 * 2 / 3)    # feed-forward: 16 T d²
    later, (first, squared, last) = 16, (part / 1e12 for part in parts(16 * T))
    weights = V * d + 1024 * d + layers * (12 * d ** 2 + 13 * d) + 2 * d
    check = 2 * weights * T / 1e12
    assert abs(check - (matrices + out)) < 0.01
    return (f"About {matrices + pairs + out:.2f} trillion", "with 2 operations",
            f"{layers} layers of width d = {d:,}, and a vocabulary of V = {V:,}",
            "24 · T · d²",
            f"in all {matrices:.2f} trillion",
            f"4 · T² · d a layer, {short(pairs)} in all",
            f"2 · T · d · V = {short(out)}",
            f"at {later} times the length that part is "
            f"{squared:.1f} trillion, and all others {first + last:.1f}",
            f"2 · {weights / 1e9:.2f} billion parameters · {T:,} tokens is {check:.2f} "
            "trillion")


@computed("i-am-sam-sam-i-am-i-do-not-like-green-eggs-and-ham-what-is-p-am-i-with-add-one-"
          "smoothing")
def _():
    lines = [["<s>", *line.split(), "</s>"] for line in (
        "I am Sam", "Sam I am", "I do not like green eggs and ham")]
    V = len({word for line in lines for word in line}) - 1    # without the start mark
    first = sum(line.count("I") for line in lines)
    both = sum(pair == ("I", "am") for line in lines for pair in zip(line, line[1:]))
    return (f"so {V}.", f"occurs {first} times, {both} of them before *am*",
            f"({both} + 1) / ({first} + {V}) = {both + 1}/{first + V}, and "
            f"{both}/{first} without", f"here 1/{first + V} and not 0",
            f"V is {V + 1}, and the result is {both + 1}/{first + V + 1}", "adds .1")


@computed("rouge-1-recall-of-the-cat-sat-on-the-mat-against-the-cat-is-on-the-mat-how-does-"
          "rouge-differ-from-bleu")
def _():
    text = "the cat sat on the mat".split()
    reference = "the cat is on the mat".split()
    found = sum(min(text.count(word), reference.count(word)) for word in set(text))
    common = [[0] * (len(reference) + 1) for _ in range(len(text) + 1)]
    for i, one in enumerate(text):
        for j, other in enumerate(reference):
            common[i + 1][j + 1] = (common[i][j] + 1 if one == other
                                    else max(common[i][j + 1], common[i + 1][j]))
    pairs = set(zip(text, text[1:])) & set(zip(reference, reference[1:]))
    recall, precision = found / len(reference), found / len(text)
    f1 = 2 * recall * precision / (recall + precision)
    return (f"It is {found}/{len(reference)} = {short(recall)}",
            f"the reference has {len(reference)} words",
            f"here {len(text)} too, so F1 is {short(f1)} as well",
            f"ROUGE-2 counts pairs, {len(pairs)} of {len(reference) - 1}",
            f"subsequence, gaps allowed: {common[-1][-1]} words", "up to 4")


@computed("how-many-parameters-has-an-lstm-with-256-units-and-inputs-of-width-4-096")
def _():
    inputs, units = 4096, 256
    blocks = 4 * ((inputs + units) * units + units)
    return (f"4 · (({inputs:,} + {units}) · {units} + {units}) = {blocks:,}",
            "The number of time steps does not count",
            f"PyTorch shows {blocks + 4 * units:,}")
