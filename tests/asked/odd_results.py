"""The numbers of book/asked/odd_results.md: each function returns what must stand in
the answer with its anchor."""

import math

import torch
from asking import computed
from torch.utils.data import DistributedSampler


def short(number, digits=2):
    """The number without a zero in front of its point."""
    return f"{number:.{digits}f}".replace("0.", ".", 1 if abs(number) < 1 else 0)


@computed("my-model-cannot-learn-even-one-batch-by-heart-what-do-i-check-and-in-"
          "which-order")
def _():
    return (f"under ln 2, which is {short(math.log(2))}",)


@computed("the-validation-loss-jumps-up-and-down-while-the-training-loss-falls-smoothly")
def _():
    spread, few, many = 1, 100, 10_000
    return (f"spread of {spread}, a mean of {few} losses has the standard error "
            f"{short(spread / few ** 0.5, 1)}, and a mean of {many:,} has "
            f"{short(spread / many ** 0.5)}",)


@computed("my-classifier-gives-every-text-the-same-class-what-is-wrong")
def _():
    large, small = 0.8, 0.2
    entropy = -large * math.log(large) - small * math.log(small)
    return (f"With classes of {100 * large:.0f} and {100 * small:.0f} percent these "
            f"are {short(large)} and {short(entropy)}", "learn 20 texts by heart")


@computed("mt5-writes-extra-id-0-in-place-of-a-translation-why")
def _():
    return ("the authors took a constant .001 ([Xue et al. 2021](https://arxiv.org/abs/"
            "2010.11934), section 4); Adam may need only [1e-4]",)


@computed("some-translations-are-empty-lines-why")
def _():
    return ("an empty line had −1.18, and a good translation −8.16, or −1.55 after "
            "normalisation ([marian-dev 462]".replace("−", "-"),)    # so the thread


@computed("the-perplexity-is-good-and-the-text-that-i-sample-is-nonsense-why")
def _():
    share, words = 0.05, 50
    return (f"have {100 * share:.0f} percent at each step, a text of {words} words "
            f"holds at least one with probability {short(1 - (1 - share) ** words)}",
            "at temperature .5 from", "top-p .9 ([Holtzman", "or at temperature .7")


@computed("gpu-0-needs-far-more-memory-than-the-other-gpus-why")
def _():
    sentences, words, vocabulary = 64, 100, 32_000
    return (f"For {sentences} sentences of {words} words and a vocabulary of "
            f"{vocabulary:,} these logits alone are "
            f"{sentences * words * vocabulary * 4 / 1e6:.0f} MB in float32",)


@computed("a-larger-batch-does-not-make-the-epoch-shorter-why")
def _():
    shortest, longest = 5, 50
    values = range(shortest, longest + 1)

    def pads(batch):    # the mean of the longest of a batch, exactly
        share = [(n / len(values)) ** batch for n in range(len(values) + 1)]
        most = sum(value * (share[n + 1] - share[n]) for n, value in enumerate(values))
        return 1 - (shortest + longest) / 2 / most
    return (f"{100 * pads(64):.0f} percent of all places for 64 sentences and "
            f"{100 * pads(4):.0f} for 4", "of 1, 2, 4, 8 and more")


@computed("mixed-precision-is-not-faster-than-float32-why")
def _():
    share, faster = 0.5, 4
    whole = 1 / (1 - share + share / faster)
    return (f"take half of the time and become {faster} times as fast, the whole is "
            f"{whole:.1f} times as fast", "compute capability 7.0, bfloat16 8.0",
            "If 16 bits are faster there", "multiples of 8")


@computed("the-average-of-my-checkpoints-is-much-worse-than-the-last-one-why")
def _():
    # tensor2tensor, issue 317
    return "averaged 21 files", "fell from 21.28 to 14.51 BLEU"


@computed("my-embedding-search-finds-the-wrong-passages-where-do-i-look-first")
def _():
    return "Write 50 questions", "among the first 10 (", "sort the best 100"


@computed("vllm-takes-90-per-cent-of-the-gpu-s-memory-for-a-small-model-is-that-a-leak")
def _():
    each, share = 2 * 32 * 8 * 128 * 2, 0.9    # Llama 3, 8B
    left = 24 * share - 8 * 2
    return (f"by default {share}, in".replace("0.", "."), "newer versions .92",
            "to .95", "a cache of 8 bits",
            f"With 24 GB, Llama 3's 8 billion weights ({8 * 2} GB) leave {left:.1f} "
            f"GB, at most {int(left * 1e9 / each):,} tokens of [{each:,} bytes each]")


