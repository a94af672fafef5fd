"""The share of one of two is a sigmoid of the difference."""

import torch


def merge(context_1, total_1, context_2, total_2):
    gap = (total_1 - total_2).nan_to_num(nan=0.0, posinf=1e9, neginf=-1e9)
    share = torch.sigmoid(gap)[..., None]
    return (share * context_1 + (1 - share) * context_2,
            torch.logaddexp(total_1, total_2))
