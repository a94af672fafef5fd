import torch


def delta_rule(query, key, value, strength):
    key = key / key.norm(dim=1, keepdim=True).clamp(min=1e-8).detach()
    memory, found = torch.zeros_like(key.T @ value), []
    for q, k, v, much in zip(query, key, value, strength):
        memory = memory + torch.outer(k, much * (v - k @ memory))
        found.append(q @ memory)
    return torch.stack(found), memory
