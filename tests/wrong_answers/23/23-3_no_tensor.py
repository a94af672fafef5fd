import torch


def in_blocks(query, key, value, size):
    """query and key [T, K], value [T, D]; returns answers [T, D], memory [K, D]."""
    memory, answers = torch.zeros_like(key.T @ value), []
    for q, k, v in zip(query.split(size), key.split(size), value.split(size)):
        inside = (q @ k.T).tril() @ v          # earlier words of the block, and itself
        answers.append(inside + q @ memory)    # and all earlier blocks
        memory = memory + k.T @ v              # [K, D]
    return answers, memory
