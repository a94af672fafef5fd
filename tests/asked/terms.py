"""The numbers of book/asked/terms.md: each function returns what must stand in the
answer with its anchor."""

import torch
from asking import computed


@computed("a-7b-model-was-trained-on-2t-tokens-what-are-parameters-and-what-are-tokens")
def _():
    parameters, tokens = 7, 2000    # in billions
    return (f"{parameters} billion parameters and {tokens // 1000} trillion tokens",
            f"{tokens / parameters:.0f} tokens for each parameter",
            f"{parameters * 16 // 8} GB in 16 bits",
            f"{2 + 4} operations for each parameter and token", "4,096 tokens")


@computed("prompt-engineering-prompt-tuning-prefix-tuning-adapters-and-lora-what-is-"
          "trained-in-each")
def _():
    width, vectors, rank = 4096, 20, 8
    return (f"the width is {width:,}",
            f"{vectors} prompt vectors are {vectors * width:,} numbers",
            f"rank {rank} at one square matrix has {2 * rank * width:,}")


@computed("what-is-a-scaling-law-and-what-are-emergent-abilities")
def _():
    return f"about {100 * (1 - 2 ** -0.076):.0f} per cent",


@computed("context-window-context-length-block-size-n-ctx-and-max-length-are-they-"
          "the-same")
def _():
    return "512 in BERT with `[CLS]`, 1,024 in GPT-2",


@computed("flops-flops-and-macs-what-is-the-difference")
def _():
    return f"a matrix of 512 · 512 takes {512 ** 2:,} MACs", "2 FLOPs", "a factor of 2"


@computed("greedy-search-beam-search-and-sampling-what-is-the-difference")
def _():
    return ("a beam of 4 or 5",)


@computed("torch-tensor-or-torch-tensor-what-is-the-difference")
def _():
    assert torch.tensor([1]).dtype == torch.int64
    assert torch.Tensor([1]).dtype == torch.float32
    return "int64", "float32", "holds the number 3"


@computed("fairseq-s-log-prints-loss-nll-loss-ppl-wps-ups-wpb-bsz-and-gnorm-what-do-they-"
          "mean")
def _():
    loss, updates, pieces = 10.191, 4.8, 2611    # of fairseq's issue 514
    return ("logarithm to base 2", "is 2 to the power",
            f"`nll_loss` is {loss}, so `ppl` is {2 ** loss:,.0f}",
            f"{updates} · {pieces:,}, is {updates * pieces:,.0f}", "of 12,889")


@computed("continuous-batching-and-pagedattention-what-are-they-and-why-is-vllm-"
          "faster-than-generate")
def _():
    words = 10, 20, 30, 100
    return (f"below {sum(words)} words cost {len(words) * max(words)} places",
            "2 to 4 times as much")    # Kwon et al. 2023, abstract


@computed("ctc-s-blank-silence-the-space-and-the-pad-are-they-the-same")
def _():
    return ("Hugging Face's wav2vec 2.0",)
