"""The numbers of book/asked/choices.md: each function returns what must stand in the
answer with its anchor."""

import math

import torch
from asking import computed
from torch import nn


@computed("how-large-should-the-embedding-be-for-a-vocabulary-of-10-000-words")
def _():
    words, width = 10_000, 256
    table = nn.Embedding(words, width).weight.numel()
    return ("100 to 300 numbers for word vectors", "128 to 512 for small Transformers",
            "base Transformer has 512, and BERT-base and GPT-2 small have 768",
            f"{words ** 0.25:.0f} for {words:,}",
            f"{words:,} · {width} = {table / 1e6:.2f} million")


@computed("which-rank-should-i-take-for-lora-8-16-or-64")
def _():
    width, rank = 4096, 8
    new, old = 2 * width * rank, width * width
    return ("Begin with 8 or 16", "take 32, 64 or more",
            "ranks 4 and 8 did as well as 64",    # Hu et al. 2022
            "2 · d · r", f"for {width:,} and rank {rank} these are {new:,}",
            f"{100 * new / old:.1f} per cent of its ".removeprefix("0") +
            f"{old / 1e6:.1f} million")


@computed("which-weight-decay-should-i-set-0-1-0-01-or-1e-4")
def _():
    default = torch.optim.AdamW([nn.Parameter(torch.ones(1))]).defaults["weight_decay"]
    shrinks = f"{3e-4 * 0.1:.5f}".removeprefix("0")
    return (f"with AdamW {default:.2f} is PyTorch's default".replace("0.", "."),
            ".1 is usual for pretraining", "0 to .01 fits a short fine-tuning",
            "The value 1e-4 is a habit", "1 − rate · decay".replace("−", "-"),
            f"with 3e-4 and .1 a step shrinks it by {shrinks}")


@computed("which-max-norm-do-i-take-for-gradient-clipping-0-25-1-or-5")
def _():
    return "For Transformers 1 is usual", "for recurrent networks .25 to 5 or more"


@computed("how-many-tokens-per-second-can-i-expect-from-a-7b-model-on-a-card-with-"
          "1-000-gb-s-of-memory-bandwidth")
def _():
    bits, bandwidth = 16, 1000
    size = 7 * bits / 8    # GB
    return (f"at most {bandwidth / size:.0f} in {bits} bits ({size:.0f} GB)",
            f"{bandwidth / 4:.0f} in 4 bits (about 4 GB)",
            "often gets 50 to 80 per cent",
            f"with 40 GB/s, a model of 32 GB writes at most {40 / 32} tokens a second")


