"""Weights exchanged for others in a model that is trained: how much do they matter?"""

import torch
from torch import nn


class Replaced(nn.Module):
    """A context with the weights that `change` makes of the right ones.

    change(weights, allowed, step) gets weights [B, S], True for words [B, S], and the number of the step from 0
    """

    def __init__(self, context, change):
        super().__init__()
        self.context, self.change, self.step = context, change, 0

    def prepare(self, encoded):
        """The source as the context wants it; steps are counted anew."""
        self.step = 0
        return self.context.prepare(encoded)

    def forward(self, query, encoded):
        """query [B, Q]; returns context [B, D], weights [B, S]."""
        _, weights = self.context(query, encoded)
        weights = self.change(weights, encoded.allowed, self.step)
        self.step += 1
        return (weights[:, None] @ encoded.states)[:, 0], weights


def uniform(weights, allowed, step):
    """The same weight for every word."""
    return allowed / allowed.sum(dim=-1, keepdim=True)


def heaviest(weights, allowed, step):
    """All weight on the word that has most."""
    return nn.functional.one_hot(weights.argmax(dim=-1), weights.shape[-1]).to(weights.dtype)


def instead(rows):
    """These rows [B, T, S], where they are not all 0: else the model's own."""
    def change(weights, allowed, step):
        row = rows[:, step]
        return torch.where(row.any(dim=-1, keepdim=True), row, weights)

    return change
