"""The numbers of book/asked/lookup_and_attention.md, computed again."""

import math

import torch
import torch.nn.functional as F
from asked_numbers import results, row
from asking import computed
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence


def weights(*scores):
    return torch.tensor(scores).softmax(dim=0).tolist()


def short(number, digits=2):
    """As the book writes what lies below 1: without the 0 in front."""
    return f"{number:.{digits}f}".removeprefix("0")


def count(*modules):
    return sum(part.numel() for module in modules for part in module.parameters())


@computed("why-use-softmax-as-opposed-to-standard-normalization")
def _():
    low, high = weights(1.0, 2.0)
    assert weights(11.0, 12.0) == [low, high]
    return (f"scores 1 and 2 give the weights {short(low)} and {short(high)}, "
            "and so do 11 and 12", "1 and 2 give the same shares as 10 and 20",
            f"{short(weights(10.0, 20.0)[1], 5)} to the 20")


@computed("does-crossentropyloss-take-the-logarithm-twice")
def _():
    scores, right = torch.tensor([0.0, 0.0, 3.0]), torch.tensor(2)
    once, twice, least = (F.cross_entropy(given, right).item() for given in (
        scores, scores.softmax(dim=0), torch.tensor([0.0, 0.0, 1.0])))
    return (f"scores 0, 0 and 3, with the third word right, cost {once:.2f}",
            f"cost {twice:.2f}", f"below {least:.2f} with three words")


@computed("is-nn-embedding-a-linear-layer-on-one-hot-vectors")
def _():
    words, width = 50_000, 512
    return f"{words:,} words of width {width}", f"multiplies {words * width:,} numbers"


@computed("index-out-of-range-in-self-which-index")
def _():
    table = nn.Embedding(512, 1)    # BERT's positions, with [CLS] and [SEP]
    table(torch.arange(len(table.weight)))
    try:
        table(torch.arange(len(table.weight) + 1))
    except IndexError as error:
        assert str(error) == "index out of range in self"
        return f"table has {len(table.weight)} rows", "GPT-2's 1,024"


@computed("why-do-we-pack-the-sequences")
def _():
    lengths = [4, 6, 8, 5, 4, 3, 7, 8]
    padded = pad_sequence([torch.ones(length, 1) for length in lengths], True)
    packed = pack_padded_sequence(padded, torch.tensor(lengths), True, False)
    told = f"{', '.join(map(str, lengths[:-1]))} and {lengths[-1]} words"
    return told, f"fill {padded.numel()} cells when padded, and {len(packed.data)}"


@computed("why-is-the-hidden-state-not-batch-first")
def _():
    hidden = nn.GRU(1, 1, num_layers=2, bidirectional=True)(torch.ones(1, 1, 1))[1]
    return (f"2 layers in 2 directions give {len(hidden)} states",)


@computed("if-gates-allow-long-memory-do-gradients-not-vanish-in-an-lstm-too")
def _():
    return (f"A gate of .99 leaves {short(.99 ** 50)} of it after 50 steps, "
            f"and a gate of .9 leaves {short(.9 ** 50, 3)}",)


@computed("do-rnns-really-need-to-be-sequential")
def _():
    words, steps = 40, 0
    cell, state = nn.RNNCell(1, 1), torch.zeros(1, 1)
    for word in torch.randn(words, 1, 1):
        state, steps = cell(word, state), steps + 1
    return (f"{words} words are {steps} steps in a row",)


@computed("does-attention-over-the-encoder-s-outputs-need-a-mask")
def _():
    masked, padded = weights(2.0, 1.0), weights(2.0, 1.0, 0.0, 0.0, 0.0)
    told = " instead of ".join(" and ".join(map(short, pair[:2]))
                               for pair in (padded, masked))
    return ("scores 2 and 1 and three pads get " + told,
            f"shrinks by {short(sum(padded[2:]))}")


@computed("why-does-bahdanau-add-where-luong-multiplies")
def _():
    queries, keys, width = 20, 20, 192
    sums = torch.zeros(queries, 1, width) + torch.zeros(1, keys, width)
    return (f"{sums.numel():,} numbers for {queries} queries, {keys} keys and width "
            f"{width}", f"products need {queries * keys}")


