"""All rows at once: a diagonal of minus infinity."""

import torch


def leave_one_out(scores, values):
    own = torch.eye(len(scores), dtype=torch.bool)
    rows = scores.expand(len(scores), -1).masked_fill(own, float("-inf"))
    return torch.einsum("ts,sd->td", rows.softmax(-1), values)
