import torch


def delta_rule(query, key, value, strength):
    """query, key [T, K], value [T, D], strength [T]; returns answers and memory."""
    memory = torch.zeros_like(key.T @ value)
    key = key / key.square().sum(-1, keepdim=True).sqrt().clamp(min=1e-8)
    answers = []
    for q, k, v, b in zip(query, key, value, strength):
        memory = memory + b * torch.outer(k, v - k @ memory)
        answers.append(q @ memory)
    return torch.stack(answers), memory