@computed("i-train-with-adam-at-a-learning-rate-of-2-and-without-the-noam-decay-and-"
          "nothing-is-learned-why")
def _():
    width, warmup, factor = 512, 4000, 2
    peak = factor * width ** -0.5 * min(warmup ** -0.5, warmup * warmup ** -1.5)
    return (f"noam schedule the {factor} is only a factor",
            f"{short(peak, 4)} at its peak, for width {width} and {warmup:,} warm-up",
            r"$d^{-1/2} \cdot \min(n^{-1/2}, n \cdot 4000^{-3/2})$",
            f"{factor} is about {round(factor / peak, -2):,.0f} times too large",
            "take a rate of 1e-4 to 1e-3")


@computed("the-masked-loss-of-my-bert-swings-between-2-and-2-5-and-falls-no-further-is-"
          "something-broken")
def _():
    # the author's number; Devlin et al. 2019, appendix A.2; a user's numbers
    assert round(math.log(3.99), 1) == 1.4    # the perplexity in table 6
    return ("ended near 1.4", "1,000,000 steps of 256 sequences", "At 2 to 2.5, [about "
            "60 per cent", "only 15 of 100 words", "updates [near 7]", "leaves 7")


@computed("my-t5-has-a-loss-of-nan-as-soon-as-i-switch-on-fp16-why-and-what-d"
          "o-i-do")
def _():
    return (f"larger than {torch.finfo(torch.float16).max:,.0f}, the largest number",)


@computed("my-language-model-s-loss-stays-at-3-to-5-and-its-texts-are-full-of"
          "-pad-and-eos-which-bug-is-it")
def _():
    # the default of ignore_index; GPT-2 small on OpenWebText, as nanoGPT tells
    return (f"label them {torch.nn.CrossEntropyLoss().ignore_index}", "[ends near 3.1]")


@computed("ollama-ignores-the-beginning-of-my-long-prompt-though-the-model-reads-128k-"
          "tokens-why")
def _():
    each = 2 * 32 * 8 * 128 * 2    # bytes of a token in Llama 3, 8B
    return ("of Ollama 2,048 or 4,096 tokens", "16,384 tokens of Llama 3.1 8B take "
            f"{16_384 * each / 2 ** 30:.0f} GiB")


@computed("the-first-token-takes-seconds-and-the-rest-comes-quickly-how-do-i-shorten-"
          "the-wait")
def _():
    return ("about 2 operations", f"{2 * 7e9 * 8000 / 1e14:.1f} seconds for 7 billion "
            "weights, 8,000 tokens and 100 trillion operations a second",
            "weights of 4 bits")


@computed("each-of-my-four-gpus-shows-another-validation-loss-which-one-do-i-"
          "log-and-how-do-i-get-one-bleu")
def _():
    repeated = [i for rank in range(4) for i in DistributedSampler(
        range(10), 4, rank, shuffle=False)]
    assert {i for i in repeated if repeated.count(i) > 1} == {0, 1}
    return "0 and 1 below", "only process 0 validates"


@computed("my-time-series-transformer-is-good-one-step-ahead-and-bad-over-24-"
          "steps-why")
def _():
    learned, true = .95, .9
    return (f"A slope of {learned:g} in place of {true:g}".replace("0.", "."),
            f"value {learned / true:.2f} times too large after one step, and "
            f"{(learned / true) ** 24:.1f} times after 24", "over 24 steps")


@computed("a-pretrained-vit-gives-wrong-classes-for-my-pictures-without-any-"
          "error-why")
def _():
    mean, deviation = 0.5, 0.5
    low, high = ((value - mean) / deviation for value in (0, 1))
    return (f"from {low:.0f} to {high:.0f} (mean {short(mean, 1)}, deviation "
            f"{short(deviation, 1)})", "(.485, .456, .406)", "(.229, .224, .225)",
            f"divides by {2 ** 8 - 1}")


@computed("the-attention-maps-of-my-vision-transformer-have-bright-spots-in-the-"
          "empty-background-why")
def _():
    return ("about 2 per cent of the patches are so ([Darcet et al. 2024](https://arxiv."
            "org/abs/2309.16588), section 1)",)


@computed("my-protein-model-is-excellent-on-a-random-split-and-fails-on-new-"
          "families-why")
def _():
    return ("at 30 per cent identity",)
