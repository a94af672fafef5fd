"""The numbers of book/asked/ideas.md: each function returns what must stand in the
answer with its anchor."""

import math
from statistics import mean

import torch
from asked_numbers import output, row, text
from asking import computed
from torch import nn

from softdict import runtime


def short(number, digits=2):
    """The number without a zero in front of its point."""
    return f"{number:.{digits}f}".replace("0.", ".", 1 if abs(number) < 1 else 0)


def parameters(width, hidden):
    """Of a layer of an encoder: attention, feed-forward, two norms."""
    attention = 4 * (width * width + width)
    return attention + 2 * width * hidden + hidden + width + 4 * width


def cells(chapter, cell, begin, *columns):
    """Some words of one line of a stored output."""
    words = row(chapter, cell, begin)
    return [words[column] for column in columns]


@computed("how-are-bert-s-110-million-parameters-calculated")
def _():
    width, large, pieces, places = 768, 1024, 30_522, 512
    layer = nn.TransformerEncoderLayer(width, 12)
    hidden = layer.linear1.out_features    # 2048; BERT's is four times the width
    assert parameters(width, hidden) == sum(part.numel() for part in layer.parameters())
    each = parameters(width, 4 * width)
    tables, pooled = (pieces + places + 2 + 2) * width, width * width + width
    more = (24 * parameters(large, 4 * large) + (pieces + places + 2 + 2) * large
            + large * large + large)
    return (f"width {width} has {each:,}", f"layers have {12 * each:,}",
            f"{pieces:,} pieces, {places} places and 2 segments have {tables:,}",
            f"{pooled:,}", f"{12 * each + tables + pooled:,} in all",
            f"and {more:,} in BERT-large, with 24 layers of {large:,}")


@computed("what-is-the-difference-between-depth-and-the-number-of-heads")
def _():
    one = parameters(512, 2048)
    return "width 512", f"{6 * one:,}", f"{one:,}"


@computed("how-many-layers-heads-and-neurons-has-gpt-2-small")
def _():
    layers, width, heads, pieces, places = 12, 768, 12, 50_257, 1_024
    tables, last_norm = (pieces + places) * width, 2 * width
    whole = tables + layers * parameters(width, 4 * width) + last_norm
    return (f"{layers} layers of width {width}, with {heads} heads of {width // heads}",
            f"{4 * width:,}", f"{pieces:,} pieces", f"{places:,} places", f"{whole:,}",
            "117 million of the paper's table",
            "section 2.3 and table 2")