@computed("bf16-or-fp16-which-one-should-i-train-with")
def _():
    kinds = torch.finfo(torch.bfloat16), torch.finfo(torch.float16)
    digits = [round(-math.log2(kind.eps)) for kind in kinds]
    sizes = {kind.bits // 8 for kind in kinds}
    exponent = kinds[0].bits - 1 - digits[0]    # one bit is the sign
    assert exponent == 32 - 1 - round(-math.log2(torch.finfo(torch.float32).eps))
    return ("RTX 30 and newer", f"Both have {min(sizes)} bytes",
            f"the {exponent} exponent bits of float32",
            f"only {digits[0]} bits of precision",
            f"has {digits[1]}, but ends at {kinds[1].max:,.0f}")


@computed("learned-or-sinusoidal-positions-which-should-i-take-for-my-transformer")
def _():
    return "25.7 BLEU with learned positions, 25.8 with sinusoids",


@computed("two-rtx-3090-or-one-rtx-4090-for-fine-tuning-language-models")
def _():
    memory, state = 24, 16    # GB; bytes a parameter
    assert 1 < memory / state < 2 and 13 * 4 / 8 < memory / 2
    return (f"{memory} GB hold full training with Adam ({state} bytes a parameter",
            "about 1B parameters, or LoRA on 13B in 4 bits",
            f"Two cards have {2 * memory} GB", f"your training fits {memory} GB",
            "Take one 4090", "as one 3090", "(1,008 and 936 GB/s)")


@computed("why-has-mixtral-8x7b-about-47-billion-parameters-and-not-56")
def _():
    width, hidden, layers, experts, words = 4096, 14_336, 32, 8, 32_000
    narrow = width // 32 * 8    # 8 of 32 heads have keys and values of their own
    expert = 3 * width * hidden
    attention = 2 * width * width + 2 * width * narrow
    shared = layers * (attention + experts * width + 2 * width)
    shared += 2 * words * width + width
    every = layers * experts * expert
    def billions(number):
        return f"{number / 1e9:.1f} billion"
    return ("not eight models of 7 billion",
            f"3 · {width:,} · {hidden:,} = {expert / 1e6:.0f} million",
            f"Times {experts} experts and {layers} layers that is {billions(every)}, "
            f"and with the shared {billions(shared)} {billions(every + shared)}",
            "only 2 experts compute", f"{billions(2 * layers * expert + shared)} "
            "parameters are active", f"all {billions(every + shared)} must be")


@computed("gpt-2-with-a-context-of-1-024-tokens-width-768-and-12-heads-how-many-means-"
          "and-deviations-does-one-layer-norm-compute")
def _():
    places, width = 1024, 768
    learned = sum(part.numel() for part in nn.LayerNorm(width).parameters())
    return (f"{places:,} means and {places:,} deviations",
            f"over the {width} numbers of that token", f"{width} numbers each",
            f"{learned:,} parameters a norm")


@computed("in-flashattention-the-backward-pass-has-2-5-times-the-flops-of-the-forward-"
          "pass-not-2-why-and-why-is-it-faster-all-the-same")
def _():
    forward, backward = 2, 4    # of each product, the gradients of both factors
    assert backward == 2 * forward
    again = backward + 1
    return (f"there are {forward} matrix products", f"has {backward} backward",
            f"FlashAttention has {again} there",
            f"{again} / {forward} = {again / forward}", "6ND", "7ND")


@computed("a-batch-of-8-tokens-4-experts-and-a-capacity-factor-of-1-25-how-many-tokens-"
          "may-each-expert-take-and-what-happens-to-the-others")
def _():
    capacity = 8 / 4 * 1.25
    return (f"8 / 4 · 1.25 = {capacity}, which code rounds to "
            f"{math.floor(capacity)} or {math.ceil(capacity)}",)


@computed("is-bpe-dropout-applied-once-to-the-training-text-or-anew-in-each-epoch-"
          "and-is-it-on-when-i-translate")
def _():
    return "(mostly p = .1)",    # Provilkov et al. 2020


@computed("what-is-qk-norm-good-for-if-the-scores-are-divided-by-the-root-of-d-already")
def _():
    width = 64
    q = nn.RMSNorm(width)(1000 * torch.randn(width))
    largest = (q @ q / width ** 0.5).item()    # its cosine is 1
    return f"width {width} it is {largest:.0f} times a cosine",


@computed("what-is-the-highest-learning-rate-of-the-paper-s-schedule-with-width-512-"
          "and-4-000-warm-up-steps")
def _():
    def rate(n, width, warmup=4000):
        return width ** -0.5 * min(n ** -0.5, n * warmup ** -1.5)
    def short(number, digits):
        return f"{number:.{digits}f}".removeprefix("0")
    peak = rate(4000, 512)
    assert max(rate(n, 512) for n in range(1, 20_000)) == peak
    assert abs(peak - (512 * 4000) ** -0.5) < 1e-9
    [half] = [n for n in (8000, 16_000, 32_000) if abs(rate(n, 512) / peak - .5) < 1e-9]
    assert max(rate(4000, 1024), rate(8000, 512, 8000)) < peak
    assert 2e-3 < 768 ** -0.5    # src/models/optimizers.py of BertSum
    return (f"It is {short(peak, 5)}, at step 4,000",
            r"$d^{-1/2} \cdot \min(n^{-1/2}, n \cdot 4000^{-3/2})$",
            "1 / √(512 · 4,000)", f"{short(512 ** -0.5, 3)} for width 512",
            f"{short(768 ** -0.5, 3)} for 768", "such as 2;", "2e-3",
            f"to half at step {half:,}")
