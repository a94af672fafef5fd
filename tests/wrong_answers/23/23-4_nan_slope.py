import torch


def delta_rule(query, key, value, strength):
    """query, key [T, K], value [T, D], strength [T]; returns answers and memory."""
    memory = torch.zeros_like(key.T @ value)
    length = key.norm(dim=-1, keepdim=True)
    key = torch.where(length < 1e-8, key / 1e-8, key / length)
    answers = []
    for q, k, v, b in zip(query, key, value, strength):
        memory = memory + b * torch.outer(k, v - k @ memory)
        answers.append(q @ memory)
    return torch.stack(answers), memory
