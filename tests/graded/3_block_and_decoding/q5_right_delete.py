"""Takes row 1 out, if one is too many."""

import torch


def rolling_step(query, key, value, keys, values, size):
    def longer(past, new):
        rows = [*past.unbind(2), new]
        if len(rows) > size:
            del rows[1]
        return torch.stack(rows, dim=2)

    keys, values = longer(keys, key), longer(values, value)
    scores = torch.einsum("bhk,bhpk->bhp", query, keys) / query.shape[-1] ** 0.5
    return torch.einsum("bhp,bhpk->bhk", scores.softmax(-1), values), keys, values
