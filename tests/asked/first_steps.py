"""The numbers of book/asked/first_steps.md: each function returns what must stand in
the answer with its anchor."""

import math
import statistics

import torch
from asked_numbers import output, row, text
from asking import computed
from softdict import corpus
from softdict.variants import book_transformer
from softdict.vocab import Vocab
from torch import nn


def short(number, digits=2):
    """The number without a zero in front of its point."""
    return f"{number:.{digits}f}".replace("0.", ".", 1 if abs(number) < 1 else 0)


def listed(numbers, digits):
    """As prose lists them: commas, and a word before the last."""
    *first, last = (short(number, digits) for number in numbers)
    return f"{', '.join(first)} and {last}"


def vector(numbers, digits):
    return f"({', '.join(short(number, digits) for number in numbers)})"


def parameters(layer):
    return sum(part.numel() for part in layer.parameters())


@computed("why-are-the-vectors-of-characters-shorter-than-those-of-words")
def _():
    characters, narrow, words, wide, window = 96, 50, 50_000, 256, 5
    highway = nn.ModuleList(nn.Linear(wide, wide) for _ in range(2))
    small = characters * narrow
    made = small + parameters(nn.Conv1d(narrow, wide, window)) + parameters(highway)
    return (f"{characters} characters have {narrow} numbers each",
            f"{words:,} words have {wide}", f"{small:,} and {words * wide:,} numbers",
            f"{made:,} parameters", f"{words * wide / made:.0f} times as many")


@computed("skip-gram-or-cbow-which-is-better")
def _():
    return ("64 of 100 analogies of grammar and 24 of 100 of meaning",
            "solved 59 and 55")


@computed("do-ready-made-word-vectors-help-a-transformer-translate")
def _():
    gained = row("21", "gain-run", "2000 ")[0].lstrip("+")
    return "up to 20 points", f"{gained} BLEU with 2,000 pairs"


@computed("compute-the-dot-product-attention-weights-of-three-vectors")
def _():
    states = torch.tensor([[1.0, 2, 3], [1, 2, 1], [0, 1, -1]])
    scores = states @ torch.tensor([1.0, 2, 1])
    weights, scaled = scores.softmax(dim=0), (scores / 3 ** 0.5).softmax(dim=0)
    products = listed(scores.tolist(), 0)
    return (f"are {products}, and softmax makes the weights "
            f"{listed(weights.tolist(), 3)}", vector((weights @ states).tolist(), 3),
            f"√3 first, the weights would be {listed(scaled.tolist(), 3)}",
            "If two scores differ by 2, the ratio of their weights is "
            f"e² = {math.e ** 2:.2f}")


@computed("compute-bahdanau-s-context-vector-with-a-dot-product-in-place-of-the-network")
def _():
    rows = torch.tensor([[0.1, 0.2, 0.2, 0.2], [-0.3, 0.4, 0.5, -0.3],
                         [0.5, 0.0, -0.1, 0.5]])
    scores = rows @ torch.tensor([-2.0, 1, 1, 1])
    return (f"state are {listed(scores.tolist(), 1)}",
            f"weights {listed(scores.softmax(dim=0).tolist(), 3)}")


@computed("how-many-multiplications-and-additions-has-an-attention")
def _():
    T, S, d, v = 2, 3, 2, 3
    products = sums = 0
    for width, terms in ((S, d), (v, S)):    # of the scores, of the weighted sums
        for _ in range(T * width):
            products += terms
            sums += terms - 1
    assert products == T * S * d + T * S * v
    assert sums == T * S * (d - 1) + T * (S - 1) * v
    return (f"With {T} queries, {S} keys, width {d} and values of {v} numbers these "
            f"are {products} multiplications and {sums} additions",)


@computed("should-a-word-be-kept-from-attending-to-itself")
def _():
    own, *_ = torch.tensor([0.0, 2, 1]).softmax(dim=0).tolist()
    return ("2 and 1 for two others, a word still gives itself a weight of "
            f"{short(own)}",)


