"""The numbers of book/asked/odd_results.md: each function returns what must stand in
the answer with its anchor."""

import math

from asking import computed


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
