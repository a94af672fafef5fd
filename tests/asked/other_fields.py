"""The numbers of book/asked/other_fields.md: each function returns what must stand in
the answer with its anchor."""

import math

import torch
from asked_numbers import text
from asking import computed
from torch import nn


def decimals(number, digits=2):
    """The number, at most 1, without the zero in front of its point."""
    return f"{number:.{digits}f}".removeprefix("0")


def parameters(layer):
    return sum(part.numel() for part in layer.parameters())


@computed("pooler-output-or-last-hidden-state-for-a-sentence-vector")
def _():
    assert "29.19 points. The mean of all words' vectors scores 54.81" in text("21")
    return "54.81 points", "29.19", "word vectors scores 61.32"    # the paper's table 1


@computed("the-model-has-151-936-rows-and-the-tokenizer-151-851-what-are-the-others")
def _():
    rows, tokens, of = 151_936, 151_851, 128
    assert rows % of == 0
    return (f"{rows:,} is {rows // of:,} · {of}", f"these {rows - tokens} ids")


@computed("is-there-a-reason-why-flash-attention-returns-no-weights")
def _():
    words, heads, bits = 8192, 32, 16
    taken = words ** 2 * heads * bits // 8 / 2 ** 30
    return (f"{words:,} words in {heads} heads",
            f"would take {taken:.0f} GiB in {bits} bits")


@computed("evaluation-runs-out-of-memory-and-training-does-not-why")
def _():
    sentences, places, words = 4, 256, 32_128
    taken = sentences * places * words * 4
    return (f"{sentences} sentences of {places} places and {words:,} words",
            f"{taken / 1e6:.1f} MB",
            f"a hundred batches have {100 * taken / 1e9:.1f} GB")


@computed("size-mismatch-for-position-embeddings-1-577-768-and-1-197-768-what-do-i-do")
def _():
    told, patch = ["patches of 16"], 16
    for points in (224, 384):
        side = points // patch
        told += [f"{points}", f"{side} · {side} + 1 = {side ** 2 + 1}"]
    return [*told, f"[{(577 / 197) ** 2:.1f} times as many scores]"]


@computed("patch-embedding-linear-or-conv2d")
def _():
    patch, colours, width = 16, 3, 768
    conv = nn.Conv2d(colours, width, patch, stride=patch)
    linear = nn.Linear(colours * patch ** 2, width)
    assert parameters(conv) == parameters(linear)
    return (f"patches of {patch} by {patch}", f"width {width}",
            f"{parameters(linear):,} parameters [of ViT-B/{patch}'s 86 million]")