@computed("compute-one-scaled-dot-product-attention-by-hand")
def _():
    scores = torch.tensor([2.0, 0.0]) / 3 ** 0.5
    weights = scores.softmax(dim=0)
    one, two = (weights @ torch.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    first, second = map(short, weights.tolist())
    return ("(1, 2) and (3, 4)", f"√3 the first is {scores[0].item():.3f}",
            f"{first} and {second}", f"({one:.2f}, {two:.2f})")


@computed("why-are-today-s-language-models-decoder-only")
def _():
    [two] = cells("22", "worth-run", "two stacks", 3)
    [turned] = cells("22", "worth-run", "+ rotary", 3)
    return "15 of 100", f"{two} of 100 right", f"rotary positions {turned}"


@computed("why-an-encoder-for-embeddings-and-not-a-decoder")
def _():
    assert "54.81" in text("21")
    return "54.81", "74.89"


@computed("what-is-input-feeding")
def _():
    fed, unfed = cells("08", "orders-table", "dot product", 2, 3)
    return "31 to 40 words", f"from {unfed} to {fed}"


@computed("what-is-local-attention")
def _():
    return "10 words to each side", "19.0 BLEU", "18.1"


@computed("why-does-gpt-2-scale-residual-weights-by-one-over-root-n")
def _():
    parts = 2 * 12
    return (f"12 layers add {parts} parts", f"{parts} independent parts of size 1 have "
            f"a sum of size {parts ** 0.5:.1f}")


@computed("is-cls-ignored-in-bert-s-loss")
def _():
    assert "29.19 points. The mean of all words' vectors scores 54.81" in text("21")
    return "29.19 points", "54.81"


@computed("alibi-or-rope-or-both")
def _():
    near, far = cells("12", "long-table", "rotary", 4, 6)
    slope, slope_far = cells("12", "long-table", "distance", 4, 6)
    return ("at 21 to 24 words, the longest in training, rotary positions have "
            f"{near} of 100 right, and ALiBi has {slope}",
            f"31 to 40 words they have {far} and {slope_far}")


@computed("is-a-minus-missing-in-rope-s-exponent")
def _():
    size = 64
    angles = [10_000 ** (sign * (size - 2) / size) for sign in (-1, 1)]
    return ("10000 to the power of 2(i − 1)/d".replace("−", "-"),
            f"With {size} numbers the first pair turns by 1 radian",
            f"{angles[0]:.5f}"[1:], f"{angles[1]:,.0f}")


@computed("why-does-label-smoothing-hurt-perplexity-and-help-bleu")
def _():
    return "about .9", "4.92 and 25.8", "4.67 and 25.3"


@computed("flashattention-gives-other-numbers-is-it-exact")
def _():
    half = torch.finfo(torch.float16)
    return (f"In {half.bits} bits", f"{half.eps:.3f}"[1:],
            f"in {torch.finfo(torch.float64).bits} bits")


@computed("flashattention-makes-my-model-hardly-faster")
def _():
    width = 512

    def share(words):
        scores, matrices = 2 * words ** 2 * width, 12 * words * width ** 2
        return f"{100 * scores / (scores + matrices):.0f}"

    return (f"At width {width}, the scores and sums are {share(128)} of 100 "
            f"multiplications of a block with 128 words, and {share(4096)} of 100 "
            "with 4,096",)


@computed("my-mla-cache-is-larger-than-an-ordinary-one")
def _():
    latent, turned, heads, key, value = 512, 64, 128, 128, 128
    kept, saved = cells("18", "latent-table", "DeepSeek-V2", 1, 3)
    assert kept == f"{2 * 60 * (latent + turned):,}"
    assert saved == f"{2 * heads * value / (latent + turned):.1f}"
    return (f"{latent} + {turned} = {latent + turned} numbers",
            f"{heads} heads with keys of {key + turned} and values of {value} are "
            f"{heads * (key + turned + value):,}")


@computed("how-do-i-use-a-rotary-model-beyond-its-trained-length")
def _():
    near, far = cells("12", "long-table", "rotary", 4, 6)
    return (f"from {near} at 21 to 24 words to {far} at 31 to 40",
            f"by {8192 // 2048} for 8,192 words in a model of 2,048", "1,000 steps")


@computed("how-many-tokens-does-a-model-of-a-given-size-need")
def _():
    each = 1.4e12 / 70e9
    return (f"about {each:.0f} for each parameter", "70 billion", "1.4 trillion",
            f"For 124 million parameters that is {124e6 * each / 1e9:.1f} billion",
            f"about {124e6 * each * 4 / 1e9:.0f} GB of English",    # 4 bytes a token
            f"C = 6 · N · {each:.0f} N = {6 * each:.0f} N²",
            f"√(C/{6 * each:.0f}) parameters",
            f"10²¹ suit {(1e21 / 6 / each) ** 0.5 / 1e9:.1f} billion")


def late(pairs, part):
    """BLEU after all updates, with or without pretraining."""
    return float(row("21", "longer-run", f"{pairs}  {part}")[1])


@computed("pretrained-or-from-scratch-with-200-000-sentence-pairs")
def _():
    bleu = output("19", "scores").splitlines()[1].split()[1]
    some, more = (f"{late(pairs, 'both') - late(pairs, 'nothing'):.1f}"
                  for pairs in (2000, 20_000))
    assert "reached 0.00 BLEU, and a tuned one 16.57" in text("21")
    return ("200,000 pairs are enough", f"29,000 captions reach {bleu} BLEU",
            f"2,400 updates, {some} BLEU with 2,000 pairs and {more} with 20,000",
            "100,000 words",
            "16.57 BLEU in place of 0.00")


@computed("how-many-pairs-for-validation-and-test")
def _():
    first = output("19", "scores").splitlines()[1].split()
    low, high = first[2].strip("[,"), first[3].strip("]")
    assert "74% of the test was seen" in output("19", "leak-stored")
    return ("1,000 to 3,000 for each", f"15 per cent of 160,000 would keep "
            f"{160_000 * 15 // 100:,}", f"With 1,000 captions a BLEU of {first[1]} has "
            f"the interval {low} to {high}", "74 of 100")


@computed("does-a-maximum-length-over-50-give-better-translations")
def _():
    exact = output("16", "book-table").partition("exact")[2].splitlines()
    [words] = [line.split() for line in exact if line.startswith("Transformer, added")]
    return ("longer than 50", "up to 24 words",
            f"{words[-3]} of 100 right at 21 to 24, and {words[-1]} at 31 to 40",
            f"100 words have {(100 // 50) ** 2} times as many scores as 50")


@computed("whole-paragraphs-or-single-sentences")
def _():
    exact = output("16", "book-table").partition("exact")[2].splitlines()
    [words] = [line.split() for line in exact if line.startswith("Transformer, rotary")]
    return (f"{words[-4]} of 100 right at 17 to 20 words, and {words[-1]} at 31 to 40",
            f"{3 ** 2} times the scores of one")


@computed("how-do-i-choose-layers-heads-and-width")
def _():
    sizes = [round(12 * layers * width ** 2 / 1e6)
             for layers, width in ((12, 768), (24, 1024))]
    assert abs(12 * 768 ** 2 / parameters(768, 4 * 768) - 1) < 0.01
    return ("about 12 · L · D²", f"12 layers of 768 have {sizes[0]} million and 24 of "
            f"1,024 have {sizes[1]}", "64 or 128 wide", "for 29,000 pairs", "width 256")


@computed("which-learning-rate-for-small-batches-on-one-gpu")
def _():
    times = 25_000 / 1_300
    best, broken = cells("08", "rates", "additive", 2, 3)
    assert "4e-3   6e-3" in output("08", "rates")
    peak = (512 * 4000) ** -0.5
    return (f"peak of {short(peak, 4)} belongs to about 25,000 target words",
            f"With 1,300 target words an update sees {times:.0f} times fewer",
            f"{peak / times ** 0.5:.5f}"[1:],
            f"from {best} to {broken} BLEU between .004 and .006", "50 *sentences*")


@computed("why-is-beta2-0-98-and-not-0-999")
def _():
    fifty, thousand = (round(1 / (1 - beta)) for beta in (0.98, 0.999))
    default = torch.optim.Adam([nn.Parameter(torch.zeros(1))]).defaults["betas"][1]
    assert default == 0.999
    return (f"{fifty} for .98 and {thousand:,} for .999", ".98 or .95")


@computed("can-i-train-with-a-batch-size-of-one")
def _():
    return ("accumulate 32 or more",
            f"25,000 words of each language, about {25_000 // 25:,} pairs of 25")


@computed("my-transformer-is-worse-than-my-lstm")
def _():
    words = row("16", "unseen-table", "as in training")
    rnn, added, rotary = words[1], words[5], words[9]
    scores = [line.partition("cased ")[2].split()[0]
              for line in output("19", "rnn-run").splitlines()]
    return (f"{rnn} of 100 right, a Transformer with added positions {added}, with "
            f"rotary ones {rotary}", "On 29,000 captions", f"{scores[1]} BLEU",
            f"the RNN {scores[0]}")


@computed("with-more-than-six-layers-it-does-not-converge")
def _():
    assert output("13", "grad-hand").split()[-1] == f"{1.1 ** 24:.2f}"
    return (f"24 layers with slopes of .1 leave {0.1 ** 24:.0e}",
            f"with bypasses {1.1 ** 24:.2f}")


@computed("the-masked-loss-stays-at-7")
def _():
    pieces, more = 30_522, 50_257
    def entropy(pieces):
        whole = sum(1 / rank for rank in range(1, pieces + 1))
        return sum(math.log(rank * whole) / (rank * whole)
                   for rank in range(1, pieces + 1))
    return (f"ln {pieces:,} = {math.log(pieces):.1f}, and {math.log(more):.1f} "
            f"with GPT-2's {more:,}", "give about 7",
            f"has {entropy(pieces):.1f} at best, and {entropy(more):.1f} with "
            f"{more:,} pieces",
            "a loss near 2, much later")


@computed("gpt-2-puts-most-attention-on-the-first-token")
def _():
    assert "a perplexity of 5,158" in text("22")
    assert "the perplexity was 5.40" in text("22")
    return "5,158", "5.40"


@computed("attention-looks-mostly-at-the-end-of-the-sentence")
def _():
    [hits] = cells("08", "align-table-run", "dot product", 5)
    return (f"{hits} of 100 linked pieces",)


def perplexity(pairs):
    """On test sentences, of the checkpoint with the lowest loss; a mean over seeds."""
    losses = []
    for record in runtime.results(f"keeping-{pairs}"):
        valid, test = (record["result"][part]["loss"] for part in ("valid", "iid"))
        losses.append(test[valid.index(min(valid))])
    return math.exp(mean(losses))


@computed("perplexity-is-5-and-translations-are-horrible")
def _():
    lines = [line.split() for line in output("05", "keeping-table").splitlines()
             if "lowest loss" in line]
    told = {pairs: (f"{perplexity(pairs):.1f}", bleu)
            for pairs, _, _, bleu, *_ in lines}
    return (f"300 pairs give a perplexity of {told['300'][0]} and "
            f"{told['300'][1]} BLEU",
            f"1,000 pairs {told['1000'][0]} and {told['1000'][1]}",
            f"3,000 pairs {told['3000'][0]} and {told['3000'][1]}", "200 sentences")


@computed("with-adam-the-loss-stays-at-1-6-with-sgd-it-falls")
def _():
    return f"{math.log(5):.1f} is ln 5", "rate of .001", ".0001"


@computed("after-fine-tuning-it-has-forgotten-the-rest")
def _():
    return ("from 1 to 1.3",)


@computed("which-length-ratio-is-used-to-filter-pairs")
def _():
    assert 4 / 2 > 1.5
    return ("A limit of 9", "a limit of 1.5",
            "*good night* has 2 words, and a right translation of 4")


@computed("how-do-i-tell-whether-a-bleu-difference-is-significant")
def _():
    few, many = (100 * 1.96 * math.sqrt(apart) / 200 for apart in (10, 80))
    points = 100 * (150 - 140) / 200
    return ("below .05, the usual limit",
            f"If 150 and 140 of 200 are right, the difference is {points:.0f} ± "
            f"{few:.1f} points if they disagree on 10, and {points:.0f} ± {many:.1f} "
            "on 80",)


@computed("can-i-ensemble-models-with-different-vocabularies")
def _():
    first, second = (0.6, 0.4), (0.2, 0.8)
    means = [short((a + b) / 2, 1) for a, b in zip(first, second)]
    return ("give .6 and .2 to one word, and .4 and .8 to the other",
            "the means are {} and {}".format(*means))


@computed("can-a-gpt-be-trained-to-predict-two-next-tokens-at-once")
def _():
    # how fast: Gloeckle et al. 2024, abstract
    return "shifted by 2, 3 and so on", "four heads wrote up to 3 times as fast"


@computed("where-does-the-6-in-c-6-n-d-come-from")
def _():
    forward, backward, width, words = 2, 2 * 2, 768, 1024
    scores, weights = 2 * 2 * words * width, forward * 12 * width ** 2
    return (f"for each token: {forward} operations", f"its weights: {backward} "
            f"operations", f"about {forward + backward} · N · D",
            f"At width {width} and {words:,} words, with all pairs computed, "
            f"these two add {100 * scores / weights:.0f} to every 100 operations",
            f"writing needs the {forward} of the forward pass")


@computed("why-do-kaplan-and-chinchilla-disagree-about-the-size-of-a-model")
def _():
    size, tokens, half = (10 ** power for power in (0.73, 0.27, 0.5))
    return (f"to the power .73: 10 times the computation means {size:.1f} times "
            f"the size and {tokens:.1f} times the tokens",
            f"{half:.1f} times of both, powers near .5", "schedule ends (section 2)",
            f"70 billion parameters read "
            f"1.4 trillion tokens, {1.4e12 / 70e9:.0f} for each")


@computed("how-many-tokens-are-1-538-contexts-of-2-048-in-150-000-steps")
def _():
    step, steps, other = 1538 * 2048, 150_000, 300
    read = step * steps / 1e9
    return (f"1,538 · 2,048 = {step:,} tokens, and {steps:,} steps read {read:.0f} "
            f"billion: {read / other:.1f} times GPT-3's {other} billion", "10⁹",
            f"so {read:.0f}G is not a thousandth of {other}B",
            f"a 20B model may read {read:.0f}B tokens")


@computed("in-linear-attention-k-and-v-are-multiplied-first-what-does-this-save-and-why-"
          "can-ordinary-attention-not-do-it")
def _():
    n, d = 1000, 64
    compared, written = 2 * n * n * d, 2 * n * d * d
    return (f"For n = {n:,} tokens of width d = {d}",
            f"takes 2 · n² · d = {compared / 1e6:.0f} million multiplications",
            f"takes 2 · n · d² = {written / 1e6:.1f} million",
            f"a factor of n/d, about {compared / written:.0f}, and")


@computed("what-is-the-difference-between-rmsnorm-and-layernorm-and-why-do-newer-models-"
          "use-rmsnorm")
def _():
    assert "took 7 to 64 % less time" in text("22")
    assert "Their Transformer saved about 7 %" in text("22")
    return "7 to 64 per cent", "in a Transformer about 7"


@computed("gpt-2-and-bert-start-their-weights-with-a-standard-deviation-of-0-02-where-"
          "does-this-number-come-from")
def _():
    one, two, three = (short(width ** -0.5, 3) for width in (768, 1600, 4096))
    layer = nn.Linear(768, 768)
    nn.init.xavier_normal_(layer.weight)
    xavier = short(layer.weight.std().item(), 3)
    return (f"that is {one} for width 768, {two} for 1,600 and {three} for 4,096",
            f"gives {xavier} for a matrix of 768 by 768",
            f"With .02 the first loss over 10,000 words is near ln 10,000 = "
            f"{math.log(10_000):.1f}", "it is over 90", "a fixed .02")


@computed("what-is-grokking-and-why-can-i-not-reproduce-it-with-another-share-of-the-data")
def _():
    # Power et al. 2022, figure 1 and section 3.3
    return "half of all divisions modulo 97", "after 1,000 steps", "(section 3.3)"


def shrunk(kind, size, rate=0.01, decay=0.1):
    """What 100 updates leave of a weight of 1, if its gradient changes its sign."""
    weight = torch.ones(1, requires_grad=True)
    optimizer = kind([weight], lr=rate, weight_decay=decay)
    for step in range(100):
        weight.grad = torch.tensor([size * (-1) ** step])
        optimizer.step()
    return weight.item()


@computed("adam-with-weight-decay-or-adamw-is-that-not-the-same")
def _():
    (large, small), (first, second) = (
        [shrunk(kind, size) for size in (10.0, 0.1)]
        for kind in (torch.optim.Adam, torch.optim.AdamW))
    assert shrunk(torch.optim.Adam, 0.1, decay=0) == shrunk(
        torch.optim.AdamW, 0.1, decay=0)
    assert abs(first - second) < 1e-4
    return (f"stays at {large:.1f} with gradients of ±10, and falls to "
            f"{short(small, 1)} with ±.1",
            f"both weights fall to {short(first, 1)}", "with a decay of .01 to .1")


@computed("cosine-or-inverse-square-root-which-learning-rate-schedule-should-i-take-for-my-"
          "transformer")
def _():
    half = (1 + math.cos(math.pi / 2)) / 2
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    rates = []
    for _ in range(15):
        optimizer.step()
        schedule.step()
        rates.append(schedule.get_last_lr()[0])
    assert abs(rates[4] - half) < 1e-6 and rates[9] < 1e-6 < 0.4 < rates[14]
    return (r"$(1 + \cos(\pi t/T))/2$ still has ",
            f"still has {short(half, 1)} of its peak; planned",
            "more than 25 per cent too long")    # Hoffmann et al. 2022, appendix B


@computed("which-recurrent-layer-do-i-choose-for-my-task-a-gru-or-an-lstm")
def _():
    lstm, gru = (sum(part.numel() for part in kind(96, 192).parameters())
                 for kind in (nn.LSTM, nn.GRU))
    assert gru / lstm == 0.75
    return (f"a quarter fewer parameters, {gru:,} in place of {lstm:,}",)