@computed("why-not-use-cosine-similarity-instead-of-scaling")
def _():
    return (f"weight {short(weights(1.0, *[0.0] * 9)[0])}",
            f"an even share is {short(1 / 10)}", "between -1 and 1")


@computed("what-can-self-attention-do-that-a-fully-connected-layer-cannot")
def _():
    words, width = 20, 64
    dense = (words * width) ** 2
    return (f"{words} words of width {width} has {dense:,} weights",
            f"have {3 * width ** 2:,}, or {4 * width ** 2:,} with an output matrix")


@computed("why-both-a-query-matrix-and-a-key-matrix")
def _():
    width, head = 512, 64
    query, key = torch.randn(width, head), torch.randn(width, head)
    rank = torch.linalg.matrix_rank(query @ key.T).item()
    return (f"With width {width} and heads of {head} they hold "
            f"{query.numel() + key.numel():,} numbers, and the full matrix has "
            f"{width ** 2:,}", f"rank {rank} at most", f"Keys of width {head}")


@computed("why-the-square-root-and-not-the-logarithm-or-d-itself")
def _():
    d = 64
    spread = d ** 0.5
    log = math.log(d)
    torch.manual_seed(0)
    seen = (torch.randn(20_000, d) * torch.randn(20_000, d)).sum(dim=1).std().item()
    assert math.isclose(seen, spread, rel_tol=0.02)
    return (f"At d = {d}, ", f"scores spread by {spread:g}; divided by {spread:g} they "
            "spread by 1",
            f"Divided by {d} they would spread by {short(spread / d, 3)}",
            f"the logarithm, {log:.2f}, they would spread by {spread / log:.2f}")


@computed("is-self-attention-o-n2d-or-o-n2d-nd2")
def _():
    d, words = 512, 100
    equal = 4 * d ** 2 // (2 * d)    # where 2 n² d = 4 n d²
    share = 4 * d ** 2 * words / (4 * d ** 2 * words + 2 * d * words ** 2)
    return (f"With width {d} the matrices cost more until a text has {equal:,} words",
            f"at {words} words they are {share:.0%}".replace("%", " %"))


@computed("how-is-the-n2-of-self-attention-addressed")
def _():
    words = 4096
    return (f"{words:,} words make {words ** 2:,} scores, which are "
            f"{words ** 2 * 4 // 2 ** 20} MiB for each head in 32 bits",)


@computed("what-is-trained-the-embedding-or-query-key-and-value")
def _():
    width, heads = 512, 8
    return (f"{width} × {width // heads} each",)


@computed("how-far-does-attention-see-compared-with-a-convolution")
def _():
    layers, seen = 0, torch.zeros(1, 1, 31)
    seen[..., 0] = 1
    while not seen[..., 30]:
        layers, seen = layers + 1, F.conv1d(seen, torch.ones(1, 1, 3), padding=1)
    return "width 3 sees", f"reaches a place 30 away after {layers} layers"


@computed("what-do-d-model-d-k-d-v-and-n-head-stand-for")
def _():
    return (f"both are {512 // 8}, which is 512 / 8",)


@computed("why-is-each-head-only-64-wide")
def _():
    narrow, wide = 64 * 12, 768 * 12
    return (f"12 heads of 64 are {narrow} numbers", "all 768 numbers of a word and "
            "makes 64", f"768 wide, 12 heads would need {wide // narrow} times as many")


@computed("why-must-embed-dim-be-divisible-by-num-heads")
def _():
    try:
        nn.MultiheadAttention(512, 10)
    except AssertionError:
        return (f"512 numbers in 10 parts would be {512 / 10} each",
                f"64 numbers a head are usual, so {512 // 64} heads at width 512")


@computed("why-do-more-heads-not-mean-more-parameters")
def _():
    return (f"8 heads of {512 // 8} and 1 head of 512",)


