import torch


def attend(query, states, allowed):
    scores = torch.bmm(states, query.unsqueeze(2)).squeeze(2)
    scores = torch.where(allowed, scores, torch.full_like(scores, -torch.inf))
    weights = torch.exp(scores - scores.logsumexp(1, keepdim=True))
    return torch.bmm(weights.unsqueeze(1), states).squeeze(1), weights
