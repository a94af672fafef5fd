"""The numbers of book/asked/text_and_scores.md: each function returns what must stand
in the answer with its anchor."""

import math
import statistics
from unicodedata import normalize

from asking import computed
from sacrebleu.metrics import BLEU, CHRF, TER


@computed("corpus-bleu-differs-from-the-mean-of-sentence-bleu-and-sometimes-"
          "gives-0-which-one-is-bleu")
def _():
    texts = ["the cat is on the mat today", "he saw a dog"]
    right = ["the cat is on the mat today", "he has seen the dog"]
    whole = BLEU().corpus_score(texts, [right]).score
    single = [BLEU().corpus_score([a], [[b]]).score for a, b in zip(texts, right)]
    return f"{sum(single) / 2:.1f} in place of {whole:.1f}",


@computed("what-is-the-perplexity-of-a-language-model-and-which-value-is-good")
def _():
    letters = 1.47
    return ("gives 50,257", "GPT-2 has 37.50 per word, its largest version 17.48",
            f"a loss of {letters}",
            f"per letter is a perplexity of {math.exp(letters):.1f}")


@computed("what-does-chrf-measure-and-when-do-i-take-it-in-place-of-bleu")
def _():
    right = [["the houses were painted red"]]
    near, far = ["the house was painted red"], ["the boats sank at midnight"]
    shortest, longest = 1, CHRF().char_order
    return (f"runs of {shortest} to {longest} characters",
            f"{CHRF().corpus_score(near, right).score:.1f} chrF and "
            f"{BLEU().corpus_score(near, right).score:.1f} BLEU",
            f"has {CHRF().corpus_score(far, right).score:.1f} chrF")


@computed("what-is-ter-and-how-can-a-translation-have-a-ter-above-100")
def _():
    moved = TER().corpus_score(["he went to school on monday"],
                               [["on monday he went to school"]]).score
    long = TER().corpus_score(["yes , of course I will come"], [["yes"]]).score
    words, edits = 6, 4    # two words deleted at the end, two inserted in front
    return (f"words in their places, so TER is {moved:.1f}",
            f"would be {100 * edits / words:.1f}",
            f"the second TER below is {long:.0f}")


@computed("two-people-agree-on-90-of-100-labels-why-is-cohen-s-kappa-only-39")
def _():
    both, neither, alone, n = 86, 4, 5, 100
    p, says = (both + neither) / n, (both + alone) / n
    e = says ** 2 + (1 - says) ** 2
    kappa = (p - e) / (1 - e)
    chance = f"{e:.3f}".lstrip("0")
    return (f"to {both} texts and *fail* to {neither}",
            f"on {alone} texts only the first person says *fail*",
            f"to {round(100 * says)} of {n}",
            f"e = .{round(100 * says)}² + .{round(100 - 100 * says):02}² = {chance}",
            f"κ = (.9 - {chance}) / (1 - {chance}) = " + f"{kappa:.2f}".lstrip("0"))


@computed("two-programs-give-the-same-model-different-mmlu-scores-which-one-is-right")
def _():
    choices = 4    # A to D
    return ("LLaMA 65B had 63.7 in HELM and 48.8 in an old version",
            f"guessing gives {100 // choices}")


@computed("of-10-generated-programs-pass-the-tests-what-is-pass-5")
def _():
    n, c, k = 10, 3, 5
    missed, all_draws = math.comb(n - c, k), math.comb(n, k)
    exact, naive = 1 - missed / all_draws, 1 - (1 - c / n) ** k
    told, wrong, one = (f"{share:.3f}".strip("0") for share in (exact, naive, c / n))
    return (f"It is {told}",
            f"1 - C({n - c}, {k}) / C({n}, {k}) = 1 - {missed}/{all_draws}",
            f"here {wrong}", f"pass@1, here {one}")


@computed("model-a-has-80-per-cent-on-100-examples-model-b-75-per-cent-on-1-000-"
          "which-one-is-better")
def _():
    def width(p, n):
        return 100 * z * math.sqrt(p * (1 - p) / n)
    z = statistics.NormalDist().inv_cdf((1 + 0.95) / 2)
    a, b = width(0.8, 100), width(0.75, 1000)
    return (f"in 95 of 100 cases the true share is within {z:.2f} standard errors",
            f"80 ± {a:.1f} points, B 75 ± {b:.1f}",
            f"difference of {80 - 75} points",
            f"the difference ± {math.hypot(a, b):.1f}",
            "50 of 50 right: error up to "
            f"{100 * (1 - 0.05 ** (1 / 50)):.1f} per cent")


@computed("how-do-i-find-out-whether-a-language-model-has-read-the-test-set-before")
def _():
    shortest, longest = 8, 13
    return (f"took {shortest} to {longest} words",)


@computed("my-accuracy-on-cola-is-83-per-cent-and-bert-s-paper-says-52-why-and-"
          "what-does-a-matthews-correlation-of-0-mean")
