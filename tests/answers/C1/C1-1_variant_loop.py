import torch


def attend(query, states, allowed):
    """Returns the context [B, D] and the weights [B, S]."""
    contexts, rows = [], []
    for one, row, real in zip(query, states, allowed):
        scores = torch.stack([one @ state for state in row])
        scores = torch.where(real, scores, torch.tensor(-torch.inf))
        exps = (scores - scores.max()).exp()
        weights = exps / exps.sum()
        rows.append(weights)
        contexts.append((weights[:, None] * row).sum(dim=0))
    return torch.stack(contexts), torch.stack(rows)
