import torch


def delta_rule(query, key, value, strength):
    """query, key [T, K], value [T, D], strength [T]; returns answers and memory."""
    memory = torch.zeros_like(key.T @ value)    # [K, D]
    key = key / key.norm(dim=-1, keepdim=True).clamp_min(1e-8)
    answers = []
    for q, k, v, b in zip(query, key, value, strength):
        known = k @ memory                      # [D]
        memory = memory + b * torch.outer(k, v - known)
        answers.append(q @ memory)
    return torch.stack(answers), memory