def _():
    tp, fn, fp, tn = 65, 5, 12, 18
    pairs = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    matthews = (tp * tn - fp * fn) / math.sqrt(pairs)
    return ("BERT-base has .521 of 1, written as 52.1",
            f"With {tp + fn} of 100 sentences acceptable",
            f"has an accuracy of {tp + fn}, and its correlation is set to 0",
            f"has {tp + tn} and {matthews:.2f}".replace("0.", "."))


@computed("my-perplexity-of-gpt-2-on-wikitext-is-not-that-of-the-paper-why")
def _():
    loss, rate = 3.0, 1.2
    return (f"With {rate} pieces a word and a loss of {loss} a piece",
            f"is {math.exp(loss):.1f} per piece and, with loss {rate} · {loss}, "
            f"{math.exp(loss * rate):.1f} per word", "WikiText-2 and WikiText-103",
            "the paper has 29.41 and 37.50",    # table 3, of 117M
            "29.94 per piece and 37.37 per word")


@computed("do-i-average-the-perplexities-of-my-batches-or-their-losses")
def _():
    counts, losses = (10, 90), (2.0, 4.0)
    mean = sum(n * loss for n, loss in zip(counts, losses)) / sum(counts)
    return (f"{counts[0]} tokens have the mean loss {losses[0]} and {counts[1]} have "
            f"{losses[1]}, so the mean is {mean} and the "
            f"perplexity {math.exp(mean):.1f}",
            f"would give {math.exp(sum(losses) / 2):.1f}",
            f"perplexities is {sum(map(math.exp, losses)) / 2:.1f}")


@computed("why-does-kneser-ney-count-how-many-different-words-a-word-follows-and-"
          "what-has-san-francisco-to-do-with-it")
def _():
    pairs = {("san", "francisco"): 4, ("my", "glasses"): 1, ("your", "glasses"): 1,
             ("new", "glasses"): 1}
    words = ("francisco", "glasses")
    count = [sum(n for (_, two), n in pairs.items() if two == word) for word in words]
    kinds = [sum(two == word for _, two in pairs) for word in words]
    d, total = 0.75, sum(count)
    unseen = d / pairs["san", "francisco"] * kinds[1] / len(pairs)
    return (f"*francisco* has {count[0]} of {total} occurrences and only {kinds[0]} of "
            f"{len(pairs)} different pairs, *glasses* {count[1]} of {total} and "
            f"{kinds[1]} of {len(pairs)}", f"such as {d}".replace("0.", "."),
            f"P(glasses | san) is {unseen:.3f}".replace("0.", "."))


@computed("two-words-look-the-same-and-my-tokenizer-gives-them-other-tokens-is-"
          "it-unicode-and-do-i-normalize-with-nfc-or-nfkc")
def _():
    before = "5²"
    return f"but {before} becomes {normalize('NFKC', before)}",


@computed("may-i-train-the-tokenizer-or-build-the-vocabulary-on-the-validation-"
          "and-test-text-too")
def _():
    train, test = "a dog runs in the snow".split(), "a cat runs home".split()
    unknown = sum(word not in train for word in test)
    smallest, largest = 30, 125
    return (f"the test has {unknown} unknown words of {len(test)}",
            f"models of {smallest} to {largest} million parameters")


@computed("padding-max-length-or-padding-true-does-the-model-get-worse-without-"
          "the-fixed-length")
def _():
    lengths, fixed = [5, 7, 12, 9], 150
    return (f"four texts of {min(lengths)} to {max(lengths)} tokens cost "
            f"{len(lengths) * fixed} places and not {len(lengths) * max(lengths)}",)


@computed("nanogpt-draws-its-training-windows-at-random-what-is-an-epoch-then-"
          "and-is-all-of-the-text-seen")
