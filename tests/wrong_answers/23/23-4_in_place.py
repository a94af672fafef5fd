import torch
import torch.nn.functional as F


def delta_rule(query, key, value, strength):
    """query, key [T, K], value [T, D], strength [T]; returns answers and memory."""
    memory = torch.zeros_like(key.T @ value)
    answers = []
    for q, k, v, b in zip(query, F.normalize(key, dim=-1), value, strength):
        memory += b * torch.outer(k, v - k @ memory)
        answers.append(q @ memory)
    return torch.stack(answers), memory
