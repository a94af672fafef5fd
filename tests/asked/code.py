"""The numbers of book/asked/code.md: each function returns what must stand in the
answer with its anchor."""

import math

import torch
from asking import computed
from torch import nn


@computed("nn-multiheadattention-starts-with-other-weights-than-three-layers-by-how-much")
def _():
    width = 512
    stacked, apart = (math.sqrt(6 / (sides * width)) for sides in (4, 2))
    torch.manual_seed(0)
    largest = nn.MultiheadAttention(width, 8).in_proj_weight.abs().max().item()
    assert 0.99 * stacked < largest <= stacked
    assert math.isclose((stacked / apart) ** 2, 0.5)    # a product of two
    return ("[3E, E]", "√(6/4E)", "√(6/2E)", f"factor of {apart / stacked:.2f}",
            f"width {width} these are {stacked:.3f}".replace("0.", "."),
            f"{apart:.3f}"[1:])


@computed("should-i-repeat-the-mask-for-each-head")
def _():
    places, heads = 7784, 12
    return (f"{places:,} places", f"{heads} heads",
            f"{places ** 2 * heads * 4 / 2 ** 30:.1f} GiB")


@computed("must-word-vectors-be-as-wide-as-the-model")
def _():
    words, width, narrow = 30_000, 768, 128
    parts = nn.Embedding(words, narrow), nn.Linear(narrow, width, bias=False)
    both = sum(part.weight.numel() for part in parts)
    return (f"{words:,} words", f"width {width} has {words * width:,}",
            f"width {narrow} and a matrix to {width} have {both:,}")


@computed("expected-input-batch-size-1216-to-match-target-batch-size-1280-what-differs")
def _():
    batch = 1280 - 1216
    return (f"{batch} sentences", f"{1216:,} are {1216 // batch} places",
            f"{1280:,} are {1280 // batch}")


@computed("preds-has-5100-times-64000-numbers-and-the-target-5100-how-is-there-a-loss")
def _():
    return (f"{64_000:,} scores", f"{5_100:,} places",
            f"ln {64_000:,} = {math.log(64_000):.2f}", f"saw {11.0623:.2f}")


@computed("autocast-to-float16-without-a-gradscaler-what-is-lost")
def _():
    half = torch.finfo(torch.float16)
    least = half.smallest_normal * half.eps
    number = torch.tensor([least, least / 2])
    assert (number.half() > 0).tolist() == [True, False]
    return (f"{half.smallest_normal:.1e}".replace("e-05", "e-5"),
            f"{least:.1e}".replace("e-08", "e-8"), f"{2 ** 16:,}")


@computed("out-of-memory-with-half-of-the-gpu-free-where-is-it")
def _():
    pieces = [1] * 10
    assert sum(pieces) > 2 > max(pieces)
    return "no tensor of 2",


@computed("a-model-trained-in-float16-is-not-faster-on-my-cpu-why")
def _():
    return f"whole numbers of {8 * torch.int8.itemsize} bits",


@computed("training-on-mps-and-on-the-cpu-gives-far-different-losses-which-is-right")
def _():
    return f"a result in {8 * torch.float64.itemsize} bits",


@computed("is-a-sentence-cut-if-it-is-too-long-for-its-bucket")
def _():
    lengths = 3, 24, 5, 22, 4, 23

    def pads(ordered):
        batches = ordered[:3], ordered[3:]
        return sum(3 * max(batch) - sum(batch) for batch in batches)
    return ("Six sentences of {}, {}, {}, {}, {} and {} words".format(*lengths) +
            f" need {pads(lengths)} pads", f"{pads(sorted(lengths))} when they are")


@computed("indexerror-target-13-is-out-of-bounds-with-13-classes-why")
def _():
    classes, allowed = 13, []
    for label in range(classes + 1):
        try:
            nn.functional.cross_entropy(torch.zeros(1, classes), torch.tensor([label]))
        except IndexError:
            continue
        allowed.append(label)
    return (f"{classes} outputs the largest label is {max(allowed)}",
            f"labels are 1 to {classes}")


@computed("e-x-1-e-x-of-my-two-logits-do-not-add-up-to-1-why")
def _():
    logits = torch.tensor([3.0, 1.0])
    apart, shares = logits.sigmoid(), logits.softmax(dim=0)
    assert torch.isclose(shares[0], (logits[0] - logits[1]).sigmoid())
    one, two, first, second = (f"{share:.2f}"[1:]
                               for share in (*apart.tolist(), *shares.tolist()))
    return (f"sigmoids are {one} and {two}, together {apart.sum():.2f}",
            f"gives {first} and {second}", "logits 3 and 1",
            f"here of {logits[0] - logits[1]:.0f}, which is {first} too")


@computed("my-vocabulary-has-128-000-words-and-the-loss-runs-out-of-memory-how-large-are-the-"
          "logits")
def _():
    tokens, words = 8192, 128_000
    numbers = tokens * words
    half, full = (numbers * kind.itemsize / 1e9
                  for kind in (torch.bfloat16, torch.float32))
    return (f"For {tokens:,} tokens the logits are {tokens:,} · {words:,} numbers, "
            f"about {numbers / 1e9:.2f} billion: {half:.1f} GB in bfloat16, "
            f"{full:.1f} GB in float32",)


@computed("mat1-and-mat2-shapes-cannot-be-multiplied-16x1024-and-512x171-which-layer-is-"
          "meant")
def _():
    layer, x = nn.Linear(512, 171), torch.empty(4, 4, 1024)
    rows, width = x.flatten(0, -2).shape
    return (f"with {layer.in_features} inputs and {layer.out_features} outputs got "
            f"vectors of width {width:,}", f"folded into {rows} rows",
            f"set `in_features` to {width:,}")