def _():
    tokens, window = 32_768, 32
    missed = [(1 - window / tokens) ** (tokens // window * epochs) for epochs in (1, 3)]
    return (f"1/e = {missed[0]:.3f}".replace("0.", "."),
            f"{100 * missed[1]:.1f} per cent")


@computed("which-threshold-do-i-take-when-i-filter-sentence-pairs-with-labse-or-laser")
def _():
    alike = 0.8 / statistics.mean([0.8, 0.84, 0.82])
    apart = 0.7 / statistics.mean([0.5, 0.45, 0.4])
    assert alike < 1 < apart
    return "Below, .8 is a weak pair", "and .7 a good one"


@computed("cannot-import-name-field-from-torchtext-data-what-do-i-use-in-place-"
          "of-field-and-bucketiterator")
def _():
    moved, removed = "0.9", "0.12"    # pytorch/text issue 1274, pull request 1437
    return f"in torchtext {moved} and were removed in {removed}",


@computed("how-do-i-evaluate-a-fine-tuned-chat-model-if-the-loss-says-little")
def _():
    wins, n = 60, 100
    width = 100 * 1.96 * (wins / n * (1 - wins / n) / n) ** 0.5
    return (f"Write {n} or more prompts", "GPT-4", "over 80 per cent of cases",
            f"{wins} wins of {n} are certain only to about {round(width)} points")


@computed("what-is-meteor-how-is-it-computed-by-hand-and-what-has-it-that-bleu-has-not")
def _():
    pairs, words, right, chunks = 6, 7, 6, 2    # "the cat", "sat on the mat"
    p, r = pairs / words, pairs / right
    f = 10 * p * r / (r + 9 * p)
    score = f * (1 - .5 * (chunks / pairs) ** 3)
    whole, half = (f"{number:.3f}".lstrip("0") for number in (score, f))
    return ("F = 10PR / (R + 9P)", "F · (1 - .5 · (chunks / pairs)³)",
            f"P = {pairs}/{words}, R = {r:.0f}, F = {half} and {chunks} chunks for "
            f"{pairs} pairs: {whole}")


@computed("entropy-cross-entropy-and-kl-divergence-by-hand-the-coin-is-fair-and-the-model-"
          "says-3-4-and-1-4")
def _():
    def cross(a, b):
        return -sum(x * math.log2(y) for x, y in zip(a, b))
    p, q = (.5, .5), (.75, .25)
    there, back = cross(p, q) - cross(p, p), cross(q, p) - cross(q, q)
    one, other, nat = (f"{n:.3f}".lstrip("0") for n in (there, back, math.log(2)))
    return ("logarithms to base 2", f"= {cross(p, p):.0f} bit.",
            f"= {cross(p, q):.3f} bits", f"is the difference, {one} bits",
            f"swapped it is {other}", f"by ln 2 = {nat}")


@computed("my-perplexity-is-larger-than-the-vocabulary-or-infinite-can-that-be")
def _():
    largest = math.log((2 - 2 ** -23) * 2.0 ** 127)    # the largest float32
    return (f"among 20 gets .01, the perplexity is {math.exp(-math.log(.01)):.0f}",
            f"In float32 e to the power of a loss above about {largest:.1f}")


@computed("bleu-by-hand-which-precisions-has-the-cat-sat-on-the-mat-against-the-cat-is-"
          "on-the-mat")
def _():
    score = BLEU(smooth_method="none", max_ngram_order=4).corpus_score(
        ["the cat sat on the mat"], [["the cat is on the mat"]])
    (one, two, three, four), (words, pairs, triples, rest) = score.counts, score.totals
    assert score.score == 0 and score.bp == 1
    return (f"has {one} of its {words} words in the reference, {two} of {pairs} pairs, "
            f"{three} of {triples} triples and {four} of {rest} runs",
            f"Both texts have {words} words", "BLEU-2 is the root of "
            f"{one}/{words} · {two}/{pairs}, that is "
            + f"{math.sqrt(one / words * two / pairs):.2f}".removeprefix("0"))


@computed("a-language-model-gives-each-of-four-tokens-the-probability-0-5-wha"
          "t-are-its-cross-entropy-and-its-perplexity")
def _():
    half, vocabulary, two = 0.5, 50_000, (0.9, 0.1)
    nats = -math.log(half)
    told = f"{nats:.3f}".removeprefix("0")
    assert nats / math.log(2) == 1
    perplexity = math.exp(-statistics.mean(math.log(p) for p in two))
    return (f"−ln .5 = {told} nats, or 1 bit".replace("−", "-"),
            f"perplexity is {math.exp(nats):.0f}, e to the power of {told}",
            f"among {math.exp(nats):.0f} equally likely",
            f"over {vocabulary:,} tokens has the perplexity {vocabulary:,}",
            f"for .9 and .1 the perplexity is {perplexity:.2f}",
            f"mean of 1 / p would be {statistics.mean(1 / p for p in two):.2f}")


@computed("bpe-on-work-2-worked-2-and-works-1-what-do-three-merges-make-and-i"
          "nto-how-many-tokens-is-works-cut")
def _():
    words = {"work": 2, "worked": 2, "works": 1}
    seen = {pair: sum(n for word, n in words.items() if pair in word)
            for pair in ("wo", "or", "rk", "ke", "ed", "ks")}
    assert seen["wo"] == seen["or"] == seen["rk"] and seen["ks"] == 1
    assert seen["ke"] == seen["ed"]
    return (" + ".join(map(str, words.values())) + f" = {seen['wo']} times",
            f"*ed* {seen['ed']} times", f"seen {seen['wo']} times again")


@computed("how-do-i-fine-tune-an-embedding-model-for-my-own-search-which-pairs-and-"
          "which-loss")
def _():
    return "by default times 20", "About 1,000 pairs"


@computed("do-i-rank-the-right-item-among-100-drawn-items-or-among-all-to-"
          "evaluate-a-recommender")
def _():
    items, place, drawn, first = 10_000, 501, 100, 10
    better = place - 1
    hit = sum(math.comb(better, k) * math.comb(items - 1 - better, drawn - k)
              for k in range(first)) / math.comb(items - 1, drawn)
    return (f"place {place} of {items:,} misses", f"itself and {drawn} drawn items",
            f"probability of {hit:.2f}".replace("0.", "."), f"HR@{first}")