@computed("how-many-parameters-has-a-multi-head-attention-layer")
def _():
    layer = nn.MultiheadAttention(768, 12)
    assert count(layer) == 4 * 768 ** 2 + 4 * 768
    behind = count(nn.Linear(768, 3072), nn.Linear(3072, 768))
    return (f"width of 768 these are {count(layer):,}",
            f"twice as many, {behind:,}")


@computed("what-happens-when-the-logits-are-divided-by-a-temperature-of-0-5-or-2")
def _():
    plain, sharp, flat = (math.exp(1 / T) for T in (1, 0.5, 2))
    return (f"differ by 1 have the ratio {plain:.2f} at T = 1, {sharp:.2f} at T = .5, "
            f"and {flat:.2f} at T = 2", ".8 to 1 for stories", "0 to .3 for")


@computed("is-minimising-cross-entropy-the-same-as-maximising-the-likelihood")
def _():
    target = torch.tensor([0.9, 0.1])
    least = F.cross_entropy(target.log(), target).item()
    return f"the targets' entropy, {short(least)} for .9 and .1",


@computed("which-part-of-pytorch-s-lstm-bias-belongs-to-the-forget-gate")
def _():
    steps, lstm = 20, nn.LSTM(1, 1)
    for part in lstm.parameters():
        nn.init.zeros_(part)
    start, one, words = torch.zeros(1, 1), torch.ones(1, 1), torch.zeros(steps, 1)
    with torch.no_grad():
        half, faint = (lstm(words[:n], (start, one))[1][1].item() for n in (1, steps))
        lstm.bias_hh_l0[1] = 1.0
        most, left = (lstm(words[:n], (start, one))[1][1].item() for n in (1, steps))
    return (f"starts at sigmoid(1) = {short(most)} in place of {short(half)}",
            "set the quarter to 1 in `bias_ih` and to 0 in `bias_hh`, since 1 in both "
            f"makes {1 + 1}",
            f"After {steps} steps {short(left, 4)} of the memory is left in place of "
            f"{short(faint, 6)}")


@computed("can-i-use-scheduled-sampling-with-a-transformer")
def _():
    def mean(name):
        scores = [one["by length"]["21-24"]["bleu"][0] for one in results(name)]
        return sum(scores) / len(scores)
    often, drawn = (mean(name) - mean("rnn") for name in
                    ("rnn-forced-75", "rnn-noised-75"))
    return (f"gains {often:.1f} BLEU at 21 to 24 words, and random wrong words "
            f"gain {drawn:.1f}",)


@computed("does-reading-the-source-backwards-help-with-attention-too")
def _():
    plain, backwards = (row("06", "more-table", begin)[4]
                        for begin in ("20,000 pairs", "read backwards"))
    return ("BLEU rose from 25.9 to 30.6",
            f"gets {backwards} of 100 content words right, and {plain} in the usual "
            "order")


@computed("softmax-with-cross-entropy-has-the-gradient-p-y-why-do-i-need-the-derivatives-"
          "with-i-not-equal-to-j")
def _():
    p = torch.tensor([0.7, 0.2, 0.1])
    scores = p.log().requires_grad_()
    F.cross_entropy(scores, torch.tensor(0)).backward()
    assert torch.allclose(scores.grad, p - torch.tensor([1.0, 0, 0]), atol=1e-6)
    first, *others = (f"{abs(slope):.1f}"[1:] for slope in scores.grad.tolist())
    shares = ", ".join(f"{share:.1f}"[1:] for share in p.tolist())
    return (f"p = ({shares})", f"the gradient is (-{first}, {', '.join(others)})",
            f"adds up to {abs(round(scores.grad.sum().item(), 6)):.0f}")


@computed("a-word-vector-is-0-3-0-01-0-04-does-each-of-these-numbers-mean-something")
def _():
    return ("such as 50, 300 or 512",)


@computed("is-it-a-good-idea-to-replace-scaled-dot-product-attention-with-"
          "additive-attention-in-the-transformer-and-why")
def _():
    tokens, hidden = 512, 64
    return (f"{tokens} tokens and {hidden} hidden numbers, "
            f"{tokens ** 2 * hidden / 1e6:.1f} million numbers",
            f"gives the {tokens ** 2:,} scores")
