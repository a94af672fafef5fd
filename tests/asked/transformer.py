"""The numbers of book/asked/transformer.md, computed again."""

import pytest
import torch
from asking import computed
from softdict.layers import sinusoids
from softdict.transformer import TransformerConfig
from torch import nn


def weights(*scores):
    return torch.tensor(scores).softmax(dim=0).tolist()


def short(number, digits=2):
    """As the book writes what lies below 1: without the 0 in front."""
    return f"{number:.{digits}f}".removeprefix("0")


def listed(numbers):
    *most, last = map(short, numbers)
    return f"{', '.join(most)} and {last}"


def count(*modules):
    return sum(part.numel() for module in modules for part in module.parameters())


@computed("why-is-a-mask-filled-with-inf-rather-than-0")
def _():
    zero, hidden = weights(2.0, 1.0, 0.0), weights(2.0, 1.0, float("-inf"))
    return (f"scores 2 and 1 and a forbidden third one, a 0 leaves the third word a "
            f"weight of {short(zero[2])}, and minus infinity leaves it {hidden[2]:g}",)


@computed("mask-with-1e9-or-with-inf")
def _():
    assert weights(0.0, -1e9) == [1, 0]
    return (f"lowest number is {torch.finfo(torch.float16).min:,.0f}", "In 32 bits",
            "In 16 bits there is no -1e9")


@computed("the-shape-of-the-2d-attn-mask-is-77-77-but-should-be-10-10-why")
def _():
    layer, x = nn.MultiheadAttention(8, 2, batch_first=True), torch.randn(77, 10, 8)
    with pytest.raises(RuntimeError, match=r"\[77, 77\]\), but should be \(10, 10\)"):
        layer(x, x, x, attn_mask=torch.zeros(77, 77))
    pads = torch.zeros(4, 1024)
    y = torch.randn(*pads.shape, 8)
    with pytest.raises(RuntimeError, match=r"\[4, 1024\]\), but should be \(1024, "):
        layer(y, y, y, attn_mask=pads)
    return ("77 words and a batch of 10", "texts of 10 words",
            f"as `{[*pads.shape]}` in the message has another cause: a padding mask of "
            f"{len(pads)} sentences")


@computed("why-does-my-mask-of-ones-and-zeros-hide-nothing")
def _():
    return (f"keeps a weight of {short(weights(1.0, 0.0)[1])}",)


@computed("how-much-do-pads-change-a-softmax-without-a-mask")
def _():
    words = weights(2.0, 0.5, 0.8, 1.0)
    padded = weights(2.0, 0.5, 0.8, 1.0, *[0.0] * 4)
    return (f"Scores of 2, 0.5, 0.8 and 1 give the weights {listed(words)}",
            f"turn these into {listed(padded[:4])}, and take {short(sum(padded[4:]))}")


@computed("why-are-positions-added-and-not-concatenated")
def _():
    word, code = 512, 64
    return (f"Concatenating {code} numbers of code to {word} of word",
            f"{((word + code) / word) ** 2:.2f} times as large")


@computed("if-a-b-5-how-does-the-model-get-word-and-position-back")
def _():
    return (f"200 random words meet 50 places: in all {200 * 50:,} sums",)


@computed("why-is-there-a-sequence-limit-at-inference-time")
def _():
    rows = 1024    # Radford et al. 2019, section 2.3
    return f"has {rows:,} rows, so place {rows:,} has none",


@computed("what-is-the-reason-for-the-position-wise-feed-forward-layer")
def _():
    network = nn.Linear(512, 2048), nn.Linear(2048, 512)
    block = nn.TransformerEncoderLayer(512, 8, 2048)
    assert count(*network) > count(block) / 2
    return (f"{count(*network):,} of the {count(block):,} parameters of a block of "
            "width 512",)


