import torch
from torch import nn


class MultiHead(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        for name in ("query", "key", "value", "out"):
            setattr(self, name, nn.Linear(width, width))

    def forward(self, x, source, allowed=None):
        parts = []
        for name, read in (("query", x), ("key", source), ("value", source)):
            made = getattr(self, name)(read)
            size = made.shape[-1] // self.heads
            parts.append([made[..., n * size:(n + 1) * size]
                          for n in range(self.heads)])
        answers = []
        for query, key, value in zip(*parts):
            answers.append(torch.nn.functional.scaled_dot_product_attention(
                query, key, value, allowed))
        return self.out(torch.cat(answers, dim=-1))
