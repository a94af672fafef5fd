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