@computed("why-is-d-ff-four-times-d-model")
def _():
    def of_layer(**sizes):
        layer = nn.TransformerEncoderLayer(64, 4, **sizes)
        return sum(parameter.numel() for parameter in layer.parameters())
    default = nn.Transformer(8, 2, 1, 1).encoder
    assert 3 * 8 / 3 == 2 * 4    # matrices, times their share of the width
    # the scores: Vaswani et al. 2017, table 3, row C
    return (f"{4 * 512:,} for a width of 512", "twice the width gave 25.4 BLEU, four "
            "times gave 25.8, and eight times 26.2", "takes 8/3 of the width", "with 4",
            f"`nn.Transformer` takes {default.layers[0].linear1.out_features:,} "
            f"for every width, so at width 64 set `dim_feedforward={4 * 64}`: an "
            f"encoder layer then has {of_layer(dim_feedforward=4 * 64):,} parameters "
            f"and not {of_layer():,}")


@computed("where-does-the-extra-norm-on-top-of-the-stack-come-from")
def _():
    torch.manual_seed(0)
    seen = torch.randn(12, 4096).sum(dim=0).square().mean().sqrt().item()
    model = nn.Transformer(8, 2, 1, 1)
    assert model.encoder.norm and model.decoder.norm and round(seen, 1) == 3.5
    assert nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 1).norm is None
    return (f"12 independent parts of size 1 has the size {12 ** 0.5:.1f}",)


@computed("where-is-dropout-placed-in-the-original-transformer")
def _():
    return (f"with {TransformerConfig.dropout}",)    # the paper's


@computed("why-are-the-embeddings-multiplied-by-d")
def _():
    size = sinusoids(torch.arange(1000.0), 512).square().mean().sqrt().item()
    return (f"size {short(512 ** -0.5, 3)} at width 512, and sinusoids have "
            f"{short(size)}", f"Multiplied by {512 ** 0.5:.1f} the words have size 1",
            "in section 3.4")


@computed("how-can-source-target-and-output-layer-share-one-matrix")
def _():
    pieces = 37_000    # Vaswani et al. 2017, section 5.1
    return (f"about {pieces:,} pieces",
            f"At width 512 that makes {pieces * 512:,} numbers")


@computed("what-does-nn-transformer-leave-out")
def _():
    return (f"it has {count(nn.Transformer()):,} parameters",)


@computed("training-works-and-prediction-raises-shape-1-1-52-52-is-invalid-why")
def _():
    model, x = nn.Transformer(8, 2, 1, 1, 8, batch_first=True), torch.randn(64, 52, 8)
    mask = nn.Transformer.generate_square_subsequent_mask(x.shape[0])
    flags = {"src_mask": mask, "tgt_mask": mask, "src_is_causal": True,
             "tgt_is_causal": True}
    with torch.no_grad():
        model.train()(x, x, **flags)
        with pytest.raises(RuntimeError, match="is invalid for input of size 4096"):
            model.eval()(x, x, **flags)
    return (f"{len(x)} sentences and not {x.shape[1]} words",
            f"{len(x)} · {len(x)} is the {mask.numel():,} of the message")


@computed("xlnet-permutes-the-order-does-it-still-model-the-order-of-the-words")
def _():
    first, second = (2, 4, 3), (4, 2, 3)
    assert first[-1] == second[-1] and {*first[:2]} == {*second[:2]}
    one, other = ("-".join(map(str, order)) for order in (first, second))
    return (f"In the orders {one} and {other} word 3 is guessed from words 2 and 4",)


@computed("is-t5-s-relative-position-bias-in-every-layer-or-only-in-the-first")
def _():
    # Raffel et al. 2020, section 2.1
    return "32 numbers of its own", "beyond 128"


@computed("transformer-xl-what-does-memory-of-256-give-that-a-segment-of-512-does-not")
def _():
    half, whole, layers = 256, 512, 12
    plain = sum(range(whole)) / whole
    kept = half + sum(range(half)) / half
    return (f"In a segment of {whole} a word has {plain} earlier words on average",
            f"With a memory of {half} words", f"of a segment of {half} has {half} "
            f"earlier words, the average word {kept}",
            f"{layers} · {half} = {layers * half:,} words in {layers}",
            f"trains {half} targets and not {whole}")


