"""Forbids what was written."""

import torch


def no_repeat(words, logits, n):
    out = logits.clone()
    for word in words:
        out[word] = float("-inf")
    return torch.as_tensor(out)
