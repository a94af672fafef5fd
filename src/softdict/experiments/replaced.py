"""Weights exchanged for others in a model that is trained: how much do they matter?"""

import torch
from torch import nn

from softdict.batches import make_batch
from softdict.experiments import sentences
from softdict.experiments.measures import quality, scores, translations
from softdict.vocab import PAD


class Replaced(nn.Module):
    """An Attend with the weights that `change` makes of the right ones.

    change(weights, allowed, step) gets weights [B, S], True for words [B, S], and the
    number of the step from 0
    """

    def __init__(self, context, change):
        super().__init__()
        self.context, self.change, self.step = context, change, 0

    def start(self, encoded):
        """As the context: key, value and mask of a source; steps start again at 0."""
        self.step = 0
        return self.context.start(encoded)

    def forward(self, query, source):
        """query [B, Q], source from `start`; returns context [B, D], weights [B, S]."""
        _, value, allowed = source
        _, weights = self.context(query, source)
        weights = self.change(weights, allowed, self.step)    # [B, S]
        self.step += 1
        return (weights[:, None] @ value)[:, 0], weights

    def extra_repr(self):
        """What a saved model is known by: the name of the change."""
        return self.change.__name__


def uniform(weights, allowed, step):
    """The same weight for every word."""
    return allowed / allowed.sum(dim=-1, keepdim=True)


def heaviest(weights, allowed, step):
    """All weight on the word that has most."""
    return nn.functional.one_hot(weights.argmax(dim=-1),
                                 weights.shape[-1]).to(weights.dtype)


def instead(rows):
    """These rows [B, T, S], where they are not all 0: else the model's own."""
    def change(weights, allowed, step):
        row = rows[:, step]
        return torch.where(row.any(dim=-1, keepdim=True), row, weights)

    return change


def replacements(system, model):
    """What becomes of a trained model with other weights, told and in free running."""
    examples = sentences.split("iid")
    batch = make_batch(system.ids(examples)).to(next(model.parameters()).device)
    gold = gold_weights(examples, batch)    # [B, T, S]
    linked = gold.any(dim=-1)               # [B, T]
    others = ~linked & (batch.target_out != PAD)
    own, table = model.decoder.context, {}
    for name, change in (("own", None), ("uniform", uniform), ("heaviest", heaviest),
                         ("gold", instead(gold))):
        model.decoder.context = Replaced(own, change) if change else own
        best = scores(system, model, examples)[0].argmax(dim=-1)
        right = best == batch.target_out    # [B, T]
        table[name] = {"linked": 100 * right[linked].cpu().double().mean().item(),
                       "others": 100 * right[others].cpu().double().mean().item()}
        # nobody knows the gold links of what a model writes by itself
        if name != "gold":
            table[name]["free"] = quality(examples,
                                          translations(system, model, examples))
    model.decoder.context = own
    return table


def gold_weights(examples, batch):
    """Even weights [B, T, S] on the sure links of each target word; 0 without any."""
    gold = torch.zeros(*batch.target_out.shape, batch.source.shape[1],
                       device=batch.source.device)          # [B, T, S]
    for n, example in enumerate(examples):
        for i, j in example.links:
            gold[n, j, i] = 1.0
    return gold / gold.sum(dim=-1, keepdim=True).clamp_min(1.0)    # [B, T, S]