@computed("vit-numbers-its-patches-1-to-196-how-does-it-learn-the-grid")
def _():
    side = 224 // 16
    assert side * side == 196
    # the accuracies: Dosovitskiy et al. 2021, table 8
    return (f"number {side + 1} always begins the second row",
            "64.0 of 100 right, one vector for each number 64.2, and no positions 61.4")


@computed("my-transformer-adds-numbers-of-the-trained-length-and-fails-on-longer-ones-"
          "why")
def _():
    first, other = (str(4998 + more)[0] for more in (1, 2))
    return (f"4998 + 1 begins with {first}, and 4998 + 2 with {other}",
            "on 20 digits gave up to 99 of 100 right sums of 100 digits")


@computed("albert-has-a-tenth-of-bert-s-parameters-and-is-as-slow-is-that-expected")
def _():
    layer = nn.TransformerEncoderLayer(768, 12, 4 * 768)
    matrices = sum(part.numel() for part in layer.parameters() if part.dim() == 2)
    return (f"runs {12} times", f"{12 * matrices:,} multiplications",
            f"though only {matrices:,} such weights",
            "from 108 to 12 million",    # table 1
            "30,000 × 128 and 128 × 768")


@computed("grouped-query-attention-are-keys-repeated-or-queries-merged")
def _():
    return (f"32 / 8 = {32 // 8}",)


@computed("the-paper-says-pe-pos-k-is-a-linear-function-of-pe-pos-how-can-that-be-if-"
          "the-sine-is-not-linear")
def _():
    return "a 2 × 2 rotation", "one frequency"


@computed("with-12-heads-the-alibi-slopes-are-0-5-0-0039-and-then-jump-to-0-7071-is-"
          "this-a-bug")
def _():
    def slopes(heads):
        return [2 ** (-8 * head / heads) for head in range(1, heads + 1)]
    eight, extra, plain = slopes(8), slopes(16)[0::2][:4], slopes(12)
    assert eight == [1 / 2 ** power for power in range(1, 9)]
    *first, last = (f"{slope:.4f}" for slope in extra)
    return ("no power of 2", "For 8 heads the slopes are 1/2, 1/4 and so on down to "
            f"1/{1 / eight[-1]:.0f}; for 12 heads {', '.join(first)} and {last} follow",
            "the list for 16 heads", f"first {short(plain[0])} and {short(plain[1])}")


@computed("relu-gelu-or-swiglu-in-the-feed-forward-layer-which-one-should-i-take")
def _():
    width, layers = 768, 12
    inner, tables = 4 * width, (50_257 + 1_024) * width
    attention = nn.MultiheadAttention(width, 12)
    plain = count(attention, nn.Linear(width, inner), nn.Linear(inner, width),
                  nn.LayerNorm(width), nn.LayerNorm(width))
    gate = count(nn.Linear(width, inner))
    gpt = layers * plain + tables + count(nn.LayerNorm(width))
    assert gpt == 124_439_808
    assert 3 * width * (inner * 2 // 3) == 2 * width * inner
    return ("2/3 of the inner width", f"GPT-2's {gpt / 1e6:.1f} million parameters "
            f"become {(gpt + layers * gate) / 1e6:.1f} million", "run at GPT-2's size")


@computed("is-dropout-0-9-keep-90-percent-or-drop-90-percent")
def _():
    p = 0.9
    return (f"{p} drops {100 * p:.0f} percent", f"{100 * p:.0f} percent of the values "
            f"are lost in place of {100 * (1 - p):.0f}",
            f"with p = {p} they become {1 / (1 - p):.0f} times as large",
            "0.1 (base model) or 0.3 (big model)")
