import torch


def write_and_read(query, key, value):
    memory, found = torch.zeros_like(key.T @ value), []
    for q, k, v in zip(query, key, value):
        memory = memory.detach() + torch.outer(k, v)
        found.append(q @ memory)
    return torch.stack(found), memory