@computed("why-10000-in-the-positional-encoding")
def _():
    width, words, base = 512, 100, 10_000
    slow = sum(words / base ** (2 * pair / width) < 0.1 for pair in range(width // 2))
    last = 2 * math.pi * base ** ((width - 2) / width)
    assert 0.95 < last / (2 * math.pi * base) < 1
    return (f"2π · {base:,} = {2 * math.pi * base:,.0f}", f"is {2 * math.pi:.2f}",
            f"over {words} places, at width {width}, {slow} of the {width // 2} pairs",
            "less than .1 radian", "Llama 3 has 500,000")


@computed("how-many-rows-should-a-table-of-learned-positions-have")
def _():
    told = text("12")
    assert "it loses 16 percentage points between 21-24 and 31-40 words" in told
    assert "only the first 26 of its 64 rows" in told
    assert "Rotary positions lose 5.5" in told
    return ("has 64 rows, and training reaches 26",
            "from 21–24 to 31–40 words it loses 16 points", "21", "24", "31", "40",
            "rotary positions, which lose 5.5 points there")


@computed("why-six-layers")
def _():
    return ("2, 4, 6 and 8 layers", "23.7, 25.3, 25.8 and 25.5 BLEU",
            "80 million parameters in place of 65", "29,000 pairs")


@computed("why-six-encoder-layers-and-only-two-decoder-layers")
def _():
    words = 25
    both, shallow = (6 + decoder * words for decoder in (6, 2))
    return f"For {words} words", f"run {both} layers", f"run {shallow}"


@computed("where-do-the-65-million-parameters-of-the-transformer-come-from")
def _():
    width, hidden, pieces = 512, 2048, 37_000
    rows = 40_960    # wmt_ende_bpe32k in tensor2tensor's problem_hparams.py, 2017
    encoder = parameters(nn.TransformerEncoderLayer(width, 8, hidden))
    decoder = parameters(nn.TransformerDecoderLayer(width, 8, hidden))
    stacks, table = 6 * (encoder + decoder), pieces * width
    return (f"width {width}, with {hidden:,} inside its feed-forward network, "
            f"has {encoder:,}",
            f"has {decoder:,}", f"make {stacks / 1e6:.1f} million",
            f"about {pieces:,} pieces has {table / 1e6:.1f} million",
            f"That is {(stacks + table) / 1e6:.0f} million", "the paper prints 65",
            "section 5.1",
            f"{rows:,} rows, which makes {(stacks + rows * width) / 1e6:.1f} million",
            f"three tables of {pieces:,} rows, not shared, would make "
            f"{(stacks + 3 * table) / 1e6:.0f} million")


@computed("how-large-should-the-limit-of-words-be-when-a-model-writes")
def _():
    most = max(len(pair.morphemes) / len(pair.words) for pair in corpus.split("train"))
    return "length plus 50", f"more than {most:.1f} times"


@computed("can-a-language-model-that-has-read-two-languages-but-no-pairs-translate")
def _():
    (few, *_), (more, *_) = row("21", "gain-run", "100 "), row("21", "gain-run", "500 ")
    assert float(few) <= 0
    return ("10 MB of French", "11.5 BLEU", "over 30 million in PaLM's",
            "32.8 BLEU on captions and 15.1 on news",
            "pretrained on text without translations gains "
            f"{more.lstrip('+')} BLEU with 500 pairs, and nothing with 100 pairs")


@computed("how-do-i-see-that-my-two-files-are-no-longer-parallel")
def _():
    pairs = corpus.split("train")
    words, pieces = ([len(getattr(pair, side)) for pair in pairs]
                     for side in ("words", "morphemes"))
    alike = statistics.correlation(words, pieces)
    moved = abs(statistics.correlation(words[:-1], pieces[1:]))
    return f"correlation of {short(alike)}, and of .{100 * moved:02.0f} if",


@computed("can-unk-be-replaced-by-the-source-word-with-the-largest-weight")
def _():
    found = sorted(int(line.split()[5])
                   for line in output("20", "align-run").splitlines()[1:6])
    return f"{found[0]} to {found[-1]} of 100 sure links",


@computed("when-does-the-training-of-a-translator-end")
def _():
    assert "need not be read 18 times" in text("19")
    return "100,000 updates", "18 passes over 29,000 pairs"


@computed("can-i-train-a-translator-without-a-gpu")
def _():
    told = text("15")
    assert "a minute or two on a CPU" in told
    assert "a Transformer twice as wide and twice as deep" in told
    assert "all 20,000 pairs, which would take a CPU an hour or more" in told
    pairs = corpus.split("train")
    vocabs = (Vocab([getattr(pair, side) for pair in pairs])
              for side in ("words", "morphemes"))
    model = book_transformer(*map(len, vocabs))
    return (f"{parameters(model):,} parameters", "400 updates", f"{len(pairs):,} pairs")


@computed("why-is-writing-so-much-slower-than-training")
def _():
    written, trained = 67.5, 4.4
    return ("beam of 10", f"{written} ms for a written sentence and {trained} ms",
            f"{written / trained:.0f} times as much")


@computed("is-a-transformer-slower-than-an-rnn-when-it-writes")
def _():
    width = 512
    matrices = [part for part in nn.LSTM(width, width).parameters() if part.dim() == 2]
    lstm = sum(part.numel() for part in matrices)
    # a step makes no keys and values of the source: those are kept
    layer = nn.TransformerDecoderLayer(width, 8, 4 * width)
    step = sum(part.numel() for part in layer.parameters() if part.dim() == 2)
    step -= 2 * width * width
    return (f"width {width}", f"{lstm:,} multiplications", f"{step:,}",
            f"{2 * width:,} more for each word")


@computed("compute-a-unigram-perplexity-91-zeros-and-one-of-each-other-digit")
def _():
    zero, three = 91 / 100, 1 / 100
    nats = -math.log(zero), -math.log(three)
    mean = (9 * nats[0] + nats[1]) / 10
    return ("100 digits", f"probability {short(zero)}, and a 3 has {short(three)}",
            f"(9 · {short(nats[0], 4)} + {nats[1]:.3f}) / 10 = {short(mean, 4)}",
            f"power {short(mean, 4)} is the perplexity, {math.exp(mean):.2f}",
            f"which is {(9 / zero + 1 / three) / 10:.2f}", "would have 10")


@computed("the-score-is-57-what-probability-is-that")
def _():
    quoted = ("The jury said it found the court has incorporated into its operating "
              "procedures the recommendations of two previous grand juries the Atlanta "
              "Bar Association and an interim citizens committee").split()
    long, one = 57.3411865234375, 6.057686805725098
    tokens = len(quoted) + 1
    return ("base 10", f"score of -{long:.2f} is 10 to the power -{long:.2f}",
            f"-{long:.2f} over {tokens} tokens is a perplexity of "
            f"{10 ** (long / tokens):.0f}",
            f"-{one:.2f} over 2 tokens, a word and the end, is about "
            f"{round(10 ** (one / 2), -1):,.0f}")


@computed("can-a-language-model-tell-which-of-two-sentences-is-right")
def _():
    return "67 kinds, with 1,000 each",


@computed("is-a-bleu-of-0-31-the-same-as-31")
def _():
    return "times 100", "0.31 in sacrebleu"


@computed("with-min-p-0-05-a-word-of-1-percent-was-drawn-is-that-a-bug")
def _():
    ratio, most, rare, temperature = 0.05, 0.96, 0.01, 0.5
    printed = most / rare
    before = printed ** temperature
    assert rare < ratio * most and 1 / before > ratio
    return (f"at least {short(ratio)} of", f"if that is {short(most)}, the "
            f"limit is {short(ratio * most, 3)}, and {short(rare)} would be removed",
            f"temperature of {short(temperature, 1)}, a printed ratio of {printed:.0f} "
            f"was √{printed:.0f} = {before:.1f}", "once in 100 times")


@computed("do-spaces-before-punctuation-save-tokens-in-gpt-2")
def _():
    return "2,832,144 tokens as it was, and 2,833,436 with the spaces",    # the asker's


@computed("how-many-tokens-is-a-text-of-1-000-words")
def _():
    words, share = 1000, 0.75    # a rule of thumb of OpenAI's
    tokens = words / share
    return (f"about {round(tokens, -2):,.0f}: by", f"a token is about {short(share)} "
            "words, or 4 characters", f"{words:,} / {short(share)} = {tokens:,.0f} "
            f"tokens, and {words:,} tokens are {words * share:.0f} words")


@computed("why-do-100-tokens-of-gpt-2-give-so-little-bengali-text")
def _():
    [size] = {len(chr(letter).encode()) for letter in range(0x980, 0xa00)}
    return f"A Bengali letter has {size} bytes",


@computed("why-can-a-transformer-with-d-model-1-not-continue-1-2-3")
def _():
    seen = 100
    return "from 1 to 64", f"do not expect {seen + 1} if the training ends at {seen}"


@computed("can-i-use-bert-to-translate")
def _():
    def gain(pairs, part):
        late = (float(row("21", "longer-run", f"{pairs}  {one}")[1])
                for one in (part, "nothing"))
        return f"{next(late) - next(late):.1f}"
    assert "2400 updates" in output("21", "longer-run")
    return (f"after {2400:,} updates", f"gains {gain(2000, 'encoder')} BLEU with 2,000 "
            f"pairs; both pretrained stacks together gain {gain(20_000, 'both')} with "
            "20,000 pairs")


@computed("how-many-iterations-are-3-epochs-of-1-500-examples")
def _():
    examples, epochs, iterations = 1500, 3, 600
    one, four = (epochs * examples / batch for batch in (1, 4))
    update = 4 * 8 * 2
    return (f"With a batch of 1 that is {epochs} · {examples:,} / 1 = {one:,.0f}, with "
            f"a batch of 4 it is {four:,.0f}",
            f"{iterations} iterations with a batch of 4 are only "
            f"{iterations * 4 / examples:.1f} epochs", f"4 · 8 · 2 = {update} examples",
            f"{epochs} epochs are about {epochs * examples / update:.0f} updates")


@computed("bpe-by-hand-cost-2-best-2-menu-1-men-1-camel-1-which-are-the-first-three-merges")
def _():
    counts = {"cost": 2, "best": 2, "menu": 1, "men": 1, "camel": 1}
    words = {tuple(word): count for word, count in counts.items()}

    def pairs():
        found = {}
        for word, count in words.items():
            for pair in zip(word, word[1:]):
                found[pair] = found.get(pair, 0) + count
        return found

    letters, seen = len(set("".join(counts))), []
    for merge in (("s", "t"), ("m", "e")):
        found = pairs()
        [best] = [pair for pair, times in found.items() if times == max(found.values())]
        assert best == merge
        seen.append(found[best])
        words = {tuple(" ".join(word).replace(" ".join(best), "".join(best)).split()):
                 count for word, count in words.items()}
    found = pairs()
    tie = sorted("".join(pair) for pair, times in found.items()
                 if times == max(found.values()))
    assert tie == ["be", "co", "est", "men", "ost"] and ("o", "s") not in found
    cost, best = (counts[word] for word in ("cost", "best"))
    return (f"the {letters} characters: *st* is seen {seen[0]} times, {cost} in *cost* "
            f"and {best} in *best*, and then *me* {seen[1]} times",
            f"The five pairs are seen {max(found.values())} times each",
            f"that makes {letters + 3} symbols")


@computed("turkish-o-bir-doktor-has-no-gender-why-does-the-translator-write-he-and-she-of-"
          "a-nurse")
def _():
    he = 0.7
    written = sum(max((he, "he"), (1 - he, "she"))[1] == "he" for _ in range(100))
    return (f"share of {100 * he:.0f} percent into {written}: with {short(he, 1)} "
            "for *he*",)


@computed("why-can-a-translation-not-be-written-all-at-once")
def _():
    words = 200
    return (f"an answer of {words} words takes {words} passes",)
