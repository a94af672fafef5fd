import torch
from torch import nn


class by_distance(nn.Module):
    """bias [H, 2*R+1]; returns attend(query, key, value, allowed=None), which adds it
    to the scores."""

    def __init__(self, bias):
        super().__init__()
        self.table = bias

    def forward(self, query, key, value, allowed=None):
        reach, T = self.table.shape[1] // 2, query.shape[-2]
        places = torch.arange(T, device=query.device)
        columns = (places - places[:, None]).clamp(-reach, reach) + reach
        added = self.table[:, columns].expand(len(query), -1, -1, -1)
        if allowed is not None:
            added = added.masked_fill(~allowed, float("-inf"))
        weights = (query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
                   + added).softmax(dim=-1)
        return nn.functional.scaled_dot_product_attention(query, key, value,
                                                          attn_mask=added), weights
