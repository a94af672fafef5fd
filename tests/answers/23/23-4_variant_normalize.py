import torch
import torch.nn.functional as F


def delta_rule(query, key, value, strength):
    """query, key [T, K], value [T, D], strength [T]; returns answers and memory."""
    memory = torch.zeros(key.shape[1], value.shape[1], dtype=value.dtype)
    answers = []
    for t in range(len(key)):
        k = F.normalize(key[t], dim=0)
        memory = memory + strength[t] * torch.outer(k, value[t] - k @ memory)
        answers.append(query[t] @ memory)
    return torch.stack(answers), memory
