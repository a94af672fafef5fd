"""Minus infinity minus minus infinity."""

import torch


def merge(context_1, total_1, context_2, total_2):
    total = torch.logaddexp(total_1, total_2)
    first = torch.exp(total_1 - total).unsqueeze(-1)
    second = torch.exp(total_2 - total).unsqueeze(-1)
    return first * context_1 + second * context_2, total
