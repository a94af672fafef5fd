import torch


def right_layer(query, key, value):
    """Returns new words [B, T, D] and weights [B, T, S]."""
    new, weights = [], []
    for one, other, said in zip(query, key, value):
        rows = [torch.stack([q @ k for k in other]) / len(q) ** 0.5 for q in one]
        table = torch.stack([row.softmax(dim=0) for row in rows])
        weights.append(table)
        new.append(table @ said)
    return torch.stack(new), torch.stack(weights)
