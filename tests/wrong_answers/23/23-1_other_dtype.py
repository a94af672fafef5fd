import torch


def write_and_read(query, key, value):
    """query and key [T, K], value [T, D]; returns answers [T, D], memory [K, D]."""
    T, K = key.shape
    D = value.shape[1]
    memory = torch.zeros(K, D)
    answers = torch.zeros(T, D)
    for t in range(T):
        memory = memory + torch.outer(key[t].float(), value[t].float())
        answers[t] = query[t].float() @ memory
    return answers, memory
