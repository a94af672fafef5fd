import torch


def mean_context(query, states, allowed):
    weights = torch.softmax(allowed.float(), dim=-1)          # [B, S]
    context = torch.bmm(weights[:, None], states)[:, 0]       # [B, D]
    return context, weights
