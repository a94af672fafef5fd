import torch


def delta_rule(query, key, value, strength):
    """query, key [T, K], value [T, D], strength [T]; returns answers and memory."""
    memory = torch.zeros_like(key.T @ value)
    key = key / key.norm(dim=-1, keepdim=True).clamp_min(1e-8)
    answers = []
    for t in range(len(key)):
        if t % 32 == 0:
            memory = memory.detach()
        memory = memory + strength[t] * torch.outer(key[t], value[t] - key[t] @ memory)
        answers.append(query[t] @ memory)
    return torch.stack(answers), memory
