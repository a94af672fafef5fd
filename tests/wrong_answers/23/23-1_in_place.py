import torch


def write_and_read(query, key, value):
    """query and key [T, K], value [T, D]; returns answers [T, D], memory [K, D]."""
    T, K = key.shape
    D = value.shape[1]
    memory = torch.zeros(K, D, dtype=key.dtype)
    answers = torch.zeros(T, D, dtype=key.dtype)
    for t in range(T):
        memory += torch.outer(key[t], value[t])
        answers[t] = query[t] @ memory
    return answers, memory