@computed("patches-of-8-instead-of-16-what-does-it-cost")
def _():
    large, small = (224 // patch for patch in (16, 8))
    large, small = large ** 2, small ** 2
    assert small == 4 * large and small ** 2 == 16 * large ** 2
    return (f"224 points has {large} patches of 16, and {small} of 8",
            f"{small ** 2:,} a head in place of {large ** 2:,}",
            f"{224 ** 2:,}² = {224 ** 4 / 1e9:.1f} billion scores")


@computed("does-local-attention-have-any-advantage-over-a-convolution")
def _():
    width = 64
    attention = parameters(nn.MultiheadAttention(width, 4, bias=False))
    short, long = (parameters(nn.Conv1d(width, width, size, bias=False))
                   for size in (3, 9))
    return (f"width {width} attention has {attention:,}",
            f"{short:,} with width 3 and {long:,} with width 9")


@computed("how-do-the-features-of-a-cnn-get-into-a-transformer-s-decoder")
def _():
    rows, columns, channels = 7, 7, 512
    return (f"{rows} rows and {columns} columns of {channels} channels",
            f"{rows * columns} *words*")


@computed("my-model-writes-the-training-text-word-for-word")
def _():
    loss = 0.003
    return (f"loss of {decimals(loss, 3)}",
            f"probability of {decimals(math.exp(-loss), 3)}",
            f"100 of them in a row still {decimals(math.exp(-100 * loss))}")


@computed("must-a-decoder-only-model-be-padded-on-the-left")
def _():
    label = nn.CrossEntropyLoss().ignore_index
    assert label == -100
    return f"{label} in the labels",


@computed("why-is-my-vit-worse-than-a-resnet-on-a-small-data-set")
def _():
    side, large, small = 32, 16, 4
    return (f"for pictures {side} points wide, patches {small} points wide are mostly "
            f"better than {large}", "CIFAR-10's 50,000 pictures",
            "97 per cent and more on CIFAR-10", "(table 5)")    # the paper's


@computed("i-train-a-vit-on-imagenet-and-the-loss-stays-around-6-9-what-does-that-say")
def _():
    classes = 1000
    return (f"{math.log(classes):.3f} is ln {classes:,}",
            "10,000 steps of warm-up, batches of 4,096",    # appendix B.1
            "300 epochs", "20 epochs with dropout .4")      # and the asker's


@computed("what-is-logit-scale-in-clip-good-for-if-it-only-multiplies-the-dot-products")
def _():
    texts, temperature = 32_768, 0.07
    cosines = torch.eye(texts, 1)[:, 0]
    plain, sharp = ((by * cosines).softmax(0)[0].item()
                    for by in (1, 1 / temperature))
    return (f"among {texts - 1:,} other texts", f"share of {decimals(plain, 4)}",
            f"times {1 / temperature:.1f} it gets {decimals(sharp)}",
            f"1 / {decimals(temperature)} = {1 / temperature:.1f}",
            "capped at 100")    # Radford et al., section 2.5


@computed("attention-adds-7-percent-parameters-to-my-video-network-and-takes-most-of-the-"
          "memory-why")
def _():
    times, side = 8, 28
    places = times * side ** 2
    twice = times * (2 * side) ** 2
    return (f"{times} frames of {side} · {side} places have {places:,} in all",
            f"{places ** 2:,} weights, {places ** 2 * 4 / 1e6:.0f} MB in float32",
            f"{twice // places} times the places and {(twice // places) ** 2} times")


@computed("token-indices-sequence-length-is-longer-than-the-specified-maximum-sequence-"
          "length-for-this-model-533-512-may-i-ignore-it")
def _():
    return "If 533 ids", "a table of 512 positions", f"chunks of {512 - 2} pieces"


@computed("detr-has-100-object-queries-what-happens-with-more-objects-and-how-many-do-i-"
          "choose")
def _():
    queries = 100
    layer = nn.TransformerDecoderLayer(8, 2, batch_first=True)
    found = layer(torch.randn(1, queries, 8), torch.randn(1, 400, 8)).shape[1]
    return (f"{queries} queries find at most {found} objects",
            "found all of 50, but only about 30 of 100",    # Carion et al. 2020
            "COCO: 7 on average, at most 63, section 4",
            "is divided by 10 (section 3.1)")


@computed("clip-cuts-my-prompt-at-77-tokens-why-exactly-77-and-can-i-make-it-longer")
def _():
    positions, words_of_a_token = 77, 0.75    # English, in everyday words
    pieces = positions - 2
    assert 50 <= words_of_a_token * pieces <= 60
    return (f"a learned table of {positions} positions", f"up to {pieces} tokens",
            "about 50 to 60 English words",
            "in the paper to 76", f"in the code to {positions}",    # section 2.4
            f"no row for place {positions + 1}",
            f"pieces of {pieces} tokens")


@computed("why-is-attention-masked-after-the-cyclic-shift-in-swin-s-shifted-windows")
def _():
    scores = torch.tensor([0.0, -100])
    assert scores.softmax(dim=0)[1] < 1e-30
    # Liu et al. 2021, table 4
    return "falls from 81.3 to 80.2", "adds -100 to scores"


@computed("decision-transformer-for-the-rewards-1-2-3-4-5-which-returns-to-go-does-the-"
          "model-see-and-what-do-i-give-it-at-test-time")
def _():
    rewards = [1, 2, 3, 4, 5]
    right, late = ([str(sum(rewards[at + skip:])) for at in range(len(rewards))]
                   for skip in (0, 1))
    return f"It sees {', '.join(right)}:", f"The list {', '.join(late)} leaves"


@computed("why-must-whisper-s-encoder-always-get-30-seconds-even-for-5-seconds-of-speech-"
          "and-how-many-positions-are-these")
def _():
    rate, hop = 16_000, 160    # whisper/audio.py
    frames = 30 * rate // hop
    halve = nn.Conv1d(80, 8, kernel_size=3, stride=2, padding=1)
    places = halve(torch.randn(1, 80, frames)).shape[-1]
    return (f"has exactly {places:,} rows", f"30 seconds are {frames:,} frames of the "
            f"spectrogram, {rate // hop} a second, and a convolution with stride 2 "
            f"makes {places:,} positions", "So 5 seconds cost",
            "at most 448 tokens")    # n_text_ctx of all its checkpoints


@computed("the-word-error-rate-of-my-speech-recogniser-is-2-0-that-is-200-per-cent-"
          "how-can-that-be")
def _():
    substitutions, deletions, insertions, words = 1, 0, 1, 1
    rate = (substitutions + deletions + insertions) / words
    return f"over one word give {rate};",


@computed("is-a-transformer-worth-it-for-my-tables-or-should-i-stay-with-gradient-"
          "boosting")
def _():
    return "On 45 tables of about 10,000 rows trees did best",    # Grinsztajn, abstract


@computed("how-many-output-vectors-does-wav2vec-2-0-give-for-one-second-of-speech-and-"
          "why-49-and-not-50")
def _():
    rate = 16_000
    kinds = (10, 5), (3, 2), (3, 2), (3, 2), (3, 2), (2, 2), (2, 2)
    layers = nn.Sequential(*(nn.Conv1d(1, 1, size, stride) for size, stride in kinds))
    def vectors(samples):
        return layers(torch.zeros(1, 1, samples)).shape[-1]
    step = math.prod(stride for _, stride in kinds)
    window = 1    # how many samples one output sees, counted from the last layer
    for size, stride in reversed(kinds):
        window = (window - 1) * stride + size
    assert vectors(rate) == (rate - window) // step + 1
    one = vectors(rate)
    return (f"gives {one} for one second ({rate:,} samples) and "
            f"{vectors(20 * rate)} for 20 seconds",
            f"{' · '.join(str(stride) for _, stride in kinds)} = {step} samples, "
            f"{1000 * step // rate} ms, so there are about {rate // step} vectors",
            f"window of {window} samples ({1000 * window // rate} ms)",
            f"({rate:,} - {window}) / {step} = {(rate - window) / step}, rounded "
            f"down to {(rate - window) // step}, plus 1",
            f"sees {one} places, not {rate:,} samples: in each head {one ** 2:,} "
            f"scores in place of {rate ** 2:,}")


@computed("i-train-detr-on-1-500-pictures-of-my-own-and-the-ap-stays-at-zero-why")
def _():    # the authors' advice in the issues, the paper, and a user's in issue 341
    return ("[10,000 or more]", "[300,000 updates]",
            "On COCO it took 300 to 500 epochs",
            "at most 1e-4 (backbone 1e-5), and [30 to 120 epochs]")


@computed("speech-or-handwriting-recognition-ctc-or-an-attention-decoder-and-why-do-"
          "people-train-both-together")
def _():    # the weight of ESPnet's recipes
    return ("often .3 for CTC",)


@computed("why-does-detr-need-hungarian-matching-and-why-no-non-maximum-suppression")
def _():
    return "suppression still helps (section 4.2)",    # Carion et al. 2020
